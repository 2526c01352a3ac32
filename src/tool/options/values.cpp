// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/values.hpp"

#include <synelix/error.hpp>
#include <synelix/version.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>

namespace synelix::tool {
namespace {

/// "'TEXT' is not WANTED. Give VALID."
[[noreturn]] void refuse(std::string_view text, std::string_view wanted, std::string_view valid) {
  throw Error("'" + std::string(text) + "' is not " + std::string(wanted) + ". Give " +
              std::string(valid) + ".");
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The number at the beginning of `text`, and the text after it.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return std::pair(value, trimmed(text.substr(static_cast<std::size_t>(rest - text.data()))));
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || rest != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

DatasetPath parse_dataset_path(const std::string& text) {
  const auto colon = text.rfind(":/");
  DatasetPath path;
  path.file = text.substr(0, colon);
  if (colon != std::string::npos) path.dataset = text.substr(colon + 1);
  while (path.dataset.size() > 1 && path.dataset.back() == '/') path.dataset.pop_back();
  if (path.file.empty() || path.dataset == "/") {
    refuse(text, "a file with a dataset", "FILE:/dataset");
  }
  constexpr std::size_t longest = 1024;  // each of its groups is searched from the root
  if (path.dataset.size() > longest) {
    refuse(text.substr(0, 64) + "...", "a dataset of at most 1024 bytes",
           "FILE:/dataset with a shorter name");
  }
  return path;
}

DatasetPath parse_output_path(const std::string& text) {
  DatasetPath path = parse_dataset_path(text);
  std::string ending =
      path.file.substr(path.file.size() - std::min<std::size_t>(path.file.size(), 4));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (ending == ".nwb") {
    throw Error(
        "output " + path.file,
        "an NWB file has to follow the NWB schema, but what is written here is a plain "
        "HDF5 dataset, so NWB programs would refuse the file",
        "Give another ending, such as " + path.file.substr(0, path.file.size() - 4) + ".h5");
  }
  return path;
}

DatasetPath parse_interval_table(const std::string& text) {
  if (text.find(":/") != std::string::npos) return parse_dataset_path(text);
  if (text.empty() || text == "/") {
    refuse(text, "a table of intervals", "NAME, /PATH or FILE:/PATH");
  }
  return {.file = {}, .dataset = text.front() == '/' ? text : "/intervals/" + text};
}

std::int64_t parse_bytes(const std::string& text) {
  static constexpr std::string_view wanted = "a number of bytes";
  static constexpr std::string_view valid =
      "at least 1 byte, with or without a unit (KiB, MiB, GiB, TiB, KB, MB, GB, TB), such as "
      "512MiB";
  static constexpr std::array<std::pair<std::string_view, double>, 14> units{{{"", 1.0},
                                                                              {"B", 1.0},
                                                                              {"K", 0x1p10},
                                                                              {"M", 0x1p20},
                                                                              {"G", 0x1p30},
                                                                              {"T", 0x1p40},
                                                                              {"KiB", 0x1p10},
                                                                              {"MiB", 0x1p20},
                                                                              {"GiB", 0x1p30},
                                                                              {"TiB", 0x1p40},
                                                                              {"KB", 1e3},
                                                                              {"MB", 1e6},
                                                                              {"GB", 1e9},
                                                                              {"TB", 1e12}}};
  const auto number = leading_number(trimmed(text));
  if (!number) refuse(text, wanted, valid);
  for (const auto& [unit, factor] : units) {
    if (unit != number->second) continue;
    const double bytes = std::floor(number->first * factor);
    if (bytes < 1 || bytes > 0x1p62) refuse(text, wanted, valid);
    return static_cast<std::int64_t>(bytes);
  }
  refuse(text, wanted, valid);
}

namespace {

/// A number with an optional unit of time.
std::optional<Duration> duration_of(const std::string& text) {
  struct Unit {
    std::string_view name;
    double multiplier;
    double divisor;  // 10 ms is 10 / 1e3, rounded once, rather than 10 * 1e-3
  };
  static constexpr std::array<Unit, 6> units{{{"h", 3600, 1},
                                              {"min", 60, 1},
                                              {"s", 1, 1},
                                              {"ms", 1, 1e3},
                                              {"us", 1, 1e6},
                                              {"ns", 1, 1e9}}};
  const auto number = leading_number(trimmed(text));
  if (!number) return std::nullopt;
  if (number->second.empty()) return Duration{.value = number->first, .in_seconds = false};
  for (const Unit& unit : units) {
    if (unit.name == number->second) {
      return Duration{.value = number->first * unit.multiplier / unit.divisor, .in_seconds = true};
    }
  }
  return std::nullopt;
}

}  // namespace

Duration parse_duration(const std::string& text) {
  if (const auto duration = duration_of(text)) return *duration;
  refuse(text, "a length of time", "a number, or a number with a unit (h, min, s, ms, us, ns)");
}

double parse_bin(const std::string& text) {
  static constexpr std::string_view valid =
      "a positive time with a unit (h, min, s, ms, us, ns), such as 10ms, or a rate such as 30Hz";
  const auto number = leading_number(trimmed(text));
  if (number && number->second == "Hz" && number->first > 0) return 1 / number->first;
  const auto bin = duration_of(text);
  if (bin && !bin->in_seconds) {
    throw Error("'" + text + "' is a number without a unit. Give " + std::string(valid) + ".");
  }
  if (!bin || !(bin->value > 0) || !std::isfinite(bin->value)) {
    refuse(text, "a width of bins", valid);
  }
  return bin->value;
}

double parse_time(const std::string& text) {
  const auto time = duration_of(text);
  if (time && time->in_seconds && std::isfinite(time->value)) return time->value;
  refuse(text, "a time", "a number with a unit (h, min, s, ms, us, ns), such as 1.5e9s");
}

TimeRange parse_time_range(const std::string& text) {
  const auto sides = split(text, ':');
  if (sides.size() != 2) {
    refuse(text, "a range of time", "START:STOP in samples or with units, either may be blank");
  }
  TimeRange range;
  if (!sides[0].empty()) range.start = parse_duration(std::string(sides[0]));
  if (!sides[1].empty()) range.stop = parse_duration(std::string(sides[1]));
  return range;
}

IndexRange parse_index_range(const std::string& text) {
  static constexpr std::string_view wanted = "a range of indices";
  static constexpr std::string_view valid =
      "BEGIN:END with 0 <= BEGIN < END, either may be blank, or one index";
  const auto sides = split(text, ':');
  IndexRange range;
  if (sides.size() > 2 || trimmed(text).empty()) refuse(text, wanted, valid);
  if (!sides[0].empty()) {
    const auto begin = whole_number(sides[0]);
    if (!begin) refuse(text, wanted, valid);
    range.begin = *begin;
    if (range.begin < 0 || range.begin == std::numeric_limits<std::int64_t>::max()) {
      refuse(text, wanted, valid);
    }
    if (sides.size() == 1) range.end = range.begin + 1;
  }
  if (sides.size() == 2 && !sides[1].empty()) {
    range.end = whole_number(sides[1]);
    if (!range.end) refuse(text, wanted, valid);
  }
  if (range.begin < 0 || (range.end && *range.end <= range.begin)) refuse(text, wanted, valid);
  return range;
}

std::vector<std::string> parse_tables(const std::string& text) {
  std::vector<std::string> tables;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(",/", begin), text.size());
    tables.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return tables;
}

std::int64_t parse_axis(const std::string& text) {
  constexpr std::int64_t most = 6;
  const auto axis = whole_number(text);
  if (!axis || *axis < 0 || *axis > most) refuse(text, "a dimension", "0 to 6");
  return *axis;
}

Batch parse_batch(const std::string& text) {
  static constexpr std::string_view wanted = "a size of batches";
  static constexpr std::string_view valid =
      "SAMPLES,CHANNELS,BASES, each at least 1 or blank, such as 2000,5,2 or 2000,,";
  const auto parts = split(text, ',');
  if (parts.size() != 3) refuse(text, wanted, valid);
  std::array<std::optional<std::int64_t>, 3> sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (parts[i].empty()) continue;
    const auto size = whole_number(parts[i]);
    if (!size || *size < 1) refuse(text, wanted, valid);
    sizes[i] = size;
  }
  return {.samples = sizes[0], .channels = sizes[1], .bases = sizes[2]};
}

std::vector<std::int64_t> parse_chunk(const std::string& text) {
  static constexpr std::string_view wanted = "a size of chunks";
  static constexpr std::string_view valid =
      "ROWSxCHANNELSxBASES, each at least 1, such as 1024x64x8";
  std::vector<std::int64_t> chunk;
  for (const auto part : split(text, 'x')) {
    const auto size = whole_number(part);
    if (!size || *size < 1) refuse(text, wanted, valid);
    chunk.push_back(*size);
  }
  if (chunk.size() != 3) refuse(text, wanted, valid);
  return chunk;
}

ChunkFilter parse_filter(const std::string& text) {
  static constexpr std::string_view valid =
      "none, deflate:LEVEL with a level of 1 to 9, or shuffle,deflate:LEVEL";
  ChunkFilter filter;
  std::string_view rest = text;
  if (rest == "none") return filter;
  if (rest.starts_with("shuffle,")) {
    filter.shuffle = true;
    rest.remove_prefix(8);
  }
  const auto level = rest.starts_with("deflate:") ? whole_number(rest.substr(8)) : std::nullopt;
  if (!level || *level < 1 || *level > 9) refuse(text, "a filter of chunks", valid);
  filter.deflate = static_cast<int>(*level);
  return filter;
}

ColumnValue parse_condition(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    refuse(text, "a condition on a column", "COLUMN=VALUE");
  }
  return {.column = text.substr(0, equals), .value = text.substr(equals + 1)};
}

