// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/pipeline.hpp"

#include "stream/buffer.hpp"
#include "stream/handoff.hpp"
#include "stream/walk.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace synelix::stream {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Filled {
  Piece piece;
  Buffer* buffer = nullptr;
};

struct Computed {
  Block block;
  Buffer* buffer = nullptr;
};

class Pipeline {
 public:
  Pipeline(const Prepared& prepared, Source* source, Sink& sink, const Compute& compute,
           const StreamOptions& options)
      : m_prepared(prepared),
        m_source(source),
        m_sink(sink),
        m_compute(compute),
        m_options(options) {
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
        m_values_before -= box.rows.size() * box.channels.size() * box.bases.size();
      }
    }
    for (int i = 0; i < 2; ++i) {
      m_buffers.emplace_back(source == nullptr ? 0
                                               : plan.block_samples * plan.block.channels *
                                                     size_of(source->shape().type));
      m_buffers.emplace_back(plan.block.rows * plan.block.channels * plan.block.bases *
                             size_of(plan.features.type));
    }
    for (std::size_t i = 0; i < 4; i += 2) {
      m_to_read.give(&m_buffers[i]);
      m_to_compute.give(&m_buffers[i + 1]);
    }
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
  /// Reader and writer, which are there as long as this is.
  class Threads {
   public:
    explicit Threads(Pipeline& pipeline) {
      try {
        if (pipeline.m_source != nullptr) {
          m_reader = std::thread([&pipeline] { pipeline.guarded([&] { pipeline.read(); }); });
        }
        m_writer = std::thread([&pipeline] { pipeline.guarded([&] { pipeline.write(); }); });
      } catch (...) {
        pipeline.stop();
        join();
        throw Error("stream: the operating system refuses a thread for reading or writing");
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

  /// Runs one of the three; the first that throws ends the others.
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
    const std::int64_t size = size_of(m_source->shape().type);
    Walk walk(m_prepared, m_boxes);
    while (const auto piece = walk.next()) {
      const auto buffer = m_to_read.take();
      if (!buffer) return;
      if (piece->samples.size() > 0) {
        const auto start = Clock::now();
        m_source->read(piece->samples, piece->channels, (*buffer)->data());
        m_report.seconds_read += seconds_since(start);
        m_report.bytes_read += piece->samples.size() * piece->channels.size() * size;
      }
      m_read.give({*piece, *buffer});
    }
    m_read.end();
  }

  /// The next piece, with its samples where it has a source.
  std::optional<Filled> next(Walk& walk) {
    if (m_source != nullptr) return m_read.take();
    const auto piece = walk.next();
    if (!piece) return std::nullopt;
    return Filled{*piece, nullptr};
  }

  void compute() {
    Walk walk(m_prepared, m_boxes);
    while (auto filled = next(walk)) {
      if (!compute_bases(*filled)) break;
      if (filled->buffer != nullptr) m_to_read.give(filled->buffer);
    }
    if (m_is_cancelled) {  // the reader stops; what is computed is still written
      m_to_read.stop();
      m_read.stop();
    }
  }

  bool compute_bases(const Filled& filled) {
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
      const auto start = Clock::now();
      m_compute(block, {filled.buffer == nullptr ? nullptr : filled.buffer->data(), piece.samples},
                (*output)->data());
      m_report.seconds_compute += seconds_since(start);
      m_to_write.give({block, *output});
      report_progress();
    }
    return true;
  }

  void write() {
    while (const auto computed = m_to_write.take()) {
      Block block = computed->block;
      const std::int64_t first = m_prepared.plan.rows.begin;
      block.rows = {block.rows.begin - first, block.rows.end - first};
      const auto start = Clock::now();
      m_sink.write(block, computed->buffer->data());
      m_report.seconds_write += seconds_since(start);
      m_values_written += block.rows.size() * block.channels.size() * block.bases.size();
      ++m_blocks_written;
      m_to_compute.give(computed->buffer);
    }
  }

  const Prepared& m_prepared;
  Source* m_source;
  Sink& m_sink;
  const Compute& m_compute;
  const StreamOptions& m_options;
  Clock::time_point m_start = Clock::now();
  std::vector<Block> m_boxes;  ///< what is computed
  std::int64_t m_blocks = 0;   ///< those that were there before among them
  std::int64_t m_values_before = 0;
  bool m_is_cancelled = false;  ///< of the thread that computes
  std::vector<Buffer> m_buffers;
  Handoff<Buffer*> m_to_read;
  Handoff<Filled> m_read;
  Handoff<Buffer*> m_to_compute;
  Handoff<Computed> m_to_write;
  std::mutex m_failure_mutex;
  std::exception_ptr m_failure;
  std::atomic<std::int64_t> m_blocks_written{0};
  std::atomic<std::int64_t> m_values_written{0};
  StreamReport m_report;
};

}  // namespace

StreamReport run_pipeline(const Prepared& prepared, Source* source, Sink& sink,
                          const FeaturesDescription& description, const Compute& compute,
                          const StreamOptions& options) {
  const auto start = Clock::now();
  const StreamPlan& plan = prepared.plan;
  if (source != nullptr) source->begin(plan.block_samples, plan.block.channels, plan.source_bytes);
  try {
    sink.begin(description);
    StreamReport report;
    {
      Pipeline pipeline(prepared, source, sink, compute, options);
      report = pipeline.run();
      pipeline.report_progress();
    }
    sink.finish();
    report.seconds = seconds_since(start);
    return report;
  } catch (...) {
    sink.abandon();
    throw;
  }
}

}  // namespace synelix::stream
