// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/objects/h5_file.hpp"

#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/source/foreign_marks.hpp"
#include "part_files/descriptor.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

namespace synelix::h5 {
namespace {

/// The path of an open object in its file, for messages.
std::string name_of(hid_t object) {
  char name[256] = {};
  return H5Iget_name(object, name, sizeof(name)) > 0 ? name : "a dataset";
}

/// Whether the product of extents is larger than `most`; extents of 0 count as 1.
bool exceeds(const std::vector<hsize_t>& extents, hsize_t most) {
  for (const hsize_t extent : extents) {
    if (extent > most) return true;
    most /= std::max<hsize_t>(extent, 1);
  }
  return false;
}

std::string parent_group(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

/// Throws an error that lists what exists instead of the missing dataset.
[[noreturn]] void throw_missing(const SourceFile& file, const FilePath& path) {
  std::string group = parent_group(path.dataset);
  while (group != "/" && !exists(file, group)) group = parent_group(group);
  const std::string names = names_in(file, group);
  throw FileError(to_string(path), "there is no such dataset",
                  names.empty() ? "The group " + group + " is empty"
                                : "The group " + group + " holds: " + names);
}

/// Throws an error for a file that HDF5 could not open. HDF5's message distinguishes a file of a
/// newer HDF5 from a damaged one.
[[noreturn]] void throw_not_opened(const std::string& name) {
  const std::string reason = failure_text();
  const bool is_newer = reason.find("version") != std::string::npos ||
                        reason.find("unknown datatype class") != std::string::npos;
  if (!is_newer) throw FileError(name + ": " + reason);
  throw FileError(name,
                  "it is stored in another version of the format than HDF5 " + hdf5_version() +
                      " of this program reads (" + reason + ")",
                  "If HDF5 2 wrote it, write it with at most version 1.14 of the format: "
                  "libver=(\"earliest\", \"v114\") in h5py, or h5repack --high=4 OLD NEW");
}

}  // namespace

namespace {

/// A filter of a dataset.
struct FoundFilter {
  H5Z_filter_t id = 0;
  std::string name;        ///< may be empty
  unsigned parameter = 0;  ///< the first one
  bool is_missing = false;
};

std::vector<FoundFilter> find_filters(const Dataset& dataset, const std::string& name) {
  const Properties creation(H5Dget_create_plist(dataset.id()), name);
  std::vector<FoundFilter> filters;
  const int count = H5Pget_nfilters(creation.id());
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    unsigned values[1] = {};
    std::size_t number = 1;
    char text[128] = {};
    unsigned config = 0;
    const H5Z_filter_t filter = H5Pget_filter2(creation.id(), static_cast<unsigned>(i), &flags,
                                               &number, values, sizeof(text), text, &config);
    filters.push_back({filter, text, values[0], H5Zfilter_avail(filter) <= 0});
  }
  return filters;
}

}  // namespace

void require_filters(const Dataset& dataset, const std::string& name) {
  for (const FoundFilter& filter : find_filters(dataset, name)) {
    if (filter.id < 0 || !filter.is_missing) continue;
    const std::string called = filter.name.empty() ? "" : " (" + filter.name + ")";
    throw FileError(name,
                    "it needs the HDF5 filter " + std::to_string(filter.id) + called +
                        ", which this HDF5 library does not have",
                    "Put a plug-in for it into a folder that the environment variable "
                    "HDF5_PLUGIN_PATH names, and allow plug-ins (--allow-plugins); or store the "
                    "dataset without this filter");
  }
}

namespace {

/// Throws if a file or folder has another format that is known.
void refuse_foreign(const std::string& file) {
  const auto foreign = stream::foreign_format(file);
  if (foreign) throw FileError(file, "this is " + foreign->looks_like, foreign->remedy);
}

/// Throws if the process may not open another file. HDF5 would report that the file is no HDF5
/// file.
void require_descriptor(const std::string& file) {
  const stream::Descriptor opened = stream::opened_to_read(file);
  if (opened.is_open() || (errno != EMFILE && errno != ENFILE)) return;
  throw FileError(file + ": cannot be read: " + stream::reason_text(errno));
}

}  // namespace

void limit_metadata(const Properties& access_list) {
  // Nodes of an index of chunks take seven times the memory that HDF5 counts for them.
  constexpr std::size_t counted_bytes = std::size_t{512} << 10;
  H5AC_cache_config_t config{};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Pget_mdc_config(access_list.id(), &config) < 0) return;
  config.set_initial_size = true;
  config.initial_size = counted_bytes;
  config.max_size = counted_bytes;
  config.min_size = counted_bytes;
  config.incr_mode = H5C_incr__off;
  config.flash_incr_mode = H5C_flash_incr__off;
  config.decr_mode = H5C_decr__off;
  H5Pset_mdc_config(access_list.id(), &config);
}

