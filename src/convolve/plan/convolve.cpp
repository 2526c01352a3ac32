// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/prepared_convolution.hpp"
#include "convolve/plan/row_table.hpp"
#include "launch/apart.hpp"
#include "launch/arrays.hpp"
#include "launch/reached.hpp"
#include "launch/watched_parts.hpp"
#include "machine/device_memory.hpp"
#include "machine/spaces.hpp"
#include "types/checks.hpp"

#include <synelix/convolve.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace synelix {
namespace {

void check_block(const Block& block, const Choice& choice, const SeriesShape& shape,
                 std::int64_t bases) {
  plan::check_range("block.rows", block.rows, choice.rows);
  plan::check_range("block.channels", block.channels, shape.channels);
  plan::check_range("block.bases", block.bases, bases);
}

bool is_empty(const Block& block) {
  return block.rows.size() == 0 || block.channels.size() == 0 || block.bases.size() == 0;
}

plan::RowsInParts sizes_of_parts(const Choice& choice) {
  return {.rows = choice.rows,
          .together = std::max<std::int64_t>(1, choice.strip_rows * choice.strips),
          .seconds = choice.seconds};
}

}  // namespace

template <class Scalar, class ExecutionSpace>
struct ConvolvePlan<Scalar, ExecutionSpace>::State
    : plan::PreparedConvolution<Scalar, ExecutionSpace> {
  using Base = plan::PreparedConvolution<Scalar, ExecutionSpace>;
  using Base::Base;

  std::string region = "synelix::convolve";

  /// The samples or events of a run, checked, as a source of the sweeps.
  /// @{
  [[nodiscard]] pack::ArraySource checked(const ExecutionSpace& exec, const StridedSeries& series,
                                          const StridedOutput& features) const {
    const int axis = series.sample_axis();
    plan::check_series(this->shape(), series.shape());
    plan::check_features(features, stored_type<Scalar>, series.data(), axis, this->choice().rows,
                         this->bases());
    plan::check_reached(exec, series.data(), "series");
    plan::check_reached(exec, features, "features");
    plan::check_apart(this->arguments_of(features).reads("series", series.data()));
    return this->source_of(series.data(), axis, 0, 0);
  }
  [[nodiscard]] pack::EventSource checked(const ExecutionSpace& exec, const Events& events,
                                          const StridedOutput& features) const {
    plan::check_reached(exec, events, "events");
    plan::check_series(this->shape(), events.shape());
    plan::check_features(features, stored_type<Scalar>, this->choice().rows, this->shape().channels,
                         this->bases());
    plan::check_reached(exec, features, "features");
    plan::check_apart(this->arguments_of(features));
    return plan::source_of(events);
  }
  /// @}

  /// Computes all rows. \param watch  null: one launch, without a wait
  template <class Input>
  void compute_rows(const ExecutionSpace& exec, const Input& input, const StridedOutput& features,
                    const Watch* watch) const {
    require_running("synelix::convolve");
    const auto source = checked(exec, input, features);
    int axis = 0;
    if constexpr (std::is_same_v<Input, StridedSeries>) axis = input.sample_axis();
    Block block{{0, this->choice().rows}, {0, this->shape().channels}, {0, this->bases()}};
    if (is_empty(block)) return;
    const Kokkos::Profiling::ScopedRegion scope(region);
    plan::RowParts parts("convolve", sizes_of_parts(this->choice()), watch);
    while (const auto rows = parts.next()) {
      block.rows = *rows;
      const auto target = plan::features_of<Scalar>(
          plan::from_row<Scalar>(features, rows->begin, axis), block, axis);
      this->launch(exec, this->run_of(block, target), source);
      if (watch != nullptr) exec.fence("synelix::convolve: the plan's workspace is released");
    }
  }
};

template <class Scalar, class ExecutionSpace>
ConvolvePlan<Scalar, ExecutionSpace>::ConvolvePlan(const ExecutionSpace& exec,
                                                   const SeriesShape& shape,
                                                   const FilterBank<Scalar, ExecutionSpace>& bank,
                                                   const ConvolveOptions& options,
                                                   Workspace workspace) {
  require_running("synelix::ConvolvePlan");
  const Kokkos::Profiling::ScopedRegion region("synelix::convolve::plan");
  m_state = std::unique_ptr<State>(new State(exec, shape, bank, options, workspace));
  plan::warn_of("convolve", shape, bank.window(), m_state->has_short_epoch(), options);
}

