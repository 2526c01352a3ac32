// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verbs for products and forms: checks, plans the blocks, and runs the pipeline with one-shot
// calls, whose workspaces are of the size that was planned.
#include "stream/checksum.hpp"
#include "stream/fingerprint.hpp"
#include "stream/pipeline.hpp"
#include "stream/slots.hpp"
#include "stream/stream_plan.hpp"
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
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace synelix {
namespace {

using stream::Compute;
using stream::Input;
using stream::Prepared;
using stream::Problem;

/// Bytes of a block of vectors: larger ones are not faster.
constexpr std::int64_t block_bytes_enough = mebibytes(32);

enum class Verb : std::uint8_t { matmul, bilinear_forms, quadratic_forms };

/// The region of a verb.
const char* region_of(Verb verb) {
  switch (verb) {
    case Verb::matmul:
      return "synelix::stream_matmul";
    case Verb::bilinear_forms:
      return "synelix::stream_bilinear_forms";
    case Verb::quadratic_forms:
      return "synelix::stream_quadratic_forms";
  }
  return "synelix::stream_products";
}

/// What is streamed: one source, or two of bilinear forms.
struct Task {
  Verb verb;
  std::vector<Source*> sources;
  const Matrices& matrix;

  [[nodiscard]] const SeriesShape& shape(std::size_t i) const { return sources[i]->shape(); }
  /// Values of a result.
  [[nodiscard]] std::int64_t columns() const {
    return verb == Verb::matmul ? matrix.columns() : matrix.count();
  }
};

std::string pair_text(const char* one, std::int64_t extent, const char* other,
                      std::int64_t other_extent) {
  return std::string(one) + " " + std::to_string(extent) + " and " + other + " " +
         std::to_string(other_extent);
}

/// What blocks would not be refused for by the extents that they have.
void check(const Task& task) {
  for (const Source* source : task.sources) {
    require_valid(source->shape());
    if (source->shape().has_events) throw Error("x", "a source of events", "an array");
  }
  if (task.verb == Verb::matmul && task.matrix.rank() != 2) {
    throw Error("b", std::to_string(task.matrix.rank()) + " dimensions", "one matrix");
  }
  if (task.columns() == 0) throw Error("matrix", "no column", "one column of results or more");
  if (task.sources.size() == 2 && task.shape(1).samples != task.shape(0).samples) {
    throw Error("y", pair_text("x", task.shape(0).samples, "y", task.shape(1).samples),
                "as many samples of y as x has");
  }
}

/// Scales and offsets of each channel where kernels read them, for as long as the stream lasts.
template <class ExecutionSpace>
class ChannelScaling {
 public:
  ChannelScaling(const ExecutionSpace& exec, const Scaling& scaling, std::int64_t channels)
      : m_scaling(scaling) {
    if (scaling.channel_scale.empty() && scaling.channel_offset.empty()) return;
    m_numbers = Numbers(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::stream_products::scaling"),
        2, static_cast<std::size_t>(channels));
    const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, m_numbers);
    for (std::size_t c = 0; c < m_numbers.extent(1); ++c) {
      host(0, c) = scaling.channel_scale.empty() ? scaling.scale : scaling.channel_scale[c];
      host(1, c) = scaling.channel_offset.empty() ? scaling.offset : scaling.channel_offset[c];
    }
    Kokkos::deep_copy(exec, m_numbers, host);
    exec.fence("synelix::stream_products: numbers of channels are there");
  }

  [[nodiscard]] Matrices scaled_block(const Strided& stored) const {
    if (m_numbers.extent(1) > 0) {
      return scaled_by_column(stored, m_numbers.data(), m_numbers.data() + m_numbers.extent(1));
    }
    if (m_scaling.is_identity()) return stored;
    return scaled(stored, m_scaling.scale, m_scaling.offset);
  }

 private:
  using Numbers =
      Kokkos::View<double**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>;

  const Scaling& m_scaling;
  Numbers m_numbers;
};

/// A task on a space: what is computed of a block.
template <class Scalar, class ExecutionSpace>
class BlockProducts {
 public:
  BlockProducts(const ExecutionSpace& exec, const Task& task, const StreamProductsOptions& options)
      : m_exec(exec), m_task(task), m_options(options) {
    for (std::size_t i = 0; i < task.sources.size(); ++i) {
      m_scalings.emplace_back(exec, task.shape(i).scaling, task.shape(i).channels);
    }
  }

  /// Computes a block: vectors of each source, (rows, columns) of results. No more memory is taken
  /// than was chosen, whatever the rows.
  void run(const ExecutionSpace& exec, std::span<const Strided> read, std::int64_t rows,
           Scalar* results, std::int64_t budget) const {
    const Matrices x = m_scalings[0].scaled_block(read[0]);
    if (m_task.verb == Verb::matmul) {
      return matmul(exec, x, m_task.matrix, result_of(rows, results), of_product(budget));
    }
    const StridedOutput q = result_of(rows, results);
    if (m_task.verb == Verb::quadratic_forms) {
      return quadratic_forms(exec, x, m_task.matrix, q, of_forms(budget));
    }
    bilinear_forms(exec, x, m_task.matrix, m_scalings[1].scaled_block(read[1]), q,
                   of_forms(budget));
  }

  /// What blocks take of a budget, whatever their rows.
  [[nodiscard]] Choice choose(std::int64_t budget) const {
    const std::int64_t rows = std::clamp<std::int64_t>(m_task.shape(0).samples, 1, most_rows);
    Choice choice = choose_for(rows, budget);
    if (m_task.verb == Verb::matmul) {
      // One column of results is computed as a row, but one result as it is: of that, the other
      // operand is copied.
      choice.workspace_bytes =
          std::max(choice.workspace_bytes, choose_for(1, budget).workspace_bytes);
    }
    return choice;
  }

 private:
  /// Rows from which on a choice takes the same memory: of any more, all threads have enough.
  static constexpr std::int64_t most_rows = 1 << 20;

  /// Results of rows side by side; of several matrices as the forms have them.
  [[nodiscard]] StridedOutput result_of(std::int64_t rows, Scalar* results) const {
    const std::int64_t columns = m_task.columns();
    if (m_task.verb == Verb::matmul) return {results, {rows, columns}};
    if (m_task.matrix.rank() == 2) return {results, {rows}};
    return {results, {columns, rows}, {1, columns}};
  }
  [[nodiscard]] MatmulOptions of_product(std::int64_t budget) const {
    // The library's bits depend on how many rows it is given.
    return {.multiplier = Multiplier::tiles, .budget = budget, .machine = m_options.machine};
  }
  [[nodiscard]] BilinearFormsOptions of_forms(std::int64_t budget) const {
    return {.method = m_options.method, .budget = budget, .machine = m_options.machine};
  }

  /// What a block of so many rows takes of a budget. The vectors are one in memory that nobody
  /// reads, the results lie nowhere.
  [[nodiscard]] Choice choose_for(std::int64_t rows, std::int64_t budget) const {
    std::vector<std::vector<std::byte>> vectors;
    std::vector<Strided> read;
    for (std::size_t i = 0; i < m_task.sources.size(); ++i) {
      const SeriesShape& shape = m_task.shape(i);
      vectors.emplace_back(static_cast<std::size_t>(shape.channels * size_of(shape.type)));
      Strided block;
      block.data = vectors.back().data();
      block.type = shape.type;
      block.rank = 2;
      block.extents = {rows, shape.channels};
      block.strides = {0, 1};
      read.push_back(block);
    }
    return chosen(read, result_of(rows, nullptr), budget);
  }
  [[nodiscard]] Choice chosen(std::span<const Strided> read, const StridedOutput& results,
                              std::int64_t budget) const {
    Choice choice;
    const Matrices x = m_scalings[0].scaled_block(read[0]);
    const auto take = [&](const auto& of) {
      choice.instruction_set = of.instruction_set;
      choice.teams = of.teams;
      choice.workspace_bytes = of.workspace_bytes;
    };
    if (m_task.verb == Verb::matmul) {
      take(choose_matmul(m_exec, x, m_task.matrix, results, of_product(budget)));
    } else if (m_task.verb == Verb::quadratic_forms) {
      take(choose_quadratic_forms(m_exec, x, m_task.matrix, results, of_forms(budget)));
    } else {
      take(choose_bilinear_forms(m_exec, x, m_task.matrix, m_scalings[1].scaled_block(read[1]),
                                 results, of_forms(budget)));
    }
    choice.rows = m_task.shape(0).samples;
    return choice;
  }

  ExecutionSpace m_exec;
  const Task& m_task;
  const StreamProductsOptions& m_options;
  std::vector<ChannelScaling<ExecutionSpace>> m_scalings;
};

/// All vectors as one epoch.
SeriesShape grid_of(const Task& task) {
  SeriesShape grid = task.shape(0);
  grid.epochs.clear();
  return grid;
}

template <class Scalar, class ExecutionSpace>
Prepared prepared(const ExecutionSpace& exec, const Task& task,
                  const BlockProducts<Scalar, ExecutionSpace>& blocks, const Sink& sink,
                  const StreamProductsOptions& options, const StreamOptions& stream) {
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
    throw Error("block_rows", std::to_string(*options.block_rows), "1 or more");
  }
  const std::int64_t rows =
      options.block_rows.value_or(std::max<std::int64_t>(1, block_bytes_enough / row_bytes));
  return prepare(
      Problem{.features = {.channels = 1, .bases = task.columns(), .type = stored_type<Scalar>},
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
              .sink = sink,
              .choose = [&](std::int64_t budget) { return blocks.choose(budget); }});
}

