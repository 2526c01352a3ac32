// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/join/part_source.hpp"
#include "files/part/output_file.hpp"

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// \file
/// `JoinedFile`: the output that is joined from the files of its parts.

namespace synelix::h5 {

class JoinedFile {
 public:
  /// Makes FILE.part with all datasets of part 0 except rows. \throws Error
  JoinedFile(const FilePath& path, Existing existing, const PartSource& first);

  /// Copies the chunks and the times of a part. `copied(bytes)` is called before each chunk with
  /// the bytes of the previous one, and may throw. \throws Error
  void add(const PartSource& part, const std::function<void(std::int64_t bytes)>& copied);
  /// Writes everything to the disk and gives the file its final name. \throws Error
  void commit();

  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return m_extents; }

 private:
  void require_alike(const PartSource& part) const;
  void add_times(const Dataset& from, const Dataset& to, const PartSource& part) const;

  OutputFile m_file;
  std::string m_first;  ///< name of part 0
  std::vector<std::int64_t> m_extents;
  std::vector<std::int64_t> m_chunk;
  Dataset m_features;
  Dataset m_time;
  Dataset m_centers;  ///< not open: rows are not bins
};

}  // namespace synelix::h5
