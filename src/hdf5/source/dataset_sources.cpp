// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/source_file.hpp"

#include "hdf5/objects/h5_file.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

namespace synelix::h5 {
namespace {

/// The deepest nesting of virtual datasets: HDF5 recurses into each.
constexpr std::size_t most_depth = 32;
constexpr std::size_t most_mappings = std::size_t{1} << 20;

/// The number of an open file and a token in it, which identify an object under any name.
using Identity = std::pair<unsigned long, std::array<std::uint8_t, H5O_MAX_TOKEN_SIZE>>;

Identity identity_of(const Dataset& dataset, const std::string& name) {
  H5O_info2_t info{};
  check(H5Oget_info3(dataset.id(), &info, H5O_INFO_BASIC), name);
  Identity identity{info.fileno, {}};
  std::memcpy(identity.second.data(), info.token.__data, identity.second.size());
  return identity;
}

/// The prefix that HDF5 uses for raw data and sources, with ${ORIGIN} replaced by the file's
/// folder.
std::string prefix_of(const char* variable, const std::string& parent) {
  const char* const value = std::getenv(variable);
  std::string prefix = value != nullptr ? value : "";
  constexpr std::string_view origin = "${ORIGIN}";
  if (prefix == ".") prefix.clear();
  if (!prefix.starts_with(origin)) return prefix;
  const std::size_t slash = parent.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : parent.substr(0, slash + 1);
  return folder + prefix.substr(origin.size());
}

/// The text that a call copies to a buffer of a given size.
std::string text_from(const std::function<ssize_t(char*, std::size_t)>& get,
                      const std::string& name) {
  const ssize_t length = get(nullptr, 0);
  if (length < 0) fail(name);
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  if (get(text.data(), text.size()) < 0) fail(name);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

/// One mapping of a virtual dataset.
struct Mapping {
  std::string file;                   ///< as written; "." for the file itself
  std::string dataset;                ///< as written
  Space to;                           ///< in the virtual dataset
  Space from;                         ///< in the source
  std::vector<std::int64_t> extents;  ///< of the source, or of its last block
  hsize_t blocks = 0;                 ///< number of existing blocks, for names with "%b"

  [[nodiscard]] bool has_blocks() const { return h5::has_blocks(file) || h5::has_blocks(dataset); }
};

/// Bytes of all values, limited to the largest integer.
std::int64_t value_bytes_of(const Dataset& dataset) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  auto bytes = static_cast<std::int64_t>(H5Tget_size(type_of(dataset).id()));
  for (const std::int64_t extent : extents_of(dataset)) {
    bytes = extent > 0 && bytes > most / extent ? most : bytes * extent;
  }
  return bytes;
}

/// The number of values, and the number in an entry of the first dimension with several.
struct Sizes {
  double all = 1;
  double of_row = 1;
};

Sizes sizes_of(const std::vector<std::int64_t>& extents) {
  Sizes sizes;
  double first = 1;
  for (const std::int64_t extent : extents) {
    sizes.all *= static_cast<double>(extent);
    if (first <= 1) first = static_cast<double>(extent);
  }
  sizes.of_row = first > 0 ? sizes.all / first : 0;
  return sizes;
}

/// HDF5 returns the byte of the file without a check. The enumeration is read as a number, because
/// a number without a name may not be loaded as an enumeration.
H5D_fill_time_t fill_time_of(const Properties& creation, const std::string& name) {
  H5D_fill_time_t time = H5D_FILL_TIME_IFSET;
  check(H5Pget_fill_time(creation.id(), &time), name);
  std::underlying_type_t<H5D_fill_time_t> number = 0;
  std::memcpy(&number, &time, sizeof number);
  if (number == H5D_FILL_TIME_ALLOC || number == H5D_FILL_TIME_NEVER ||
      number == H5D_FILL_TIME_IFSET) {
    return time;
  }
  throw FileError(name,
                  "its fill time is " + std::to_string(number) +
                      "; HDF5 knows 0 (at allocation), 1 (never) and 2 (if a value is set)",
                  "The file is damaged: write it again, or copy this dataset from a backup");
}

/// If a dataset has no fill value, HDF5 leaves memory unchanged for chunks that were never written.
/// They would get values of other rows, or arbitrary ones.
void require_written(const Dataset& dataset, const Properties& creation, const std::string& name) {
  const H5D_fill_time_t time = fill_time_of(creation, name);
  H5D_fill_value_t fill = H5D_FILL_VALUE_DEFAULT;
  check(H5Pfill_value_defined(creation.id(), &fill), name);
  if (time != H5D_FILL_TIME_NEVER && fill != H5D_FILL_VALUE_UNDEFINED) return;
  H5D_space_status_t status = H5D_SPACE_STATUS_ALLOCATED;
  check(H5Dget_space_status(dataset.id(), &status), name);
  const std::vector<std::int64_t> extents = extents_of(dataset);
  const bool is_empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  if (status == H5D_SPACE_STATUS_ALLOCATED || is_empty) return;
  throw FileError(name,
                  std::string(status == H5D_SPACE_STATUS_NOT_ALLOCATED ? "none" : "not all") +
                      " of its values were written, and it has no fill value for the others",
                  "Write all values, or copy it to a dataset with a fill value");
}

/// Traverses datasets and their sources.
class SourceWalk {
 public:
  explicit SourceWalk(const SourceFile& file) : m_file(file) {}