File open_for_reading(const std::string& file) {
  std::error_code status;
  if (std::filesystem::is_directory(file, status)) {
    refuse_foreign(file);
    throw FileError(file, "this is a folder", "Give an HDF5 file");
  }
  if (stream::file_exists(file) && !std::filesystem::is_regular_file(file, status)) {
    // Opening a pipe waits for a writer, forever if there is none.
    throw FileError(file, "this is not a regular file", "Give an HDF5 file");
  }
  if (access(file.c_str(), R_OK) != 0) {
    throw FileError(file + ": cannot be read: " + std::strerror(errno));
  }
  const Properties access_list(H5Pcreate(H5P_FILE_ACCESS), file);
  limit_metadata(access_list);
  // Uses locks if the file system has them; "ignore when disabled" is for file systems without
  // locks.
  H5Pset_file_locking(access_list.id(), true, true);
  hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, access_list.id());
  if (id < 0) {
    const std::string reason = failure_text();
    const bool is_locked = is_lock_failure();
    require_descriptor(file);
    if (is_locked && reason.starts_with(std::strerror(EAGAIN))) {
      throw FileError(file, "another program has it open for writing, and holds its lock",
                      "Wait until that program has closed it");
    }
    if (is_locked) {
      H5Pset_file_locking(access_list.id(), false, true);
      id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, access_list.id());
      if (id >= 0) warn(file + " is read without a lock; HDF5 could not lock it: " + reason);
    } else if (H5Fis_accessible(file.c_str(), access_list.id()) <= 0) {
      refuse_foreign(file);
      throw FileError(file, "this is not an HDF5 file, or it is damaged", "Give an HDF5 file");
    } else {
      throw FileError(file + ": cannot be opened: " + reason);  // HDF5 has already discarded the
                                                                // reason
    }
  }
  return File(id, file + ": cannot be opened");
}

SourceFile open_file(const std::string& file, Links links) {
  File opened = open_for_reading(file);
  return {std::move(opened), file, links};
}

Dataset open_dataset(const SourceFile& file, const FilePath& path, const Properties& access_list) {
  if (path.dataset.empty()) {
    throw FileError(path.file, "no dataset is named",
                    "Give FILE:/dataset; the file holds " + names_in(file, "/") +
                        (exists(file, "/units")
                             ? "; its units are spike trains, which are read as events (--units)"
                             : ""));
  }
  const auto place = file.find(path.dataset);
  if (!place) throw_missing(file, path);
  const std::string name = to_string(path);
  const hid_t id = place->file->id();
  // Queried without opening it: a dataset that is already open keeps its chunk cache.
  H5O_info2_t info{};
  check(H5Oget_info_by_name3(id, place->path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT), name);
  if (info.type != H5O_TYPE_DATASET) {
    const bool is_group = info.type == H5O_TYPE_GROUP;
    throw FileError(name, is_group ? "this is a group" : "this is a named type",
                    is_group ? "Give a dataset; the group holds " + names_in(file, path.dataset)
                             : "Give a dataset");
  }
  const hid_t list = access_list.is_open() ? access_list.id() : H5P_DEFAULT;
  Dataset dataset = open_known(id, place->path, list, name);
  require_filters(dataset, name);
  require_sources(file, *place, dataset, name);
  return dataset;
}

Dataset open_known(hid_t location, const std::string& path, hid_t access, const std::string& name) {
  const hid_t id = H5Dopen2(location, path.c_str(), access);
  if (id < 0) throw_not_opened(name);
  return {id, name};
}

Object open_object(const SourceFile& file, const std::string& path) {
  const std::string name = file.name() + ":" + path;
  const auto place = file.find(path);
  if (!place)
    throw FileError(name, "there is no such object", "Give the path of one that is there");
  const hid_t id = H5Oopen(place->file->id(), place->path.c_str(), H5P_DEFAULT);
  if (id < 0) throw_not_opened(name);
  return {id, name};
}

std::vector<std::int64_t> extents_of(const Dataset& dataset) {
  const Space space(H5Dget_space(dataset.id()), "HDF5 dataspace");
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank <= 0) return {};
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  // Limits what a file may claim, so that products of extents and sizes of values fit in 64 bits.
  if (exceeds(extents, hsize_t{1} << 56)) {
    throw FileError(name_of(dataset.id()), "its extents claim more than 2^56 values",
                    "Such a file is damaged; valid are at most 2^56 values");
  }
  return {extents.begin(), extents.end()};
}

std::int64_t count_of(const Dataset& dataset, std::int64_t most) {
  const std::int64_t count = stream::product_of(extents_of(dataset));
  if (count > most) {
    throw FileError(name_of(dataset.id()),
                    "it has " + std::to_string(count) + " values, which are read together",
                    "Valid are at most " + std::to_string(most));
  }
  return count;
}

std::optional<std::size_t> vector_dimension(const std::vector<std::int64_t>& extents) {
  if (extents.empty()) return std::nullopt;
  std::optional<std::size_t> dimension;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1) continue;
    if (dimension) return std::nullopt;
    dimension = i;
  }
  return dimension.value_or(0);
}

bool are_numbers(const Dataset& dataset, NumberKind kind) {
  const Type type = type_of(dataset);
  const H5T_class_t found = H5Tget_class(type.id());
  return (found == H5T_FLOAT && kind != NumberKind::integer) ||
         (found == H5T_INTEGER && kind != NumberKind::floating);
}

