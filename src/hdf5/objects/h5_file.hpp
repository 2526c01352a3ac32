// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/chunk_pieces.hpp"
#include "hdf5/objects/h5_handles.hpp"
#include "hdf5/source/source_file.hpp"

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Opens files and datasets, with a specific error for each kind of failure; and traverses all
/// groups and datasets of a file.

namespace synelix::h5 {

/// Opens a file for reading, with a lock if possible: if the file system refuses locks, it is
/// opened without one. \throws Error if it is missing, no HDF5 file, truncated, or not readable
File open_for_reading(const std::string& file);
/// The same, with all files that it refers to.
SourceFile open_file(const std::string& file, Links links = Links::within_folder);

/// Limits HDF5's metadata cache: 4 MiB of memory for any number of chunks.
void limit_metadata(const Properties& access_list);

/// Opens a dataset. \throws Error if there is none of that name (the message lists existing names),
/// it is a group, one of its filters is missing, or values are missing (see `require_sources`)
Dataset open_dataset(const SourceFile& file, const FilePath& path, const Properties& access = {});

/// Opens a dataset at a place in a file, without a check of other files. \throws Error with the
/// remedy if it is stored in a version of the format that this HDF5 does not know
Dataset open_known(hid_t location, const std::string& path, hid_t access, const std::string& name);

/// Opens an existing dataset or group. \throws Error if there is none
Object open_object(const SourceFile& file, const std::string& path);

/// \throws Error if HDF5 lacks a filter of a dataset
void require_filters(const Dataset& dataset, const std::string& name);

/// The share of HDF5's chunk cache that is searched for completely read or written chunks before
/// the least recently used chunk is evicted. At 1, only such complete chunks are evicted, and
/// partially read chunks stay for any cache size.
inline constexpr double whole_chunks_first = 0.99;

/// The extents of a dataset. \throws Error if they claim more than 2^56 values
std::vector<std::int64_t> extents_of(const Dataset& dataset);
/// The number of values of a dataset that is read completely. Files may claim any number.
/// \throws Error if there are more than `most`
std::int64_t count_of(const Dataset& dataset, std::int64_t most);
/// The dimension of a list: the only one of extents (N), (N, 1), (1, N), ... that is not 1, or the
/// first. Nothing if several are not 1, or there is no dimension.
std::optional<std::size_t> vector_dimension(const std::vector<std::int64_t>& extents);
/// Kinds of numbers.
enum class NumberKind : std::uint8_t { any, floating, integer };
bool are_numbers(const Dataset& dataset, NumberKind kind);
/// \throws Error (with `wanted` as its remedy) if a dataset is no list of such numbers, of a
///         given length or of any. A row or a column counts, too, because programs without vectors
///         write those
void require_list(const Dataset& dataset, const std::string& name, NumberKind kind,
                  const std::string& wanted, std::optional<std::int64_t> length = {});
/// Reads entries of a list of any rank. \param failing the text of an error
void read_entries(const Dataset& dataset, hid_t memory_type, std::int64_t first, std::int64_t count,
                  void* to, const std::string& failing);
/// Runs of flattened channels of a dataset.
struct ChannelRuns {
  const std::vector<stream::ChannelBox>& boxes;
  const std::vector<std::int64_t>& extents;  ///< of the dataset
  const std::vector<std::int64_t>& chunk;    ///< may be empty
  std::int64_t together = 1;                 ///< the most chunks that one HDF5 call touches
  const Range* bases = nullptr;              ///< of a last dimension that is not flattened
};

/// Calls `transfer()` for each piece of some rows, which is then selected in both spaces.
/// \param before  rows before them in memory
template <class Transfer>
void for_each_selection(const ChannelRuns& runs, Range rows, std::int64_t before,
                        const Space& in_file, const Space& in_memory, const std::string& failing,
                        const Transfer& transfer) {
  const bool are_runs = runs.boxes.size() > 1;
  const auto pieces = are_runs ? stream::Pieces::runs : stream::Pieces::boxes;
  const auto rank = static_cast<std::size_t>(H5Sget_simple_extent_ndims(in_memory.id()));
  std::int64_t column = 0;
  for (const stream::ChannelBox& box : runs.boxes) {
    const stream::DatasetBox all = box.within(rows, runs.bases);
    stream::for_each_piece(
        all, runs.chunk, runs.together, pieces, [&](const stream::DatasetBox& piece) {
          std::vector<hsize_t> to(rank, 0);
          std::vector<hsize_t> size(rank, 1);
          stream::place_in_memory(all, piece, runs.extents, pieces, runs.bases == nullptr ? 0 : 1,
                                  to, size);
          to[0] += static_cast<hsize_t>(before);
          if (are_runs) to[1] += static_cast<hsize_t>(column);
          select_box(in_file, sizes_from(piece.start), sizes_from(piece.count), failing);
          select_box(in_memory, to, size, failing);
          transfer();
        });
    column += box.channels;
  }
}

/// The type of a dataset in its file.
Type type_of(const Dataset& dataset);
/// The extents of a chunk; empty if there are no chunks.
std::vector<std::int64_t> chunk_of(const Dataset& dataset);
/// The filters of a dataset as text, with a note for missing ones.
std::vector<std::string> filters_of(const Dataset& dataset);

/// The type and the extents of a dataset, for messages: "int16 of extents (3, 4)".
std::string contents_text(const Dataset& dataset);

/// The path of the group that holds an object; empty above the root.
std::string group_of(const std::string& path);
/// The same with a slash at its end, for the path of another object in it.
std::string group_prefix(const std::string& path);
/// The path of an object in the same group.
FilePath beside(const FilePath& path, const std::string& name);

/// Whether an object with this path exists. \throws Error if links on its way lead to files that
/// are missing or may not be read
bool exists(const SourceFile& file, const std::string& path);
/// The same without following links to other files.
bool exists(hid_t location, const std::string& path);

/// Names of the links of a group, in their order, at most a given number; none if it is no group.
std::vector<std::string> links_of(const SourceFile& file, const std::string& group,
                                  hsize_t most = 1 << 20);
/// The same as a list of at most a dozen, for messages; empty if there are none.
std::string names_in(const SourceFile& file, const std::string& group);

/// The functions that a traversal calls. Paths begin with a slash. Null functions are skipped.
struct Visitor {
  /// A group with the names of its links.
  std::function<void(const std::string& path, const std::vector<std::string>& names)> group = {};
  /// A dataset, and the group that it is in.
  std::function<void(const std::string& path, hid_t parent, const std::string& name)> dataset = {};
  /// A link to another file, which is not followed.
  std::function<void(const std::string& path)> external = {};
};

/// Traverses hard links, in the order of names. Objects that have several are visited once. HDF5's
/// own traversal recurses into each group, so thousands of nested groups would overflow the stack.
/// \throws Error if there are more than 2^20 objects, or a path is longer than 2^16 bytes
void walk(const SourceFile& file, const Visitor& visitor);

}  // namespace synelix::h5
