// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/version.hpp>

#include <build_facts.hpp>

namespace synelix {

namespace {

std::vector<std::string> split_at_blanks(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const auto end = list.find(' ');
    words.emplace_back(list.substr(0, end));
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
  return words;
}

}  // namespace

std::string_view version() noexcept { return SYNELIX_VERSION_STRING; }

BuildDescription build_description() {
  return {.version = SYNELIX_VERSION_STRING,
          .revision = std::string(revision()),
          .compiler = SYNELIX_BUILD_COMPILER,
          .build_type = SYNELIX_BUILD_TYPE,
          .kokkos_version = SYNELIX_BUILD_KOKKOS,
          .backends = split_at_blanks(SYNELIX_KOKKOS_BACKENDS),
          .instruction_sets = split_at_blanks(SYNELIX_BUILD_SETS),
          .components = split_at_blanks(SYNELIX_BUILD_COMPONENTS)};
}

}  // namespace synelix
