// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/join/part_source.hpp"

#include "files/hdf5/feature_datasets.hpp"
#include "files/hdf5/features_attributes.hpp"
#include "files/hdf5/h5_attributes.hpp"
#include "files/sink/value_sum.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace synelix::h5 {
namespace {

stream::Descriptor opened_file(const std::string& name) {
  stream::Descriptor opened(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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
  FeaturesShape shape{.rows = extents.front(), .channels = 1, .bases = extents.back()};
  shape.type = type;
  shape.channel_extents.assign(extents.begin() + 1, extents.end() - 1);
  for (const std::int64_t extent : shape.channel_extents) shape.channels *= extent;
  return shape;
}

}  // namespace

PartSource::PartSource(std::string name)
    : m_name(std::move(name)),
      m_opened(opened_file(m_name)),
      m_checkpoint(checkpoint_of(m_opened, m_name)),
      m_facts(facts_of(m_checkpoint, m_name)),
      m_file(open_file(m_name)),
      m_features(open_dataset(m_file, {m_name, m_facts.dataset})) {
  const std::string coordinates = read_text(m_features.id(), "coordinates").value_or("");
  const std::string group = m_facts.dataset.substr(0, m_facts.dataset.rfind('/') + 1);
  for (const std::string& time : {m_facts.dataset + "_time", group + "time"}) {
    if (coordinates.starts_with(time + " ")) m_time_path = time;
  }
  m_extents = extents_of(m_features);
  m_chunk = chunk_of(m_features);
  const bool has_shape = m_extents.size() >= 2 && m_extents.front() == m_facts.rows.size() &&
                         !m_chunk.empty() &&
                         std::find(m_extents.begin() + 1, m_extents.end(), 0) == m_extents.end();
  if (!has_shape || m_time_path.empty()) {
    throw_no_part(m_name);
  }
  m_beside_path = coordinates.substr(m_time_path.size() + 1);
  m_time = open_dataset(m_file, {m_name, m_time_path});
  const std::size_t value = H5Tget_size(type_of(m_features).id());
  if (extents_of(m_time) != std::vector<std::int64_t>{m_facts.rows.size()} ||
      H5Tget_size(type_of(m_time).id()) != 8 || (value != 4 && value != 8)) {
    throw_no_part(m_name);
  }
  if (read_text(m_time.id(), "centers")) {
    m_centers = open_dataset(m_file, {m_name, centers_beside(m_time_path)});
    if (extents_of(m_centers) != extents_of(m_time) ||
        H5Tequal(type_of(m_centers).id(), H5T_IEEE_F64LE) <= 0) {
      throw_no_part(m_name);
    }
  }
  const FeaturesShape shape =
      shape_of(m_extents, value == 4 ? StoredType::float32 : StoredType::float64);
  const FeaturesShape chunk = shape_of(m_chunk, shape.type);
  m_table = std::make_unique<const ChunkTable>(shape,
                                               BlockShape{chunk.rows, chunk.channels, chunk.bases});
  struct stat state = {};
  if (fstat(m_opened.number(), &state) != 0 || m_table->bytes() > state.st_size) {
    throw_no_part(m_name);  // a file may claim any size, but its table must be inside of it
  }
}

void PartSource::visit_stored(
    const std::function<void(const ChunkTable::StoredChunk&)>& visit) const {
  const auto damaged = m_table->visit_stored(m_opened.number(), m_checkpoint, visit);
  if (!damaged) return;
  const std::int64_t first = m_facts.rows.begin;
  throw FileError(m_name,
                  "rows " + std::to_string(first + damaged->begin) + " to " +
                      std::to_string(first + damaged->end - 1) +
                      " cannot be read, or do not match their checksum",
                  "Remove this file, and run its part " + stream::text_of(m_facts.part) + " again");
}

/// A part of an earlier version has no such checksum.
void PartSource::require_coordinates() const {
  const Call call;
  const std::uint64_t noted = m_checkpoint.frame().value_or(0);
  if (noted == 0) return;
  const Dataset beside = open_dataset(m_file, {m_name, m_beside_path});
  if (stream::sum_of_ranges(m_opened.number(), places_of(m_time, m_centers, beside)) == noted) {
    return;
  }
  throw FileError(m_name,
                  "the times of its rows, or the channels or terms beside them, do not match their "
                  "checksum",
                  "Remove this file, and run its part " + stream::text_of(m_facts.part) + " again");
}

}  // namespace synelix::h5
