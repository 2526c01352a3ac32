// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/sink/tables.hpp"

#include "part_files/records.hpp"

#include <synelix/error.hpp>

#include <cstddef>
#include <limits>

namespace synelix::stream {
namespace {

/// Small enough that a lost disk page costs little; the table is then a thousandth of the values.
constexpr std::int64_t cell_bytes_wanted = 64 << 10;
/// Longer rows are split.
constexpr std::int64_t cell_bytes_most = mebibytes(1);
/// Number of entries that are read and written together.
constexpr std::int64_t entries_together = 512;

/// Complete rows if they are short enough: sums are fastest over long runs of values.
BlockShape sum_step(const FeaturesShape& shape) {
  const std::int64_t value = size_of(shape.type);
  const std::int64_t most = cell_bytes_most / value;
  const std::int64_t bases = std::min(shape.bases, most);
  const std::int64_t channels = std::clamp<std::int64_t>(most / bases, 1, shape.channels);
  const std::int64_t row = bases * channels * value;
  return {std::max<std::int64_t>(cell_bytes_wanted / row, 1), channels, bases};
}

}  // namespace

SumTable::SumTable(const FeaturesShape& shape)
    : m_cells(shape, sum_step(shape)), m_words(size_of(shape.type) / 4) {}

std::int64_t SumTable::bytes() const {
  return m_cells.count() * static_cast<std::int64_t>(sizeof(Entry));
}

/// The newest version that counts at most `number` blocks.
const SumTable::Version& SumTable::newest(const Entry& entry, std::int64_t number) {
  static constexpr Version none;
  const Version* found = &none;
  for (const Version& version : entry) {
    if (version.number <= number && version.number > found->number) found = &version;
  }
  return *found;
}

/// The sum of values of a block in a cell; they are numbered within the cell.
std::uint64_t SumTable::sum_of(std::int64_t index, const Block& part, const Block& block,
                               const void* values) const {
  const auto first = static_cast<std::uint64_t>(index * m_cells.values());
  std::uint64_t sum = 0;
  for_each_run(part, m_cells.cell(index), block,
               [&](std::int64_t in_cell, std::int64_t in_block, std::int64_t count) {
                 const auto* bytes = static_cast<const std::byte*>(values) + in_block * m_words * 4;
                 sum += value_sum(bytes, count * m_words,
                                  (first + static_cast<std::uint64_t>(in_cell)) *
                                      static_cast<std::uint64_t>(m_words));
               });
  return sum;
}

/// Calls `change_entry(index, entry)` for the cells that intersect a box, and writes the changed
/// entries. It proceeds in parts, since a list of all would take memory that grows with the
/// features.
template <class Change>
void SumTable::change(const Block& touched, const Checkpoint& at,
                      const Change& change_entry) const {
  std::vector<std::int64_t> indices;  // of one part, ascending
  std::vector<Entry> entries;
  const auto change_part = [&] {
    if (indices.empty()) return;
    const std::int64_t first = indices.front();
    entries.resize(static_cast<std::size_t>(indices.back() - first + 1));
    const std::int64_t offset = first * static_cast<std::int64_t>(sizeof(Entry));
    at.read_table(offset, entries.data(), entries.size() * sizeof(Entry));
    bool is_changed = false;
    for (const std::int64_t index : indices) {
      Entry& entry = entries[static_cast<std::size_t>(index - first)];
      is_changed = change_entry(index, entry) || is_changed;
    }
    if (is_changed) at.write_table(offset, entries.data(), entries.size() * sizeof(Entry));
    indices.clear();
  };
  m_cells.visit_touched(touched, [&](std::int64_t index) {
    if (!indices.empty() && index >= indices.front() + entries_together) change_part();
    indices.push_back(index);
  });
  change_part();
}

void SumTable::add(const Block& block, const void* values, std::int64_t number,
                   const Checkpoint& to) const {
  change(block, to, [&](std::int64_t index, Entry& entry) {
    const Version& noted = newest(entry, to.blocks_noted());
    const Version& synced = newest(entry, to.blocks_on_disk());
    const std::uint64_t before = newest(entry, std::numeric_limits<std::int64_t>::max()).sum;
    const auto is_free = [&](const Version& version) {
      return &version != &noted && &version != &synced;
    };
    Version& next = *std::find_if(entry.begin(), entry.end(), is_free);
    const Block part = common(m_cells.cell(index), block);
    next = {.number = number, .sum = before + sum_of(index, part, block, values)};
    return true;
  });
}

std::vector<bool> SumTable::verify(const Advance& advance, const Checkpoint& at,
                                   const Read& read) const {
  std::vector<bool> holds(static_cast<std::size_t>(m_cells.count()));
  std::vector<std::byte> values(static_cast<std::size_t>(m_cells.values() * m_words * 4));
  const auto matches = [&](std::int64_t index, const std::vector<Block>& written,
                           std::uint64_t sum) {
    const Block cell = m_cells.cell(index);
    try {
      read(cell, values.data());
    } catch (const Error&) {  // for example a bad sector
      return false;
    }
    for (const Block& part : written) sum -= sum_of(index, part, cell, values.data());
    return sum == 0;
  };
  const auto verify_cell = [&](std::int64_t index, Entry& entry) {
    std::vector<Block> written = {m_cells.cell(index)};
    for (const Block& box : advance.unwritten) {
      if (intersects(written, box)) written = without(written, box);
    }
    const Version noted = newest(entry, advance.blocks);
    const bool is_sound = written.empty() || matches(index, written, noted.sum);
    holds[static_cast<std::size_t>(index)] = is_sound;
    // A later version belongs to a block that was not saved: its number is used again.
    Entry kept = {};
    if (is_sound && !written.empty()) {
      kept = {noted, newest(entry, std::min(at.blocks_on_disk(), advance.blocks)), {}};
      if (kept[1].number == kept[0].number) kept[1] = {};
    }
    const auto is_same = [](const Version& a, const Version& b) {
      return a.number == b.number && a.sum == b.sum;
    };
    if (std::equal(kept.begin(), kept.end(), entry.begin(), is_same)) return false;
    entry = kept;
    return true;
  };
  change(m_cells.everything(), at, verify_cell);
  return holds;
}

void SumTable::clear(const std::vector<Block>& boxes, const Checkpoint& at) const {
  for (const Block& box : boxes) {
    change(box, at, [](std::int64_t /*index*/, Entry& entry) {
      entry = {};
      return true;
    });
  }
}

}  // namespace synelix::stream