DeviceWish parse_device(const std::string& text) {
  if (text == "local-rank") return LocalRank();
  const auto number = whole_number(trimmed(text));
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) {
    refuse(text, "a device", "the number of a device, from 0 on, or local-rank");
  }
  return static_cast<int>(*number);
}

PartWish parse_part(const std::string& text) {
  if (text == "auto") return {};
  constexpr std::int64_t most = 65536;
  const auto slash = text.find('/');
  std::optional<std::int64_t> number;
  std::optional<std::int64_t> of;
  if (slash != std::string::npos) {
    number = whole_number(text.substr(0, slash));
    of = whole_number(text.substr(slash + 1));
  }
  if (!number || !of || *of < 1 || *of > most) {
    refuse(text, "a part of a run", "I/N with at most 65536 parts, such as 0/4 to 3/4, or auto");
  }
  if (*number < 0 || *number >= *of) {
    const std::string parts = std::to_string(*of);
    refuse(text, "a part: they are counted from 0",
           "0/" + parts + " to " + std::to_string(*of - 1) + "/" + parts);
  }
  return {.part = OutputPart{*number, *of}};
}

InstructionSet parse_instruction_set(const std::string& text) {
  std::string names = name_of(InstructionSet::automatic);
  if (text == names) return InstructionSet::automatic;
  const std::vector<std::string> built = build_description().instruction_sets;
  for (const InstructionSet set :
       {InstructionSet::plain, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon,
        InstructionSet::sve256}) {
    const std::string name = name_of(set);
    if (std::find(built.begin(), built.end(), name) == built.end()) continue;
    if (text == name) return set;
    names += ", " + name;
  }
  refuse(text, "an instruction set of this build", names);
}