template <class Scalar, class ExecutionSpace>
ConvolvePlan<Scalar, ExecutionSpace>::ConvolvePlan(ConvolvePlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
ConvolvePlan<Scalar, ExecutionSpace>& ConvolvePlan<Scalar, ExecutionSpace>::operator=(
    ConvolvePlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
ConvolvePlan<Scalar, ExecutionSpace>::~ConvolvePlan() = default;

template <class Scalar, class ExecutionSpace>
const Choice& ConvolvePlan<Scalar, ExecutionSpace>::choice() const {
  return m_state->choice();
}

template <class Scalar, class ExecutionSpace>
Range ConvolvePlan<Scalar, ExecutionSpace>::samples_for(Range rows) const {
  plan::check_range("rows", rows, choice().rows);
  return m_state->samples_for(rows);
}

template <class Scalar, class ExecutionSpace>
void ConvolvePlan<Scalar, ExecutionSpace>::update(const ExecutionSpace& exec,
                                                  const FilterBank<Scalar, ExecutionSpace>& bank) {
  require_running("synelix::convolve");
  m_state->update(exec, bank);
}

template <class Scalar, class ExecutionSpace>
void ConvolvePlan<Scalar, ExecutionSpace>::run(const ExecutionSpace& exec,
                                               const StridedSeries& series,
                                               StridedOutput features) const {
  m_state->compute_rows(exec, series, features, nullptr);
}

template <class Scalar, class ExecutionSpace>
void ConvolvePlan<Scalar, ExecutionSpace>::run(const ExecutionSpace& exec, const Events& events,
                                               StridedOutput features) const {
  m_state->compute_rows(exec, events, features, nullptr);
}

template <class Scalar, class ExecutionSpace>
void ConvolvePlan<Scalar, ExecutionSpace>::run_watched(const ExecutionSpace& exec,
                                                       const StridedSeries& series,
                                                       StridedOutput features,
                                                       const Watch& watch) const {
  m_state->compute_rows(exec, series, features, &watch);
}

template <class Scalar, class ExecutionSpace>
void ConvolvePlan<Scalar, ExecutionSpace>::run_watched(const ExecutionSpace& exec,
                                                       const Events& events, StridedOutput features,
                                                       const Watch& watch) const {
  m_state->compute_rows(exec, events, features, &watch);
}

template <class Scalar, class ExecutionSpace>
void ConvolvePlan<Scalar, ExecutionSpace>::run_block(const ExecutionSpace& exec, const Block& block,
                                                     const Strided& input,
                                                     std::int64_t first_sample,
                                                     StridedOutput features) const {
  require_running("synelix::convolve");
  const auto& bound = *m_state;
  check_block(block, choice(), bound.shape(), bound.bases());
  plan::check_features(features, stored_type<Scalar>, block.rows.size(), block.channels.size(),
                       block.bases.size());
  if (is_empty(block)) return;
  const Range needed = bound.samples_for(block.rows);
  if (bound.shape().has_events || input.rank != 2 || input.type != bound.shape().type ||
      input.extents[1] != block.channels.size() ||
      (needed.size() > 0 &&
       (first_sample < 0 || needed.begin < first_sample ||
        needed.end - first_sample > input.extents[0] || input.data == nullptr))) {
    throw Error("input",
                plan::extents_text(input) + " of " + std::string(name_of(input.type)) +
                    " from sample " + std::to_string(first_sample) +
                    " does not hold what the block needs",
                "Pass (samples, " + std::to_string(block.channels.size()) + " channels) of " +
                    std::string(name_of(bound.shape().type)) + " with samples [" +
                    std::to_string(needed.begin) + ", " + std::to_string(needed.end) + ")");
  }
  require_addressable("input", input);
  plan::check_reached(exec, input, "input");
  plan::check_reached(exec, features, "features");
  plan::check_apart(bound.arguments_of(features).reads("input", input));
  const Kokkos::Profiling::ScopedRegion region(bound.region);
  bound.launch(exec, bound.run_of(block, plan::features_of<Scalar>(features, block, 0)),
               bound.source_of(input, 0, first_sample, block.channels.begin));
}

template <class Scalar, class ExecutionSpace>
void ConvolvePlan<Scalar, ExecutionSpace>::run_block(const ExecutionSpace& exec, const Block& block,
                                                     const Events& events,
                                                     StridedOutput features) const {
  require_running("synelix::convolve");
  const auto& bound = *m_state;
  plan::check_reached(exec, events, "events");
  plan::check_series(bound.shape(), events.shape());
  check_block(block, choice(), bound.shape(), bound.bases());
  plan::check_features(features, stored_type<Scalar>, block.rows.size(), block.channels.size(),
                       block.bases.size());
  plan::check_reached(exec, features, "features");
  plan::check_apart(bound.arguments_of(features));
  if (is_empty(block)) return;
  const Kokkos::Profiling::ScopedRegion region(bound.region);
  bound.launch(exec, bound.run_of(block, plan::features_of<Scalar>(features, block, 0)),
               plan::source_of(events));
}

template <class Scalar, class ExecutionSpace>
Choice choose(const ExecutionSpace& exec, const SeriesShape& shape,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options) {
  require_running("synelix::choose");
  const plan::RowTable rows = plan::make_rows(shape, bank.window(), options);
  return chooser::make_choice(
      plan::problem_size<Scalar>(shape, rows, bank.taps()),
      plan::resources_of<Scalar>(exec, options), options,
      [&](std::int64_t needed) { return budget_for(exec, options.budget, needed); });
}

Kokkos::LayoutRight seam::features_extents(const Strided& series, int sample_axis,
                                           std::int64_t rows, std::int64_t bases) {
  Kokkos::LayoutRight layout;
  for (int i = 0; i < series.rank; ++i) {
    const auto k = static_cast<std::size_t>(i);
    layout.dimension[k] = static_cast<std::size_t>(i == sample_axis ? rows : series.extents[k]);
  }
  layout.dimension[static_cast<std::size_t>(series.rank)] = static_cast<std::size_t>(bases);
  return layout;
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                \
  template class ConvolvePlan<SCALAR, SPACE>;                             \
  template Choice choose<SCALAR, SPACE>(const SPACE&, const SeriesShape&, \
                                        const FilterBank<SCALAR, SPACE>&, const ConvolveOptions&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
