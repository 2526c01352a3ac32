// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_handles.hpp"

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// \file
/// A file that is read, and all files that it leads to. HDF5 opens any file that another one names;
/// here each is checked first: it must exist, be a regular file, and be inside of the folder.
/// Also the selections of virtual datasets: which part of a dataset has a source.

namespace synelix::h5 {

/// All files that were used, in the order in which they were found, the named one first.
class FilesBehind {
 public:
  FilesBehind(const std::string& named, Links links);

  /// Records a file that another one names. \throws Error if it is no regular file, or is outside
  /// of the folder of the named one and must not be; it is recorded anyway
  /// \param role  what leads there: "external link in.h5:/x"
  const InputFile& admit(const std::string& path, const std::string& role);
  [[nodiscard]] const std::vector<InputFile>& files() const { return m_files; }

  /// Whether the sources of a dataset were already checked without an error.
  [[nodiscard]] bool was_seen(const std::string& dataset) const { return m_seen.contains(dataset); }
  void note_seen(const std::string& dataset) { m_seen.insert(dataset); }

 private:
  [[nodiscard]] bool is_inside(const std::string& resolved) const;

  Links m_links;
  std::vector<std::string> m_folders;  ///< of the named file, and of its target if it is a symbolic
                                       ///< link
  std::vector<InputFile> m_files;
  std::set<std::string> m_seen;
};

/// The place of an object: a file, and a path of hard links.
struct ObjectPath {
  std::shared_ptr<const File> file;
  std::string file_name;  ///< as it was opened
  std::string path;       ///< "/" for the root
};

/// The target of a soft or external link.
struct LinkTarget {
  std::string file;  ///< as written; empty for a soft link
  std::string object;
};
LinkTarget target_of(hid_t file, const std::string& link, const std::string& name);

/// A file that is open for reading.
class SourceFile {
 public:
  SourceFile() = default;
  SourceFile(File file, const std::string& name, Links links);

  [[nodiscard]] hid_t id() const { return m_root.file->id(); }
  [[nodiscard]] const std::string& name() const { return m_root.file_name; }
  [[nodiscard]] FilesBehind& behind() const { return *m_behind; }
  /// A path of hard links in this file.
  [[nodiscard]] ObjectPath at(const std::string& path) const {
    return {m_root.file, m_root.file_name, path};
  }
  /// The same file, with an empty list of other files.
  [[nodiscard]] SourceFile with_new_list(Links links) const {
    SourceFile copy;
    copy.m_root = m_root;
    copy.m_behind = std::make_shared<FilesBehind>(m_root.file_name, links);
    return copy;
  }

  /// Finds the target of a path: soft and external links are followed, through files that are
  /// admitted. Nothing if the target is missing in an existing file.
  /// \throws Error if a file is missing or not admitted, or the links form a cycle
  [[nodiscard]] std::optional<ObjectPath> find(const std::string& path) const;
  /// The same from a file that this one leads to.
  [[nodiscard]] std::optional<ObjectPath> find(ObjectPath from, const std::string& path) const;
  /// Opens a file that this one leads to, after it is admitted.
  [[nodiscard]] ObjectPath open_behind(const std::string& path, const std::string& role) const;

 private:
  [[nodiscard]] ObjectPath follow(const ObjectPath& from, const std::string& file,
                                  const std::string& role) const;

  ObjectPath m_root;
  std::shared_ptr<FilesBehind> m_behind;
  mutable std::vector<ObjectPath> m_recent;  ///< files that are kept open
};

/// The files that HDF5 would try for a name in another file, in its order (1.14).
/// \param folders  value of HDF5_EXT_PREFIX or HDF5_VDS_PREFIX; null: not set
std::vector<std::string> places_of(const std::string& name, const std::string& parent,
                                   const char* folders);

/// The first of some files that exists.
std::optional<std::string> first_of(const std::vector<std::string>& paths);

/// The parts of a path between its slashes.
std::vector<std::string> parts_of_path(const std::string& path);

/// Checks all files and datasets that an open dataset uses, recursively: raw data in other files,
/// and the sources of a virtual dataset. HDF5 reads fill values if one of them is missing.
/// \param name  of the dataset, for messages
/// \throws Error if a source is missing or too small, is its own source, or is not admitted (see
///         FilesBehind), or if values have neither a source nor a fill value of the author
void require_sources(const SourceFile& file, const ObjectPath& place, const Dataset& dataset,
                     const std::string& name);

/// The name of a source with blocks: "%b" is the number of the block, "%%" a percent sign.
std::string name_of_block(const std::string& name, hsize_t block);
/// Whether a name has a "%b".
bool has_blocks(const std::string& name);

/// Whether a selection has no end.
bool is_unlimited(const Space& selection);

/// The extents of a selection in each dimension; for one without an end, those of a block.
std::vector<std::int64_t> sides_of(const Space& selection);

/// Whether a selection is an entire dataset, for any extents.
bool is_all(const Space& selection);

/// One past the last index of a selection with an end, in each dimension; zeros if it is empty.
std::vector<std::int64_t> end_of_selection(const Space& selection);

/// The part of a virtual dataset that has a source.
class Coverage {
 public:
  Coverage(std::vector<std::int64_t> extents, std::string name);

  /// \throws Error if the dataset has more than `blocks` blocks of a selection without an end
  /// \param missing  the source of the first missing block, for the message
  void require_blocks(const Space& to, hsize_t blocks, const std::string& missing) const;
  /// \throws Error if a source of these extents ends before the dataset does
  void require_length(const Space& to, const Space& from,
                      const std::vector<std::int64_t>& source_extents,
                      const std::string& source) const;
  /// Counts the part of a selection that is inside of the dataset.
  void add(const Space& to);
  /// Warns of parts without a source if the author of the file has set a fill value.
  /// \throws Error if not: their zeros would be invented values
  void require_all(const Properties& creation) const;

 private:
  std::vector<std::int64_t> m_extents;
  std::string m_name;
  Space m_covered;
  double m_sum = 0;   ///< sum of the values of all selections
  double m_runs = 0;  ///< an upper bound of the pieces of the union
};

}  // namespace synelix::h5
