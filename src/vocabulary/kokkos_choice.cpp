// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vocabulary/kokkos_choice.hpp"

#include <synelix/error.hpp>
#include <synelix/kokkos_settings.hpp>
#include <synelix/version.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <thread>

namespace synelix {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool has_openmp(const std::string& backends) {
  std::string upper = backends;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return upper.find("OPENMP") != std::string::npos;
}

/// Throws Error unless the text is a number of threads that Kokkos takes.
void check_number(const std::string& name, const std::string& text, std::string_view number,
                  int most) {
  int value = 0;
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = fault == std::errc() && end == number.data() + number.size();
  if (is_number && value >= 1 && value <= most) return;
  throw Error(
      name, "'" + text + "' is not a valid number of threads",
      most == std::numeric_limits<int>::max()
          ? "Use 1 or more"
          : "Use 1 to " + std::to_string(most) + ", the most that Kokkos' OpenMP backend takes");
}

/// The value of the last word "NAME=VALUE"; empty where it stands without a value.
std::optional<std::string> value_of(const std::string& flag,
                                    const std::vector<std::string>& words) {
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    if (*word == flag) return std::string();
    if (word->starts_with(flag + "=")) return word->substr(flag.size() + 1);
  }
  return std::nullopt;
}

/// Kokkos reads these in a build without devices too, and ends the program at other values.
void check_device_variables(const KokkosSurroundings& surroundings) {
  if (const auto text = surroundings.variable("KOKKOS_DEVICE_ID")) {
    int value = 0;
    const char* const end = text->data() + text->size();
    const auto [rest, fault] = std::from_chars(text->data(), end, value);
    if (fault != std::errc() || rest != end || value < 0) {
      throw Error("KOKKOS_DEVICE_ID", "'" + *text + "' is not a valid number",
                  "Use a whole number, 0 or more");
    }
  }
  const auto text = surroundings.variable("KOKKOS_MAP_DEVICE_ID_BY");
  if (text && *text != "random" && *text != "mpi_rank") {
    throw Error("KOKKOS_MAP_DEVICE_ID_BY", "'" + *text + "' is not a known way",
                "Use random or mpi_rank");
  }
}

}  // namespace

int most_threads_of(const std::string& backends) {
  return has_openmp(backends) ? most_openmp_threads : std::numeric_limits<int>::max();
}

std::optional<int> checked_threads(const KokkosSurroundings& surroundings) {
  const bool is_openmp = has_openmp(surroundings.backends);
  const int most = most_threads_of(surroundings.backends);
  check_device_variables(surroundings);
  const std::string flag = "--kokkos-num-threads";
  const std::string variable = "KOKKOS_NUM_THREADS";
  const auto by_flag = value_of(flag, surroundings.words);
  const auto by_variable = surroundings.variable(variable);
  if (by_flag) check_number(flag, *by_flag, *by_flag, most);
  if (by_variable) check_number(variable, *by_variable, *by_variable, most);
  if (!is_openmp) return std::nullopt;
  const std::string openmp = "OMP_NUM_THREADS";
  if (const auto text = surroundings.variable(openmp)) {  // a number for each level of nesting
    for (std::size_t begin = 0; begin <= text->size();) {
      const std::size_t end = std::min(text->find(',', begin), text->size());
      check_number(openmp, *text, trimmed(std::string_view(*text).substr(begin, end - begin)),
                   most);
      begin = end + 1;
    }
    return std::nullopt;
  }
  if (by_flag || by_variable || surroundings.processors <= unsigned{most_openmp_threads}) {
    return std::nullopt;
  }
  return most_openmp_threads;
}

void check_kokkos_settings(const std::vector<std::string>& words) {
  checked_threads({.backends = SYNELIX_KOKKOS_BACKENDS,
                   .processors = std::thread::hardware_concurrency(),
                   .words = words,
                   .variable = [](const std::string& name) -> std::optional<std::string> {
                     const char* const value = std::getenv(name.c_str());
                     return value == nullptr ? std::nullopt : std::optional<std::string>(value);
                   }});
}

}  // namespace synelix
