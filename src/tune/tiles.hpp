// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// Tile shapes and cost-model constants: one table for each instruction set and backend. Only
/// numbers, each with its source; perf/NOTES.md describes how they were measured.

namespace synelix::tune {

/// The most rows that a direct tile holds in registers, a power of two: 16 accumulators, 4 taps and
/// a row's samples in 32 registers, 8 accumulators in 16.
constexpr int rows_in_registers(int registers) { return registers >= 32 ? 16 : 8; }

/// Rows whose results are stored together: for any number of channels and bases they are full lines
/// of 64 bytes.
inline constexpr int tile_rows = 16;
/// Most bases whose results are stored together: 20 x 16 rows of 64 bytes are 20 KiB of the
/// first-level cache.
inline constexpr int most_bases = 20;

/// Most packs of a group that a bank tile interleaves between blocks of taps: beside 16
/// accumulators.
inline constexpr int most_bank_packs = 8;
/// The cost of a pack of results that a bank tile stores, relative to other packs.
inline constexpr double banked_result = 0.4;

/// The direct tile of a device's thread: packs of 4 floats, results of this many rows and bases.
/// Not measured yet.
inline constexpr int device_rows = 8;
inline constexpr int device_bases = 4;

/// Most values of a pack of any set.
inline constexpr int most_pack_lanes = 16;

/// Most channels whose events one virtual item adds up.
inline constexpr int most_event_channels = 8;

/// The layout of a sweep on a backend.
struct Mapping {
  bool is_device;      ///< whether a team has threads of a device
  int team_size;       ///< threads of a team
  int strips;          ///< strips of an item that one virtual item locates; 0: all
  int pack_rows;       ///< rows of a pack of lanes that one virtual item packs
  int tiles;           ///< tiles of a pack of lanes that one virtual item computes; 0: all
  int stage_rows;      ///< rows of a tile that are collected before they are stored; 0: none
  int event_channels;  ///< channels whose events one virtual item adds up
  int fft_columns;     ///< columns of the first pass that one virtual item transforms; 0: all
  int fft_lines;       ///< lines of a block that one virtual item transforms back; 0: all
};

/// Host: a team of one thread, virtual items large enough to hide their bookkeeping.
inline constexpr Mapping host{false, 1, 0, 64, 0, tile_rows, most_event_channels, 0, 0};
/// Device: a team of 256 threads; a virtual item is the work of one thread.
inline constexpr Mapping device{true, 256, 1, 1, 1, 0, 1, 1, 1};

/// Features larger than this share of the last-level cache are stored past the caches: they would
/// not stay there, and lines that are stored completely need not be read first.
inline constexpr double streamed_share = 1.0 / 3.0;

/// The target size of packed samples of a work item of the direct method: they fit in the smallest
/// known second-level cache (512 KiB), from which a tile's first basis reads them. For longer
/// strips, a smaller part of the window is packed twice.
inline constexpr long direct_block_bytes = 384L * 1024;
/// The same for windows so long that fewer lanes would fit: reading them is negligible compared
/// with their multiply-adds.
inline constexpr long long_block_bytes = 1024L * 1024;
/// Tiles of each group of bases that are computed in turn, if all bases are more than are stored
/// together.
inline constexpr int group_tiles = 4;
/// Packs that a flat tile sums together: they hide the latency of a multiply-add, and leave some of
/// 16 registers. More packs have more rows, each of which needs fewer of the samples.
inline constexpr int flat_packs = 6;
/// Strips of an item are computed by flat tiles if those multiply and add at most this many values
/// for a strip on average: about the cost of a lane besides its tiles (perf/NOTES.md, Epochs).
inline constexpr long flat_work = 8192;
/// The most rows of a flat tile, and the most samples of one of its rows: they are on the stack.
inline constexpr int flat_rows = 256;
/// Most lanes of a work item: eight full registers of float at 64 bytes.
inline constexpr int most_lanes = 128;
/// The cost of a copied pack of results, in multiply-adds; and the cost of a computed one besides
/// its multiply-adds.
inline constexpr std::int64_t copied_pack = 6;
inline constexpr std::int64_t computed_pack = 9;
/// Whether rows of a filter with `members` copies in a bank, each delayed by at most `delay`
/// samples, are computed once and copied (perf/NOTES.md, Direct tile).
constexpr bool suits_sharing(std::int64_t members, std::int64_t taps, std::int64_t delay,
                             std::int64_t rows) {
  const std::int64_t computed = taps + computed_pack;
  return members >= 2 &&
         members * rows * computed > (rows + delay) * computed + members * rows * copied_pack;
}
/// The fewest rows of a strip that the chooser uses without a request, and the most.
inline constexpr long fewest_rows = 32;
inline constexpr long most_rows = 4096;
/// Most channels of a work item of the event method: a few virtual items for each team. Not
/// measured.
inline constexpr long event_item_channels = 64;
/// Rows of a work item of the event method: 8 channels x 128 rows x 8 bases of float are 32 KiB.
inline constexpr long event_rows = 128;
/// Stride between rows of the sums of events. Rows of an even number of cache lines get one more
/// line: otherwise rows a little further are 4 KiB apart, and a processor confuses loads there with
/// pending stores here (perf/NOTES.md, Events).
constexpr std::int64_t event_row(std::int64_t values, std::int64_t scalar_bytes) {
  return values * scalar_bytes % 128 == 0 ? values + 64 / scalar_bytes : values;
}
/// Bytes of the sums of `rows` rows with at most `most_values` values each; with fewer values, rows
/// may be longer by a cache line.
constexpr std::int64_t event_slot_bytes(std::int64_t rows, std::int64_t most_values,
                                        std::int64_t scalar_bytes) {
  return (rows * (most_values * scalar_bytes + 64) + 63) / 64 * 64;
}
/// The fewest rows of a strip of the event method for short epochs.
inline constexpr long fewest_event_rows = 16;

/// Rows of a tile in eval mode: the records of a first pass are 4 KiB.
inline constexpr long eval_rows = 512;
/// Nanoseconds for one output in eval mode on one core: raised cosines (perf/features.cpp).
inline constexpr double eval_output = 6;
/// Bytes of factors of products that are resident at a time, for each team: half of a second-level
/// cache of 2 MiB, so that they are still in it when they are multiplied.
inline constexpr long factor_bytes = 1024L * 1024;
/// Most factors of one product.
inline constexpr int most_factors = 16;

/// The target size of packed samples of a work item of the FFT method, a part of a second-level
/// cache; and the most bytes of the points of lines that are in memory together, so that all
/// outputs of a row are available when it is stored: more than such a cache for long transforms.
inline constexpr long fft_block_bytes = 192L * 1024;
inline constexpr long fft_resident_bytes = 24L * 1024 * 1024;
/// The most threads of a team that transforms on a device, one for each butterfly of 16 points. Not
/// measured yet.
inline constexpr int device_fft_team = 256;
/// Such teams that are to be resident on a core, by the bytes of a scalar; on an AMD device waves
/// on a part of a core.
constexpr int device_fft_teams(int bytes) { return bytes == 4 ? 2 : 1; }
/// Whether scratch must leave room for that many, if a team may have so many bytes. With Kokkos 5.2
/// on CUDA a team may have nearly all of a core, but Kokkos refuses a launch for which fewer teams
/// fit ("Requested too large team size. ... Maximum: 0"). Older versions allow at most 48 KiB, of
/// which two fit on devices from sm_80 on. HIP asks for no such room.
#ifdef __HIPCC__
constexpr bool device_fft_shares(std::int64_t) { return false; }
#else
constexpr bool device_fft_shares(std::int64_t scratch) { return scratch > std::int64_t{48} * 1024; }
#endif
/// The target size of scratch of such a team: three of them share the 227 KiB of scratch of a core
/// of an H200, by the sizes alone.
inline constexpr long device_fft_bytes = 73L * 1024;
/// The cost factor of a team for each doubling of its scratch: fewer teams are available to hide
/// latencies. Not measured yet.
inline constexpr double device_fft_alone = 1.3;
/// The cost of loading and storing rows, and of a product with one more part, in passes over a
/// point. Not measured yet.
inline constexpr double device_fft_rows = 1.0;
inline constexpr double device_fft_part = 0.4;
/// Blocks of a strip for each block that is loaded ahead of it; and work items for each team in
/// flight, so that the last ones are a small part of all.
inline constexpr long device_fft_run = 4;
inline constexpr long device_fft_waves = 8;
/// Threads of a team that searches for weak rows. Not measured yet.
inline constexpr int device_weak_team = 128;
/// Windows with fewer taps are not transformed without a request: there is almost no gain, and sums
/// of counts stay exact.
inline constexpr long fewest_fft_taps = 24;
/// The most parts of a window: the blocks with kept spectra, and the products for each point.
inline constexpr int most_fft_parts = 16;
/// The most lines of a pack that are streamed in one sequence.
inline constexpr int most_streamed_lines = 32;
/// The fewest neighboring packs of an unaligned row that are stored past the caches: the first and
/// the last line of a run are not (perf/NOTES.md, How results are stored).
inline constexpr int fewest_packs_of_a_run = 2;
/// The size of a run of staged rows that is stored past the caches: its first and last lines are
/// shared with other runs (perf/NOTES.md, The FFT method). Narrow rows have at most the given
/// number of columns, if these have at least the given number of bytes: the stage should stay in a
/// cache.
inline constexpr long fft_run_bytes = 6L * 1024;
inline constexpr long most_fft_run_columns = 24;
inline constexpr long fewest_fft_run_bytes = 1024;
/// Nanoseconds to pack one sample of one lane, float: about what a 2.0 GHz Zen 4 server took.
inline constexpr double packed_sample = 0.3;
/// Nanoseconds for a strip of one channel besides its samples and rows: the cost of the lengths of
/// strips in perf/NOTES.md, Epochs.
inline constexpr double strip_overhead = 230;
/// The relative cost of the last strips of segments with unequal lengths, compared with equal ones
/// in a pack: the least, the increase for each of their lengths that fits in a strip, and the most
/// such lengths.
inline constexpr double spread_least = 1.15;
inline constexpr double spread_each = 0.1;
inline constexpr double spread_most_lengths = 8;

// When the direct method computes strips as lines of (sample, channel) instead of packs of lanes.
// Numbers from perf/NOTES.md, Lines.

/// The most bases that a line tile computes together: an accumulator each, for three packs of 32
/// registers.
inline constexpr int most_line_bases = 8;
/// The fewest average values of (sample, channel) of a strip that are computed as a line.
inline constexpr long line_values = 512;
/// Packs whose results stay in the first-level cache until they are stored, if a tile cannot
/// compute all bases at once.
inline constexpr int line_packs = 12;
/// The most bytes of samples for a strip of a line: they stay in a second-level cache.
inline constexpr long line_bytes = 1024L * 1024;
/// Rows of a strip of many channels.
inline constexpr long line_rows = 64;

/// From this window on, the loads for so few bases, one or more for each multiply-add, take longer
/// than packing samples into lanes.
inline constexpr std::int64_t long_line_window = 512;
inline constexpr std::int64_t few_line_bases = 3;

/// Whether a line takes less time than packs, if all channels are computed together. A line uses
/// all taps of the window; packs use those of each filter's support, and compute equal filters
/// once, but they have to be packed and their results reordered, with more work if rows are no full
/// packs. A line tile computes `most_line_bases` together; if rows are full packs, more bases are
/// faster in packs. One basis shares no samples with others: a line has one load for each
/// multiply-add, and two if loads are unaligned.
constexpr bool suits_line(std::int64_t window, std::int64_t bases, std::int64_t taps,
                          std::int64_t channels, std::int64_t lanes) {
  const bool is_whole = channels * bases % lanes == 0;
  const std::int64_t saved = is_whole ? 4 : 16;
  const bool is_fed = bases > 1 || channels % lanes == 0 || window <= 100;
  const bool is_long = bases <= few_line_bases && window >= long_line_window;
  const bool is_split = bases > most_line_bases && is_whole;
  return is_fed && !is_long && !is_split && bases * (window - saved) <= taps;
}

// Which lines have column tiles, and when the direct method then computes strips as lines. Numbers
// from perf/NOTES.md, Lines.

/// Bytes of the registers of sets that have column tiles.
inline constexpr int column_register_bytes = 64;
/// Packs of a column that a column tile computes together: an accumulator each, besides the taps of
/// a block and a sample in 32 registers.
inline constexpr int column_packs = 8;
/// Taps of a block: with one basis, a loaded sample serves one multiply-add after the other.
constexpr int column_depth(int bases) { return bases == 1 ? 16 : 8; }
/// The longest window for several bases that are less than a pack: their taps are on the stack as a
/// pack each, and for longer windows a line tile is as fast (perf/NOTES.md, Column tiles).
inline constexpr std::int64_t most_column_window = 24;
/// The most samples between packs of a column: with more, fewer packs use a sample. Loads of two
/// bases are 32 bytes, many of which cross a line.
constexpr int most_column_step(int bases) { return bases == 1 ? 8 : bases == 2 ? 1 : 2; }

/// Samples between packs of (channel, basis) of a column tile, such that all begin a cache line if
/// one does; 0: a line tile is faster, or there is no column tile. Packs are (value, basis): the
/// number of bases divides a pack.
constexpr int column_step(std::int64_t window, std::int64_t bases, std::int64_t channels,
                          std::int64_t lanes, std::int64_t scalar_bytes) {
  if (lanes * scalar_bytes != column_register_bytes || lanes % bases != 0) return 0;
  if (bases > 1 && bases < lanes && window > most_column_window) return 0;
  std::int64_t step = lanes / bases;
  while (step > 1 && channels * step / 2 % (lanes / bases) == 0) step /= 2;
  if (step > most_column_step(static_cast<int>(bases)) || window < 2 * step) return 0;
  return static_cast<int>(step);
}

/// Whether a line takes less time than packs, if all channels are computed together (`suits_line`
/// above). Column tiles load a sample once for several taps and reorder results with one shuffle,
/// so that only the taps that packs skip matter.
constexpr bool suits_line(std::int64_t window, std::int64_t bases, std::int64_t taps,
                          std::int64_t channels, std::int64_t lanes, std::int64_t scalar_bytes) {
  if (column_step(window, bases, channels, lanes, scalar_bytes) == 0) {
    return suits_line(window, bases, taps, channels, lanes);
  }
  if (bases == 1) return true;  // which skips the same taps
  const std::int64_t saved = channels * bases % lanes == 0 ? 4 : 16;
  return bases * (window - saved) <= taps;
}

// Tile shapes of matrix products. Numbers only; perf/NOTES.md says how they were measured.

/// The most packs of columns that a matrix tile sums together.
constexpr int matrix_packs(int registers) { return registers >= 32 ? 3 : 2; }
inline constexpr int most_matrix_packs = 3;

/// The most rows that a matrix tile sums together, by its number of packs: the product of both
/// hides the latency of a multiply-add, and leaves registers for a row of the right operand and one
/// value of the left one.
constexpr int matrix_rows(int registers, int packs) {
  if (registers >= 32) return packs == 1 ? 16 : packs == 2 ? 12 : 8;
  return packs == 1 ? 8 : 6;
}
inline constexpr int most_matrix_rows = 16;

/// Rows and columns of the part of a product for one virtual item of a host, and the inner indices
/// that are summed before the next ones: a panel of 48 columns of float fits in a first-level cache
/// with other data, the part's sums in a second-level one.
inline constexpr int host_matrix_rows = 96;
inline constexpr int host_matrix_columns = 192;
inline constexpr int host_matrix_inner = 192;
/// From this many rows on, a panel of the right operand is packed first, even if it could be read
/// in place: copying it costs as much as this many rows.
inline constexpr int packing_rows = 32;
/// This requires that the right operand spans at least this many bytes: smaller ones stay in a
/// first-level cache.
inline constexpr int packing_bytes = 32 * 1024;
/// A left operand whose inner indices are not contiguous is packed from this many inner indices on,
/// if several panels use it.
inline constexpr int packing_inner = 64;
/// Rows of bilinear forms that a team multiplies with a panel before the next one.
inline constexpr int host_form_rows = 96;
/// The cost of a part of a product besides its multiply-adds, in multiply-adds of single values.
inline constexpr double matrix_part = 1000;

/// The fewest multiply-adds of one product for the vendor's library, and its fewest rows, columns
/// and inner indices.
inline constexpr double library_product = 64.0 * 1024 * 1024;
inline constexpr int library_extent = 128;

}  // namespace synelix::tune