  void look_at(const ObjectPath& place, const Dataset& dataset, const std::string& name);

 private:
  void look_at_raw_files(const ObjectPath& place, const Dataset& dataset,
                         const Properties& creation, const std::string& name);
  void look_at_mappings(const ObjectPath& place, const Dataset& dataset, const Properties& creation,
                        const std::string& name);
  void find_sources(const ObjectPath& place, Mapping& mapping, const std::string& name);
  std::optional<std::vector<std::int64_t>> look_at_source(const ObjectPath& place,
                                                          const std::string& file,
                                                          const std::string& dataset,
                                                          const std::string& role, bool is_needed);
  void require_enough(const Mapping& mapping, const std::vector<std::int64_t>& extents,
                      const std::string& name) const;
  /// Runs a step; the first failure is thrown at the end, so that all files are recorded.
  template <class Step>
  void attempt(std::exception_ptr& failure, const Step& step) const {
    try {
      step();
    } catch (const Error&) {
      if (!failure) failure = std::current_exception();
    }
  }

  const SourceFile& m_file;
  std::vector<Identity> m_above;                            ///< datasets on the current path
  std::map<std::string, std::vector<std::int64_t>> m_done;  ///< extents of sources
  std::map<std::string, std::exception_ptr> m_failed;
};

void SourceWalk::look_at(const ObjectPath& place, const Dataset& dataset, const std::string& name) {
  const Identity identity = identity_of(dataset, name);
  if (std::find(m_above.begin(), m_above.end(), identity) != m_above.end()) {
    throw FileError(name, "this virtual dataset is a source of itself",
                    "Make a virtual dataset whose sources end at stored values");
  }
  if (m_above.size() == most_depth) {
    throw FileError(name,
                    "more than " + std::to_string(most_depth) +
                        " virtual datasets stand between it and its stored values",
                    "Give one of the datasets behind it");
  }
  const Properties creation(H5Dget_create_plist(dataset.id()), name);
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout == H5D_CONTIGUOUS) look_at_raw_files(place, dataset, creation, name);
  if (layout != H5D_VIRTUAL) return require_written(dataset, creation, name);
  m_above.push_back(identity);
  try {
    look_at_mappings(place, dataset, creation, name);
  } catch (...) {
    m_above.pop_back();
    throw;
  }
  m_above.pop_back();
}

void SourceWalk::look_at_raw_files(const ObjectPath& place, const Dataset& dataset,
                                   const Properties& creation, const std::string& name) {
  const int files = H5Pget_external_count(creation.id());
  if (files <= 0) return;
  std::int64_t missing = value_bytes_of(dataset);
  const std::string folder = prefix_of("HDF5_EXTFILE_PREFIX", place.file_name);
  std::exception_ptr failure;
  for (int i = 0; i < files && missing > 0; ++i) {
    std::array<char, 4096> file{};
    off_t offset = 0;
    hsize_t size = 0;
    check(H5Pget_external(creation.id(), static_cast<unsigned>(i), file.size() - 1, file.data(),
                          &offset, &size),
          name);
    const std::string written = file.data();
    const bool is_absolute = written.starts_with('/') || folder.empty();
    const std::string path = is_absolute ? written : folder + "/" + written;
    const auto most = static_cast<hsize_t>(missing);
    const auto wanted = static_cast<std::int64_t>(std::min(size, most));
    missing -= wanted;
    attempt(failure, [&] {
      const std::string role = "raw data of " + name;
      if (!first_of({path})) {
        throw FileError(
            role, "there is no file " + path,
            "Put that file there; its path begins at the current folder, or at the folder "
            "that the environment variable HDF5_EXTFILE_PREFIX names");
      }
      const std::int64_t bytes = m_file.behind().admit(path, role).bytes;
      if (offset < 0 || bytes < wanted || offset > bytes - wanted) {
        throw FileError(role,
                        "there are " + std::to_string(bytes) + " bytes in " + path +
                            ", and HDF5 would read zeros for the rest",
                        "Give a file of at least " + std::to_string(wanted) + " from byte " +
                            std::to_string(offset) + " on");
      }
    });
  }
  if (failure) std::rethrow_exception(failure);
  if (missing > 0) {
    throw FileError(
        name, "its raw data in other files end " + std::to_string(missing) + " bytes too early",
        "Give files that hold all values");
  }
}

/// Checks a source and its own sources. Returns its extents; nothing if it does not exist and is
/// not needed.
std::optional<std::vector<std::int64_t>> SourceWalk::look_at_source(const ObjectPath& place,
                                                                    const std::string& file,
                                                                    const std::string& dataset,
                                                                    const std::string& role,
                                                                    bool is_needed) {
  ObjectPath start{place.file, place.file_name, "/"};
  if (file != ".") {
    std::vector<std::string> places =
        places_of(file, place.file_name, std::getenv("HDF5_VDS_PREFIX"));
    if (const std::string folder = prefix_of("HDF5_VDS_PREFIX", place.file_name); !folder.empty()) {
      places.push_back(folder + "/" + file.substr(file.rfind('/') + 1));
    }
    const auto found = first_of(places);
    if (!found && !is_needed) return std::nullopt;
    if (!found) {
      throw FileError(role,
                      "there is no file " + file + ", and HDF5 would read fill values in its place",
                      "Put that file beside " + place.file_name +
                          ", or into a folder that the environment variable HDF5_VDS_PREFIX names");
    }
    start = m_file.open_behind(*found, role);
  }
  const std::string name = start.file_name + ":" + dataset;
  if (const auto done = m_done.find(name); done != m_done.end()) return done->second;
  if (const auto failed = m_failed.find(name); failed != m_failed.end()) {
    std::rethrow_exception(failed->second);
  }
  const auto at = m_file.find(start, dataset);
  if (!at && !is_needed) return std::nullopt;
  if (!at) {
    throw FileError(
        role, "there is no dataset " + name + ", and HDF5 would read fill values in its place",
        "Give a file that holds that dataset");
  }
  const Dataset source = open_known(at->file->id(), at->path, H5P_DEFAULT, name);
  try {
    require_filters(source, name);
    look_at(*at, source, name);
  } catch (const Error&) {
    m_failed.emplace(name, std::current_exception());
    throw;
  }
  return m_done.emplace(name, extents_of(source)).first->second;
}

/// Throws if a source is smaller than its selection.
void SourceWalk::require_enough(const Mapping& mapping, const std::vector<std::int64_t>& extents,
                                const std::string& name) const {
  const auto refuse = [&](const std::string& needed) {
    throw FileError(name,
                    "its source is " + mapping.file + ":" + mapping.dataset + " of extents " +
                        extents_text(extents) + ", and HDF5 would read fill values for the rest",
                    "Give a source of " + needed + ", which it is used for");
  };
  if (is_all(mapping.from)) {
    // HDF5 takes values in their order, so a source may have grown only in its first dimension.
    const std::vector<std::int64_t> sides = sides_of(mapping.to);
    const Sizes wanted = sizes_of(sides);
    const Sizes found = sizes_of(extents);
    if (found.all == wanted.all) return;
    if (found.all > wanted.all && found.of_row == wanted.of_row) return;
    refuse("extents " + extents_text(sides));
  }
  const auto box = end_of_selection(mapping.from);
  bool is_enough = box.size() == extents.size();
  for (std::size_t i = 0; is_enough && i < box.size(); ++i) is_enough = box[i] <= extents[i];
  if (!is_enough) refuse("extents of at least " + extents_text(box));
}

void SourceWalk::find_sources(const ObjectPath& place, Mapping& mapping, const std::string& name) {
  const std::string role = "source of " + name;
  if (!mapping.has_blocks()) {
    const auto extents = look_at_source(place, mapping.file, mapping.dataset, role, true);
    if (!extents) return;  // look_at_source throws if a required source is missing
    mapping.extents = *extents;
    if (!is_unlimited(mapping.from)) require_enough(mapping, mapping.extents, name);
    return;
  }
  // Blocks are read up to the first missing one; later ones count as missing below.
  for (;; ++mapping.blocks) {
    if (mapping.blocks == most_mappings) {
      throw FileError(role, "it has more than " + std::to_string(most_mappings) + " blocks",
                      "Give a virtual dataset of fewer blocks");
    }
    const auto extents =
        look_at_source(place, name_of_block(mapping.file, mapping.blocks),
                       name_of_block(mapping.dataset, mapping.blocks), role, false);
    if (!extents) return;
    require_enough(mapping, *extents, name);
  }
}

void SourceWalk::look_at_mappings(const ObjectPath& place, const Dataset& dataset,
                                  const Properties& creation, const std::string& name) {
  std::size_t count = 0;
  check(H5Pget_virtual_count(creation.id(), &count), name);
  if (count > most_mappings) {
    throw FileError(name, "it has " + std::to_string(count) + " sources",
                    "Give a virtual dataset of at most " + std::to_string(most_mappings));
  }
  std::vector<Mapping> mappings(count);
  std::exception_ptr failure;
  for (std::size_t i = 0; i < count; ++i) {
    Mapping& mapping = mappings[i];
    mapping.file = text_from(
        [&](char* to, std::size_t size) {
          return H5Pget_virtual_filename(creation.id(), i, to, size);
        },
        name);
    mapping.dataset = text_from(
        [&](char* to, std::size_t size) {
          return H5Pget_virtual_dsetname(creation.id(), i, to, size);
        },
        name);
    mapping.to = Space(H5Pget_virtual_vspace(creation.id(), i), name);
    mapping.from = Space(H5Pget_virtual_srcspace(creation.id(), i), name);
    attempt(failure, [&] { find_sources(place, mapping, name); });
  }
  if (failure) std::rethrow_exception(failure);
  // Not earlier, because HDF5 opens sources to find the extents.
  Coverage coverage(extents_of(dataset), name);
  for (const Mapping& mapping : mappings) {
    if (mapping.has_blocks()) {
      coverage.require_blocks(mapping.to, mapping.blocks,
                              name_of_block(mapping.file, mapping.blocks) + ":" +
                                  name_of_block(mapping.dataset, mapping.blocks));
    } else if (is_unlimited(mapping.to)) {
      coverage.require_length(mapping.to, mapping.from, mapping.extents,
                              mapping.file + ":" + mapping.dataset);
    }
    coverage.add(mapping.to);
  }
  coverage.require_all(creation);
}

}  // namespace

void require_sources(const SourceFile& file, const ObjectPath& place, const Dataset& dataset,
                     const std::string& name) {
  if (file.behind().was_seen(name)) return;
  SourceWalk(file).look_at(place, dataset, name);
  file.behind().note_seen(name);
}

bool has_blocks(const std::string& name) {
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] != '%') continue;
    if (name[i + 1] == 'b') return true;
    if (name[i + 1] == '%') ++i;
  }
  return false;
}

std::string name_of_block(const std::string& name, hsize_t block) {
  if (!has_blocks(name)) return name;
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char next = i + 1 < name.size() ? name[i + 1] : '\0';
    if (name[i] != '%' || (next != 'b' && next != '%')) {
      result += name[i];
      continue;
    }
    result += next == 'b' ? std::to_string(block) : "%";
    ++i;
  }
  return result;
}

}  // namespace synelix::h5
