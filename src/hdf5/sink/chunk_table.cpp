// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/sink/tables.hpp"

#include "hdf5/objects/feature_datasets.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"

#include <synelix/error.hpp>

#include <cstddef>

namespace synelix::h5 {
namespace {

/// Whether chunks are consecutive ranges of flattened channels of equal length.
bool are_ranges(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& chunk) {
  std::size_t k = 1;  // the first dimension of channels with several indices in a chunk
  const std::size_t end = extents.size() - 1;
  while (k < end && chunk[k] == 1) ++k;
  if (k >= end) return true;
  for (std::size_t i = k + 1; i < end; ++i) {
    if (chunk[i] != extents[i]) return false;
  }
  return k == 1 || extents[k] % chunk[k] == 0;
}

std::int64_t chunks_across(const std::vector<std::int64_t>& extents,
                           const std::vector<std::int64_t>& chunk, std::size_t i) {
  return (extents[i] + chunk[i] - 1) / chunk[i];
}

BlockShape chunk_step(const FeaturesShape& shape, const std::vector<std::int64_t>& chunk,
                      bool is_one) {
  return {chunk.front(), is_one ? stream::product_of(chunk, 1, 1) : shape.channels, chunk.back()};
}

/// The checksum of bytes of a file; nothing if they cannot be read.
std::optional<std::uint64_t> sum_of_bytes(int file, std::uint64_t address, std::uint32_t bytes) {
  const auto begin = static_cast<std::int64_t>(address);
  return stream::sum_of_range(file, {begin, begin + bytes});
}

/// The checksum of a chunk's bytes and of its record.
std::uint64_t sum_of_chunk(std::uint64_t bytes_sum, std::uint64_t address, std::uint32_t bytes,
                           std::uint32_t filter_mask) {
  const std::array<std::uint64_t, 4> all = {bytes_sum, address, bytes, filter_mask};
  return stream::value_sum(all.data(), 2 * static_cast<std::int64_t>(all.size()), 0);
}

/// Reads a chunk through its filters. \throws Error if a filter fails
void read_chunk(const Dataset& features, const std::vector<std::int64_t>& first,
                const std::vector<std::int64_t>& chunk, const std::vector<std::int64_t>& extents,
                std::vector<char>& values, const std::string& failing) {
  std::vector<std::int64_t> count(first.size());
  for (std::size_t i = 0; i < first.size(); ++i)
    count[i] = std::min(chunk[i], extents[i] - first[i]);
  read_box(
      features, type_of(features).id(), first, count, values.data(),
      failing +
          ": a chunk of the run before cannot be read through its filters. Start a run without "
          "resume, which begins anew. HDF5 says");
}

}  // namespace

ChunkTable::ChunkTable(const FeaturesShape& shape, const BlockShape& chunk)
    : m_extents(stream::features_extents(shape)),
      m_chunk(dataset_chunk(shape, chunk)),
      m_chunk_bytes(stream::product_of(m_chunk) * size_of(shape.type)),
      m_is_one(are_ranges(m_extents, m_chunk)),
      m_cells(shape, chunk_step(shape, m_chunk, m_is_one)) {
  if (m_is_one) return;
  for (std::size_t i = 1; i + 1 < m_extents.size(); ++i) {
    m_chunks *= chunks_across(m_extents, m_chunk, i);
  }
}

std::int64_t ChunkTable::bytes() const {
  return m_cells.count() * m_chunks * static_cast<std::int64_t>(sizeof(Stored));
}

/// The first value of a chunk of a cell.
std::vector<hsize_t> ChunkTable::first_of(std::int64_t cell, std::int64_t chunk) const {
  const Block block = m_cells.cell(cell);
  std::vector<hsize_t> first(m_extents.size());
  first.front() = static_cast<hsize_t>(block.rows.begin);
  first.back() = static_cast<hsize_t>(block.bases.begin);
  std::int64_t channel = block.channels.begin;
  for (std::size_t i = m_extents.size() - 1; i-- > 1;) {
    if (m_is_one) {
      first[i] = static_cast<hsize_t>(channel % m_extents[i]);
      channel /= m_extents[i];
    } else {
      const std::int64_t across = chunks_across(m_extents, m_chunk, i);
      first[i] = static_cast<hsize_t>(chunk % across * m_chunk[i]);
      chunk /= across;
    }
  }
  return first;
}

void ChunkTable::note_cell(const Target& to, std::int64_t cell, std::int64_t number) const {
  std::vector<Stored> chunks(static_cast<std::size_t>(m_chunks));
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::vector<hsize_t> first = first_of(cell, static_cast<std::int64_t>(i));
    unsigned filter_mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    check(
        H5Dget_chunk_info_by_coord(to.features.id(), first.data(), &filter_mask, &address, &bytes),
        to.failing);
    const auto size = static_cast<std::uint32_t>(bytes);
    const auto sum = sum_of_bytes(to.file, address, size);
    if (bytes == 0 || !sum) {
      throw FileError(
          to.failing +
          ": a chunk that was written cannot be read back. Check the disk, and run again.");
    }
    chunks[i] = {.address = address,
                 .bytes = size,
                 .filter_mask = filter_mask,
                 .sum = sum_of_chunk(*sum, address, size, filter_mask),
                 .number = number};
  }
  to.checkpoint.write_table(cell * m_chunks * static_cast<std::int64_t>(sizeof(Stored)),
                            chunks.data(), chunks.size() * sizeof(Stored));
}