int parse_threads(const std::string& text) {
  const auto number = whole_number(trimmed(text));
  if (!number || *number < 1 || *number > std::numeric_limits<int>::max()) {
    refuse(text, "a number of threads", "a whole number from 1 on");
  }
  return static_cast<int>(*number);
}

std::int64_t parse_integer(const std::string& text) {
  const auto value = whole_number(trimmed(text));
  if (!value) refuse(text, "a whole number", "one such as 5");
  return *value;
}

double parse_number(const std::string& text) {
  const auto number = leading_number(trimmed(text));
  if (!number || !number->second.empty()) refuse(text, "a finite number", "one such as 0.5");
  return number->first;
}

std::vector<double> parse_numbers(const std::string& text) {
  std::vector<double> numbers;
  for (const auto part : split(text, ',')) numbers.push_back(parse_number(std::string(part)));
  return numbers;
}

std::vector<std::int64_t> parse_integers(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const auto part : split(text, ',')) numbers.push_back(parse_integer(std::string(part)));
  return numbers;
}

namespace {

std::string printed_with_unit(const char* pattern, double value, std::string_view unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return std::string(text.data()) + std::string(unit);
}

}  // namespace

std::string format_number(double number) {
  std::array<char, 40> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), result.ptr};
}

std::string format_bytes(double bytes) {
  static constexpr std::array<std::string_view, 5> units{" B", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return printed_with_unit(unit == 0 || bytes == std::floor(bytes) ? "%.0f" : "%.1f", bytes,
                           units[unit]);
}

std::string format_byte_count(std::int64_t bytes) {
  return format_bytes(static_cast<double>(bytes));
}

std::string format_seconds(double seconds) {
  if (seconds >= 3600) {
    const double hours = std::floor(seconds / 3600);
    return printed_with_unit("%.0f h ", hours, "") +
           printed_with_unit("%.0f", std::floor((seconds - hours * 3600) / 60), " min");
  }
  if (seconds >= 60) {
    const double minutes = std::floor(seconds / 60);
    return printed_with_unit("%.0f min ", minutes, "") +
           printed_with_unit("%.0f", seconds - minutes * 60, " s");
  }
  if (seconds >= 1 || seconds == 0) return printed_with_unit("%.4g", seconds, " s");
  if (seconds >= 1e-3) return printed_with_unit("%.4g", seconds * 1e3, " ms");
  return printed_with_unit("%.4g", seconds * 1e6, " us");
}

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t place = digits.size(); place > sign + 3; place -= 3) {
    digits.insert(place - 3, 1, ',');
  }
  return digits;
}

}  // namespace synelix::tool
