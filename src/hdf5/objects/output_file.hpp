// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_handles.hpp"
#include "part_files/part_file.hpp"

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `OutputFile`: FILE.part, which is renamed to FILE after everything is on the disk, or is
/// removed.

namespace synelix::h5 {

/// A dataset to create.
struct NewDataset {
  std::string path;
  hid_t file_type = H5I_INVALID_HID;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> chunk = {};  ///< empty: contiguous
  Filter filter = {};
  std::int64_t cache_bytes = 0;  ///< of the chunk cache
};

class OutputFile {
 public:
  /// Checks everything that can be checked without a change. \throws Error if the folder is missing
  /// or not writable, or FILE is a link without a target; and as require_free, unless a run may be
  /// resumed
  OutputFile(FilePath path, Existing existing, Start start = Start::anew);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() { abandon(); }

  /// \throws Error if FILE exists and may not be replaced
  void require_free() const;
  /// Makes FILE.part: empty, or as a copy of FILE. \throws Error if that fails, if another run is
  /// writing it, if it was not left by a run, if it is written in parts, or if the copy already has
  /// the dataset
  void open();
  /// Takes over FILE.part without HDF5; returns whether it exists. \throws Error if another run is
  /// writing it, or it was not left by a run
  bool take();
  /// Removes FILE.part if it is another name of FILE, which is finished.
  void remove_second_name() noexcept { m_part.remove_second_name(); }
  /// Opens the taken file. \throws Error if it is damaged
  void open_taken();
  /// Makes FILE.part.new to replace the taken file. Returns the taken file, which stays until
  /// `settle`.
  [[nodiscard]] stream::Descriptor open_anew();
  /// Renames the file of `open_anew` to FILE.part.
  void settle();
  /// The same, but only if FILE.part does not exist; returns false if it does.
  [[nodiscard]] bool settle_where_free();
  /// Sets the alignment at which HDF5 begins each large dataset, for files made later.
  void align(std::int64_t bytes) { m_alignment = bytes; }
  /// \throws Error if FILE.part was replaced, removed or truncated
  void require_whole() { m_part.require_whole(); }
  /// Reserves a range of the file that HDF5 does not touch. The file must be empty or a copy.
  /// Returns its address; nothing if addresses of the file are not those of HDF5.
  [[nodiscard]] std::optional<std::int64_t> set_aside(std::int64_t bytes) const;
  /// Has HDF5 write its records.
  void flush() const;
  /// Closes FILE.part in HDF5. It stays open and locked, for data after the end of HDF5's data.
  void close_file();
  /// Closes FILE.part without removing it.
  void keep_part() noexcept;
  [[nodiscard]] int descriptor() const { return m_part.descriptor(); }
  /// Creates a dataset, and the groups that lead to it; values are not filled in.
  [[nodiscard]] Dataset create(const NewDataset& dataset) const;
  /// One without chunks and filters.
  [[nodiscard]] Dataset create_contiguous(const std::string& path, hid_t file_type,
                                          const std::vector<std::int64_t>& extents) const;
  /// The same with all its values.
  Dataset write_contiguous(const std::string& path, hid_t file_type, hid_t memory_type,
                           const std::vector<std::int64_t>& extents, const void* values) const;
  [[nodiscard]] const File& file() const { return m_file; }
  [[nodiscard]] const FilePath& path() const { return m_path; }
  /// The name of the open file.
  [[nodiscard]] const std::string& part() const { return m_part.name(); }
  /// "cannot write FILE.part", for messages.
  [[nodiscard]] std::string failing() const { return m_part.name() + ": cannot be written"; }
  /// Syncs everything to the disk and gives the file its final name. If it replaces a file, it gets
  /// the owner, group and mode of that file. `note_end` records the end in FILE.part after HDF5 has
  /// closed it. \throws Error if FILE was created or FILE.part was changed meanwhile; also if FILE
  /// changed and is to be appended to
  void commit(const std::function<void()>& note_end = {});
  /// Removes FILE.part if it exists and is still the one that was made.
  void abandon() noexcept;

 private:
  void refuse_parts();
  void require_growth(const NewDataset& wanted) const;
  [[nodiscard]] std::int64_t user_block() const;
  [[nodiscard]] std::int64_t end_of_addresses() const;
  void make();
  void make_copy(const Properties& list);
  void keep_mark(std::int64_t address);
  [[nodiscard]] File opened_by_hdf5(const Properties& list, bool is_new);
  void note_base();
  void require_base() const;

  FilePath m_path;
  Existing m_existing;
  std::int64_t m_alignment = 0;
  stream::PartFile m_part;  ///< has the lock, and is the file to sync
  File m_file;
  bool m_has_unlocked = false;        ///< released for HDF5, which has its own lock until it closes
                                      ///< the file
  int m_taken = -1;                   ///< descriptor that `open_anew` returned
  std::optional<Fingerprint> m_base;  ///< of FILE when it was copied
};

/// The target of a symbolic link, which is the file to write: the link stays. Any other file is
/// returned unchanged. \throws Error if a link has no target
std::string behind_link(const std::string& file);

}  // namespace synelix::h5
