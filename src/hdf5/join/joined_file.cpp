// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/join/joined_file.hpp"

#include "hdf5/objects/feature_datasets.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/shares/ledger.hpp"
#include "part_files/records.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace synelix::h5 {
namespace {

stream::Descriptor opened_file(const std::string& name) {
  stream::Descriptor opened = stream::opened_to_read(name);
  if (!opened.is_open()) {
    throw FileError(name + ": cannot be read: " + stream::reason_text(errno));
  }
  return opened;
}

[[noreturn]] void throw_no_part(const std::string& name) {
  throw FileError(name, "this is not a file of a part, as a run with --part and --filter writes it",
                  "Give part files as they were written: a copy by h5repack lacks what joins them");
}

stream::Checkpoint checkpoint_of(const stream::Descriptor& opened, const std::string& name) {
  auto found = stream::Checkpoint::find(opened.number(), 0, name);
  if (!found) throw_no_part(name);
  return std::move(*found);
}

stream::PartFacts facts_of(const stream::Checkpoint& checkpoint, const std::string& name) {
  auto facts = stream::part_facts(checkpoint.text());
  if (!facts || facts->dataset.empty()) throw_no_part(name);
  return std::move(*facts);
}

/// Extents of a dataset, or of its chunks, as a shape: (rows, channels..., bases).
FeaturesShape shape_of(const std::vector<std::int64_t>& extents, StoredType type) {
  return {.rows = extents.front(),
          .channels = stream::product_of(extents, 1, 1),
          .bases = extents.back(),
          .channel_extents = {extents.begin() + 1, extents.end() - 1},
          .type = type};
}

/// Attributes that only the file of a part has.
constexpr std::array<std::string_view, 3> of_part = {"part", "part_first_row", "part_of_rows"};

/// Copies an attribute in its stored form.
void copy_attribute(hid_t from, hid_t to, const char* name) {
  const std::string failing = std::string("attribute ") + name;
  const AttributeHandle there(H5Aopen(from, name, H5P_DEFAULT), failing);
  const Type type(H5Aget_type(there.id()), failing);
  const Space space(H5Aget_space(there.id()), failing);
  constexpr std::int64_t most_bytes = std::int64_t{1} << 26;  // the text of a design is such an
                                                              // attribute
  const auto size = static_cast<std::int64_t>(H5Tget_size(type.id()));
  const std::int64_t count = H5Sget_simple_extent_npoints(space.id());
  if (size < 1 || count < 0 || count > most_bytes / size) {
    throw Error(failing, "it takes more than 64 MiB", "Such a file is damaged; write it anew");
  }
  std::vector<std::byte> values(static_cast<std::size_t>(size * count));
  check(H5Aread(there.id(), type.id(), values.data()), failing);
  const AttributeHandle here(H5Acreate2(to, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                             failing);
  const herr_t written = H5Awrite(here.id(), type.id(), values.data());
  H5Treclaim(type.id(), space.id(), H5P_DEFAULT, values.data());  // texts allocated by HDF5
  check(written, failing);
}

/// Copies the attributes of an object in their order, except those of a part.
void copy_attributes(const Dataset& from, const Dataset& to, const std::string& failing) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  hsize_t index = 0;
  check(H5Aiterate2(from.id(), H5_INDEX_NAME, H5_ITER_NATIVE, &index, add, &names), failing);
  for (const std::string& name : names) {
    if (std::find(of_part.begin(), of_part.end(), name) != of_part.end()) continue;
    copy_attribute(from.id(), to.id(), name.c_str());
  }
}

std::string sides(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t extent : extents) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  }
  return text;
}

}  // namespace

PartSource::PartSource(const std::string& of_file)
    : name(of_file),
      opened(opened_file(name)),
      checkpoint(checkpoint_of(opened, name)),
      facts(facts_of(checkpoint, name)),
      file(open_file(name)),
      features(open_dataset(file, {name, facts.dataset})),
      paths(coordinates_of(features, facts.dataset)) {
  extents = extents_of(features);
  chunk = chunk_of(features);
  const bool has_shape = extents.size() >= 2 && extents.front() == facts.rows.size() &&
                         !chunk.empty() &&
                         std::find(extents.begin() + 1, extents.end(), 0) == extents.end();
  if (!has_shape || paths.beside.empty()) throw_no_part(name);
  time = open_dataset(file, {name, paths.time});
  const std::size_t value = H5Tget_size(type_of(features).id());
  if (extents_of(time) != std::vector<std::int64_t>{facts.rows.size()} ||
      H5Tget_size(type_of(time).id()) != 8 || (value != 4 && value != 8)) {
    throw_no_part(name);
  }
  if (read_text(time.id(), "centers")) {
    centers = open_dataset(file, {name, centers_beside(paths.time)});
    if (extents_of(centers) != extents_of(time) ||
        H5Tequal(type_of(centers).id(), H5T_IEEE_F64LE) <= 0) {
      throw_no_part(name);
    }
  }
  const FeaturesShape shape =
      shape_of(extents, value == 4 ? StoredType::float32 : StoredType::float64);
  const FeaturesShape step = shape_of(chunk, shape.type);
  table =
      std::make_unique<const ChunkTable>(shape, BlockShape{step.rows, step.channels, step.bases});
  const auto state = stream::state_of(opened.number());
  if (!state || table->bytes() > state->st_size) {
    throw_no_part(name);  // a file may claim any size, but its table must be inside of it
  }
}

