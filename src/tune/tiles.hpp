// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// Tile shapes and cost-model constants: one table for each instruction set and backend. Numbers
/// only, each with where it comes from; perf/NOTES.md says how they were measured.

namespace synelix::tune {

/// Most rows that a direct tile holds in registers, a power of two: 16 accumulators, 4 taps and a
/// row's samples of 32 registers, 8 accumulators of 16.
constexpr int rows_in_registers(int registers) { return registers >= 32 ? 16 : 8; }

/// Rows whose results are stored together: of any number of channels and bases they are whole lines
/// of 64 bytes.
inline constexpr int tile_rows = 16;
/// Most bases whose results are stored together: 20 x 16 rows of 64 bytes are 20 KiB of the
/// first-level cache.
inline constexpr int most_bases = 20;

/// Most packs of a group that a bank tile interleaves between blocks of taps: beside 16
/// accumulators.
inline constexpr int most_bank_packs = 8;
/// What a pack of results costs that leaves from a bank tile, over what it costs elsewhere.
inline constexpr double banked_result = 0.4;

/// The direct tile of a device's thread: packs of 4 floats, results of so many rows and bases. Not
/// measured yet.
inline constexpr int device_rows = 8;
inline constexpr int device_bases = 4;

/// Most values of a pack of any set.
inline constexpr int most_pack_lanes = 16;

/// Most channels whose events one virtual item adds up.
inline constexpr int most_event_channels = 8;

/// How a sweep is laid out on a backend.
struct Mapping {
  bool is_device;      ///< whether a team has threads of a device
  int team_size;       ///< threads of a team
  int strips;          ///< strips of an item that one virtual item locates; 0: all
  int pack_rows;       ///< rows of a pack of lanes that one virtual item packs
  int tiles;           ///< tiles of a pack of lanes that one virtual item computes; 0: all
  int stage_rows;      ///< rows of a tile that are put together before they are stored; 0: none
  int event_channels;  ///< channels whose events one virtual item adds up
  int fft_columns;     ///< columns of the first pass that one virtual item transforms; 0: all
  int fft_lines;       ///< lines of a block that one virtual item transforms back; 0: all
};

/// Host: a team of one thread, virtual items large enough to hide their bookkeeping.
inline constexpr Mapping host{false, 1, 0, 64, 0, tile_rows, most_event_channels, 0, 0};
/// Device: a team of 256 threads, a virtual item is what one thread does.
inline constexpr Mapping device{true, 256, 1, 1, 1, 0, 1, 1, 1};

/// Features of more than this share of the last level of caches are stored past them: they would
/// not be found there, and lines that are stored whole need not be read first.
inline constexpr double streamed_share = 1.0 / 3.0;

/// Bytes of packed samples that a work item of the direct method aims at: they fit the smallest
/// second-level cache seen (512 KiB), from where a tile's first basis reads them. The longer a
/// strip, the less of its window is packed twice.
inline constexpr long direct_block_bytes = 384L * 1024;
/// The same for windows so long that fewer lanes would fit: what is read of it is next to nothing
/// beside their multiply-adds.
inline constexpr long long_block_bytes = 1024L * 1024;
/// Tiles of each group of bases that are computed in turn, where all are more than leave together.
inline constexpr int group_tiles = 4;
/// Packs that a flat tile sums together: they hide the latency of a multiply-add, and leave some of
/// 16 registers; more of them are more rows, each of which sees less than all.
inline constexpr int flat_packs = 6;
/// Strips of an item are computed by flat tiles where those multiply and add at most so many values
/// for a strip, on the average: about what a lane costs beside its tiles (perf/NOTES.md, Epochs).
inline constexpr long flat_work = 8192;
/// Most rows of a flat tile, and most samples that one of its rows may see: they lie on the stack.
inline constexpr int flat_rows = 256;
/// Most lanes of a work item: eight full registers of float at 64 bytes.
inline constexpr int most_lanes = 128;
/// What a pack of results costs that is copied, in multiply-adds; and what one costs beside its
/// multiply-adds that is computed.
inline constexpr std::int64_t copied_pack = 6;
inline constexpr std::int64_t computed_pack = 9;
/// Whether rows of a filter that `members` of a bank are, each delayed by at most `delay` samples,
/// are computed once and copied (perf/NOTES.md, Direct tile).
constexpr bool suits_sharing(std::int64_t members, std::int64_t taps, std::int64_t delay,
                             std::int64_t rows) {
  const std::int64_t computed = taps + computed_pack;
  return members >= 2 &&
         members * rows * computed > (rows + delay) * computed + members * rows * copied_pack;
}
/// Fewest rows of a strip that the chooser goes down to by itself, and the most.
inline constexpr long fewest_rows = 32;
inline constexpr long most_rows = 4096;
/// Most channels of a work item of the event method: a few virtual items for each team. Not
/// measured.
inline constexpr long event_item_channels = 64;
/// Rows of a work item of the event method: 8 channels x 128 rows x 8 bases of float are 32 KiB.
inline constexpr long event_rows = 128;
/// Values from one row of the sums of events to the next. Rows of an even number of cache lines get
/// one more: else rows a little further lie 4 KiB apart, and a processor takes what is loaded there
/// for what is still to be stored here (perf/NOTES.md, Events).
constexpr std::int64_t event_row(std::int64_t values, std::int64_t scalar_bytes) {
  return values * scalar_bytes % 128 == 0 ? values + 64 / scalar_bytes : values;
}
/// Bytes of the sums of so many rows of at most `most_values` values each; whoever has fewer values
/// may have longer rows by a cache line.
constexpr std::int64_t event_slot_bytes(std::int64_t rows, std::int64_t most_values,
                                        std::int64_t scalar_bytes) {
  return (rows * (most_values * scalar_bytes + 64) + 63) / 64 * 64;
}
/// Fewest rows of a strip of the event method that short epochs lead to.
inline constexpr long fewest_event_rows = 16;

/// Rows of a tile in eval mode: what a first pass notes of them are 4 KiB.
inline constexpr long eval_rows = 512;
/// Nanoseconds for one output in eval mode on one core: raised cosines (perf/features.cpp).
inline constexpr double eval_output = 6;
/// Bytes of factors of products that are resident at a time, for each team: half of a second-level
/// cache of 2 MiB, so that they are still there when they are multiplied.
inline constexpr long factor_bytes = 1024L * 1024;
/// Most factors of one product.
inline constexpr int most_factors = 16;

/// Bytes of packed samples that a work item of the FFT method aims at, a part of a second-level
/// cache; and most bytes of the points of lines that are in memory together, so that all outputs of
/// a row are there when it is stored: more than such a cache, where transforms are long.
inline constexpr long fft_block_bytes = 192L * 1024;
inline constexpr long fft_resident_bytes = 24L * 1024 * 1024;
/// Threads of a team that transforms on a device, one for each butterfly of 16 points, and at most
/// so many. Not measured yet.
inline constexpr int device_fft_team = 256;
/// Bytes of scratch that such a team aims at: three of them share the 227 KiB that a core of an
/// H200 has for scratch, by the sizes alone.
inline constexpr long device_fft_bytes = 73L * 1024;
/// What a team costs that has more of it, for each power of two: fewer are there to hide what one
/// waits for. Not measured yet.
inline constexpr double device_fft_alone = 1.3;
/// What loading and storing rows costs, and a product with one part more, in passes over a point.
/// Not measured yet.
inline constexpr double device_fft_rows = 1.0;
inline constexpr double device_fft_part = 0.4;
/// Blocks of a strip for each that is taken in ahead of it; and work items for each team that can
/// be in flight, so that those which come last are a small part of all.
inline constexpr long device_fft_run = 4;
inline constexpr long device_fft_waves = 8;
/// Threads of a team that looks for weak rows. Not measured yet.
inline constexpr int device_weak_team = 128;
/// Windows of fewer taps are not transformed unless that is asked for: there is next to nothing to
/// be won, and sums of counts stay exact.
inline constexpr long fewest_fft_taps = 24;
/// Most parts of a window: the blocks whose spectra are kept, and as many products for each point.
inline constexpr int most_fft_parts = 16;
/// Most lines of a pack that are streamed one into the other.
inline constexpr int most_streamed_lines = 32;
/// Neighbouring packs of a row that go past the caches where they are not aligned: the first and
/// the last line of a run do not (perf/NOTES.md, How results are stored).
inline constexpr int fewest_packs_of_a_run = 2;
/// Bytes of a run of staged rows that goes past the caches: its first and last lines are shared
/// with other runs (perf/NOTES.md, The FFT method). Narrow rows are at most so many, if that is so
/// many bytes: the stage is to stay in a cache.
inline constexpr long fft_run_bytes = 6L * 1024;
inline constexpr long most_fft_run_columns = 24;
inline constexpr long fewest_fft_run_bytes = 1024;
/// Nanoseconds to pack one sample of one lane, float: about what a 2.0 GHz Zen 4 server took.
inline constexpr double packed_sample = 0.3;
/// Nanoseconds that a strip of one channel takes beside its samples and rows: what the lengths of
/// strips cost that perf/NOTES.md names under Epochs.
inline constexpr double strip_overhead = 230;
/// What the last strips of segments of unequal lengths cost, over what they would if all in a pack
/// were equal: so much, more with each of their lengths that a strip may be longer, and at most so
/// many of those.
inline constexpr double spread_least = 1.15;
inline constexpr double spread_each = 0.1;
inline constexpr double spread_most_lengths = 8;

// When the direct method computes strips as lines of (sample, channel) rather than in packs of
// lanes. Numbers from perf/NOTES.md, Lines.

/// Most bases that a line tile computes together: an accumulator each, for three packs of 32
/// registers.
inline constexpr int most_line_bases = 8;
/// Fewest values of (sample, channel) of a strip, on the average, that are computed as a line.
inline constexpr long line_values = 512;
/// Packs whose results stay in the first-level cache until they leave, where a tile cannot take all
/// bases at once.
inline constexpr int line_packs = 12;
/// Bytes of the samples that a strip of a line may see: they stay in a second-level cache.
inline constexpr long line_bytes = 1024L * 1024;
/// Rows of a strip of many channels.
inline constexpr long line_rows = 64;

/// Windows from which on the loads of so few bases, one for each multiply-add and more, take longer
/// than packing samples into lanes does.
inline constexpr std::int64_t long_line_window = 512;
inline constexpr std::int64_t few_line_bases = 3;

/// Whether a line takes less time than packs, where all channels are computed together. A line
/// takes all taps of the window and packs those of each filter's support, once where filters are
/// one, but they have to be packed and their results put in order, the more where rows are no whole
/// packs. A line tile computes `most_line_bases` together; where rows are whole packs, more of them
/// are better off there. One basis shares no samples with others: a line loads as often as it
/// multiplies, twice where loads are unaligned.
constexpr bool suits_line(std::int64_t window, std::int64_t bases, std::int64_t taps,
                          std::int64_t channels, std::int64_t lanes) {
  const bool is_whole = channels * bases % lanes == 0;
  const std::int64_t saved = is_whole ? 4 : 16;
  const bool is_fed = bases > 1 || channels % lanes == 0 || window <= 100;
  const bool is_long = bases <= few_line_bases && window >= long_line_window;
  const bool is_split = bases > most_line_bases && is_whole;
  return is_fed && !is_long && !is_split && bases * (window - saved) <= taps;
}

// Which lines have column tiles, and when the direct method computes strips as lines where it has
// them. Numbers from perf/NOTES.md, Lines.

/// Bytes of the registers of sets that have column tiles.
inline constexpr int column_register_bytes = 64;
/// Packs of a column that a column tile computes together: an accumulator each, beside the taps of
/// a block and a sample in 32 registers.
inline constexpr int column_packs = 8;
/// Taps of a block: with one basis a load of a sample serves one multiply-add after the other.
constexpr int column_depth(int bases) { return bases == 1 ? 16 : 8; }
/// Longest window of several bases that are less than a pack: their taps lie on the stack as a pack
/// each, and from there on a line tile is as fast (perf/NOTES.md, Column tiles).
inline constexpr std::int64_t most_column_window = 24;
/// Samples between packs of a column, at most: the more, the fewer packs see a sample. Loads of two
/// bases are 32 bytes, many of which cross a line.
constexpr int most_column_step(int bases) { return bases == 1 ? 8 : bases == 2 ? 1 : 2; }

/// Samples between packs of (channel, basis) of a column tile, so that all begin a line of the
/// cache where one does; 0: a line tile is faster, or there is no column tile. Packs are (value,
/// basis): bases divide a pack.
constexpr int column_step(std::int64_t window, std::int64_t bases, std::int64_t channels,
                          std::int64_t lanes, std::int64_t scalar_bytes) {
  if (lanes * scalar_bytes != column_register_bytes || lanes % bases != 0) return 0;
  if (bases > 1 && bases < lanes && window > most_column_window) return 0;
  std::int64_t step = lanes / bases;
  while (step > 1 && channels * step / 2 % (lanes / bases) == 0) step /= 2;
  if (step > most_column_step(static_cast<int>(bases)) || window < 2 * step) return 0;
  return static_cast<int>(step);
}

/// Whether a line takes less time than packs, where all channels are computed together
/// (`suits_line` above). Column tiles load a sample once for several taps and put results
/// in order by one shuffle, so that only the taps count that packs leave out.
constexpr bool suits_line(std::int64_t window, std::int64_t bases, std::int64_t taps,
                          std::int64_t channels, std::int64_t lanes, std::int64_t scalar_bytes) {
  if (column_step(window, bases, channels, lanes, scalar_bytes) == 0) {
    return suits_line(window, bases, taps, channels, lanes);
  }
  if (bases == 1) return true;  // which leaves out the same
  const std::int64_t saved = channels * bases % lanes == 0 ? 4 : 16;
  return bases * (window - saved) <= taps;
}

// Tile shapes of matrix products. Numbers only; perf/NOTES.md says how they were measured.

/// Packs of columns that a matrix tile sums together at most.
constexpr int matrix_packs(int registers) { return registers >= 32 ? 3 : 2; }
inline constexpr int most_matrix_packs = 3;

/// Rows that a matrix tile of so many packs sums together at most: their product is what hides the
/// latency of a multiply-add, and leaves registers for a row of the right operand and one value of
/// the left one.
constexpr int matrix_rows(int registers, int packs) {
  if (registers >= 32) return packs == 1 ? 16 : packs == 2 ? 12 : 8;
  return packs == 1 ? 8 : 6;
}
inline constexpr int most_matrix_rows = 16;

/// Rows and columns of the part of a product that one virtual item of a host computes, and the
/// inner indices that are summed before the next ones: a panel of 48 columns of float lies in a
/// first-level cache beside what else passes, the part's sums in a second-level one.
inline constexpr int host_matrix_rows = 96;
inline constexpr int host_matrix_columns = 192;
inline constexpr int host_matrix_inner = 192;
/// Rows from which on a panel of the right operand is packed first, even where it could be read as
/// it lies: copying it costs as much as so few rows.
inline constexpr int packing_rows = 32;
/// Bytes that a right operand spans, from which on that is so: less stays in a first-level cache.
inline constexpr int packing_bytes = 32 * 1024;
/// Inner indices of a left operand that lie in memory of their own each, from which on it is packed
/// where several panels meet it.
inline constexpr int packing_inner = 64;
/// Rows of bilinear forms that a team multiplies with a panel before the next one.
inline constexpr int host_form_rows = 96;
/// What a part of a product costs beside its multiply-adds, in multiply-adds of single values.
inline constexpr double matrix_part = 1000;

/// Fewest multiply-adds of one product that the vendor's library is asked for, and its fewest rows,
/// columns and inner indices.
inline constexpr double library_product = 64.0 * 1024 * 1024;
inline constexpr int library_extent = 128;

}  // namespace synelix::tune
