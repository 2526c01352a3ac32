// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/list_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

constexpr std::string_view blanks = " \t";
constexpr const char* with_tab =
    "Write INPUT, a tab and OUTPUT; without a tab, blanks separate names";

/// All of a stream that ends within what a list may have.
std::string text_of(std::istream& stream, const std::string& name) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (stream) {
    errno = 0;
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most_bytes) {
      throw Error(name, "it has more than " + std::to_string(most_bytes) + " bytes",
                  "Give a list of names, or several lists");
    }
  }
  if (stream.bad()) throw Error(name + ": cannot be read: " + std::strerror(errno) + ".");
  return text;
}

std::string read_text(const RecordingList& list) {
  if (list.file == "-") return text_of(std::cin, list.name());
  errno = 0;
  std::ifstream stream(list.file, std::ios::binary);  // a pipe too, as of a shell's <(...)
  if (!stream.is_open()) {
    throw Error(list.file + ": cannot be read: " + std::strerror(errno) + ".");
  }
  return text_of(stream, list.file);
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty()) return words;
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

/// The two names of a line. Throws Error, with this place, where it has not two.
std::pair<std::string, std::string> names_in(std::string_view line, const std::string& place) {
  if (line.find('\0') != std::string_view::npos) {
    throw Error(place, "it has a NUL, so this is not text", "Give a text file of names");
  }
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2) return {words[0], words[1]};
    if (words.size() == 1) throw Error(place, "'" + words[0] + "' has no output", with_tab);
    throw Error(place, "it has " + std::to_string(words.size()) + " words, not two", with_tab);
  }
  const std::string_view input = line.substr(0, tab);
  const std::string_view output = line.substr(tab + 1);
  if (output.find('\t') != std::string_view::npos) {
    throw Error(place, "it has more than one tab", "Write INPUT, one tab and OUTPUT");
  }
  if (words_of(input).empty()) throw Error(place, "it has no input before its tab", with_tab);
  if (words_of(output).empty()) throw Error(place, "it has no output behind its tab", with_tab);
  return {std::string(input), std::string(output)};
}

}  // namespace

std::string place_of(const RecordingList& list, const ListLine& line) {
  return list.name() + ", line " + std::to_string(line.number);
}

RecordingList read_list(const std::string& file, const ReadNames& names) {
  RecordingList list{.file = file, .lines = {}};
  const std::string text = read_text(list);
  std::string_view rest = text;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#') || line.find_first_not_of(blanks) == std::string_view::npos) continue;
    const std::string place = place_of(list, {.number = number, .input = {}, .output = {}});
    const auto [input, output] = names_in(line, place);
    try {
      ListLine read = names(input, output);
      read.number = number;
      list.lines.push_back(std::move(read));
    } catch (const Error& error) {
      throw Error(place + ": " + error.what());
    }
  }
  if (list.lines.empty()) {
    throw Error(list.name(), "no line of it has an input and an output",
                "Write a line INPUT OUTPUT for each run");
  }
  return list;
}

void add_list_option(CLI::App& app, std::optional<std::string>& list, const std::string& line) {
  app.add_option(
         "--list", list,
         "Run once for each line of FILE: " + line +
             ", separated by a tab or by blanks. A line that fails does not stop the others. "
             "With --part, a task takes every N-th line. '-' is standard input.")
      ->type_name("FILE")
      ->configurable(false)
      ->group("Input");
}

std::optional<RecordingList> list_from(const std::optional<std::string>& file,
                                       const std::string& positional, const ReadNames& names) {
  if (!file) return std::nullopt;
  if (!positional.empty()) {
    throw CLI::ValidationError(
        "--list", "it is given beside " + positional +
                      ", but its lines name all inputs and outputs. Leave one of the two out.");
  }
  try {
    return read_list(*file, names);
  } catch (const Error& error) {
    throw CLI::ValidationError("--list", error.what());
  }
}

}  // namespace synelix::tool
