// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/made_file.hpp"
#include "files/made_values.hpp"
#include "streams/boxes.hpp"

#include <synelix/hdf5.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

/// \file
/// A sink that is written without computing anything: each value encodes its place. Runs are
/// stopped at a block of the test's choice, and resumed in blocks of another shape.

namespace resumable {

namespace sx = synelix;
using sx::Block;
using sx::BlockShape;

struct Problem {
  sx::FeaturesShape shape;
  BlockShape chunk;
  sx::Filter filter;

  [[nodiscard]] Block everything() const {
    return {{0, shape.rows}, {0, shape.channels}, {0, shape.bases}};
  }
  [[nodiscard]] std::int64_t index(std::int64_t r, std::int64_t c, std::int64_t b) const {
    return (r * shape.channels + c) * shape.bases + b;
  }
  /// Never 0, so that unwritten values show.
  static float value(std::int64_t index) { return static_cast<float>(1 + index % 8'000'009); }
};

inline std::int64_t values_in(const Block& box) {
  return box.rows.size() * box.channels.size() * box.bases.size();
}

inline std::int64_t values_in(const std::vector<Block>& boxes) {
  std::int64_t values = 0;
  for (const Block& box : boxes) values += values_in(box);
  return values;
}

inline sx::FeaturesDescription described(const Problem& problem, const BlockShape& block) {
  sx::FeaturesDescription result;
  result.shape = problem.shape;
  result.block = block;
  result.chunk = problem.chunk;
  result.window = 1;
  result.series.rate_hz = 100.0;
  result.fingerprint = {{"input", "made"}};
  result.samples_of_rows = [](sx::Range rows, std::int64_t* samples) {
    for (std::int64_t r = rows.begin; r < rows.end; ++r) *samples++ = r;
  };
  return result;
}

/// Blocks of boxes in the order of a stream: bases fastest, then rows, then channels.
inline std::vector<Block> blocks_of(const std::vector<Block>& boxes, const BlockShape& shape) {
  std::vector<Block> blocks;
  const auto part = [](std::int64_t begin, std::int64_t step, sx::Range of) {
    return sx::Range{begin, std::min(begin + step, of.end)};
  };
  for (const Block& box : boxes) {
    for (auto c = box.channels.begin; c < box.channels.end; c += shape.channels) {
      for (auto r = box.rows.begin; r < box.rows.end; r += shape.rows) {
        for (auto b = box.bases.begin; b < box.bases.end; b += shape.bases) {
          blocks.push_back({part(r, shape.rows, box.rows), part(c, shape.channels, box.channels),
                            part(b, shape.bases, box.bases)});
        }
      }
    }
  }
  return blocks;
}

inline void write(sx::Sink& sink, const Problem& problem, const Block& block) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(values_in(block)));
  for (auto r = block.rows.begin; r < block.rows.end; ++r) {
    for (auto c = block.channels.begin; c < block.channels.end; ++c) {
      for (auto b = block.bases.begin; b < block.bases.end; ++b) {
        values.push_back(Problem::value(problem.index(r, c, b)));
      }
    }
  }
  sink.write(block, values.data());
}

inline sx::Hdf5SinkOptions options_of(const Problem& problem, sx::Start start) {
  sx::Hdf5SinkOptions options;
  options.output.filter = problem.filter;
  options.chunk = problem.chunk;
  options.start = start;
  return options;
}

/// The rest for a sink that has begun: everything, or what another sink has not written.
inline std::vector<Block> left_of(const sx::Sink& sink, const Problem& problem) {
  const auto unwritten = sink.unwritten();
  return unwritten ? unwritten->boxes : std::vector<Block>{problem.everything()};
}

/// Writes and finishes the rest. \returns values written
inline std::int64_t finish(const std::string& file, const Problem& problem,
                           const BlockShape& block) {
  sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::resume));
  sink.begin(described(problem, block));
  const std::vector<Block> left = left_of(sink, problem);
  for (const Block& next : blocks_of(left, block)) write(sink, problem, next);
  sink.finish();
  return values_in(left);
}

/// Writes everything, or a number of blocks, and ends the run.
inline void run_sink(const sx::FilePath& path, const Problem& problem,
                     const sx::Hdf5SinkOptions& options, const sx::FeaturesDescription& description,
                     std::size_t blocks = 0) {
  sx::Hdf5Sink sink(path, options);
  try {
    sink.begin(description);
  } catch (...) {
    sink.abandon();
    throw;
  }
  std::vector<Block> left = blocks_of(left_of(sink, problem), description.block);
  if (blocks > 0) left.resize(std::min(blocks, left.size()));
  for (const Block& next : left) write(sink, problem, next);
  if (blocks > 0) return sink.abandon();
  sink.finish();
}

/// The fault of a finished file; empty: none.
inline std::string wrong_in(const std::string& file, const Problem& problem) {
  const std::vector<float> found = made::read<float>(file, "/f");
  const std::vector<double> times = made::read<double>(file, "/time");
  if (static_cast<std::int64_t>(found.size()) != values_in(problem.everything())) return "size";
  std::int64_t wrong = 0;
  std::int64_t first = -1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == Problem::value(static_cast<std::int64_t>(i))) continue;
    ++wrong;
    if (first < 0) first = static_cast<std::int64_t>(i);
  }
  for (std::size_t r = 0; r < times.size(); ++r) {
    if (times[r] != static_cast<double>(r) / 100.0) return "time of row " + std::to_string(r);
  }
  if (wrong == 0) return {};
  const std::int64_t row = problem.shape.channels * problem.shape.bases;
  return std::to_string(wrong) + " values, the first in row " + std::to_string(first / row) +
         ", channel " + std::to_string(first % row / problem.shape.bases) + ", basis " +
         std::to_string(first % problem.shape.bases) + ": " +
         std::to_string(found[static_cast<std::size_t>(first)]);
}

inline std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void put_bytes(const std::string& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace resumable
