// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/error.hpp>
#include <synelix/machine_file.hpp>

#include <gmock/gmock.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

// Files of calibrations. cli/test_calibrate.py tests their use in the program.

namespace machine_file_tests {
namespace {

using namespace synelix;
using testing::HasSubstr;

/// A separate folder for each test.
class MachineFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    m_folder = std::filesystem::temp_directory_path() /
               ("synelix_machine_" + std::to_string(getpid()) + test->name());
    std::filesystem::create_directory(m_folder);
  }
  void TearDown() override { std::filesystem::remove_all(m_folder); }

  [[nodiscard]] std::string file() const { return (m_folder / "machine.json").string(); }
  void write(const std::string& text) const { std::ofstream(file()) << text; }
  [[nodiscard]] std::string text() const {
    std::ifstream stream(file());
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  [[nodiscard]] std::string refusal() const {
    try {
      read_machine(file(), "P", InstructionSet::avx2);
    } catch (const FileError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path m_folder;
};

Machine machine_of(double first) {
  Machine machine{.instruction_set = InstructionSet::avx2, .nanoseconds = Steps{}, .bytes = {}};
  double value = first;
  for (const NamedStep& step : all_steps) machine.nanoseconds.value().*step.value = value /= 3.0;
  machine.bytes.fft_block = 12345;
  machine.bytes.direct_block = most_work_bytes;
  return machine;
}

TEST_F(MachineFile, GivesBackWhatWasWritten) {
  const Machine machine = machine_of(0.7);
  write_machine(file(), "P \"q\" \xc3\xa4", machine);
  const auto found = read_machine(file(), "P \"q\" \xc3\xa4", InstructionSet::avx2);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->instruction_set, InstructionSet::avx2);
  for (const NamedStep& step : all_steps) {
    EXPECT_EQ(found->nanoseconds.value().*step.value, machine.nanoseconds.value().*step.value)
        << step.name;
  }
  EXPECT_EQ(found->bytes, machine.bytes);
  EXPECT_FALSE(read_machine(file(), "P", InstructionSet::avx2).has_value());
  EXPECT_FALSE(read_machine(file(), "P \"q\" \xc3\xa4", InstructionSet::plain).has_value());
}

TEST_F(MachineFile, KnowsAProcessorWhoseNameIsNoUtf8) {
  write_machine(file(), "P\xff", machine_of(0.5));
  write_machine(file(), "P\xff", machine_of(0.25));
  const auto found = read_machine(file(), "P\xff", InstructionSet::avx2);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->nanoseconds.value().multiply_add, 0.25 / 3.0);
  EXPECT_THAT(text(), HasSubstr("\"P\xef\xbf\xbd\""));
  EXPECT_EQ(text().find("\"processor\""), text().rfind("\"processor\""));
}

TEST_F(MachineFile, RefusesBytesThatNoCallTakes) {
  write_machine(file(), "P", machine_of(0.5));
  const std::string good = text();
  const std::string number = "\"fft_block\": 12345";
  const std::size_t at = good.find(number);
  ASSERT_NE(at, std::string::npos);
  for (const std::string bad : {"-1", "1.5", "12345.0", "\"1\"", "null", "1099511627777",
                                "9223372036854775808", "18446744073709551615", "1e+300"}) {
    write(good.substr(0, at) + "\"fft_block\": " + bad + good.substr(at + number.size()));
    EXPECT_THAT(refusal(), HasSubstr("it holds " + bad + " as the bytes of fft_block")) << bad;
  }
}

TEST_F(MachineFile, KeepsTheEntriesOfOthers) {
  const std::string other =
      R"({"processor": "Q", "instruction_set": "avx2", "more": [1e-7, 12345678901234567890, "\u00e4"], "a": 0.1})";
  write(R"({"format": 1, "note": "mine", "machines": [)" + other + "]}");
  write_machine(file(), "P", machine_of(0.5));
  write_machine(file(), "P", machine_of(0.25));
  EXPECT_THAT(text(), HasSubstr("\"note\": \"mine\""));
  for (const char* part : {"1e-07", "12345678901234567890", "\xc3\xa4", "\"a\": 0.1"}) {
    EXPECT_THAT(text(), HasSubstr(part));
  }
  EXPECT_LT(text().find("\"more\""), text().find("\"a\""));
  const auto found = read_machine(file(), "P", InstructionSet::avx2);
  EXPECT_EQ(found.value().nanoseconds.value().multiply_add, 0.25 / 3.0);
  std::size_t entries = 0;
  for (std::size_t at = text().find("\"processor\""); at != std::string::npos;
       at = text().find("\"processor\"", at + 1)) {
    ++entries;
  }
  EXPECT_EQ(entries, 2U);
}

TEST_F(MachineFile, IsNothingWhereThereIsNone) {
  EXPECT_FALSE(read_machine(file(), "P", InstructionSet::avx2).has_value());
  require_machine_file(file());
  write("");
  require_machine_file(file());
  EXPECT_THAT(refusal(), HasSubstr("it holds no JSON"));
}

TEST_F(MachineFile, RefusesWhatIsNoCalibration) {
  const auto entry = [](const std::string& rest) {
    return R"({"format": 1, "machines": [{"processor": "P", "instruction_set": "avx2")" + rest +
           "}]}";
  };
  const auto nested = [](std::size_t levels) {
    return R"({"machines": [], "format": )" + std::string(levels, '[') + std::string(levels, ']') +
           "}";
  };
  const std::string empty = R"({"format": 1, "machines": []})";
  struct Case {
    std::string text;
    const char* says;
  };
  for (const Case& each :
       {Case{"{", "it holds no JSON"}, Case{"[]", "it holds no list of machines"},
        Case{R"({"machines": 1})", "it holds no list of machines"},
        Case{R"({"machines": []})", "it has format null"},
        Case{R"({"format": "1", "machines": []})", "it has format \"1\""},
        Case{entry(""), "no nanoseconds of the step multiply_add"},
        Case{entry(R"(, "nanoseconds": [1])"), "no nanoseconds of the step multiply_add"},
        Case{entry(R"(, "nanoseconds": {"multiply_add": -0.5})"),
             "-0.5 nanoseconds of the step multiply_add"},
        Case{entry(R"(, "nanoseconds": {"multiply_add": 1e999})"), "it holds no JSON"},
        Case{R"({"format": 1.0, "machines": []})", "it has format 1.0"},
        Case{"{\"format\": \"\xff\", \"machines\": []}", "it holds no JSON"},
        Case{empty + "x", "it holds no JSON"}, Case{empty + '\0', "it holds no JSON"},
        Case{nested(63), "it has format ["}, Case{nested(64), "it has format ["},
        Case{nested(65), "it holds no JSON"}, Case{nested(100'000), "it holds no JSON"}}) {
    write(each.text);
    EXPECT_THAT(refusal(), HasSubstr(each.says)) << each.text;
  }
  EXPECT_THROW(require_machine_file(m_folder.string()), FileError);
  EXPECT_THROW(write_machine(file(), "P", Machine{}), Error);
}

TEST_F(MachineFile, NamesWhatCannotBeWritten) {
  write("x");
  const std::string below = file() + "/machine.json";
  try {
    write_machine(below, "P", machine_of(1.0));
    FAIL() << "it was written";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Not a directory. Give a file in a folder"));
  }
}

}  // namespace
}  // namespace machine_file_tests
