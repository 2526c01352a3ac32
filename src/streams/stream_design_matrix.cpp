// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Design matrices over sources: the rows of a dense pass, read and computed panel by panel.
#include "blocks/block_search.hpp"
#include "glm/pass/dense_pass.hpp"
#include "glm/pass/row_panels.hpp"
#include "glm/pass/segmented_pass.hpp"
#include "machine/budget.hpp"
#include "machine/spaces.hpp"
#include "streams/input_ranges.hpp"
#include "streams/stream_plan.hpp"
#include "streams/streamed_panels.hpp"

#include <synelix/session.hpp>
#include <synelix/stream_design_matrix.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace synelix {
namespace {

/// Rows of a panel: with fewer, reading is slower than computing; more are not faster.
constexpr std::int64_t least_panel_rows = 4096;
constexpr std::int64_t panel_bytes_enough = mebibytes(16);

FeaturesOptions features_options(const DesignMatrixOptions& from) {
  FeaturesOptions options;
  options.border = Border::nan;
  options.method = from.method;
  options.machine = from.machine;
  return options;
}

/// The least budget of a features plan, which choose_features does not return.
template <class ExecutionSpace>
std::int64_t least_plan_budget(const ExecutionSpace& exec, const Expression& expression,
                               const std::vector<InputShape>& shapes, FeaturesOptions options) {
  const auto is_refused = [&](std::int64_t budget) {
    options.budget = budget;
    try {
      static_cast<void>(choose_features<float>(exec, expression, shapes, options));
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  return blocks::last_that(-1, gibibytes(1 << 20) - 1, is_refused) + 1;
}

/// How the sources of a design are read.
struct Reading {
  std::int64_t panel_rows = 0;
  std::vector<std::int64_t> samples;    ///< most samples of each source that a panel depends on
  std::vector<std::int64_t> own_bytes;  ///< for each source: its chunk cache
  std::int64_t bytes = 0;               ///< of two panels of each source, and of the caches

  static Reading of(const std::vector<stream::Feed>& feeds, const stream::Origins& origins,
                    std::int64_t panel_rows, std::int64_t allowed) {
    Reading reading{.panel_rows = panel_rows, .samples = {}, .own_bytes = {}};
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const Source& source = *origins.sources[i];
      const SeriesShape& shape = source.shape();
      const std::int64_t samples = std::min(
          shape.samples, panel_rows - 1 + std::max<std::int64_t>(feeds[i].reach.window, 1));
      const std::int64_t own = source.own_bytes(samples, shape.channels, allowed);
      reading.samples.push_back(samples);
      reading.own_bytes.push_back(own);
      reading.bytes +=
          2 * blocks::buffer_bytes(samples * shape.channels * size_of(shape.type)) + own;
    }
    return reading;
  }
};

/// Halves chunk caches until panels and caches are within a share. Caches of 0 bytes cannot shrink
/// further.
Reading reading_of(const std::vector<stream::Feed>& feeds, const stream::Origins& origins,
                   std::int64_t panel_rows, std::int64_t share) {
  for (std::int64_t allowed = share / 2;; allowed /= 2) {
    Reading reading = Reading::of(feeds, origins, panel_rows, allowed);
    if (reading.bytes <= share || allowed == 0) return reading;
  }
}

/// The largest panels within a share of the budget.
Reading reading_within(const std::vector<stream::Feed>& feeds, const stream::Origins& origins,
                       std::int64_t share, std::int64_t rows) {
  std::int64_t panel_rows = std::min(least_panel_rows, rows);
  const std::int64_t enough = std::min(share, 2 * panel_bytes_enough);
  Reading best = reading_of(feeds, origins, panel_rows, enough);
  if (best.bytes > enough) return reading_of(feeds, origins, panel_rows, share);
  while (panel_rows < rows) {
    panel_rows = std::min(2 * panel_rows, rows);
    Reading next = reading_of(feeds, origins, panel_rows, enough);
    if (next.bytes > enough) break;
    best = std::move(next);
  }
  return best;
}

/// Rows that are read and computed in each walk.
template <class ExecutionSpace>
class StreamedPanels final : public glm::RowPanels {
 public:
  StreamedPanels(const ExecutionSpace& exec, FeaturesPlan<float, ExecutionSpace> plan,
                 std::int64_t plan_budget, stream::Origins origins, const Reading& reading,
                 std::int64_t held, double row_seconds, const std::atomic<bool>* cancel)
      : m_exec(exec),
        m_plan(std::move(plan)),
        m_origins(std::move(origins)),
        // The choice of the plan counts tables of the sweeps twice, its budget does not.
        m_held(std::min(m_plan.choice().workspace_bytes, plan_budget) + reading.bytes + held),
        m_caller(held),
        m_row_seconds(row_seconds),
        m_cancel(cancel),
        m_blocks(m_origins.events.size()),
        m_reader(
            m_origins.sources, m_plan.rows(), reading.panel_rows,
            [this](std::size_t source, Range rows) { return samples_for(source, rows); },
            reading.samples) {}

  [[nodiscard]] std::int64_t rows() const override { return m_plan.rows(); }
  [[nodiscard]] std::int64_t columns() const override { return m_plan.columns(); }
  [[nodiscard]] const std::vector<Term>& terms() const override { return m_plan.terms(); }
  [[nodiscard]] RowSource source() const override { return RowSource::streamed; }
  [[nodiscard]] StoredType type() const override { return StoredType::float32; }
  [[nodiscard]] std::int64_t held_bytes() const override { return m_held; }
  [[nodiscard]] std::int64_t caller_bytes() const override { return m_caller; }
  [[nodiscard]] double row_seconds() const override { return m_row_seconds; }

  void fill(Range wanted, void* to, std::int64_t row_stride) override {
    auto* const first = static_cast<float*>(to);
    for (std::int64_t row = wanted.begin; row < wanted.end;) {
      if (m_cancel != nullptr && m_cancel->load()) {
        throw Cancelled("design_matrix: cancelled in a walk over the rows");
      }
      const Range there = m_reader.bring(row);
      const Range rows{row, std::min(there.end, wanted.end)};
      set_blocks();
      m_plan.run_block(m_exec, rows, m_blocks,
                       StridedOutput(first + (row - wanted.begin) * row_stride,
                                     {rows.size(), columns()}, {row_stride, std::int64_t{1}}));
      m_exec.fence("synelix::design_matrix: the samples of a panel are read");
      row = rows.end;
    }
  }

 private:
  /// The samples of a source that rows depend on through any of its bases.
  [[nodiscard]] Range samples_for(std::size_t source, Range rows) const {
    Range seen{0, 0};
    for (std::size_t i = 0; i < m_origins.events.size(); ++i) {
      if (m_origins.events[i] != nullptr || m_origins.number[i] != source) continue;
      const Range own = m_plan.samples_for(static_cast<std::int64_t>(i), rows);
      if (own.size() == 0) continue;
      seen = seen.size() == 0 ? own
                              : Range{std::min(seen.begin, own.begin), std::max(seen.end, own.end)};
    }
    return seen;
  }

  void set_blocks() {
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
      if (m_origins.events[i] != nullptr) {
        m_blocks[i].events = m_origins.events[i];
        continue;
      }
      const stream::PanelSamples& read = m_reader.samples()[m_origins.number[i]];
      const SeriesShape& shape = m_origins.sources[m_origins.number[i]]->shape();
      Strided& samples = m_blocks[i].samples;
      samples.data = read.data;
      samples.type = shape.type;
      samples.rank = 2;
      samples.extents = {read.samples.size(), shape.channels};
      samples.strides = {shape.channels, 1};
      m_blocks[i].first_sample = read.samples.begin;
    }
  }

  ExecutionSpace m_exec;
  FeaturesPlan<float, ExecutionSpace> m_plan;
  stream::Origins m_origins;
  std::int64_t m_held;
  std::int64_t m_caller;
  double m_row_seconds;
  const std::atomic<bool>* m_cancel;
  std::vector<InputBlock> m_blocks;
  stream::PanelReader m_reader;  ///< last, because its thread uses the other members
};

/// Refuses Method::events if an input is a source, because products then have no lists of events.
void require_method(const DesignMatrixOptions& options, const stream::Origins& origins) {
  if (options.method != Method::events || origins.sources.empty()) return;
  throw Error("options.method", "events is asked for, but an input is an array",
              "Give automatic, direct or fft");
}

}  // namespace

