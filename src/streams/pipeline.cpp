// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "streams/pipeline.hpp"

#include "blocks/handoff.hpp"
#include "blocks/in_flight.hpp"
#include "launch/apart.hpp"
#include "streams/boxes.hpp"
#include "streams/input_files.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace synelix::stream {
namespace {

using blocks::Buffer;
using blocks::Handoff;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A buffer for each source.
using InputBuffers = std::vector<Buffer>;

struct Filled {
  Piece piece;
  InputBuffers* buffers = nullptr;
};

struct Computed {
  Block block;
  Buffer* buffer = nullptr;
};

/// A block that is being computed.
struct Begun {
  Computed result;
  InputBuffers* last_user_of = nullptr;  ///< to be read into again afterwards; else null
};

class Pipeline {
 public:
  Pipeline(const Prepared& prepared, std::span<Source* const> sources, Sink& sink,
           const Compute& compute, const StreamOptions& options)
      : m_prepared(prepared),
        m_sources(sources),
        m_sink(sink),
        m_compute(compute),
        m_options(options),
        m_in_flight(
            static_cast<std::size_t>(slots_of(prepared.plan)),
            [this](std::size_t slot) { wait(slot); },
            [this](const Begun& begun, std::size_t) { hand_on(begun); }) {
    const StreamPlan& plan = prepared.plan;
    const std::optional<Unwritten> unwritten = sink.unwritten();
    m_boxes = boxes_of(plan, unwritten);
    m_blocks = plan.blocks;
    if (unwritten) {
      m_report.blocks_before = unwritten->blocks_before;
      m_blocks = unwritten->blocks_before;
      const FeaturesShape& features = plan.features;
      m_values_before = features.rows * features.channels * features.bases;
      for (const Block& box : m_boxes) {
        m_blocks += blocks_in(box, plan.block);
        m_values_before -= values_in(box);
      }
    }
    const StagedBlocks& staged = plan.choice.staging;
    for (std::int64_t k = 0; k < buffers_of(plan); ++k) {
      InputBuffers buffers;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const StreamInputPlan& input = plan.inputs[i];
        buffers.push_back(buffer_for(staged, input.block_samples * input.block_channels *
                                                 size_of(sources[i]->shape().type)));
      }
      m_inputs.push_back(std::move(buffers));
      m_outputs.push_back(buffer_for(staged, plan.block.rows * plan.block.channels *
                                                 plan.block.bases * size_of(plan.features.type)));
    }
    for (InputBuffers& buffers : m_inputs) m_to_read.give(&buffers);
    for (Buffer& output : m_outputs) m_to_compute.give(&output);
  }

  StreamReport run() {
    {
      const Threads threads(*this);
      guarded([this] { compute(); });
      m_to_write.end();
    }
    if (m_failure) std::rethrow_exception(m_failure);
    if (m_is_cancelled) {
      throw Cancelled("stream: cancelled after " +
                      std::to_string(m_report.blocks_before + m_blocks_written) + " of " +
                      std::to_string(m_blocks) + " blocks");
    }
    m_report.plan = m_prepared.plan;
    m_report.blocks = m_blocks_written;
    m_report.bytes_written = m_values_written * size_of(m_prepared.plan.features.type);
    return m_report;
  }

  void report_progress() const {
    if (!m_options.progress) return;
    const FeaturesShape& features = m_prepared.plan.features;
    const std::int64_t values = m_values_written;
    m_options.progress({.blocks_written = m_report.blocks_before + m_blocks_written,
                        .blocks = m_blocks,
                        .values_written = m_values_before + values,
                        .values = features.rows * features.channels * features.bases,
                        .bytes_written = values * size_of(features.type),
                        .seconds = seconds_since(m_start)});
  }

 private:
  /// Runs the reader and the writer during its lifetime.
  class Threads {
   public:
    explicit Threads(Pipeline& pipeline) {
      try {
        if (!pipeline.m_sources.empty()) {
          m_reader = std::thread([&pipeline] { pipeline.guarded([&] { pipeline.read(); }); });
        }
        m_writer = std::thread([&pipeline] { pipeline.guarded([&] { pipeline.write(); }); });
      } catch (...) {
        pipeline.stop();
        join();
        throw StateError(
            "stream: the operating system refuses a thread for reading or writing. Raise the limit "
            "of threads (ulimit -u), or end other programs.");
      }
    }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() { join(); }

   private:
    void join() {
      if (m_reader.joinable()) m_reader.join();
      if (m_writer.joinable()) m_writer.join();
    }
    std::thread m_reader;
    std::thread m_writer;
  };

  /// Runs one of the three stages; the first exception ends the others.
  template <class Stage>
  void guarded(const Stage& stage) {
    try {
      stage();
    } catch (...) {
      {
        const std::scoped_lock lock(m_failure_mutex);
        if (!m_failure) m_failure = std::current_exception();
      }
      stop();
    }
  }

  void stop() {
    m_to_read.stop();
    m_read.stop();
    m_to_compute.stop();
    m_to_write.stop();
  }

  void read() {
    PieceWalk walk(m_prepared, m_boxes);
    while (const auto piece = walk.next()) {
      const auto buffers = m_to_read.take();
      if (!buffers) return;
      for (std::size_t i = 0; i < m_sources.size(); ++i) {
        read_source(i, *piece, (**buffers)[i]);
      }
      m_read.give({*piece, *buffers});
    }
    m_read.end();
  }

