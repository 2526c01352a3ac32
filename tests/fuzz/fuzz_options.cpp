// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lines as the words of a command line; after a line "%", the contents of a --config file or a
// --list.
#include "memory_file.hpp"
#include "tool/options/command_line.hpp"
#include "tool/options/list_file.hpp"
#include "tool/options/values.hpp"

#include <synelix/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace {

namespace sx = synelix;
namespace tool = synelix::tool;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Parses; nothing if the text gives an Error.
template <class Parse>
auto parsed(const Parse& parse, const std::string& text) -> std::optional<decltype(parse(text))> {
  try {
    return parse(text);
  } catch (const sx::Error& error) {
    require(error.what()[0] != '\0', "an Error without a word");
    return std::nullopt;
  }
}

void parse_values(const std::string& text) {
  if (const auto bytes = parsed(tool::parse_bytes, text)) require(*bytes >= 1, "bytes below 1");
  if (const auto range = parsed(tool::parse_index_range, text)) {
    require(range->begin >= 0 && (!range->end || *range->end > range->begin), "an empty range");
  }
  if (const auto batch = parsed(tool::parse_batch, text)) {
    require(batch->samples.value_or(1) >= 1 && batch->channels.value_or(1) >= 1 &&
                batch->bases.value_or(1) >= 1,
            "an empty batch");
  }
  if (const auto chunk = parsed(tool::parse_chunk, text)) {
    require(chunk->size() == 3 && (*chunk)[0] >= 1 && (*chunk)[1] >= 1 && (*chunk)[2] >= 1,
            "an empty chunk");
  }
  if (const auto filter = parsed(tool::parse_filter, text)) {
    require(filter->deflate >= 0 && filter->deflate <= 9, "a level beyond 9");
  }
  if (const auto path = parsed(tool::parse_dataset_path, text)) {
    require(!path->file.empty(), "a path without a file");
  }
  if (const auto duration = parsed(tool::parse_duration, text)) {
    tool::format_seconds(duration->value);
  }
  if (const auto number = parsed(tool::parse_number, text)) tool::format_bytes(*number);
  if (const auto number = parsed(tool::parse_integer, text)) tool::format_count(*number);
  if (const auto device = parsed(tool::parse_device, text)) {
    const int* const number = std::get_if<int>(&*device);
    require(number == nullptr || *number >= 0, "a device below 0");
  }
  parsed(tool::parse_time_range, text);
  parsed(tool::parse_condition, text);
  parsed(tool::parse_numbers, text);
  parsed(tool::parse_integers, text);
}

void parse_list(const std::string& file) {
  const auto read = [](const std::string& name) {
    return tool::read_list(name, [](const std::string& input, const std::string& output) {
      require(!input.empty() && !output.empty(), "a line without a name");
      return tool::ListLine{.number = 0,
                            .input = tool::parse_dataset_path(input),
                            .output = tool::parse_output_path(output)};
    });
  };
  const auto list = parsed(read, file);
  require(!list || !list->lines.empty(), "a list without a line");
}

/// Nothing that is printed is shown.
class Silence {
 public:
  Silence() : m_out(std::cout.rdbuf(m_text.rdbuf())), m_error(std::cerr.rdbuf(m_text.rdbuf())) {}
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() {
    std::cout.rdbuf(m_out);
    std::cerr.rdbuf(m_error);
  }
  [[nodiscard]] bool is_empty() const { return m_text.view().empty(); }

 private:
  std::ostringstream m_text;
  std::streambuf* m_out;
  std::streambuf* m_error;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream input(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> words;
  std::string config;
  std::string line;
  bool has_config = false;
  while (std::getline(input, line)) {
    if (has_config) {
      config += line + "\n";
    } else if (line == "%") {
      has_config = true;
    } else if (line.find('\0') == std::string::npos) {  // no word of a command line has one
      words.push_back(line);
    }
  }
  for (const std::string& word : words) {
    parse_values(word);
    const auto equals = word.find('=');
    if (equals != std::string::npos) parse_values(word.substr(equals + 1));
    // Do not read files of this machine.
    if (word.find("--config") == 0 || word.find("--list") == 0) return 0;
  }
  const fuzz::MemoryFile file(config.data(), config.size());
  parse_list(file.path());
  if (has_config) words.push_back("--config=" + file.path());
  const Silence silence;
  const tool::Parsed result = tool::parse_command_line(words);
  if (!result.request && result.exit_code != tool::exit_success) {
    require(result.exit_code == tool::exit_usage, "another exit code than that of usage");
    require(!silence.is_empty(), "a refusal without a word");
  }
  return 0;
}