/// The values of matrices on the host, and the numbers that scale them.
std::string checksum_of(const Matrices& matrices) {
  const Strided& array = matrices.array();
  stream::Checksum checksum;
  const double numbers[] = {matrices.scale(), matrices.offset()};
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
  const std::int64_t axis = matrices.is_scaled_by_row() ? matrices.rows() : matrices.columns();
  for (const double* const along : {matrices.axis_scale(), matrices.axis_offset()}) {
    if (along != nullptr) checksum.add(along, static_cast<std::size_t>(axis) * sizeof(double));
  }
  return checksum.text();
}

/// What results depend on; nothing where that is not known.
Fingerprint fingerprint_of(const Task& task, const Prepared& ready,
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
                            {"matrix", extents + ", checksum " + checksum_of(task.matrix)},
                            {"method", name_of(options.method)},
                            {"rows", std::to_string(rows.begin) + ":" + std::to_string(rows.end)},
                            {"type", std::string(name_of(ready.plan.features.type))},
                            {"instruction set", name_of(ready.plan.choice.instruction_set)},
                            {"synelix", std::string(version())}};
  return stream::joined(std::move(result), here);
}

/// Whether the host reads the matrix.
template <class ExecutionSpace>
bool is_on_host(const Matrices& matrix) {
  const std::string_view space = matrix.memory_space();
  return seam::is_on_host<ExecutionSpace> || space == Kokkos::HostSpace::name();
}