template <class ExecutionSpace>
DesignMatrix stream_design_matrix(const ExecutionSpace& exec, const Expression& expression,
                                  std::span<const StreamInput> inputs,
                                  const DesignMatrixOptions& options, const StreamOptions& stream) {
  const Kokkos::Profiling::ScopedRegion region("synelix::stream_design_matrix");
  require_running("synelix::stream_design_matrix");
  if constexpr (!seam::is_on_host<ExecutionSpace>) {
    throw Error("exec", std::string(exec.name()) + " has no products with streamed designs",
                "Use an execution space of the host, or a DesignMatrix of arrays on the device");
  }
  stream::require_held_bytes(stream.held_bytes);
  stream::Origins origins(inputs);
  if (origins.sources.empty()) {
    std::vector<AnySeries> series;
    series.reserve(origins.events.size());
    for (const Events* const events : origins.events) series.emplace_back(*events);
    return DesignMatrix(exec, expression, series, options);
  }
  require_method(options, origins);
  stream::require_no_samples(expression);
  FeaturesOptions features = features_options(options);
  features.budget = gibibytes(1 << 20);
  const FeaturesChoice choice = choose_features<float>(exec, expression, origins.shapes, features);
  if (choice.columns < 1) {
    throw Error("expression", "it has no columns", "Use bases with one function or more");
  }
  const stream::Reaches reaches(origins, choice);
  const std::int64_t budget = options.budget.value_or(default_budget());
  const std::int64_t least = least_plan_budget(exec, expression, origins.shapes, features);
  const bool keeps = options.keep == Keep::features;
  const std::int64_t pass =
      glm::least_pass_bytes(choice.rows, choice.columns, StoredType::float32, keeps) +
      (keeps ? choice.rows * choice.columns * size_of(StoredType::float32) : 0);
  const std::int64_t smallest = reading_within(reaches.feeds, origins, 0, choice.rows).bytes;
  const std::int64_t needed = stream.held_bytes + least + pass + smallest;
  if (budget < needed) refuse_budget("options.budget", budget, needed);
  const std::int64_t spare = budget - needed;
  const Reading reading = reading_within(reaches.feeds, origins, smallest + spare / 4, choice.rows);
  features.budget = least + spare / 4;
  const std::vector<InputStatistics> statistics = stream::statistics_of(
      exec, expression, origins, {.room = budget - stream.held_bytes, .cancel = stream.cancel});
  for (std::size_t i = 0; i < origins.sources.size(); ++i) {
    origins.sources[i]->begin(reading.samples[i], origins.sources[i]->shape().channels,
                              reading.own_bytes[i]);
  }
  const std::vector<InputShape> shapes = origins.shapes;
  std::vector<Operand> arrays;
  for (const Source* source : origins.sources) {
    if (const std::optional<Strided> array = source->memory()) arrays.emplace_back(*array);
  }
  auto panels = std::make_unique<StreamedPanels<ExecutionSpace>>(
      exec, FeaturesPlan<float, ExecutionSpace>(exec, expression, shapes, features, statistics),
      *features.budget, std::move(origins), reading, stream.held_bytes,
      glm::row_seconds_of(choice.components, shapes), stream.cancel);
  auto dense = glm::make_dense_pass(exec, std::move(panels), options, budget);
  dense->set_inputs(std::move(arrays));
  return DesignMatrix(glm::in_segments(std::move(dense)));
}

#define SYNELIX_INSTANTIATE(SPACE)                                                               \
  template DesignMatrix stream_design_matrix<SPACE>(                                             \
      const SPACE&, const Expression&, std::span<const StreamInput>, const DesignMatrixOptions&, \
      const StreamOptions&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
