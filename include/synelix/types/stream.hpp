// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/error.hpp>
#include <synelix/expression.hpp>
#include <synelix/time_bins.hpp>
#include <synelix/types/convolve.hpp>
#include <synelix/types/series.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// \file
/// What stream.hpp declares, without Kokkos: sources, sinks, options, plans and reports. Programs
/// include stream.hpp.

namespace synelix {

/// Extents of the features that a sink receives.
struct FeaturesShape {
  std::int64_t rows = 0;      ///< of the entire result
  std::int64_t channels = 0;  ///< product of channel_extents
  std::int64_t bases = 0;     ///< filters of the bank; of a design, its columns
  std::vector<std::int64_t> channel_extents = {};  ///< the series' dimensions other than time
  StoredType type = StoredType::float32;           ///< float32 or float64

  /// Bytes of all values.
  [[nodiscard]] std::int64_t bytes() const { return rows * channels * bases * size_of(type); }
};

/// The number of rows, channels and bases of a block.
struct BlockShape {
  std::int64_t rows = 1;      ///< at least 1
  std::int64_t channels = 1;  ///< at least 1
  std::int64_t bases = 1;     ///< at least 1; of a design, columns

  /// Whether all members are the same.
  friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

/// What a result depends on, as pairs of a name and a text. A run can resume another run only if
/// their fingerprints are equal. Empty values are left out.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

/// A file that values are read from, and its state when it was examined.
struct InputFile {
  std::string path = {};      ///< as it was opened
  std::string resolved = {};  ///< absolute, without symbolic links
  std::string role = {};      ///< how it was found: "external link in.h5:/x"; empty: it was named
  std::uint64_t device = 0;   ///< number of its file system
  std::uint64_t inode = 0;    ///< its number there: with `device` it identifies the file
  std::int64_t bytes = 0;     ///< its length
  std::int64_t modified_ns = 0;  ///< time of the last change of its content, since 1970
  std::int64_t changed_ns = 0;   ///< the same, or of its mode or link count
  /// false if all of its needed content is in memory before a run begins
  bool is_read_in_run = true;
};

/// Reads the current state of a file. If it has changed within the last tick of the file system's
/// clock, waits for the next tick, so that a later change has a later time. \throws Error if it is
/// missing
InputFile look_at_file(const std::string& path);

/// An input was changed, replaced or removed while a run read it, so the features may mix both
/// states.
class InputChanged : public FileError {
 public:
  using FileError::FileError;
};

/// What is known about a recording other than its values. Sinks store it if they can.
struct SeriesDescription {
  std::optional<double> rate_hz = {};  ///< samples a second
  double start_seconds = 0.0;          ///< time of sample 0
  /// For times with jumps: segments ascending in sample and time, the first one at sample 0. Empty:
  /// one segment from start_seconds at rate_hz.
  std::vector<TimeSegment> segments = {};
  std::int64_t first_sample = 0;               ///< number of sample 0 in the file or array
  std::vector<std::int64_t> channel_ids = {};  ///< one for each channel; empty: 0, 1, 2, ...
  std::string name = {};                       ///< the source of the series
  Fingerprint fingerprint = {};  ///< identifies it: size and time of change of its file, ...
  /// All files that it depends on. A sink does not replace them, and does not finish if one that
  /// the run reads has changed meanwhile.
  std::vector<InputFile> files = {};
  /// Width of a sample that is a bin, whose time is the start of the bin. Absent: not known.
  std::optional<double> bin_seconds = {};

