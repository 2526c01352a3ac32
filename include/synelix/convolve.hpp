// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/seam/convolve.hpp>
#include <synelix/seam/spaces.hpp>
#include <synelix/series.hpp>
#include <synelix/types/convolve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

/// \file
/// `convolve`: a series with every filter of a bank,
///     features(t, c, b) = sum over w in [0, W) of taps(w, b) * x(t + o - w, c)
/// with the lag offset o of alignment.hpp, separately in each epoch. `Border` determines what
/// samples outside the epoch count as. NaN and Inf behave as in the explicit sum. Features have the
/// series' dimensions, with `feature_rows` rows in place of its samples, and the bases as an
/// additional last dimension.
///
///     sx::FilterBank<float> bank(exec, sx::RaisedCosineLog{.bases = 8}, {.window = 100});
///     auto features = sx::convolve<Kokkos::LayoutRight>(exec, samples, bank);  // a View
///
/// `convolve` computes once. `choose` returns how it would compute. `ConvolvePlan` is for many runs
/// of one shape. `feature_rows`, `feature_samples` and `valid_rows` describe the rows.
///
/// If samples or features are in memory that a device does not reach, or reaches only across a bus,
/// `convolve` copies them through the device in blocks, within the budget:
/// ConvolveOptions::staging, Choice::staging. Plans never copy.

namespace synelix {

/// Convolves once, and returns when the result is complete:
///
///     sx::convolve(exec, samples, bank, features);                             // into an output
///     auto features = sx::convolve<Kokkos::LayoutRight>(exec, samples, bank);  // a new View
///
/// | samples                                  | features                                       |
/// |------------------------------------------|------------------------------------------------|
/// | a View: time first, one epoch            | (rows, its other dimensions, bases)            |
/// | `Series` of a View: any axis and epochs  | the same, with rows in the place of samples    |
/// | `Strided`, `StridedSeries`               | the same, into an output only                  |
/// | `scaled(...)` of a View or a `Strided`   | as of the View or the `Strided`                |
/// | `Events`                                 | (rows, channels, bases)                        |
/// | a `std::vector` of these: trials.hpp     | a `std::vector` of as many                     |
///
/// The call allocates its workspace, within the budget, and the features that it returns.
///
/// \tparam Layout    of the View that is returned, in memory of the execution space: LayoutRight or
///                   LayoutLeft
/// \param  exec      the instance that computes; left out: the default one of the bank's space
/// \param  samples   in memory that the execution space or the host can access
/// \param  bank      filters, which also determine the scalar type of the features
/// \param  features  output, a View or a `StridedOutput`, in memory as the samples
/// \param  options   window side, border, method, budgets
/// \throws Error as ConvolvePlan; if not even blocks of one row and one channel fit the budget or
/// the host budget; the message names the bytes that they take
/// \throws Cancelled if options.watch.cancel is set; the features are then incomplete
/// @{
template <class Scalar, class ExecutionSpace, class Samples, class Features>
void convolve(const ExecutionSpace& exec, const Samples& samples,
              const FilterBank<Scalar, ExecutionSpace>& bank, const Features& features,
              const ConvolveOptions& options = {}) {
  if constexpr (seam::takes<ExecutionSpace, seam::Reach::kernels_or_host, Scalar, Samples,
                            Features>()) {  // if not, one sentence says why
    decltype(auto) series = seam::as_series(samples);
    seam::OneShot<Scalar, ExecutionSpace> call(
        exec, series.shape(), seam::argument_of<ExecutionSpace>(series),
        seam::argument_of<ExecutionSpace>(features), bank, options);
    call.convolve(exec, series, seam::output_of(features));
  }
}
template <class Layout, class Scalar, class ExecutionSpace, class Samples>
  requires seam::is_layout<Layout>
auto convolve(const ExecutionSpace& exec, const Samples& samples,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {}) {
  return seam::convolved<Layout>(exec, samples, bank, options);
}
template <class Scalar, class ExecutionSpace, class Samples, class Features>
void convolve(const Samples& samples, const FilterBank<Scalar, ExecutionSpace>& bank,
              const Features& features, const ConvolveOptions& options = {}) {
  convolve(seam::default_instance<ExecutionSpace>("synelix::convolve"), samples, bank, features,
           options);
}
template <class Layout, class Scalar, class ExecutionSpace, class Samples>
  requires seam::is_layout<Layout>
auto convolve(const Samples& samples, const FilterBank<Scalar, ExecutionSpace>& bank,
              const ConvolveOptions& options = {}) {
  return convolve<Layout>(seam::default_instance<ExecutionSpace>("synelix::convolve"), samples,
                          bank, options);
}
/// @}

/// How samples would be convolved, without running anything.
///
///     const sx::Choice choice = sx::choose(exec, samples, bank);
///
/// \param exec      the instance that would compute
/// \param samples   as for `convolve`; or a SeriesShape, as for a plan
/// \param features  output of the call; left out: what `convolve` returns. Samples and features
///                  determine whether blocks are copied through the device (Choice::staging).
/// \throws Error as ConvolvePlan
/// @{
template <class Scalar, class ExecutionSpace>
Choice choose(const ExecutionSpace& exec, const SeriesShape& shape,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {});
template <class Scalar, class ExecutionSpace, class Samples>
Choice choose(const ExecutionSpace& exec, const Samples& samples,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {}) {
  return seam::choose_call(exec, samples, bank, options);
}
template <class Scalar, class ExecutionSpace, class Samples, class Features>
Choice choose(const ExecutionSpace& exec, const Samples& samples,
              const FilterBank<Scalar, ExecutionSpace>& bank, const Features& features,
              const ConvolveOptions& options = {}) {
  return seam::choose_call(exec, samples, bank, features, options);
}
/// @}

/// A choice bound to a series' shape, its epochs and a bank, with its workspace, on one instance.
///
/// The constructor checks, chooses, allocates, and launches each kernel once with no work; `run`
/// then allocates nothing, copies nothing and fences nothing. One run may be in flight at a time;
/// plans on different instances are independent. A plan dies before Kokkos::finalize.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class ConvolvePlan {
 public:
  static_assert(seam::computes<Scalar, ExecutionSpace>());
  /// Memory of the caller for the work items: at least `workspace_bytes` of the choice. (That
  /// number includes the plan's tables, which the plan allocates itself.)
  using Workspace =
      Kokkos::View<std::byte*, typename ExecutionSpace::memory_space, Kokkos::MemoryUnmanaged>;

