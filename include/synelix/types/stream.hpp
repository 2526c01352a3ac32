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
  std::int64_t rows = 0;      ///< of the whole result
  std::int64_t channels = 0;  ///< product of channel_extents
  std::int64_t bases = 0;     ///< filters of the bank; of a design, its columns
  std::vector<std::int64_t> channel_extents = {};  ///< the series' dimensions beside time
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

/// What a result depends on, as names and values in words: a run that goes on with another's work
/// needs the same. Empty values are left out.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

/// A file that values come from, as it was when it was looked at.
struct InputFile {
  std::string path = {};      ///< as it was opened
  std::string resolved = {};  ///< absolute, without symbolic links
  std::string role = {};      ///< what leads there: "external link in.h5:/x"; empty: it was named
  std::uint64_t device = 0;   ///< number of the file system that it lies on
  std::uint64_t inode = 0;    ///< its number there: with `device` it tells files apart
  std::int64_t bytes = 0;     ///< its length
  std::int64_t modified_ns = 0;  ///< time of the last change of its content, since 1970
  std::int64_t changed_ns = 0;   ///< the same, or of its mode or number of names
  /// false: all that is needed of it is in memory before a run begins
  bool is_read_in_run = true;
};

/// Looks at a file now. Where it has changed within the last tick of the file system's clock, waits
/// for the next one: a later change then has a later time. \throws Error where it is missing
InputFile look_at_file(const std::string& path);

/// An input was changed, replaced or removed while a run read it: the features may be of both
/// states.
class InputChanged : public FileError {
 public:
  using FileError::FileError;
};

/// What is known of a recording beside its values; sinks that can, record it.
struct SeriesDescription {
  std::optional<double> rate_hz = {};  ///< samples a second
  double start_seconds = 0.0;          ///< time of sample 0
  /// Where time does not run on from sample 0 to the end: ascending in sample and time, the first
  /// one at sample 0. Empty: one segment from start_seconds at rate_hz.
  std::vector<TimeSegment> segments = {};
  std::int64_t first_sample = 0;               ///< number of sample 0 in what it was read from
  std::vector<std::int64_t> channel_ids = {};  ///< one for each channel; empty: 0, 1, 2, ...
  std::string name = {};                       ///< where the series came from
  Fingerprint fingerprint = {};  ///< tells it from others: size and time of change of its file, ...
  /// All files that it depends on. A sink does not replace them, and does not finish where one that
  /// is read in the run has changed meanwhile.
  std::vector<InputFile> files = {};
  /// Width of a sample that is a bin: its time is the start of the bin. Absent: a sample has no
  /// width that is known.
  std::optional<double> bin_seconds = {};

  /// Time of a sample; of a bin, its start: the double nearest to start + k * period, both as they
  /// were meant (time_bins.hpp). \throws Error where no rate is known
  [[nodiscard]] double seconds_of(std::int64_t sample) const;
  /// Time of the center of a bin, rounded to 1e-9 s as TimeBins::centres; of a sample without a
  /// width, its time. \throws Error where no rate is known
  [[nodiscard]] double center_of(std::int64_t sample) const;
  /// The first sample at or behind a time; a time within a thousandth of a sample of one is its
  /// time, or within two units in the last place of a time long after 0. Below 0 for times before
  /// sample 0; nothing is known of the end.
  /// \throws Error where no rate is known, or the time is no number
  [[nodiscard]] std::int64_t sample_at(double seconds) const;
  /// The first sample behind a time: the next one where a sample has this time by the same rule.
  /// \throws Error as sample_at
  [[nodiscard]] std::int64_t sample_behind(double seconds) const;
};

/// An additional attribute of features that are written to a file.
using Attribute = std::pair<std::string, std::variant<std::int64_t, double, std::string>>;