  /// Time of a sample; of a bin, its start: the double nearest to start + k * period, both as the
  /// fractions that were rounded to them (time_bins.hpp). \throws Error if no rate is known
  [[nodiscard]] double seconds_of(std::int64_t sample) const;
  /// Time of the center of a bin, rounded to 1e-9 s as TimeBins::centres; of a sample without a
  /// width, its time. \throws Error if no rate is known
  [[nodiscard]] double center_of(std::int64_t sample) const;
  /// The first sample at or after a time. A time counts as that of a sample within a thousandth of
  /// the period, or within two units in the last place for a time long after 0. Below 0 for times
  /// before sample 0; the end of the recording is not considered.
  /// \throws Error if no rate is known, or the time is NaN
  [[nodiscard]] std::int64_t sample_at(double seconds) const;
  /// The first sample after a time: if a sample has this time by the same rule, the next one.
  /// \throws Error as sample_at
  [[nodiscard]] std::int64_t sample_behind(double seconds) const;
};

/// An additional attribute of features that are written to a file.
using Attribute = std::pair<std::string, std::variant<std::int64_t, double, std::string>>;

/// The origin of samples. Derive from it to stream from your own source. `read` is called on one
/// thread at a time, in a stream on one that is not the caller's (the pass of stream_features that
/// looks for ranges is on the caller's); the other functions on the caller's.
class Source {
 public:
  virtual ~Source() = default;
  /// Samples, channels, stored type, epochs, scaling.
  [[nodiscard]] virtual const SeriesShape& shape() const = 0;
  /// Copies samples x channels stored values into the buffer, row-major.
  virtual void read(Range samples, Range channels, void* buffer) = 0;
  /// The caller's array if samples are read from one; nothing may be written to it.
  [[nodiscard]] virtual std::optional<Strided> memory() const { return std::nullopt; }
  /// Extents of the dimensions other than time; their product is the number of channels.
  [[nodiscard]] virtual std::vector<std::int64_t> channel_extents() const;
  /// Rate, channel ids.
  [[nodiscard]] virtual SeriesDescription description() const { return {}; }
  /// Bytes that the source holds itself (a chunk cache) while it is read in blocks of this shape;
  /// at most `allowed`, if the source can work with less.
  [[nodiscard]] virtual std::int64_t own_bytes(std::int64_t samples, std::int64_t channels,
                                               std::int64_t allowed) const;
  /// Bytes of the file that are processed for each byte read, with this many own bytes.
  [[nodiscard]] virtual double read_cost(std::int64_t samples, std::int64_t channels,
                                         std::int64_t own_bytes) const;
  /// Announces the shape of the blocks and the own bytes, before the first read.
  virtual void begin(std::int64_t samples, std::int64_t channels, std::int64_t own_bytes);
};

/// Everything that a sink may need before the first block.
struct FeaturesDescription {
  FeaturesShape shape = {};       ///< of the entire result
  BlockShape block = {};          ///< of all blocks except those at the ends
  BlockShape chunk = {};          ///< the chunk that the sink chose
  std::int64_t window = 0;        ///< taps; for a design the most of any basis
  ConvolveOptions options = {};   ///< for a design only border and every
  Choice choice = {};             ///< how blocks are computed
  SeriesDescription series = {};  ///< rate, times, channel ids and files of the input
  std::string basis = {};         ///< name of its type; empty for a design or a product
  std::vector<BasisParameter> basis_parameters = {};  ///< those of the basis; empty as `basis`
  /// Everything that the bytes of the features depend on: input, filters, options, choice. Not
  /// batch, budget or threads.
  Fingerprint fingerprint = {};
  /// For a design: the terms of its columns. Empty for a convolution.
  std::vector<Term> terms = {};
  /// Writes the sample that each of the given rows stands for.
  std::function<void(Range rows, std::int64_t* samples)> samples_of_rows = {};
};

/// What is still missing in a sink, if another run has written a part.
struct Unwritten {
  /// Disjoint; together everything that is missing. For a design, with all columns.
  std::vector<Block> boxes = {};
  std::int64_t blocks_before = 0;  ///< blocks that exist already
};

/// The destination of features. Derive from it to stream to your own sink. `write` is called on one
/// thread, which is not the caller's; the other functions on the caller's.
class Sink {
 public:
  virtual ~Sink() = default;
  /// The shape of the chunks in which the sink stores features, of at most this many bytes if the
  /// sink can choose. Channels and bases of a block are multiples of the chunk's, if a multiple
  /// fits.
  [[nodiscard]] virtual BlockShape chunk(const FeaturesShape& shape,
                                         std::int64_t bytes_at_most) const;
  /// Whether blocks whose rows are not a multiple of the chunk's are costly to write.
  [[nodiscard]] virtual bool needs_whole_chunks() const { return false; }
  /// Bytes that the sink holds itself while it is written in blocks of this shape.
  [[nodiscard]] virtual std::int64_t own_bytes(const FeaturesShape& shape, const BlockShape& chunk,
                                               const BlockShape& block) const;
  /// Before the first block.
  virtual void begin(const FeaturesDescription& description) = 0;
  /// After `begin`: what is to be written, if a part exists already. Absent: everything.
  [[nodiscard]] virtual std::optional<Unwritten> unwritten() const { return std::nullopt; }
  /// One block: rows x channels x bases values, row-major. Each value is written once. Within each
  /// box bases go fastest, then rows, then channels.
  virtual void write(const Block& block, const void* values) = 0;
  /// The caller's array if one is written; it must not overlap any source.
  [[nodiscard]] virtual std::optional<StridedOutput> memory() const { return std::nullopt; }
  /// After the last block: completes the result.
  virtual void finish() = 0;
  /// Called instead of `finish` after a failure or cancellation: there is no result. A sink that
  /// can be resumed later may keep what it needs for that.
  virtual void abandon() noexcept = 0;
};

/// A series in host memory as a source. It refers to the caller's memory.
class MemorySource final : public Source {
 public:
  /// Any layout and sample axis. \throws Error if the host cannot read the memory
  explicit MemorySource(StridedSeries series) : m_series(std::move(series)) {}
  /// From a View, a `Strided`, or `scaled` of either: time first, one epoch.
  explicit MemorySource(const Operand& samples) : m_series(samples) {}
  [[nodiscard]] const SeriesShape& shape() const override { return m_series.shape(); }
  void read(Range samples, Range channels, void* buffer) override;
  [[nodiscard]] std::optional<Strided> memory() const override { return m_series.data(); }
  [[nodiscard]] std::vector<std::int64_t> channel_extents() const override;