void require_list(const Dataset& dataset, const std::string& name, NumberKind kind,
                  const std::string& wanted, std::optional<std::int64_t> length) {
  const std::vector<std::int64_t> extents = extents_of(dataset);
  const auto along = vector_dimension(extents);
  if (are_numbers(dataset, kind) && along && (!length || extents[*along] == *length)) return;
  throw FileError(name, "it holds " + contents_text(dataset), wanted);
}

void read_entries(const Dataset& dataset, hid_t memory_type, std::int64_t first, std::int64_t count,
                  void* to, const std::string& failing) {
  const std::vector<std::int64_t> extents = extents_of(dataset);
  const std::size_t dimension = vector_dimension(extents).value_or(0);
  std::vector<std::int64_t> start(extents.size(), 0);
  std::vector<std::int64_t> length(extents.size(), 1);
  start[dimension] = first;
  length[dimension] = count;
  read_box(dataset, memory_type, start, length, to, failing);
}

Type type_of(const Dataset& dataset) { return {H5Dget_type(dataset.id()), "HDF5 type"}; }

std::vector<std::int64_t> chunk_of(const Dataset& dataset) {
  const Properties creation(H5Dget_create_plist(dataset.id()), "HDF5 properties");
  if (H5Pget_layout(creation.id()) != H5D_CHUNKED) return {};
  std::vector<hsize_t> chunk(H5S_MAX_RANK);
  const int rank = H5Pget_chunk(creation.id(), H5S_MAX_RANK, chunk.data());
  chunk.resize(static_cast<std::size_t>(std::max(rank, 0)));
  if (chunk.size() != extents_of(dataset).size() || std::ranges::count(chunk, hsize_t{0}) > 0) {
    throw FileError(name_of(dataset.id()),
                    "its chunks have " + std::to_string(rank) +
                        " extents, and one of them is 0 or the "
                        "dataset has another number of them",
                    "Such a file is damaged; write it anew");
  }
  if (exceeds(chunk, hsize_t{1} << 40)) {
    throw FileError(name_of(dataset.id()), "its chunks have more than 2^40 values",
                    "Write it with chunks of at most 2^40 values");
  }
  return {chunk.begin(), chunk.end()};
}

std::vector<std::string> filters_of(const Dataset& dataset) {
  std::vector<std::string> texts;
  for (const FoundFilter& filter : find_filters(dataset, "HDF5 properties")) {
    std::string& text = texts.emplace_back(filter.name);
    const std::string id = std::to_string(filter.id);
    if (text.empty()) text = "filter " + id;
    if (filter.id == H5Z_FILTER_DEFLATE) text += " " + std::to_string(filter.parameter);
    if (filter.is_missing) text += " (id " + id + ", missing here)";
  }
  return texts;
}

std::string contents_text(const Dataset& dataset) {
  return type_text(type_of(dataset).id()) + " of extents " + extents_text(extents_of(dataset));
}

std::string group_of(const std::string& path) {
  if (path.size() < 2) return {};
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string group_prefix(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

FilePath beside(const FilePath& path, const std::string& name) {
  return {path.file, group_prefix(path.dataset) + name, path.links};
}

bool exists(const SourceFile& file, const std::string& path) {
  const auto place = file.find(path);
  return place && (place->path == "/" ||
                   H5Oexists_by_name(place->file->id(), place->path.c_str(), H5P_DEFAULT) > 0);
}

bool exists(hid_t location, const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (part != "/" && !part.empty() && H5Lexists(location, part.c_str(), H5P_DEFAULT) <= 0) {
      return false;
    }
    H5L_info2_t info{};
    if (part != "/" && !part.empty() &&
        (H5Lget_info2(location, part.c_str(), &info, H5P_DEFAULT) < 0 ||
         info.type == H5L_TYPE_EXTERNAL)) {
      throw FileError(path, "there is a link to another file at " + part,
                      "Give a path inside of the file");
    }
    if (slash == std::string::npos) break;
  }
  return path == "/" || H5Oexists_by_name(location, path.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> links_of(const SourceFile& file, const std::string& group, hsize_t most) {
  const auto place = file.find(group);
  if (!place) return {};
  const hid_t id = place->file->id();
  const char* const path = place->path.c_str();
  H5G_info_t info{};
  if (H5Gget_info_by_name(id, path, &info, H5P_DEFAULT) < 0) return {};
  std::vector<std::string> names;
  for (hsize_t i = 0; i < std::min(info.nlinks, most); ++i) {
    char name[256] = {};
    const auto length = H5Lget_name_by_idx(id, path, H5_INDEX_NAME, H5_ITER_INC, i, name,
                                           sizeof(name), H5P_DEFAULT);
    if (length > 0) names.emplace_back(name);
  }
  return names;
}

std::string names_in(const SourceFile& file, const std::string& group) {
  constexpr hsize_t most = 12;
  const std::vector<std::string> links = links_of(file, group, most + 1);
  std::string names;
  for (std::size_t i = 0; i < links.size(); ++i) {
    names += (names.empty() ? "" : ", ") + (i < most ? links[i] : "...");
  }
  return names;
}

}  // namespace synelix::h5
