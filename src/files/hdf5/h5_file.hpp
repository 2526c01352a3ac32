// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"
#include "files/source/source_file.hpp"

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Opening of files and datasets, with the reasons why that may fail told apart; and a walk over
/// all groups and datasets of a file.

namespace synelix::h5 {

/// Opens a file for reading. Locks are best effort: where the file system refuses them, the file is
/// opened without. \throws Error where it is missing, no HDF5 file, truncated, not readable
File open_for_reading(const std::string& file);
/// The same, with all that it leads to.
SourceFile open_file(const std::string& file, Links links = Links::within_folder);

/// Keeps HDF5's cache of metadata small: 4 MiB of memory, whatever the number of chunks.
void limit_metadata(const Properties& access_list);

/// Opens a dataset. \throws Error where there is none of that name (naming what is there), it is a
/// group, a filter of it is missing, or values of it are not there (see `require_sources`)
Dataset open_dataset(const SourceFile& file, const FilePath& path, const Properties& access = {});

/// Opens a dataset at a place in a file, whatever is behind it. \throws Error where it is stored in
/// a version of the format that this HDF5 does not know, naming the remedy
Dataset open_known(hid_t location, const std::string& path, hid_t access, const std::string& name);

/// Opens a dataset or group that is there. \throws Error where it is not
Object open_object(const SourceFile& file, const std::string& path);

/// \throws Error where HDF5 has not all filters of a dataset
void require_filters(const Dataset& dataset, const std::string& name);

/// The share of HDF5's chunk cache that is searched for chunks that were read or written whole,
/// before the one that was not used for longest gives way. At 1 none gives way but whole ones: then
/// chunks of which a part was read stay, whatever the size of the cache.
inline constexpr double whole_chunks_first = 0.99;

/// The extents of a dataset. \throws Error where they claim more than 2^56 values
std::vector<std::int64_t> extents_of(const Dataset& dataset);
/// The number of values of a dataset that is read as a whole: files may claim any number.
/// \throws Error where there are more than `most`
std::int64_t count_of(const Dataset& dataset, std::int64_t most);
/// The dimension of a list: the only one of extents (N), (N, 1), (1, N), ... that is not 1, or the
/// first. Nothing where several are not 1, or there is none.
std::optional<std::size_t> vector_dimension(const std::vector<std::int64_t>& extents);
/// Reads entries of a list, whatever its rank. \param failing  what an error says
void read_entries(const Dataset& dataset, hid_t memory_type, std::int64_t first, std::int64_t count,
                  void* to, const std::string& failing);
/// The type of a dataset in its file.
Type type_of(const Dataset& dataset);
/// The extents of a chunk; empty where there are no chunks.
std::vector<std::int64_t> chunk_of(const Dataset& dataset);
/// The filters of a dataset, in words; a missing one says so.
std::vector<std::string> filters_of(const Dataset& dataset);

/// The path of the group that holds an object; empty above the root.
std::string group_of(const std::string& path);
/// The path of what lies in the same group.
FilePath beside(const FilePath& path, const std::string& name);

/// Whether an object of that path is there. \throws Error where links on its way lead to files that
/// are missing or may not be read
bool exists(const SourceFile& file, const std::string& path);
/// The same in a file of which links to others are not followed.
bool exists(hid_t location, const std::string& path);

/// Names of the links of a group, in their order, so many at most; none where it is no group.
std::vector<std::string> links_of(const SourceFile& file, const std::string& group,
                                  hsize_t most = 1 << 20);
/// The same as a list, at most a dozen, for messages; empty where it has none.
std::string names_in(const SourceFile& file, const std::string& group);

/// What is called for what a walk comes to. Paths begin with a slash. What is null is passed over.
struct Visitor {
  /// A group with the names of its links.
  std::function<void(const std::string& path, const std::vector<std::string>& names)> group = {};
  /// A dataset, and the group that it is in.
  std::function<void(const std::string& path, hid_t parent, const std::string& name)> dataset = {};
  /// A link to another file, which is not followed.
  std::function<void(const std::string& path)> external = {};
};

/// Walks over hard links, in the order of names; objects that have several are visited once. HDF5's
/// own walk calls itself for each group in a group, so thousands of them would overflow the stack.
/// \throws Error where there are more than 2^20 objects, or a path is longer than 2^16 bytes
void walk(const SourceFile& file, const Visitor& visitor);

}  // namespace synelix::h5
