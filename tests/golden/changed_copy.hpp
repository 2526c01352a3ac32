// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/golden_file.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Tests of the programs that compare files of golden numbers: their output for a file, and for a
/// copy of it with a change.

namespace golden {

struct Report {
  int status = -1;
  std::string output;  ///< of both streams, without the lines about cases that agree
};

inline Report run_program(const std::string& program, const std::string& arguments) {
  const std::string command = program + " " + arguments + " 2>&1";
  Report report;
  FILE* pipe = popen(command.c_str(), "r");  // NOLINT(bugprone-command-processor): fixed words
  if (pipe == nullptr) return report;
  char text[4096];
  while (std::fgets(text, sizeof text, pipe) != nullptr) {
    const std::string line = text;
    if (!line.starts_with("ok ") && !line.starts_with("not ")) report.output += line;
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) report.status = WEXITSTATUS(status);
  return report;
}

/// A copy of a file whose datasets and attributes a test rewrites.
class ChangedCopy : public testing::Test {
 protected:
  ChangedCopy(std::string program, std::string file)
      : m_program(std::move(program)), m_file(std::move(file)) {}

  void SetUp() override {
    namespace fs = std::filesystem;
    m_path = fs::temp_directory_path() / ("synelix_golden_" + std::to_string(getpid()) + ".h5");
    fs::copy_file(m_file, m_path, fs::copy_options::overwrite_existing);
    fs::permissions(m_path, fs::perms::owner_write, fs::perm_options::add);
  }
  void TearDown() override { std::filesystem::remove(m_path); }

  [[nodiscard]] std::vector<double> read(const std::string& dataset) const {
    return File(m_path).array(dataset.substr(1)).values;
  }

  void write(const std::string& dataset, const std::vector<double>& values) const {
    const Handle file = open();
    const Handle target(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), H5Dclose, dataset);
    ASSERT_GE(H5Dwrite(target, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }

  /// Adds `step` to the value at an index.
  void move(const std::string& dataset, std::size_t index, double step) const {
    std::vector<double> values = read(dataset);
    values.at(index) += step;
    write(dataset, values);
  }

  /// Gives a group an attribute of some numbers, in place of one of that name.
  void set_numbers(const std::string& group, const std::string& name,
                   const std::vector<double>& numbers) const {
    const hsize_t count = numbers.size();
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "H5Screate_simple");
    set(group, name, H5T_NATIVE_DOUBLE, space, numbers.data());
  }
  /// The same of a text.
  void set_text(const std::string& group, const std::string& name, const std::string& text) const {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
    H5Tset_size(type, text.size());
    set(group, name, type, space, text.data());
  }

  /// Gives a link another name.
  void rename(const std::string& from, const std::string& to) const {
    const Handle file = open();
    ASSERT_GE(H5Lmove(file, from.c_str(), file, to.c_str(), H5P_DEFAULT, H5P_DEFAULT), 0);
  }

  [[nodiscard]] Report run(const std::string& only = "") const {
    return run_program(m_program, m_path.string() + " " + only);
  }

  /// The case of that name differs in the copy, and the line about it contains `why`. The other
  /// cases, which are unchanged, are not computed again.
  void expect_difference(const std::string& name, const std::string& why = "") const {
    const Report report = run(name);
    EXPECT_EQ(report.status, 1) << report.output;
    EXPECT_THAT(report.output, testing::HasSubstr("DIFFERS           " + name + ": "));
    EXPECT_THAT(report.output, testing::HasSubstr(why));
    EXPECT_THAT(report.output, testing::HasSubstr("1 of 1 cases checked, 1 differ\n"));
  }

  std::filesystem::path m_path;

 private:
  [[nodiscard]] Handle open() const {
    return {H5Fopen(m_path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "the copy does not open"};
  }

  void set(const std::string& group, const std::string& name, hid_t type, hid_t space,
           const void* value) const {
    const Handle file = open();
    const Handle owner(H5Gopen2(file, group.c_str(), H5P_DEFAULT), H5Gclose, group);
    if (H5Aexists(owner, name.c_str()) > 0) H5Adelete(owner, name.c_str());
    const Handle attribute(H5Acreate2(owner, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose, name);
    ASSERT_GE(H5Awrite(attribute, type, value), 0);
  }

  std::string m_program;
  std::string m_file;
};

}  // namespace golden