void ChunkTable::note(const Target& to, const Block& block, const std::vector<Block>& unwritten,
                      std::int64_t number) const {
  bool is_flushed = false;
  m_cells.visit_touched(block, [&](std::int64_t cell) {
    if (stream::intersects(unwritten, m_cells.cell(cell))) return;
    if (!is_flushed) check(H5Dflush(to.features.id()), to.failing);
    is_flushed = true;
    note_cell(to, cell, number);
  });
}

void ChunkTable::note_all(const Target& to, const std::vector<bool>& cells,
                          std::int64_t number) const {
  check(H5Dflush(to.features.id()), to.failing);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (cells[cell]) note_cell(to, static_cast<std::int64_t>(cell), number);
  }
}

std::vector<ChunkTable::Stored> ChunkTable::read(std::int64_t cell,
                                                 const stream::Checkpoint& from) const {
  std::vector<Stored> chunks(static_cast<std::size_t>(m_chunks));
  from.read_table(cell * m_chunks * static_cast<std::int64_t>(sizeof(Stored)), chunks.data(),
                  chunks.size() * sizeof(Stored));
  return chunks;
}

/// A filter may make a chunk a little larger; a much larger size is invalid.
bool ChunkTable::is_plausible(const Stored& chunk) const {
  return chunk.bytes > 0 && chunk.bytes <= 2 * m_chunk_bytes + (1 << 16);
}

/// Whether the bytes of a chunk match the record.
bool ChunkTable::is_there(const Stored& chunk, int file, std::int64_t most_blocks) const {
  if (!is_plausible(chunk) || chunk.number > most_blocks) return false;
  const auto sum = sum_of_bytes(file, chunk.address, chunk.bytes);
  return sum && sum_of_chunk(*sum, chunk.address, chunk.bytes, chunk.filter_mask) == chunk.sum;
}

ChunkTable::Found ChunkTable::verify(int file, const stream::Advance& advance,
                                     const stream::Checkpoint& from) const {
  Found found;
  found.cells.resize(static_cast<std::size_t>(m_cells.count()));
  found.undamaged.resize(found.cells.size(), true);
  for (std::size_t cell = 0; cell < found.cells.size(); ++cell) {
    const std::vector<Stored> chunks = read(static_cast<std::int64_t>(cell), from);
    const auto is_noted = [&](const Stored& chunk) {
      const bool is_empty = chunk.bytes == 0 && chunk.address == 0 && chunk.sum == 0;
      return !is_empty && chunk.number <= advance.blocks;
    };
    if (!std::any_of(chunks.begin(), chunks.end(), is_noted)) continue;
    const bool is_whole = std::all_of(chunks.begin(), chunks.end(), [&](const Stored& chunk) {
      return is_there(chunk, file, advance.blocks);
    });
    found.cells[cell] = is_whole;
    if (!is_whole) {
      found.undamaged[cell] = false;
      ++found.damaged;
      continue;
    }
    for (const Stored& chunk : chunks) found.bytes += chunk.bytes;
  }
  return found;
}

ChunkTable::Noted ChunkTable::noted(const stream::Checkpoint& from) const {
  Noted result;
  for (std::int64_t cell = 0; cell < m_cells.count(); ++cell) {
    for (const Stored& chunk : read(cell, from)) {
      ++result.chunks;
      result.bytes += chunk.bytes;
      if (chunk.bytes == 0 && !result.missing) result.missing = m_cells.cell(cell).rows;
    }
  }
  return result;
}

std::optional<Range> ChunkTable::visit_stored(
    int file, const stream::Checkpoint& from,
    const std::function<void(const StoredChunk&)>& visit) const {
  std::vector<char> bytes;
  for (std::int64_t cell = 0; cell < m_cells.count(); ++cell) {
    const std::vector<Stored> chunks = read(cell, from);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Stored& chunk = chunks[i];
      stream::ByteSum sum;
      bytes.resize(is_plausible(chunk) ? chunk.bytes : 0);
      const bool is_read =
          !bytes.empty() && stream::read_at(file, static_cast<std::int64_t>(chunk.address),
                                            bytes.data(), bytes.size());
      sum.add(bytes.data(), static_cast<std::int64_t>(bytes.size()));
      if (!is_read ||
          chunk.sum != sum_of_chunk(sum.value(), chunk.address, chunk.bytes, chunk.filter_mask)) {
        return m_cells.cell(cell).rows;
      }
      visit({first_of(cell, static_cast<std::int64_t>(i)), chunk.filter_mask, bytes});
    }
  }
  return std::nullopt;
}

void ChunkTable::restore(int from_file, const stream::Checkpoint& from,
                         const std::vector<bool>& cells, const Dataset& features,
                         const std::string& failing) const {
  std::vector<char> bytes;
  std::vector<char> values(static_cast<std::size_t>(m_chunk_bytes));
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (!cells[cell]) continue;
    const std::vector<Stored> chunks = read(static_cast<std::int64_t>(cell), from);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Stored& chunk = chunks[i];
      const std::vector<hsize_t> first =
          first_of(static_cast<std::int64_t>(cell), static_cast<std::int64_t>(i));
      bytes.resize(chunk.bytes);
      if (!stream::read_at(from_file, static_cast<std::int64_t>(chunk.address), bytes.data(),
                           bytes.size())) {
        throw FileError(failing +
                        ": a chunk of the run before cannot be read any more. Start a run without "
                        "resume, which begins anew.");
      }
      check(H5Dwrite_chunk(features.id(), H5P_DEFAULT, chunk.filter_mask, first.data(),
                           bytes.size(), bytes.data()),
            failing);
      read_chunk(features, {first.begin(), first.end()}, m_chunk, m_extents, values, failing);
    }
  }
}

}  // namespace synelix::h5
