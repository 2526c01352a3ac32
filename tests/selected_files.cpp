// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "selected_files.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace tests {
namespace {

using Names = std::set<std::string>;

std::optional<Names> files_in(int argc, char** argv) {
  constexpr std::string_view option = "--only=";
  std::optional<Names> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with(option)) continue;
    files.emplace();
    std::istringstream list{std::string(word.substr(option.size()))};
    for (std::string name; std::getline(list, name, ',');) files->insert(name);
  }
  return files;
}

/// The tests of some files, and all others, as patterns of GoogleTest. A suite with all tests on
/// one side is one pattern.
struct Division {
  Names selected, others;
  Names files_with_tests;
};

Division divide(const Names& files) {
  Division division;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    Names selected, others;
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      const std::string file = std::filesystem::path(test.file()).stem().string();
      const bool is_selected = files.contains(file);
      if (is_selected) division.files_with_tests.insert(file);
      (is_selected ? selected : others).insert(std::string(suite.name()) + "." + test.name());
    }
    if (others.empty()) selected = {std::string(suite.name()) + ".*"};
    if (selected.empty()) others = {std::string(suite.name()) + ".*"};
    division.selected.insert(selected.begin(), selected.end());
    division.others.insert(others.begin(), others.end());
  }
  return division;
}

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ":") + name;
  return text;
}

/// The filter that was given, and no test of other files.
std::string narrowed(const std::string& filter, const Division& division) {
  if (division.others.empty()) return filter;
  if (filter == "*") return joined(division.selected);
  return filter + (filter.find('-') == std::string::npos ? "-" : ":") + joined(division.others);
}

}  // namespace

int run_selected(int argc, char** argv) {
  const std::optional<Names> files = files_in(argc, argv);
  if (!files) return RUN_ALL_TESTS();
  if (files->empty()) {
    std::fputs("--only names no file. Give names of test files, with commas between them.\n",
               stderr);
    return 1;
  }
  const Division division = divide(*files);
  for (const std::string& file : *files) {
    if (division.files_with_tests.contains(file)) continue;
    std::fprintf(stderr, "--only: this program has no test of a file %s.cpp.\n", file.c_str());
    return 1;
  }
  for (const std::string& name : division.selected) {
    if (!division.others.contains(name)) continue;
    std::fprintf(stderr, "--only: two files have a test %s. Rename one of them.\n", name.c_str());
    return 1;
  }
  std::string& filter = testing::GTEST_FLAG(filter);
  filter = narrowed(filter, division);
  return RUN_ALL_TESTS();
}

}  // namespace tests