  void read_source(std::size_t i, const Piece& piece, const Buffer& buffer) {
    const Range samples = piece.samples[i];
    if (samples.size() == 0) return;
    const Range channels = channels_of(i, piece);
    const auto start = Clock::now();
    m_sources[i]->read(samples, channels, buffer.data());
    m_report.seconds_read += seconds_since(start);
    m_report.bytes_read += samples.size() * channels.size() * size_of(m_sources[i]->shape().type);
  }

  /// The channels of a source that a piece needs.
  [[nodiscard]] Range channels_of(std::size_t i, const Piece& piece) const {
    if (m_prepared.cut == Cut::all_sides) return piece.channels;
    return {0, m_sources[i]->shape().channels};
  }

  /// The next piece, with its samples if there are sources.
  std::optional<Filled> next(PieceWalk& walk) {
    if (!m_sources.empty()) return m_read.take();
    const auto piece = walk.next();
    if (!piece) return std::nullopt;
    return Filled{*piece, nullptr};
  }

  void compute() {
    PieceWalk walk(m_prepared, m_boxes);
    while (const auto filled = next(walk)) {
      if (!compute_bases(*filled)) break;
    }
    m_in_flight.finish();
    if (m_is_cancelled) {  // the reader stops; computed blocks are still written
      m_to_read.stop();
      m_read.stop();
    }
  }

  bool compute_bases(const Filled& filled) {
    std::vector<Input> inputs;
    inputs.reserve(m_sources.size());
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
      inputs.push_back({(*filled.buffers)[i], filled.piece.samples[i],
                        channels_of(i, filled.piece).size(), m_sources[i]->shape().type});
    }
    const Range bases = filled.piece.bases;
    const std::int64_t step = m_prepared.plan.block.bases;
    for (std::int64_t b = bases.begin; b < bases.end; b += step) {
      if (m_options.cancel != nullptr && m_options.cancel->load()) {
        m_is_cancelled = true;
        return false;
      }
      const auto output = m_to_compute.take();
      if (!output) return false;
      const Piece& piece = filled.piece;
      const Block block{piece.rows, piece.channels, {b, std::min(b + step, bases.end)}};
      m_in_flight.add({{block, *output}, block.bases.end == bases.end ? filled.buffers : nullptr},
                      [&](std::size_t slot) {
                        const auto start = Clock::now();
                        m_compute.start(slot, block, inputs, **output);
                        m_report.seconds_compute += seconds_since(start);
                      });
    }
    return true;
  }

  void wait(std::size_t slot) {
    const auto start = Clock::now();
    m_compute.wait(slot);
    m_report.seconds_compute += seconds_since(start);
  }

  void hand_on(const Begun& begun) {
    m_to_write.give(begun.result);
    if (begun.last_user_of != nullptr) m_to_read.give(begun.last_user_of);
    report_progress();
  }

  void write() {
    while (const auto computed = m_to_write.take()) {
      Block block = computed->block;
      const std::int64_t first = m_prepared.plan.rows.begin;
      block.rows = {block.rows.begin - first, block.rows.end - first};
      const auto start = Clock::now();
      m_sink.write(block, computed->buffer->data());
      m_report.seconds_write += seconds_since(start);
      m_values_written += values_in(block);
      ++m_blocks_written;
      m_to_compute.give(computed->buffer);
    }
  }

  const Prepared& m_prepared;
  std::span<Source* const> m_sources;
  Sink& m_sink;
  const Compute& m_compute;
  const StreamOptions& m_options;
  Clock::time_point m_start = Clock::now();
  std::vector<Block> m_boxes;  ///< what is computed
  std::int64_t m_blocks = 0;   ///< including those that existed before
  std::int64_t m_values_before = 0;
  bool m_is_cancelled = false;  ///< only used by the computing thread
  std::vector<InputBuffers> m_inputs;
  std::vector<Buffer> m_outputs;
  Handoff<InputBuffers*> m_to_read;
  Handoff<Filled> m_read;
  Handoff<Buffer*> m_to_compute;
  Handoff<Computed> m_to_write;
  std::mutex m_failure_mutex;
  std::exception_ptr m_failure;
  std::atomic<std::int64_t> m_blocks_written{0};
  std::atomic<std::int64_t> m_values_written{0};
  StreamReport m_report;
  blocks::InFlight<Begun> m_in_flight;  ///< waits before the objects that blocks use are destroyed
};

/// \throws Error if the sink writes memory that a source reads, because blocks are read while
/// others are written
void require_apart_in_memory(std::span<Source* const> sources, const Sink& sink) {
  const std::optional<StridedOutput> written = sink.memory();
  if (!written) return;
  for (const Source* source : sources) {
    if (const std::optional<Strided> read = source->memory()) {
      plan::check_apart(plan::Arguments().writes("sink", *written).reads("the source", *read));
    }
  }
}

}  // namespace

StreamReport run_pipeline(const Prepared& prepared, std::span<Source* const> sources, Sink& sink,
                          const FeaturesDescription& description, const Compute& compute,
                          const StreamOptions& options) {
  const auto start = Clock::now();
  const StreamPlan& plan = prepared.plan;
  require_apart_in_memory(sources, sink);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const StreamInputPlan& input = plan.inputs[i];
    sources[i]->begin(input.block_samples, input.block_channels, input.source_bytes);
  }
  FeaturesDescription described = description;
  std::vector<InputFile>& files = described.series.files;
  for (const Source* source : sources) add_files(files, source->description().files);
  try {
    sink.begin(described);
    StreamReport report;
    {
      Pipeline pipeline(prepared, sources, sink, compute, options);
      report = pipeline.run();
      pipeline.report_progress();
    }
    require_unchanged(files);
    sink.finish();
    report.seconds = seconds_since(start);
    return report;
  } catch (...) {
    sink.abandon();
    throw;
  }
}

}  // namespace synelix::stream
