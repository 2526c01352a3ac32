// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

/// \file
/// Reports. A report is one ordered tree of values. `--json` prints the tree, and the text is made
/// of it by a table of sentences. A file that makes a tree includes nlohmann/json.hpp, which takes
/// a second to compile; headers do not.

namespace synelix::tool {

/// A tree whose objects keep the order of their keys. Numbers that are not finite print as null.
using Json = nlohmann::ordered_json;

/// A line of a text: a name in the first column, and a sentence. A line whose sentence is empty is
/// left out.
///
/// A sentence is text with these parts, where a key is the place of a value: "run.part.file".
///
/// | part         | what it writes |
/// |--------------|--------------------------------------------------------------------------------|
/// | `{key}`      | the value; lists with " x " or, of words, ", " between their items | |
/// `{key/form}` | the value in a form: bytes, seconds, plain (no separators), number (shortest), |
/// |              | %.3g (as printf), M%.0f or G%.3g (millions or billions), s (of a plural) | | |
/// count (of items), spikes (the sentence on their counts)                        | | `{key:text}`
/// | the text for each item of a list or an object (its `key` and `value`), with    | | | commas
/// between them, unless the text begins with a semicolon; `{key:8:text}`   | |              | for
/// the first eight                                                            | | `{?key}`     |
/// nothing: a condition that the value is there, and not 0, false or empty        | | `{!key}` |
/// nothing: the opposite condition                                                | | `{+key}` |
/// nothing: a condition that the value is above 1                                 | | `{&key}` |
/// nothing: a condition that the value is a number, and not NaN                   | | `[text]` |
/// the text, if all its values are there and its conditions hold                  | | `<a;b;c>` |
/// those of the texts a, b, c whose values are not 0, with commas between them    |
struct ReportLine {
  std::string_view name;
  std::string_view sentence;
  std::string_view list = {};  ///< a line for each item of this list, or for this object, whose
                               ///< values the sentence has; empty: one line of the tree
  std::size_t most = std::numeric_limits<std::size_t>::max();  ///< of such lines
};

/// Lines and further ones.
template <std::size_t Count, std::size_t More>
constexpr std::array<ReportLine, Count + More> together(
    const std::array<ReportLine, Count>& lines, const std::array<ReportLine, More>& further) {
  std::array<ReportLine, Count + More> all{};
  std::copy(lines.begin(), lines.end(), all.begin());
  std::copy(further.begin(), further.end(), all.begin() + Count);
  return all;
}

/// A sentence with the values of a tree. Texts are safe for a terminal.
std::string sentence_of(std::string_view pattern, const Json& tree);
/// The lines of a report, each with a newline.
std::string lines_of(std::span<const ReportLine> lines, const Json& tree);

/// The text in one line. Bytes that are not UTF-8 are replaced.
std::string in_one_line(const Json& tree);
/// The text with an indentation of two blanks, and a newline at its end. Bytes that are not UTF-8
/// are replaced.
std::string indented(const Json& tree);
/// Parses JSON. \throws Json::exception if the text is not JSON
Json parse_json(const std::string& text);
/// A number if the text is a number, otherwise the text.
Json number_or_text(const std::string& text);

/// The texts of `info`, of this build on this machine, and of a file. Facts that need a running
/// Kokkos are left out if it cannot run. Attributes of datasets are texts.
/// @{
std::string build_text(const Json& build);
std::string file_text(const Json& file);
/// @}

/// Prints a result: with --json its tree on stdout, and unless --quiet its text on stderr.
void print_result(const Messages& messages, const Json& tree, std::span<const ReportLine> lines);

}  // namespace synelix::tool