void PartSource::visit_stored(
    const std::function<void(const ChunkTable::StoredChunk&)>& visit) const {
  const auto damaged = table->visit_stored(opened.number(), checkpoint, visit);
  if (!damaged) return;
  const std::int64_t first = facts.rows.begin;
  throw FileError(name,
                  "rows " + stream::rows_text({first + damaged->begin, first + damaged->end}) +
                      " cannot be read, or do not match their checksum",
                  "Remove this file, and run its part " + stream::text_of(facts.part) + " again");
}

/// A part of an earlier version has no such checksum.
void PartSource::require_coordinates() const {
  const Call call;
  const std::uint64_t noted = checkpoint.frame().value_or(0);
  if (noted == 0) return;
  const Dataset beside = open_dataset(file, {name, paths.beside});
  if (stream::sum_of_ranges(opened.number(), places_of(time, centers, beside)) == noted) {
    return;
  }
  throw FileError(name,
                  "the times of its rows, or the channels or terms beside them, do not match their "
                  "checksum",
                  "Remove this file, and run its part " + stream::text_of(facts.part) + " again");
}

JoinedFile::JoinedFile(const FilePath& path, Existing existing, const PartSource& first)
    : m_file(path, existing), m_first(first.name), m_extents(first.extents), m_chunk(first.chunk) {
  const Call call;
  m_file.open();
  m_extents.front() = first.facts.of_rows;
  const auto filter = value_of(first.facts.run, "filter");
  m_features = m_file.create({.path = path.dataset,
                              .file_type = type_of(first.features).id(),
                              .extents = m_extents,
                              .chunk = m_chunk,
                              .filter = parse_filter(filter.value_or("none"))});
  m_time =
      m_file.create_contiguous(first.paths.time, type_of(first.time).id(), {m_extents.front()});
  copy_attributes(first.time, m_time, first.name);
  if (first.centers.is_open()) {
    m_centers = m_file.create_contiguous(centers_beside(first.paths.time), H5T_IEEE_F64LE,
                                         {m_extents.front()});
    copy_attributes(first.centers, m_centers, first.name);
  }
  const Object beside = open_object(first.file, first.paths.beside);
  const Properties links(H5Pcreate(H5P_LINK_CREATE), m_file.failing());
  H5Pset_create_intermediate_group(links.id(), 1);
  check(H5Ocopy(beside.id(), ".", m_file.file().id(), first.paths.beside.c_str(), H5P_DEFAULT,
                links.id()),
        m_file.failing() + ": " + first.paths.beside);
  copy_attributes(first.features, m_features, first.name);
}

/// Throws if chunks of a part do not match those of part 0.
void JoinedFile::require_alike(const PartSource& part) const {
  const Call call;
  std::vector<std::int64_t> extents = part.extents;
  extents.front() = m_extents.front();
  const bool has_type = H5Tequal(type_of(part.features).id(), type_of(m_features).id()) > 0 &&
                        H5Tequal(type_of(part.time).id(), type_of(m_time).id()) > 0 &&
                        part.centers.is_open() == m_centers.is_open();
  const bool has_filters = filters_of(part.features) == filters_of(m_features);
  if (part.chunk != m_chunk) {
    throw FileError(part.name,
                    "it has chunks of " + sides(part.chunk) + ", but " + m_first +
                        " has chunks of " + sides(m_chunk),
                    "Run its part again with the --chunk of the others");
  }
  if (!has_type || !has_filters || extents != m_extents) {
    throw FileError(
        part.name,
        "its dataset has another type, other filters or other extents than that of " + m_first,
        "Run its part again with the options of the others");
  }
}

void JoinedFile::add(const PartSource& part,
                     const std::function<void(std::int64_t bytes)>& copied) {
  require_alike(part);
  const auto first_row = static_cast<hsize_t>(part.facts.rows.begin);
  part.visit_stored([&](const ChunkTable::StoredChunk& chunk) {
    {
      const Call call;  // one for each chunk, so that other threads may use HDF5 in between
      m_file.require_whole();
      std::vector<hsize_t> first = chunk.first;
      first.front() += first_row;
      check(H5Dwrite_chunk(m_features.id(), H5P_DEFAULT, chunk.filter_mask, first.data(),
                           chunk.bytes.size(), chunk.bytes.data()),
            m_file.failing());
    }
    copied(static_cast<std::int64_t>(chunk.bytes.size()));
  });
  add_times(part.time, m_time, part);
  if (m_centers.is_open()) add_times(part.centers, m_centers, part);
}

void JoinedFile::add_times(const Dataset& from, const Dataset& to, const PartSource& part) const {
  constexpr std::int64_t together = 8192;  // 64 KiB
  const Call call;
  std::vector<std::uint64_t> times(static_cast<std::size_t>(together));
  const Type type = type_of(to);
  const Range rows = part.facts.rows;
  for (std::int64_t begin = 0; begin < rows.size(); begin += together) {
    const std::int64_t count = std::min(together, rows.size() - begin);
    read_box(from, type.id(), {begin}, {count}, times.data(),
             part.name + ": the times of its rows cannot be read");
    write_box(to, type.id(), {rows.begin + begin}, {count}, times.data(), m_file.failing());
  }
}

void JoinedFile::commit() {
  const Call call;
  m_time.close_now(m_file.failing());
  m_centers.close_now(m_file.failing());
  m_features.close_now(m_file.failing());
  m_file.commit();
}

}  // namespace synelix::h5
