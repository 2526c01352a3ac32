// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Joins the files of parts to one output: first all files are checked, then their chunks are
// copied.
#include "hdf5/join/joined_file.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/known_options.hpp"
#include "hdf5/shares/part_files.hpp"
#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"

#include <synelix/types/join_parts.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace synelix {

template <>
inline constexpr std::string_view value_names<JoinedParts>[] { "keep", "remove" };

namespace {

using stream::PartFacts;

/// A part that was checked.
struct Part {
  std::string name;
  OutputPart part;
  Range rows;
  std::optional<struct stat> file = {};
};

std::unique_ptr<h5::PartSource> opened_part(const std::string& name) {
  const h5::Call call;
  return std::make_unique<h5::PartSource>(name);
}

class Join {
 public:
  Join(const FilePath& output, const JoinOptions& options)
      : m_path{h5::behind_link(output.file), output.dataset}, m_options(options) {}

  JoinReport run();

 private:
  [[nodiscard]] std::vector<std::string> names() const;
  void look_at(const std::string& name);
  void require_all_parts() const;
  void require_all_rows() const;
  [[nodiscard]] bool is_there() const;
  void require_free() const;
  void require_space() const;
  void copy();
  void remove_parts();

  FilePath m_path;
  const JoinOptions& m_options;
  std::vector<Part> m_parts;
  std::string m_first;  ///< name of the part that `m_facts` are of
  PartFacts m_facts;
  JoinReport m_report;
  std::int64_t m_copied = 0;
  std::int64_t m_copied_bytes = 0;
  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

/// The given files, or the part files beside the output.
std::vector<std::string> Join::names() const {
  if (!m_options.parts.empty()) return m_options.parts;
  std::vector<std::string> found;
  std::optional<stream::NamedPart> first;
  for (const stream::NamedPart& part : stream::named_parts(m_path.file)) {
    if (!part.is_finished) continue;
    if (!first) first = part;
    if (part.part.of != first->part.of) {
      throw FileError(part.name,
                      "this is one of " + std::to_string(part.part.of) + " parts, but " +
                          first->name + " is one of " + std::to_string(first->part.of),
                      "Remove the part files of one of the two runs, or name the part files to "
                      "join");
    }
    found.push_back(part.name);
  }
  if (!found.empty()) return found;
  const bool is_there = stream::file_exists(m_path.file);
  throw FileError(m_path.file,
                  std::string(is_there ? "this file exists already, and " : "") +
                      "there is no finished part file " + m_path.file + ".part-I-of-N beside it",
                  "Run all parts first (--filter and --part 0/N to N-1/N of convolve or features), "
                  "or name the part files");
}

void Join::look_at(const std::string& name) {
  std::error_code status;
  if (std::filesystem::equivalent(name, m_path.file, status)) {
    throw FileError(name, "this is the output as well as a part of it",
                    "Give another name for the output");
  }
  if (name.ends_with(".part")) {
    throw FileError(name, "this is what a run writes, or has left, of a part that is not finished",
                    "Run the command of this part again, and join the file that it makes");
  }
  const h5::Call call;
  const h5::PartSource source(name);
  const PartFacts& facts = source.facts;
  if (m_parts.empty()) {
    m_facts = facts;
    m_first = name;
    if (!m_path.dataset.empty() && m_path.dataset != facts.dataset) {
      throw FileError(name,
                      "it is a part of the dataset " + facts.dataset + ", not of " + m_path.dataset,
                      "Give the name of the output alone, or with " + facts.dataset);
    }
    m_path.dataset = facts.dataset;
    m_report.type = h5::type_text(h5::type_of(source.features).id());
  }
  h5::require_same(name, facts.run, m_facts.run,
                   "Join parts of one run: run the part again with the options of the others",
                   m_first + " with");
  if (facts.part.of != m_facts.part.of) {
    throw FileError(name,
                    "this is one of " + std::to_string(facts.part.of) + " parts, but " + m_first +
                        " is one of " + std::to_string(m_facts.part.of),
                    "Give the parts of one run");
  }
  const h5::ChunkTable::Noted noted = source.noted();
  if (noted.missing) {
    throw FileError(name,
                    "rows from " + std::to_string(facts.rows.begin + noted.missing->begin) +
                        " on are not written, so this part is not finished",
                    "Run the command of part " + stream::text_of(facts.part) + " again");
  }
  Part part{.name = name, .part = facts.part, .rows = facts.rows};
  part.file = stream::state_of(source.opened.number());
  m_report.chunks += noted.chunks;
  m_report.bytes += noted.bytes;
  m_parts.push_back(std::move(part));
}

void Join::require_all_parts() const {
  const std::int64_t of = m_facts.part.of;
  std::int64_t wanted = 0;
  for (std::size_t i = 0; i < m_parts.size(); ++i) {
    const Part& part = m_parts[i];
    if (i > 0 && part.part.number == m_parts[i - 1].part.number) {
      throw FileError(
          part.name,
          "this is part " + stream::text_of(part.part) + ", and so is " + m_parts[i - 1].name,
          "Give each part once");
    }
    if (part.part.number != wanted) break;
    ++wanted;
  }
  if (wanted == of) return;
  const OutputPart missing{wanted, of};
  const std::string text = stream::text_of(missing);
  if (!m_options.parts.empty()) {
    throw FileError(m_path.file, "part " + text + " is not among the part files that are given",
                    "Give the files of all parts, 0/" + std::to_string(of) + " to " +
                        std::to_string(of - 1) + "/" + std::to_string(of));
  }
  const std::string name = part_file_name(m_path.file, missing);
  const bool is_begun = stream::file_exists(name + ".part");
  throw FileError(name,
                  is_begun ? "part " + text + " is not finished: " + name + ".part is there"
                           : "there is no such file, so part " + text + " is missing",
                  "Run the command of the other parts with --part " + text + ", then join again");
}

void Join::require_all_rows() const {
  std::int64_t row = 0;
  for (const Part& part : m_parts) {
    if (part.rows.begin != row) {
      throw FileError(part.name,
                      "it begins with row " + std::to_string(part.rows.begin) +
                          ", but the parts before it end with row " + std::to_string(row - 1),
                      "Run all parts again, with the same options");
    }
    row = part.rows.end;
  }
  if (row == m_facts.of_rows) return;
  throw FileError(m_parts.back().name,
                  "it ends with row " + std::to_string(row - 1) + ", but the output has " +
                      std::to_string(m_facts.of_rows) + " rows",
                  "Run all parts again, with the same options");
}

/// Whether FILE already has the joined output.
bool Join::is_there() const {
  if (m_options.existing == Existing::replace || !stream::file_exists(m_path.file)) return false;
  try {
    const h5::Call call;
    const h5::SourceFile opened = h5::open_file(m_path.file);
    if (!h5::exists(opened, m_path.dataset)) return false;
    const h5::Dataset features = h5::open_dataset(opened, m_path);
    Fingerprint wanted = m_facts.run;
    std::erase_if(wanted, [](const auto& item) { return item.first == "dataset"; });
    return h5::read_text(features.id(), "fingerprint") == h5::text_of(wanted);
  } catch (const Error&) {  // the existing object blocks the output, whatever it is
    return false;
  }
}

void Join::require_free() const {
  if (m_options.existing == Existing::refuse && stream::file_exists(m_path.file)) {
    throw FileError(m_path.file, "this is an existing file, and not what these parts make",
                    "Give a new name, or replace the file (--overwrite, -O; Existing::replace)",
                    Remedy::replace_file);
  }
}

/// Throws if the disk has too little space for the output.
void Join::require_space() const {
  constexpr std::int64_t time_bytes = 8;
  std::error_code status;
  const auto space = std::filesystem::space(stream::folder_of(m_path.file), status);
  const std::int64_t needed = m_report.bytes + m_facts.of_rows * time_bytes;
  if (status || space.available >= static_cast<std::uintmax_t>(needed)) return;
  throw FileError(m_path.file,
                  "its disk has " + std::to_string(space.available) +
                      " bytes free, but the output takes " + std::to_string(needed),
                  "Free disk space, or give a name on another disk and name the part files");
}

void Join::copy() {
  const auto report = [&](std::int64_t bytes) {
    m_copied += 1;
    m_copied_bytes += bytes;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - m_begin;
    if (m_options.progress) {
      m_options.progress({m_copied, m_report.chunks, m_copied_bytes, passed.count()});
    }
    if (m_options.cancel != nullptr && *m_options.cancel) {
      throw Cancelled("join: cancelled after " + std::to_string(m_copied) + " of " +
                      std::to_string(m_report.chunks) + " chunks; the part files are untouched");
    }
  };
  for (const Part& part : m_parts) opened_part(part.name)->require_coordinates();
  h5::JoinedFile joined(m_path, m_options.existing, *opened_part(m_parts.front().name));
  for (const Part& part : m_parts) joined.add(*opened_part(part.name), report);
  m_report.extents = joined.extents();
  joined.commit();
}

/// Removes the files whose chunks were copied. Such a name may meanwhile belong to another file.
void Join::remove_parts() {
  if (!stream::sync_name(m_path.file)) {
    return warn(m_path.file + ": its name may not have reached the disk, so the part files stay");
  }
  for (const Part& part : m_parts) {
    const bool is_same = stream::are_same(part.file, stream::state_of_name(part.name));
    if (!is_same || unlink(part.name.c_str()) != 0) {
      warn(part.name + ": this part file could not be removed" +
           (is_same ? std::string(": ") + std::strerror(errno) : "; it is not the one any more"));
      continue;
    }
    ++m_report.removed;
  }
}

JoinReport Join::run() {
  for (const std::string& name : names()) look_at(name);
  std::sort(m_parts.begin(), m_parts.end(),
            [](const Part& one, const Part& other) { return one.part.number < other.part.number; });
  m_report.was_finished = is_there();
  if (!m_report.was_finished) {
    require_free();
    require_all_parts();
    require_all_rows();
    require_space();
    copy();
  }
  m_report.parts = static_cast<std::int64_t>(m_parts.size());
  if (m_options.joined_parts == JoinedParts::remove) remove_parts();
  m_report.output = m_path;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - m_begin;
  m_report.seconds = passed.count();
  return m_report;
}

}  // namespace

JoinReport join_parts(const FilePath& output, const JoinOptions& options) {
  require_known("existing", options.existing);
  require_known("joined_parts", options.joined_parts);
  if (options.existing == Existing::append) {
    throw Error("append", "an output that is joined has a file of its own",
                "Give another name for the output");
  }
  return Join(output, options).run();
}

}  // namespace synelix
