// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/chunk_table.hpp"

#include "stream/boxes.hpp"
#include "stream/feature_datasets.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <exception>

#include <unistd.h>

namespace synelix::h5 {
namespace {

/// A range with all of each step that it touches.
Range aligned(Range range, std::int64_t step, std::int64_t extent) {
  return {range.begin / step * step, std::min((range.end + step - 1) / step * step, extent)};
}

/// What a visit of all chunks needs.
struct Visit {
  Range rows;
  const stream::Checkpoint* to;
  std::function<std::int64_t(const hsize_t*)> index;
  std::exception_ptr failure;
};

int visit(const hsize_t* first, unsigned filter_mask, haddr_t address, hsize_t bytes, void* data) {
  auto& visit = *static_cast<Visit*>(data);
  const auto row = static_cast<std::int64_t>(first[0]);
  if (row < visit.rows.begin || row >= visit.rows.end) return H5_ITER_CONT;
  try {
    visit.to->write_chunk(visit.index(first), {.address = address,
                                               .bytes = static_cast<std::uint32_t>(bytes),
                                               .filter_mask = filter_mask});
  } catch (...) {  // HDF5 is C
    visit.failure = std::current_exception();
    return H5_ITER_ERROR;
  }
  return H5_ITER_CONT;
}

}  // namespace

ChunkTable::ChunkTable(const FeaturesShape& shape, const BlockShape& chunk)
    : m_shape(shape), m_extents(dataset_extents(shape)), m_chunk(dataset_chunk(shape, chunk)) {}

std::int64_t ChunkTable::chunks() const {
  std::int64_t number = 1;
  for (std::size_t i = 0; i < m_extents.size(); ++i) {
    number *= (m_extents[i] + m_chunk[i] - 1) / m_chunk[i];
  }
  return number;
}

std::int64_t ChunkTable::index_of(const hsize_t* first) const {
  std::int64_t index = 0;
  for (std::size_t i = 0; i < m_extents.size(); ++i) {
    index = index * ((m_extents[i] + m_chunk[i] - 1) / m_chunk[i]) +
            static_cast<std::int64_t>(first[i]) / m_chunk[i];
  }
  return index;
}

std::vector<hsize_t> ChunkTable::first_of(std::int64_t index) const {
  std::vector<hsize_t> first(m_extents.size());
  for (std::size_t i = m_extents.size(); i-- > 0;) {
    const std::int64_t across = (m_extents[i] + m_chunk[i] - 1) / m_chunk[i];
    first[i] = static_cast<hsize_t>(index % across * m_chunk[i]);
    index /= across;
  }
  return first;
}

Block ChunkTable::block_of(const std::vector<hsize_t>& first) const {
  const auto begin = [&](std::size_t i) { return static_cast<std::int64_t>(first[i]); };
  const std::size_t last = first.size() - 1;
  // Not as one expression: nvcc (13.0) fails on a choice between ranges within a list.
  Range channels{0, m_shape.channels};
  if (first.size() == 3) channels = {begin(1), begin(1) + 1};
  return hull({{begin(0), begin(0) + 1}, channels, {begin(last), begin(last) + 1}});
}

Block ChunkTable::hull(const Block& block) const {
  // Chunks of several dimensions of channels are no ranges of flattened ones: all of them are
  // taken.
  const Range channels = m_chunk.size() == 3 ? aligned(block.channels, m_chunk[1], m_shape.channels)
                                             : Range{0, m_shape.channels};
  return {aligned(block.rows, m_chunk.front(), m_shape.rows), channels,
          aligned(block.bases, m_chunk.back(), m_shape.bases)};
}

void ChunkTable::note(const Dataset& features, const std::string& failing, Range rows,
                      const stream::Checkpoint& to) const {
  check(H5Dflush(features.id()), failing);
  Visit wanted{.rows = rows,
               .to = &to,
               .index = [this](const hsize_t* first) { return index_of(first); },
               .failure = {}};
  const herr_t status = H5Dchunk_iter(features.id(), H5P_DEFAULT, visit, &wanted);
  if (wanted.failure) std::rethrow_exception(wanted.failure);
  check(status, failing);
}

void ChunkTable::restore(int from_file, const stream::Checkpoint& from,
                         const std::vector<Block>& unwritten, const Dataset& features,
                         const std::string& failing) const {
  std::vector<char> bytes;
  for (std::int64_t index = 0; index < chunks(); ++index) {
    const std::vector<hsize_t> first = first_of(index);
    if (stream::intersects(unwritten, block_of(first))) continue;
    const stream::StoredChunk chunk = from.read_chunk(index);
    bytes.resize(chunk.bytes);
    const ssize_t got =
        pread(from_file, bytes.data(), bytes.size(), static_cast<off_t>(chunk.address));
    if (chunk.bytes == 0 || got != static_cast<ssize_t>(bytes.size())) {
      throw Error(failing + ": chunk " + std::to_string(index) +
                  " of the run before is missing; a run without resume begins anew");
    }
    check(H5Dwrite_chunk(features.id(), H5P_DEFAULT, chunk.filter_mask, first.data(), bytes.size(),
                         bytes.data()),
          failing);
  }
}

}  // namespace synelix::h5
