// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Streams of products and forms: checks, plans the blocks, and runs the pipeline with one-shot
// calls, whose workspaces have the planned size.
#include "streams/block_planner.hpp"
#include "streams/block_products.hpp"
#include "streams/checksum.hpp"
#include "streams/fingerprint.hpp"
#include "streams/input_files.hpp"
#include "streams/pipeline.hpp"
#include "streams/stream_plan.hpp"
#include "streams/stream_slots.hpp"
#include "vocabulary/host_memory.hpp"
#include "vocabulary/spaces.hpp"

#include <synelix/error.hpp>
#include <synelix/session.hpp>
#include <synelix/stream_products.hpp>
#include <synelix/version.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace synelix {
namespace {

/// The name of the profiling region of an operation.
const char* region_of(stream::ProductVerb verb) {
  switch (verb) {
    case stream::ProductVerb::matmul:
      return "synelix::stream_matmul";
    case stream::ProductVerb::bilinear_forms:
      return "synelix::stream_bilinear_forms";
    case stream::ProductVerb::quadratic_forms:
      return "synelix::stream_quadratic_forms";
  }
  return "synelix::stream_products";
}

std::string pair_text(const char* one, std::int64_t extent, const char* other,
                      std::int64_t other_extent) {
  return std::string(one) + " " + std::to_string(extent) + " and " + other + " " +
         std::to_string(other_extent);
}

/// Checks that the one-shot calls of blocks would not make, because of the extents of blocks.
void check(const stream::ProductTask& task) {
  for (const Source* source : task.sources) {
    require_valid(source->shape());
    if (source->shape().has_events) {
      throw Error("x", "this is a source of events", "Give a source that reads an array");
    }
  }
  if (task.verb == stream::ProductVerb::matmul && task.matrix.rank() != 2) {
    throw Error("b", "it has " + std::to_string(task.matrix.rank()) + " dimensions, not 2",
                "Give one matrix, since a stream has no batch");
  }
  if (task.columns() == 0) {
    throw Error("matrix", "it makes no column of results", "Give a matrix that makes one or more");
  }
  if (task.sources.size() == 2 && task.shape(1).samples != task.shape(0).samples) {
    throw Error("y",
                "the numbers of samples differ: " +
                    pair_text("x", task.shape(0).samples, "y", task.shape(1).samples),
                "Give as many samples of y as x has");
  }
}

/// All vectors as one epoch.
SeriesShape grid_of(const stream::ProductTask& task) {
  SeriesShape grid = task.shape(0);
  grid.epochs = {};
  return grid;
}

template <class Scalar, class ExecutionSpace>
stream::Prepared prepared_products(const ExecutionSpace& exec, const stream::ProductTask& task,
                                   const stream::BlockProducts<Scalar, ExecutionSpace>& blocks,
                                   const Sink& sink, const StreamProductsOptions& options,
                                   const StreamOptions& stream) {
  const std::optional<stream::DeviceSide> device =
      stream::device_side(exec, options.staging, options.budget);
  const SeriesShape grid = grid_of(task);
  std::int64_t row_bytes = 0;
  std::vector<stream::Feed> feeds;
  for (std::size_t i = 0; i < task.sources.size(); ++i) {
    row_bytes += task.shape(i).channels * size_of(task.shape(i).type);
    feeds.push_back({task.sources[i], index::Reach{}});
  }
  if (options.block_rows && *options.block_rows < 1) {
    throw Error("block_rows", std::to_string(*options.block_rows) + " rows are not a block",
                "Give 1 or more");
  }
  const std::int64_t rows = options.block_rows.value_or(
      std::max<std::int64_t>(1, stream::block_bytes_enough / row_bytes));
  return prepare(stream::StreamProblem{
      .features = {.channels = 1, .bases = task.columns(), .type = stored_type<Scalar>},
      .grid = grid,
      .reach = {},
      .feeds = feeds,
      .cut = stream::Cut::rows,
      .rule = {},
      .batch = {.samples = rows, .channels = {}, .bases = {}},
      .budget = device ? options.host_budget : options.budget,
      .device = device,
      .reason = stream::reason_without<ExecutionSpace>(),
      .samples = stream.samples,
      .held_bytes = stream.held_bytes,
      .sink = sink,
      .choose = [&](std::int64_t budget) { return blocks.choose(budget); }});
}

/// The checksum of matrices on the host, and of the numbers that scale them.
std::string operand_checksum(const Operand& matrices) {
  const Strided& array = matrices.array();
  stream::Checksum checksum;
  const double numbers[] = {matrices.scale().all(), matrices.offset().all()};
  checksum.add(numbers, sizeof(numbers));
  const auto size = static_cast<std::size_t>(size_of(array.type));
  const std::int64_t values = matrices.count() * matrices.rows() * matrices.columns();
  for (std::int64_t i = 0; i < values; ++i) {
    std::int64_t rest = i;
    std::int64_t at = 0;
    for (auto d = static_cast<std::size_t>(array.rank); d-- > 0; rest /= array.extents[d]) {
      at += rest % array.extents[d] * array.strides[d];
    }
    checksum.add(static_cast<const std::byte*>(array.data) + at * static_cast<std::int64_t>(size),
                 size);
  }
  for (const PerChannel& along : {matrices.scale(), matrices.offset()}) {
    if (along.each() == nullptr) continue;
    checksum.add(along.each(), static_cast<std::size_t>(along.count()) * sizeof(double));
  }
  return checksum.text();
}

/// The fingerprint of results; empty if it is not known.
Fingerprint products_fingerprint(const stream::ProductTask& task, const stream::Prepared& ready,
                                 const StreamProductsOptions& options, const Fingerprint& given) {
  Fingerprint result;
  for (std::size_t i = 0; i < task.sources.size(); ++i) {
    SeriesDescription series = task.sources[i]->description();
    if (series.fingerprint.empty()) series.fingerprint = given;
    if (series.fingerprint.empty()) return {};
    for (const auto& [name, value] : stream::fingerprint_of(task.shape(i), series, nullptr)) {
      result.emplace_back(i == 0 ? name : name + " of y", value);
    }
  }
  const Strided& array = task.matrix.array();
  std::string extents(name_of(array.type));
  for (int i = 0; i < array.rank; ++i) {
    extents += (i > 0 ? " x " : " ") + std::to_string(array.extents[static_cast<std::size_t>(i)]);
  }
  const Range rows = ready.plan.rows;
  const Fingerprint here = {{"verb", region_of(task.verb)},
                            {"matrix", extents + ", checksum " + operand_checksum(task.matrix)},
                            {"method", name_of(options.method)},
                            {"rows", std::to_string(rows.begin) + ":" + std::to_string(rows.end)},
                            {"type", std::string(name_of(ready.plan.features.type))},
                            {"instruction set", name_of(ready.plan.choice.instruction_set)},
                            {"synelix", std::string(version())}};
  return stream::joined(std::move(result), here);
}

/// Whether the host can read the matrix, and the numbers that scale it.
template <class ExecutionSpace>
bool is_on_host(const Operand& matrix) {
  const auto is_read = [](std::string_view space) {
    return space.empty() ? seam::is_on_host<ExecutionSpace> : is_reached_by_host(space);
  };
  const auto are_read = [&](const PerChannel& numbers) {
    return !numbers.is_each() || is_read(numbers.memory_space());
  };
  return is_read(matrix.memory_space()) && are_read(matrix.scale()) && are_read(matrix.offset());
}

template <class Scalar, class ExecutionSpace>
StreamReport run_products(const ExecutionSpace& exec, const stream::ProductTask& task, Sink& sink,
                          const StreamProductsOptions& options, const StreamOptions& stream) {
  require_running(region_of(task.verb));
  const Kokkos::Profiling::ScopedRegion region(region_of(task.verb));
  check(task);
  const stream::BlockProducts<Scalar, ExecutionSpace> products(exec, task, options);
  const auto kept = std::make_shared<const stream::Prepared>(
      prepared_products(exec, task, products, sink, options, stream));
  const stream::Prepared& ready = *kept;
  const auto slots = stream::slots_for(exec, ready.plan, task.sources);

  stream::Compute compute;
  compute.start = [&](std::size_t slot, const Block& block, std::span<const stream::Input> read,
                      const blocks::Buffer& output) {
    std::array<Strided, 2> vectors;
    for (std::size_t i = 0; i < read.size(); ++i) {
      vectors[i] = stream::samples_in(slots, slot, i, read[i]);
    }
    const std::int64_t rows = block.rows.size();
    products.run(slots.instance(slot), std::span<const Strided>(vectors.data(), read.size()), rows,
                 reinterpret_cast<Scalar*>(slots.output(slot, output)), ready.plan.workspace_bytes);
    slots.fetch(slot, output, rows * task.columns() * static_cast<std::int64_t>(sizeof(Scalar)));
  };
  compute.wait = [&](std::size_t slot) { slots.wait(slot); };
  FeaturesDescription description;  // GCC 14 considers members of an initializer list uninitialized
  description.shape = ready.plan.features;
  description.block = ready.plan.block;
  description.chunk = ready.plan.chunk;
  description.choice = ready.plan.choice;
  description.series = task.sources[0]->description();
  description.samples_of_rows = stream::samples_of_rows(kept);
  description.series.channel_ids.clear();
  stream::add_files(description.series.files, stream.series.files);
  if (is_on_host<ExecutionSpace>(task.matrix)) {
    description.fingerprint = products_fingerprint(task, ready, options, stream.series.fingerprint);
  }
  return run_pipeline(ready, task.sources, sink, description, compute, stream);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
StreamReport stream_matmul(const ExecutionSpace& exec, Source& x, const Operand& b, Sink& c,
                           const StreamProductsOptions& options, const StreamOptions& stream) {
  return run_products<Scalar>(exec, stream::ProductTask{stream::ProductVerb::matmul, {&x}, b}, c,
                              options, stream);
}

template <class Scalar, class ExecutionSpace>
StreamReport stream_bilinear_forms(const ExecutionSpace& exec, Source& x, const Operand& a,
                                   Source& y, Sink& q, const StreamProductsOptions& options,
                                   const StreamOptions& stream) {
  return run_products<Scalar>(exec,
                              stream::ProductTask{stream::ProductVerb::bilinear_forms, {&x, &y}, a},
                              q, options, stream);
}

template <class Scalar, class ExecutionSpace>
StreamReport stream_quadratic_forms(const ExecutionSpace& exec, Source& x, const Operand& a,
                                    Sink& q, const StreamProductsOptions& options,
                                    const StreamOptions& stream) {
  return run_products<Scalar>(
      exec, stream::ProductTask{stream::ProductVerb::quadratic_forms, {&x}, a}, q, options, stream);
}

#define SYNELIX_INSTANTIATE(Scalar, Space)                                                         \
  template StreamReport stream_matmul<Scalar, Space>(const Space&, Source&, const Operand&, Sink&, \
                                                     const StreamProductsOptions&,                 \
                                                     const StreamOptions&);                        \
  template StreamReport stream_bilinear_forms<Scalar, Space>(                                      \
      const Space&, Source&, const Operand&, Source&, Sink&, const StreamProductsOptions&,         \
      const StreamOptions&);                                                                       \
  template StreamReport stream_quadratic_forms<Scalar, Space>(                                     \
      const Space&, Source&, const Operand&, Sink&, const StreamProductsOptions&,                  \
      const StreamOptions&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