 private:
  StridedSeries m_series;
};

/// An array in host memory as a sink, of extents (rows, channels, bases) and any strides; or of a
/// higher rank, with the series' own dimensions between the first and the last.
class MemorySink final : public Sink {
 public:
  /// Refers to the array. `begin` checks its extents.
  explicit MemorySink(StridedOutput features) : m_features(features) {}
  /// \throws Error if the extents or the type are not those of the features
  void begin(const FeaturesDescription& description) override;
  void write(const Block& block, const void* values) override;
  [[nodiscard]] std::optional<StridedOutput> memory() const override { return m_features; }
  void finish() override {}
  void abandon() noexcept override {}

 private:
  StridedOutput m_features;
};

/// Progress of a stream.
struct StreamProgress {
  std::int64_t blocks_written = 0;  ///< including those that existed before
  std::int64_t blocks = 0;          ///< of the entire result
  std::int64_t values_written = 0;  ///< including those that existed before
  std::int64_t values = 0;          ///< rows x channels x bases
  std::int64_t bytes_written = 0;   ///< by this run
  double seconds = 0;               ///< since the start
};

/// Options of a stream in addition to ConvolveOptions.
struct StreamOptions {
  /// Only the rows of these samples are computed; their windows may extend beyond. Absent: all.
  std::optional<Range> samples = {};
  /// Called on the caller's thread after each block, and at the end. An exception from it ends the
  /// stream.
  std::function<void(const StreamProgress&)> progress = {};
  /// Checked between blocks: once true, the stream ends by `Cancelled`. May be set by a signal
  /// handler.
  const std::atomic<bool>* cancel = nullptr;
  /// Rate, channel ids and fingerprint of Events. For a Source: values for what it does not set. A
  /// sink can resume another run only if there is a fingerprint of the input.
  SeriesDescription series = {};
  /// Bytes of the host's budget that the caller holds already, such as those of Events. The stream
  /// uses only the rest.
  std::int64_t held_bytes = 0;
};

/// The share of a block in one source.
struct StreamInputPlan {
  std::int64_t block_samples = 0;   ///< resident at a time, halo included
  std::int64_t block_channels = 0;  ///< resident at a time
  std::int64_t input_bytes = 0;     ///< of all buffers: two, or one more than blocks on a device
  std::int64_t source_bytes = 0;    ///< held by the source: its chunk cache
};

/// How a recording is cut into blocks, and their memory: a value that is made without running
/// anything.
struct StreamPlan {
  FeaturesShape features = {};     ///< the entire result
  Choice choice = {};              ///< how each block is computed
  std::vector<Term> terms = {};    ///< of a design: what its columns are
  Range rows = {};                 ///< rows of the features that are computed
  BlockShape block = {};           ///< features resident at a time
  BlockShape chunk = {};           ///< how the sink stores them
  std::int64_t block_samples = 0;  ///< input samples resident at a time, halo included; of several
                                   ///< sources the most
  std::vector<StreamInputPlan> inputs = {};  ///< of each source; none for events
  std::int64_t blocks = 0;                   ///< of the entire result
  std::int64_t input_bytes = 0;              ///< of all buffers of each input
  std::int64_t output_bytes = 0;             ///< of all output buffers
  std::int64_t workspace_bytes = 0;          ///< of the plan that computes; of each, on a device
  std::int64_t source_bytes = 0;             ///< held by the sources: chunk caches
  std::int64_t sink_bytes = 0;               ///< held by the sink
  std::int64_t total_bytes = 0;    ///< of host memory, at most the budget: the five above; where
                                   ///< blocks go through a device, without the workspace
  std::int64_t budget = 0;         ///< of host memory
  std::int64_t device_budget = 0;  ///< if blocks go through a device (choice.staging); else 0
};

/// What a stream did.
struct StreamReport {
  StreamPlan plan = {};            ///< how the recording was cut
  std::int64_t blocks = 0;         ///< written by this run
  std::int64_t blocks_before = 0;  ///< that existed already
  std::int64_t bytes_read = 0;     ///< stored bytes read from the source, halos included
  std::int64_t bytes_written = 0;  ///< bytes of features
  double seconds = 0;              ///< from start to end
  double seconds_read = 0;         ///< spent inside the source; the three overlap
  double seconds_compute = 0;      ///< spent computing; on a device, waiting for it too
  double seconds_write = 0;        ///< spent inside the sink
};

}  // namespace synelix
