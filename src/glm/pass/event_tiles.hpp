// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/event_design.hpp"
#include "tile/event_products.hpp"
#include "tile/table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// `EventTiles`: the events of a tile of rows, scattered into its rows and gathered from them, by
/// one thread. A buffer has `halo` rows, a tile's rows, `halo` rows again, and two cache lines. So
/// windows that begin before the tile or end after it need no special case.

namespace synelix::glm {

/// The tiles of one instruction set.
template <class Scalar>
struct EventTables {
  const tile::EventTable<Scalar>* events;
  const tile::TileTable<double>* products;
};

/// The position of a thread in the events of a channel.
struct EventCursor {
  std::int64_t first = 0;  ///< the first event of the tile
  std::int64_t last = 0;   ///< after the last event of the tile
  std::int64_t block = 0;  ///< the first event of the block
};

template <class Scalar>
class EventTiles {
 public:
  /// Values of a buffer.
  static std::int64_t buffer_values(const EventDesign& design) {
    return design.tile_rows + 2 * design.halo + 2 * whole_lines<Scalar>(1);
  }
  EventTiles(const EventDesign& design, const EventTables<Scalar>& tables, EventCursor* cursors)
      : m_design(design), m_tables(tables), m_cursors(cursors) {}

  /// Call it before the first tile of a block, with its first row.
  void begin(std::int64_t row) {
    for (std::size_t c = 0; c < m_design.channels.size(); ++c) {
      const EventChannel& channel = m_design.channels[c];
      const std::int64_t* const found = std::upper_bound(
          channel.samples, channel.samples + channel.events, row + channel.offset - channel.window);
      EventCursor& cursor = m_cursors[c];
      cursor.first = cursor.last = cursor.block = found - channel.samples;
    }
  }

  /// Moves to the events whose windows overlap these rows: a later tile.
  void move(Range rows) {
    m_rows = rows;
    for (std::size_t c = 0; c < m_design.channels.size(); ++c) {
      const EventChannel& channel = m_design.channels[c];
      EventCursor& cursor = m_cursors[c];
      const std::int64_t before = rows.begin + channel.offset - channel.window;
      while (cursor.first < channel.events && channel.samples[cursor.first] <= before) {
        ++cursor.first;
      }
      cursor.last = std::max(cursor.last, cursor.first);
      const std::int64_t behind = rows.end + channel.offset;
      while (cursor.last < channel.events && channel.samples[cursor.last] < behind) ++cursor.last;
    }
  }

  /// Clears the buffer, and adds the window of each event: `kernels` has those of all channels.
  void scatter(Scalar* kernels, Scalar* buffer) const {
    std::fill(buffer, buffer + buffer_values(m_design), Scalar(0));
    for (std::size_t c = 0; c < m_design.channels.size(); ++c) {
      const EventChannel& channel = m_design.channels[c];
      call_tile(m_tables.events->scatter_windows, channel, channel.counts, m_cursors[c], buffer,
                kernels + place_of<Scalar>(channel));
    }
  }

  /// Sets the rows of a buffer outside the tile to 0, so that they do not contribute to `gather`.
  void clear_halo(Scalar* buffer) const {
    std::fill(buffer, buffer + m_design.halo, Scalar(0));
    std::fill(buffer + m_design.halo + m_rows.size(), buffer + buffer_values(m_design), Scalar(0));
  }

  /// Adds the rows of each event to the window of its channel.
  void gather(Scalar* buffer, Scalar* windows, bool takes_absolute_counts) const {
    for (std::size_t c = 0; c < m_design.channels.size(); ++c) {
      const EventChannel& channel = m_design.channels[c];
      call_tile(m_tables.events->gather_windows, channel,
                takes_absolute_counts ? channel.absolute_counts : channel.counts, m_cursors[c],
                buffer, windows + place_of<Scalar>(channel));
    }
  }

  /// sums(column) = dot product of the column's filter and the window of its channel, for all
  /// columns.
  /// \param absolute  whether filters are taken by their absolute values
  /// \param scratch   `product_values` doubles
  void multiply_taps(const Scalar* windows, bool absolute, double* scratch, double* sums) const {
    const int lanes = m_tables.products->lanes;
    double* const window = scratch;
    double* const packs = scratch + m_design.halo;
    for (std::size_t c = 0; c < m_design.channels.size(); ++c) {
      const EventChannel& channel = m_design.channels[c];
      double* const to = sums + channel.first_column;
      if (m_cursors[c].block == m_cursors[c].last) {  // no event
        std::fill(to, to + channel.bases, 0.0);
        continue;
      }
      const TapBank& bank = m_design.banks[static_cast<std::size_t>(channel.bank)];
      const std::int64_t filter = whole_lines<double>(channel.window);
      const Scalar* const from = windows + place_of<Scalar>(channel);
      std::copy(from, from + filter,
                window);  // a line of floats has more values than one of doubles
      std::fill(packs, packs + channel.bases * lanes, 0.0);
      tile::DotTile<double> dot{};
      dot.left = absolute ? bank.absolute.data() : bank.filters.data();
      dot.left_row = filter;
      dot.right = window;
      dot.sums = packs;
      dot.rows = channel.bases;
      dot.packs = filter / lanes;
      dot.last_columns = lanes;
      m_tables.products->dot(dot);
      for (std::int64_t b = 0; b < channel.bases; ++b) {
        double sum = packs[b * lanes];
        for (int l = 1; l < lanes; ++l) sum += packs[b * lanes + l];
        to[b] = sum;
      }
    }
  }
  /// Doubles of scratch that `multiply_taps` needs.
  static std::int64_t product_values(const EventDesign& design, int lanes) {
    return design.halo + whole_lines<double>(design.most_bases * lanes);
  }

 private:
  void call_tile(typename tile::EventTable<Scalar>::Windows tile, const EventChannel& channel,
                 const float* counts, const EventCursor& cursor, Scalar* buffer,
                 Scalar* window) const {
    if (cursor.first == cursor.last) return;
    tile::EventWindows<Scalar> windows{};
    windows.samples = channel.samples + cursor.first;
    windows.counts = counts == nullptr ? nullptr : counts + cursor.first;
    windows.events = cursor.last - cursor.first;
    windows.origin = m_rows.begin - m_design.halo + channel.offset;
    windows.rows = buffer;
    windows.window = window;
    windows.packs = (channel.window + m_tables.events->lanes - 1) / m_tables.events->lanes;
    tile(windows);
  }

  const EventDesign& m_design;
  EventTables<Scalar> m_tables;
  EventCursor* m_cursors;
  Range m_rows = {};
};

}  // namespace synelix::glm
