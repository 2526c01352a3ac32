// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_attributes.hpp"
#include "files/hdf5/h5_handles.hpp"
#include "files/part/part_file.hpp"

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `OutputFile`: FILE.part, which becomes FILE once everything is on the disk, or vanishes.

namespace synelix::h5 {

/// A dataset that is to be made.
struct NewDataset {
  std::string path;
  hid_t file_type = H5I_INVALID_HID;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> chunk;  ///< empty: contiguous
  Filter filter;
  std::int64_t cache_bytes = 0;  ///< of the chunk cache
};

class OutputFile {
 public:
  /// Checks what can be checked without a trace. \throws Error where its folder is missing or may
  /// not be written, it is a link to nothing, or, unless a run may be resumed, as require_free
  OutputFile(FilePath path, Existing existing, Start start = Start::anew);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() { abandon(); }

  /// \throws Error where FILE stands already and may not be replaced
  void require_free() const;
  /// Makes FILE.part: empty, or as a copy of FILE. \throws Error where that fails, another run is
  /// writing it, it is no file that a run has left or one that is written in parts, or the copy
  /// holds the dataset already
  void open();
  /// Takes FILE.part as it is, without HDF5; whether there is one. \throws Error where another run
  /// is writing it, or it is no file that a run has left
  bool take();
  /// Removes FILE.part where it is another name of FILE, which is finished.
  void remove_second_name() noexcept { m_part.remove_second_name(); }
  /// Opens what was taken. \throws Error where it is no sound file
  void open_taken();
  /// Makes FILE.part.new in place of what was taken, which is returned, and stays until `settle`.
  [[nodiscard]] stream::Descriptor open_anew();
  /// What `open_anew` has made is FILE.part now.
  void settle();
  /// The same where nothing is called FILE.part; false where something is.
  [[nodiscard]] bool settle_where_free();
  /// HDF5 begins each large dataset of files that are made from now on at a multiple of this.
  void align(std::int64_t bytes) { m_alignment = bytes; }
  /// \throws Error where something else has replaced, removed or cut FILE.part
  void require_whole() { m_part.require_whole(); }
  /// Sets a range of the file aside, which HDF5 does not touch; the file is empty otherwise, or a
  /// copy. Its address; nothing where addresses of the file are not those of HDF5.
  [[nodiscard]] std::optional<std::int64_t> set_aside(std::int64_t bytes) const;
  /// Lets HDF5 close FILE.part, which stays open and locked for what is written behind HDF5's end.
  void close_file();
  /// Closes FILE.part, which stays.
  void keep_part() noexcept;
  [[nodiscard]] int descriptor() const { return m_part.descriptor(); }
  /// Makes a dataset, and the groups that lead to it; values are not filled in.
  [[nodiscard]] Dataset create(const NewDataset& dataset) const;
  /// One without chunks and filters.
  [[nodiscard]] Dataset create_contiguous(std::string dataset, hid_t file_type,
                                          std::vector<std::int64_t> extents) const;
  [[nodiscard]] const File& file() const { return m_file; }
  [[nodiscard]] const FilePath& path() const { return m_path; }
  /// The name of the file that is open.
  [[nodiscard]] const std::string& part() const { return m_part.name(); }
  /// "cannot write FILE.part", for messages.
  [[nodiscard]] std::string failing() const { return m_part.name() + ": cannot be written"; }
  /// Brings everything to the disk and gives the file its name. A file that it replaces hands on
  /// its owner, group and mode. `note_end` notes that all is written, in FILE.part, once HDF5 has
  /// closed it. \throws Error where FILE came into being or FILE.part was touched meanwhile; and
  /// where FILE was, and is to be appended to
  void commit(const std::function<void()>& note_end = {});
  /// Removes FILE.part, if it is there and still the one that was made.
  void abandon() noexcept;

 private:
  void refuse_parts();
  void require_growth(const NewDataset& wanted) const;
  void make();
  void make_copy(const Properties& list);
  void keep_mark(std::int64_t address);
  [[nodiscard]] File opened_by_hdf5(const Properties& list, bool is_new);
  void note_base();
  void require_base() const;

  FilePath m_path;
  Existing m_existing;
  std::int64_t m_alignment = 0;
  stream::PartFile m_part;  ///< holds the lock, and is what is synced
  File m_file;
  bool m_has_unlocked = false;        ///< for HDF5, whose own lock holds until it closes the file
  int m_taken = -1;                   ///< descriptor of what `open_anew` has returned
  std::optional<Fingerprint> m_base;  ///< of FILE when it was copied
};

/// The file that a symbolic link names, which is what is written: the link stays. Another file is
/// itself. \throws Error where a link names none
std::string behind_link(const std::string& file);

/// Writes a box of a dataset from memory without gaps.
void write_box(const Dataset& dataset, hid_t memory_type, const std::vector<std::int64_t>& start,
               const std::vector<std::int64_t>& count, const void* values,
               const std::string& failing);

}  // namespace synelix::h5
