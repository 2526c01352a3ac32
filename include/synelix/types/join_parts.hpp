// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// What join_parts.hpp declares, without Kokkos. Programs include join_parts.hpp.

namespace synelix {

/// The name of the file of one part of an output: FILE.part-I-of-N.
std::string part_file_name(const std::string& file, const OutputPart& part);

/// The part files next to an output, finished or not. If FILE is a symbolic link, next to its
/// target.
std::vector<std::string> part_files(const std::string& file);

/// The description of a part file.
struct PartFileDescription {
  std::string file = {};     ///< name of the part file
  std::string dataset = {};  ///< with its slash
  OutputPart part = {};      ///< its number, and the number of parts
  Range rows = {};           ///< of the entire output
  std::int64_t of_rows = 0;  ///< rows of the entire output
  bool is_finished = false;  ///< false: a run is writing it, or left it unfinished
};

/// The description of a part file; no value if the file is not a part file.
/// \throws Error if its checkpoint is damaged
std::optional<PartFileDescription> describe_part_file(const std::string& file);

/// What becomes of the part files once the joined file is on the disk.
enum class JoinedParts : std::uint8_t {
  keep,   ///< the part files stay
  remove  ///< the part files are removed
};

/// Progress of a join.
struct JoinProgress {
  std::int64_t chunks = 0;     ///< copied so far
  std::int64_t of_chunks = 0;  ///< chunks of all parts
  std::int64_t bytes = 0;      ///< of these chunks, as they are stored
  double seconds = 0;          ///< since the start
};

/// How parts are joined.
struct JoinOptions {
  /// Existing::append is refused.
  Existing existing = Existing::refuse;
  JoinedParts joined_parts = JoinedParts::keep;  ///< what becomes of the part files
  /// The part files; empty: those next to the output that have the names of its parts.
  std::vector<std::string> parts = {};
  std::function<void(const JoinProgress&)> progress = {};  ///< after each chunk
  const std::atomic<bool>* cancel = nullptr;               ///< checked before each chunk
};

/// What was joined.
struct JoinReport {
  FilePath output = {};                    ///< the joined file and its dataset
  std::vector<std::int64_t> extents = {};  ///< of the dataset: rows first
  std::string type = {};                   ///< "float32"
  std::int64_t parts = 0;                  ///< part files that were joined
  std::int64_t chunks = 0;                 ///< copied
  std::int64_t bytes = 0;                  ///< of chunks, as they are stored
  std::int64_t removed = 0;                ///< part files removed
  bool was_finished = false;               ///< the output existed already: nothing was written
  double seconds = 0;                      ///< from start to end
};

/// Makes FILE from the files of all its parts. Values, times and attributes are those of a run in
/// one process, except Hdf5OutputOptions::history, which is that of part 0.
///
/// Each stored chunk is compared with its checksum. FILE.part is written and renamed, as by
/// Hdf5Sink; part files are only read. So a killed join can be repeated. It needs the memory of one
/// stored chunk and that of HDF5. If FILE exists already with the fingerprint of the parts, nothing
/// is written.
///
/// \param output  FILE, or FILE:/dataset, which must be the dataset of the parts
/// \throws Error if there is no part, or one is missing, unfinished, damaged or of another run; if
///         rows are in two parts or in none; if FILE exists and may not be replaced; if the disk is
///         full. Cancelled if `cancel` is set
JoinReport join_parts(const FilePath& output, const JoinOptions& options = {});

}  // namespace synelix