/// Where samples come from. Derive from it to stream from something of your own.
/// `read` is called on one thread at a time, in a stream on one that is not the caller's (the pass
/// of stream_features that looks for ranges is on the caller's); the other functions on the
/// caller's.
class Source {
 public:
  virtual ~Source() = default;
  /// Samples, channels, stored type, epochs, scaling.
  [[nodiscard]] virtual const SeriesShape& shape() const = 0;
  /// Copies samples x channels stored values into the buffer, row-major.
  virtual void read(Range samples, Range channels, void* buffer) = 0;
  /// The caller's array that is read, where the samples lie in one: nothing may be written into it.
  [[nodiscard]] virtual std::optional<Strided> memory() const { return std::nullopt; }
  /// Extents beside time; their product is the number of channels.
  [[nodiscard]] virtual std::vector<std::int64_t> channel_extents() const;
  /// Rate, channel ids.
  [[nodiscard]] virtual SeriesDescription description() const { return {}; }
  /// Bytes that the source holds itself (a chunk cache) while it is read in blocks of this shape;
  /// no more than `allowed` where it can do with less.
  [[nodiscard]] virtual std::int64_t own_bytes(std::int64_t samples, std::int64_t channels,
                                               std::int64_t allowed) const;
  /// Bytes touched below for each byte read, with so many own bytes.
  [[nodiscard]] virtual double read_cost(std::int64_t samples, std::int64_t channels,
                                         std::int64_t own_bytes) const;
  /// Announces the shape of the blocks and the own bytes, before the first read.
  virtual void begin(std::int64_t samples, std::int64_t channels, std::int64_t own_bytes);
};

/// Everything that a sink may want to know before the first block.
struct FeaturesDescription {
  FeaturesShape shape = {};       ///< of the whole result
  BlockShape block = {};          ///< of all blocks but those at the ends
  BlockShape chunk = {};          ///< what the sink asked for
  std::int64_t window = 0;        ///< taps; of a design the most of any basis
  ConvolveOptions options = {};   ///< of a design only border and every
  Choice choice = {};             ///< how blocks are computed
  SeriesDescription series = {};  ///< rate, times, channel ids and files of the input
  std::string basis = {};         ///< name of its type; empty for a design or a product
  std::vector<BasisParameter> basis_parameters = {};  ///< those of the basis; empty as `basis`
  /// Everything that the bytes of the features depend on: input, filters, options, choice. Not
  /// batch, budget or threads.
  Fingerprint fingerprint = {};
  /// Of a design: what its columns are. Empty for a convolution.
  std::vector<Term> terms = {};
  /// Writes the sample that each of the given rows stands for.
  std::function<void(Range rows, std::int64_t* samples)> samples_of_rows = {};
};

/// What a sink still lacks, of a run that another has begun.
struct Unwritten {
  /// Apart from each other; together all that is missing. Of a design, with all its columns.
  std::vector<Block> boxes = {};
  std::int64_t blocks_before = 0;  ///< blocks that are there already
};

/// Where features go. Derive from it to stream to something of your own.
/// `write` is called on one thread, which is not the caller's; the other functions on the caller's.
class Sink {
 public:
  virtual ~Sink() = default;
  /// How the sink stores features: the shape of its chunks, of at most so many bytes where that is
  /// free. Channels and bases of a block are multiples of it, where one fits.
  [[nodiscard]] virtual BlockShape chunk(const FeaturesShape& shape,
                                         std::int64_t bytes_at_most) const;
  /// Whether rows that are not a multiple of the chunk's are written at a price.
  [[nodiscard]] virtual bool needs_whole_chunks() const { return false; }
  /// Bytes that the sink holds itself while it is written in blocks of this shape.
  [[nodiscard]] virtual std::int64_t own_bytes(const FeaturesShape& shape, const BlockShape& chunk,
                                               const BlockShape& block) const;
  /// Before the first block.
  virtual void begin(const FeaturesDescription& description) = 0;
  /// After `begin`: what is to be written, where a part is there already. Absent: everything.
  [[nodiscard]] virtual std::optional<Unwritten> unwritten() const { return std::nullopt; }
  /// One block: rows x channels x bases values, row-major. Each value comes once. Within each box
  /// bases go fastest, then rows, then channels.
  virtual void write(const Block& block, const void* values) = 0;
  /// The caller's array that is written, where there is one: it has to lie apart from all sources.
  [[nodiscard]] virtual std::optional<StridedOutput> memory() const { return std::nullopt; }
  /// After the last block: only now the result is there.
  virtual void finish() = 0;
  /// Instead of `finish` where something failed or the stream was cancelled: there is no result. A
  /// sink that can go on later may keep what it needs for that.
  virtual void abandon() noexcept = 0;
};

/// A series in host memory as a source. It refers to the caller's memory.
class MemorySource final : public Source {
 public:
  /// Any layout and sample axis. \throws Error where the memory cannot be read on the host
  explicit MemorySource(StridedSeries series) : m_series(std::move(series)) {}
  /// Of a View, a `Strided`, or `scaled` of either: time first, one epoch.
  explicit MemorySource(const Operand& samples) : m_series(samples) {}
  [[nodiscard]] const SeriesShape& shape() const override { return m_series.shape(); }
  void read(Range samples, Range channels, void* buffer) override;
  [[nodiscard]] std::optional<Strided> memory() const override { return m_series.data(); }
  [[nodiscard]] std::vector<std::int64_t> channel_extents() const override;

