// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/list_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace synelix::tool {
namespace {

constexpr std::string_view blanks = " \t";
constexpr const char* with_tab =
    "Write INPUT, a tab and OUTPUT; without a tab, blanks separate names";

/// The entire text of a stream, limited to the size of a list.
std::string read_stream(std::istream& stream, const std::string& name) {
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
  if (list.file == "-") return read_stream(std::cin, list.name());
  errno = 0;
  std::ifstream stream(list.file, std::ios::binary);  // may also be a pipe, for example of a
                                                      // shell's <(...)
  if (!stream.is_open()) {
    throw Error(list.file + ": cannot be read: " + std::strerror(errno) + ".");
  }
  return read_stream(stream, list.file);
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

/// The two names of a line. Throws Error with this place if there are not exactly two.
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

void add_list_option(OptionRows& rows, std::optional<std::string>& list, const std::string& line) {
  const auto take = [&list](const std::string& text) { list = text; };
  rows.in_group("Input");
  rows.add({.names = "--list",
            .value = "FILE",
            .description =
                "Run once for each line of FILE: " + line +
                ", separated by a tab or by blanks. A line that fails does not stop the others. "
                "With --part, a task takes every N-th line. '-' is standard input.",
            .take = take})
      .only_on_the_command_line();
}

std::optional<RecordingList> list_from(const std::optional<std::string>& file,
                                       const std::string& positional, const ReadNames& names) {
  if (!file) return std::nullopt;
  if (!positional.empty()) {
    throw UsageError("--list",
                     "it is given beside " + positional +
                         ", but its lines name all inputs and outputs. Leave one of the two out.");
  }
  try {
    return read_list(*file, names);
  } catch (const Error& error) {
    throw UsageError("--list", error.what());
  }
}

namespace {

/// The target of a name, without links; for a missing file, the place where it would be created.
std::string resolved_path(const std::string& name) {
  constexpr int most_links = 40;  // as in Linux
  std::error_code status;
  std::filesystem::path path = name;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(path, status); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, status);
  }
  path = std::filesystem::absolute(path, status);
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(path.parent_path(), status);
  return (status ? path : folder / path.filename()).string();
}

/// Keys of a file: two names with a common key lead to one file.
std::vector<std::string> file_keys(const std::string& path) {
  std::vector<std::string> keys{path};
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0) {
    keys.push_back("//" + std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino));
  }
  return keys;
}

/// The files that lines write.
class Outputs {
 public:
  explicit Outputs(const RecordingList& list) : m_list(list) {
    for (const ListLine& line : list.lines) add(line);
  }

  /// Throws for a file that is read, if a line writes it. \param who  reads it
  void require_not(const std::string& file, const std::string& who) const {
    if (file.empty()) return;
    for (const std::string& key : file_keys(resolved_path(file))) {
      const auto found = m_written.find(key);
      if (found == m_written.end()) continue;
      const Written& written = found->second;
      throw Error(place_of(m_list, *written.line),
                  "its output '" + written.line->output.file + "'" + written.ending_text() +
                      " is a file that " + who + " reads, '" + file + "'",
                  "Give another file for the output");
    }
  }

 private:
  struct Written {
    const ListLine* line;
    const char* ending;  ///< after the name of the output, while it is written

    [[nodiscard]] std::string ending_text() const {
      return *ending == '\0' ? "" : std::string(", with ") + ending + " while it is written,";
    }
  };

  void add(const ListLine& line) {
    const std::string path = resolved_path(line.output.file);
    for (const char* const ending : {"", ".part", ".part.new"}) {
      const Written written{.line = &line, .ending = ending};
      for (const std::string& key : file_keys(path + ending)) {
        const auto [found, is_new] = m_written.emplace(key, written);
        if (!is_new && found->second.line != &line) refuse(written, found->second);
      }
    }
  }

  [[noreturn]] void refuse(const Written& written, const Written& before) const {
    throw Error(place_of(m_list, *written.line),
                "its output '" + written.line->output.file + "'" + written.ending_text() +
                    " is the file of line " + std::to_string(before.line->number) + ", '" +
                    before.line->output.file + "'" + before.ending_text(),
                "Give each line a file of its own");
  }

  const RecordingList& m_list;
  std::unordered_map<std::string, Written> m_written;
};

std::string reader(const ListLine& line) { return "line " + std::to_string(line.number); }

/// Files that are named by options.
template <class Request>
void require_options_apart(const Request& request, const Outputs& outputs) {
  if (request.list && request.list->file != "-") outputs.require_not(request.list->file, "--list");
  for (const ReadFile& file : files_of_options(request)) {
    outputs.require_not(file.path.file, file.option);
  }
}

/// Files of a design. Faults of the design are reported when its line runs.
void require_design_apart(const ListLine& line, const Outputs& outputs) {
  std::optional<DesignFile> design;
  try {
    design = read_design(line.input.file);
  } catch (const Error&) {
    return;
  }
  for (const DesignInput& input : design->inputs) outputs.require_not(input.file(), reader(line));
  for (const DesignBasis& basis : design->bases) {
    if (basis.bank) outputs.require_not(basis.bank->file, reader(line));
  }
}

}  // namespace

void require_apart(const ConvolveRequest& request) {
  if (!request.list) return;
  const Outputs outputs(*request.list);
  for (const ListLine& line : request.list->lines) {
    outputs.require_not(line.input.file, reader(line));
  }
  require_options_apart(request, outputs);
}

void require_apart(const FeaturesRequest& request) {
  if (!request.list) return;
  const Outputs outputs(*request.list);
  for (const ListLine& line : request.list->lines) {
    outputs.require_not(line.input.file, reader(line));
    require_design_apart(line, outputs);
  }
  require_options_apart(request, outputs);
}

}  // namespace synelix::tool
