// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/list_outputs.hpp"

#include "tool/options/list_file.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace synelix::tool {
namespace {

/// What a name leads to, without links; of what is not there yet, where it would be made.
std::string resolved(const std::string& name) {
  constexpr int most_links = 40;  // as Linux has it
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

/// Two names with a key in common lead to one file.
std::vector<std::string> keys_of(const std::string& path) {
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

  /// Refuses a file that is read, and that a line writes. \param who  reads it
  void require_not(const std::string& file, const std::string& who) const {
    if (file.empty()) return;
    for (const std::string& key : keys_of(resolved(file))) {
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
    const char* ending;  ///< behind the name of the output, while it is written

    [[nodiscard]] std::string ending_text() const {
      return *ending == '\0' ? "" : std::string(", with ") + ending + " while it is written,";
    }
  };

  void add(const ListLine& line) {
    const std::string path = resolved(line.output.file);
    for (const char* const ending : {"", ".part", ".part.new"}) {
      const Written written{.line = &line, .ending = ending};
      for (const std::string& key : keys_of(path + ending)) {
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

/// Files that options name.
template <class Request>
void require_options_apart(const Request& request, const Outputs& outputs) {
  if (request.list->file != "-") outputs.require_not(request.list->file, "--list");
  outputs.require_not(request.config, "--config");
  if (request.machine != "default") outputs.require_not(request.machine, "--machine");
  if (request.epochs) outputs.require_not(request.epochs->file, "--epochs");
  if (request.intervals) outputs.require_not(request.intervals->table.file, "--intervals");
}

/// Files of a design. What is wrong with it is said where its line runs.
void require_design_apart(const ListLine& line, const Outputs& outputs) {
  std::optional<DesignFile> design;
  try {
    design = read_design(line.input.file);
  } catch (const Error&) {
    return;
  }
  for (const DesignInput& input : design->inputs) {
    const auto* array = std::get_if<ArrayInput>(&input.from);
    outputs.require_not(array != nullptr ? array->data.file : std::get<SpikeInput>(input.from).file,
                        reader(line));
  }
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
  if (request.bank.file) outputs.require_not(request.bank.file->file, "--bank");
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