template <class Scalar, class ExecutionSpace>
StreamReport run(const ExecutionSpace& exec, const Task& task, Sink& sink,
                 const StreamProductsOptions& options, const StreamOptions& stream) {
  require_running(region_of(task.verb));
  const Kokkos::Profiling::ScopedRegion region(region_of(task.verb));
  check(task);
  const BlockProducts<Scalar, ExecutionSpace> blocks(exec, task, options);
  const auto kept =
      std::make_shared<const Prepared>(prepared(exec, task, blocks, sink, options, stream));
  const Prepared& ready = *kept;
  std::vector<StoredType> types;
  types.reserve(task.sources.size());
  for (const Source* source : task.sources) types.push_back(source->shape().type);
  const stream::Slots<ExecutionSpace> slots(exec, ready.plan, types);

  Compute compute;
  compute.start = [&](std::size_t slot, const Block& block, std::span<const Input> read,
                      void* output) {
    std::array<Strided, 2> vectors;
    for (std::size_t i = 0; i < read.size(); ++i) vectors[i] = slots.input(slot, i, read[i]);
    const std::int64_t rows = block.rows.size();
    blocks.run(slots.instance(slot), std::span<const Strided>(vectors.data(), read.size()), rows,
               static_cast<Scalar*>(slots.output(slot, output)), ready.plan.workspace_bytes);
    slots.fetch(slot, output, rows * task.columns() * static_cast<std::int64_t>(sizeof(Scalar)));
  };
  compute.finish = [&](std::size_t slot) { slots.finish(slot); };
  FeaturesDescription description{.shape = ready.plan.features,
                                  .block = ready.plan.block,
                                  .chunk = ready.plan.chunk,
                                  .window = 0,
                                  .choice = ready.plan.choice,
                                  .series = task.sources[0]->description(),
                                  .samples_of_rows = stream::samples_of_rows(kept)};
  description.series.channel_ids.clear();
  if (is_on_host<ExecutionSpace>(task.matrix)) {
    description.fingerprint = fingerprint_of(task, ready, options, stream.series.fingerprint);
  }
  return run_pipeline(ready, task.sources, sink, description, compute, stream);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
StreamReport stream_matmul(const ExecutionSpace& exec, Source& x, const Matrices& b, Sink& c,
                           const StreamProductsOptions& options, const StreamOptions& stream) {
  return run<Scalar>(exec, Task{Verb::matmul, {&x}, b}, c, options, stream);
}

template <class Scalar, class ExecutionSpace>
StreamReport stream_bilinear_forms(const ExecutionSpace& exec, Source& x, const Matrices& a,
                                   Source& y, Sink& q, const StreamProductsOptions& options,
                                   const StreamOptions& stream) {
  return run<Scalar>(exec, Task{Verb::bilinear_forms, {&x, &y}, a}, q, options, stream);
}

template <class Scalar, class ExecutionSpace>
StreamReport stream_quadratic_forms(const ExecutionSpace& exec, Source& x, const Matrices& a,
                                    Sink& q, const StreamProductsOptions& options,
                                    const StreamOptions& stream) {
  return run<Scalar>(exec, Task{Verb::quadratic_forms, {&x}, a}, q, options, stream);
}

#define SYNELIX_INSTANTIATE(Scalar, Space)                                                   \
  template StreamReport stream_matmul<Scalar, Space>(const Space&, Source&, const Matrices&, \
                                                     Sink&, const StreamProductsOptions&,    \
                                                     const StreamOptions&);                  \
  template StreamReport stream_bilinear_forms<Scalar, Space>(                                \
      const Space&, Source&, const Matrices&, Source&, Sink&, const StreamProductsOptions&,  \
      const StreamOptions&);                                                                 \
  template StreamReport stream_quadratic_forms<Scalar, Space>(                               \
      const Space&, Source&, const Matrices&, Sink&, const StreamProductsOptions&,           \
      const StreamOptions&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