 private:
  StridedSeries m_series;
};

/// An array in host memory as a sink, of extents (rows, channels, bases) and any strides; or of a
/// higher rank, where the dimensions between the first and the last are the series' own.
class MemorySink final : public Sink {
 public:
  /// Refers to the array. `begin` checks its extents.
  explicit MemorySink(StridedOutput features) : m_features(features) {}
  /// \throws Error where the extents or the type are not those of the features
  void begin(const FeaturesDescription& description) override;
  void write(const Block& block, const void* values) override;
  [[nodiscard]] std::optional<StridedOutput> memory() const override { return m_features; }
  void finish() override {}
  void abandon() noexcept override {}

 private:
  StridedOutput m_features;
};

/// How far a stream is.
struct StreamProgress {
  std::int64_t blocks_written = 0;  ///< those that were there before among them
  std::int64_t blocks = 0;          ///< of the whole result
  std::int64_t values_written = 0;  ///< those that were there before among them
  std::int64_t values = 0;          ///< rows x channels x bases
  std::int64_t bytes_written = 0;   ///< by this run
  double seconds = 0;               ///< since the start
};

/// How a stream is run, beside ConvolveOptions.
struct StreamOptions {
  /// Only rows that stand for these samples; windows reach beyond them. Absent: all.
  std::optional<Range> samples = {};
  /// Called on the caller's thread after each block, and at the end. What it throws ends the
  /// stream.
  std::function<void(const StreamProgress&)> progress = {};
  /// Looked at between blocks: once true, the stream ends by `Cancelled`. May be set by a signal
  /// handler.
  const std::atomic<bool>* cancel = nullptr;
  /// Rate, channel ids and fingerprint of Events; of a Source: replaces what is not set there. A
  /// sink goes on with another run's work only where the fingerprint tells the input from others.
  SeriesDescription series = {};
  /// Bytes of the host's budget that the caller holds already, such as those of Events: the stream
  /// keeps to the rest.
  std::int64_t held_bytes = 0;
};

/// What a block takes of one source.
struct StreamInputPlan {
  std::int64_t block_samples = 0;   ///< resident at a time, halo included
  std::int64_t block_channels = 0;  ///< resident at a time
  std::int64_t input_bytes = 0;     ///< of all buffers: two, or one more than blocks on a device
  std::int64_t source_bytes = 0;    ///< held by the source: its chunk cache
};

/// How a recording is cut into blocks, and what they take: a value, made without running.
struct StreamPlan {
  FeaturesShape features = {};     ///< the whole result
  Choice choice = {};              ///< how each block is computed
  std::vector<Term> terms = {};    ///< of a design: what its columns are
  Range rows = {};                 ///< rows of the whole features that are computed
  BlockShape block = {};           ///< features resident at a time
  BlockShape chunk = {};           ///< how the sink stores them
  std::int64_t block_samples = 0;  ///< input samples resident at a time, halo included; of several
                                   ///< sources the most
  std::vector<StreamInputPlan> inputs = {};  ///< of each source; none for events
  std::int64_t blocks = 0;                   ///< of the whole result
  std::int64_t input_bytes = 0;              ///< of all buffers of each input
  std::int64_t output_bytes = 0;             ///< of all output buffers
  std::int64_t workspace_bytes = 0;          ///< of the plan that computes; of each, on a device
  std::int64_t source_bytes = 0;             ///< held by the sources: chunk caches
  std::int64_t sink_bytes = 0;               ///< held by the sink
  std::int64_t total_bytes = 0;    ///< of host memory, at most the budget: the five above; where
                                   ///< blocks go through a device, without the workspace
  std::int64_t budget = 0;         ///< of host memory
  std::int64_t device_budget = 0;  ///< where blocks go through a device (choice.staging); else 0
};

/// What a stream did.
struct StreamReport {
  StreamPlan plan = {};            ///< how the recording was cut
  std::int64_t blocks = 0;         ///< written by this run
  std::int64_t blocks_before = 0;  ///< that were there already
  std::int64_t bytes_read = 0;     ///< stored bytes handed over by the source, halos included
  std::int64_t bytes_written = 0;  ///< bytes of features
  double seconds = 0;              ///< from start to end
  double seconds_read = 0;         ///< spent inside the source; the three overlap
  double seconds_compute = 0;      ///< spent computing; on a device, waiting for it too
  double seconds_write = 0;        ///< spent inside the sink
};

}  // namespace synelix