  /// For series of this shape, in any memory. The overload with samples takes their shape.
  /// \throws Error if an option is out of its range, a batch is smaller than the window, the
  ///         budget is smaller than the smallest workspace (which is named), the method does not
  ///         apply, or Kokkos is not running
  /// @{
  ConvolvePlan(const ExecutionSpace& exec, const SeriesShape& shape,
               const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {},
               Workspace workspace = {});
  template <class Samples>
  ConvolvePlan(const ExecutionSpace& exec, const Samples& samples,
               const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {},
               Workspace workspace = {})
      : ConvolvePlan(exec, seam::shape_of<ExecutionSpace>(samples), bank, options, workspace) {}
  /// @}

  ConvolvePlan(ConvolvePlan&&) noexcept;             ///< moves: leaves the source unusable
  ConvolvePlan& operator=(ConvolvePlan&&) noexcept;  ///< as the constructor
  ~ConvolvePlan();

  /// Computes all features into an output, both as for `convolve`, but in memory that the execution
  /// space can access: `copy_events` copies events there. Asynchronous on exec. Allocates nothing,
  /// except for a View that is `scaled` by a number for each channel: each run copies these
  /// numbers. To avoid that, make a Series of it once.
  /// \throws Error if shapes differ from the plan's, events are out of reach, or the output
  /// overlaps itself or the input: an output whose range of addresses overlaps the input's is
  /// refused, even if their elements interleave
  /// @{
  template <class Samples, class Features>
  void run(const ExecutionSpace& exec, const Samples& samples, const Features& features) const {
    if constexpr (seam::takes<ExecutionSpace, seam::Reach::kernels, Scalar, Samples, Features>()) {
      run(exec, seam::without_view(seam::as_series(samples)), seam::output_of(features));
    }
  }
  void run(const ExecutionSpace& exec, const StridedSeries& series, StridedOutput features) const;
  void run(const ExecutionSpace& exec, const Events& events, StridedOutput features) const;
  /// @}

  /// As `run`, but in parts that the caller watches, and with a fence: the result is complete when
  /// the call returns. If nothing is watched, there is one part.
  /// \throws Error as `run` \throws Cancelled if watch.cancel is set
  /// @{
  void run_watched(const ExecutionSpace& exec, const StridedSeries& series, StridedOutput features,
                   const Watch& watch) const;
  void run_watched(const ExecutionSpace& exec, const Events& events, StridedOutput features,
                   const Watch& watch) const;
  /// @}

  /// Computes one block of the features: `input` holds the samples [first_sample, ...) of the
  /// block's channels, as (samples, channels) and in the plan's stored type, at least
  /// `samples_for(block.rows)`; `features` is (rows, channels, bases) of the block. Events are
  /// those of the entire recording. Asynchronous on exec. \throws Error as `run`, or if the block
  /// leaves the problem
  /// @{
  void run_block(const ExecutionSpace& exec, const Block& block, const Strided& input,
                 std::int64_t first_sample, StridedOutput features) const;
  void run_block(const ExecutionSpace& exec, const Block& block, const Events& events,
                 StridedOutput features) const;
  /// @}

  /// Replaces the taps by those of a bank of the same window and number of bases. Asynchronous on
  /// exec. \throws Error for another shape
  void update(const ExecutionSpace& exec, const FilterBank<Scalar, ExecutionSpace>& bank);

  /// What was chosen.
  [[nodiscard]] const Choice& choice() const;
  /// Rows of the features.
  [[nodiscard]] std::int64_t rows() const { return choice().rows; }
  /// Samples that the given rows depend on; empty if they need none. \throws Error for rows that
  /// leave the features
  [[nodiscard]] Range samples_for(Range rows) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

template <class Scalar, class ExecutionSpace, class... Rest>
ConvolvePlan(const ExecutionSpace&, const SeriesShape&, const FilterBank<Scalar, ExecutionSpace>&,
             Rest...) -> ConvolvePlan<Scalar, ExecutionSpace>;

}  // namespace synelix
