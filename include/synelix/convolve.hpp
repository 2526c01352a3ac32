// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/seam/convolve.hpp>
#include <synelix/series.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// `convolve`: a series with every filter of a bank,
///     features(t, c, b) = sum over w in [0, W) of taps(w, b) * x(t + o - w, c)
/// with the lag offset o of alignment.hpp, separately in each epoch. What a window reaches outside
/// its epoch is decided by `Border`. NaN and Inf behave as in the explicit sum.
///
/// `convolve` computes once; `ConvolvePlan` is for many runs of one shape; `choose` tells what
/// would be done. Features have the series' dimensions, the sample axis in its place with
/// `feature_rows` entries, and the basis as an additional last dimension.
///
/// Where samples or features lie in memory that a device does not reach, or across a bus only,
/// `convolve` takes them through the device in blocks inside the budget: ConvolveOptions::staging,
/// Choice::staging. Plans never copy.

namespace synelix {

/// A part of the features: rows, channels and bases, each a half-open range.
struct Block {
  Range rows;
  Range channels;
  Range bases;
};

/// Rows of the features of a series: all samples for Border::nan and Border::zero, those with a
/// whole window for Border::valid; of each epoch, and of each gap between epochs, every
/// `options.every`-th. Rows of gaps are NaN. \throws Error for options out of range
std::int64_t feature_rows(const SeriesShape& shape, std::int64_t window,
                          const ConvolveOptions& options);

/// The sample that each row of the features stands for, ascending.
std::vector<std::int64_t> feature_samples(const SeriesShape& shape, std::int64_t window,
                                          const ConvolveOptions& options);

/// The rows that have values rather than NaN, as sorted disjoint ranges: for Border::nan those with
/// a whole window inside their epoch, for Border::zero those of epochs, for Border::valid all.
std::vector<Range> valid_rows(const SeriesShape& shape, std::int64_t window,
                              const ConvolveOptions& options);

/// How a series of this shape would be convolved on exec, without running anything.
/// \throws Error as ConvolvePlan
template <class Scalar, class ExecutionSpace>
Choice choose(const ExecutionSpace& exec, const SeriesShape& shape,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {});

/// As above, for a Series, StridedSeries or Events, and features in memory of the execution space:
/// what the `convolve` that returns them does.
template <class Scalar, class ExecutionSpace, class Input>
  requires requires(const Input& input) { input.shape(); }
Choice choose(const ExecutionSpace& exec, const Input& input,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {}) {
  return seam::choose_once(exec, input.shape(), seam::argument_of<ExecutionSpace>(input), {}, bank,
                           options);
}

/// As above, for an output that the caller has: a View or a StridedOutput.
template <class Scalar, class ExecutionSpace, class Input, class Features>
  requires requires(const Input& input, const Features& features) {
    input.shape();
    seam::argument_of<ExecutionSpace>(features);
  }
Choice choose(const ExecutionSpace& exec, const Input& input,
              const FilterBank<Scalar, ExecutionSpace>& bank, const Features& features,
              const ConvolveOptions& options = {}) {
  return seam::choose_once(exec, input.shape(), seam::argument_of<ExecutionSpace>(input),
                           seam::argument_of<ExecutionSpace>(features), bank, options);
}

/// A choice bound to a series' shape, its epochs and a bank, with its workspace, on one instance.
///
/// The constructor checks, chooses, allocates, and launches each kernel once with no work; `run`
/// then allocates nothing, copies nothing and fences nothing. One run may be in flight at a time;
/// plans on different instances are independent. A plan dies before Kokkos::finalize.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class ConvolvePlan {
 public:
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "features must be float or double");
  static_assert(seam::is_supported_space<ExecutionSpace>,
                "synelix runs on the Kokkos spaces Serial, OpenMP, Cuda and HIP");
  /// Memory that a caller may lend for the work items: at least `workspace_bytes` of the choice.
  /// (That counts the plan's tables too, which stay its own.)
  using Workspace =
      Kokkos::View<std::byte*, typename ExecutionSpace::memory_space, Kokkos::MemoryUnmanaged>;

  /// For series of this shape, wherever they lie.
  /// \throws Error where an option is out of its range, a batch is smaller than the window, the
  ///         budget is smaller than the smallest workspace (which is named), the method does not
  ///         apply, or Kokkos is not running
  ConvolvePlan(const ExecutionSpace& exec, const SeriesShape& shape,
               const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {},
               Workspace workspace = {});

  /// For a Series, StridedSeries or Events.
  template <class Input>
    requires requires(const Input& input) { input.shape(); }
  ConvolvePlan(const ExecutionSpace& exec, const Input& input,
               const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {},
               Workspace workspace = {})
      : ConvolvePlan(exec, input.shape(), bank, options, workspace) {}

  ConvolvePlan(ConvolvePlan&&) noexcept;
  ConvolvePlan& operator=(ConvolvePlan&&) noexcept;
  ~ConvolvePlan();

  /// Computes all features of a Series, StridedSeries or Events into a View of the series'
  /// dimensions plus the basis; of events, (samples, channels, bases).
  /// Asynchronous on exec. \throws Error where shapes differ from the plan's, or the output
  /// overlaps itself or the input: outputs whose range of addresses meets the input's are refused,
  /// though their values may lie between each other
  template <class Input, class FeaturesView>
    requires Kokkos::is_view_v<FeaturesView>
  void run(const ExecutionSpace& exec, const Input& input, const FeaturesView& features) const {
    check_view<FeaturesView>();
    static_assert(seam::reaches<ExecutionSpace, Input>(),
                  "a series or events must lie in memory that the execution space reaches");
    run(exec, input, StridedOutput(seam::strided_of(features)));
  }
  /// As above, for an output without a View.
  void run(const ExecutionSpace& exec, const StridedSeries& series, StridedOutput features) const;
  /// As above, for events and an output without a View. \throws Error where the execution space
  /// does not reach the events: `copy_events` brings them there
  void run(const ExecutionSpace& exec, const Events& events, StridedOutput features) const;

  /// Computes one block of the features: `input` holds the samples [first_sample, ...) of the
  /// block's channels, as (samples, channels) and in the plan's stored type, at least
  /// `samples_for(block.rows)`; `features` is (rows, channels, bases) of the block.
  /// Asynchronous on exec. \throws Error as `run`, or where the block leaves the problem
  void run_block(const ExecutionSpace& exec, const Block& block, const Strided& input,
                 std::int64_t first_sample, StridedOutput features) const;
  /// As above, from events of the whole recording.
  void run_block(const ExecutionSpace& exec, const Block& block, const Events& events,
                 StridedOutput features) const;

  /// Replaces the taps by those of a bank of the same window and number of bases. Asynchronous on
  /// exec. \throws Error for another shape
  void update(const ExecutionSpace& exec, const FilterBank<Scalar, ExecutionSpace>& bank);

  /// What was chosen.
  [[nodiscard]] const Choice& choice() const;
  /// Rows of the features.
  [[nodiscard]] std::int64_t rows() const { return choice().rows; }
  /// Samples that the given rows depend on; empty where they need none.
  [[nodiscard]] Range samples_for(Range rows) const;

 private:
  template <class FeaturesView>
  static void check_view() {
    static_assert(std::is_same_v<typename FeaturesView::value_type, Scalar>,
                  "features must have the scalar type of the filter bank, and must not be const");
    static_assert(
        Kokkos::SpaceAccessibility<ExecutionSpace, typename FeaturesView::memory_space>::accessible,
        "features must lie in memory that the execution space reaches");
  }
  struct State;
  std::unique_ptr<State> m_state;
};

template <class Scalar, class ExecutionSpace, class... Rest>
ConvolvePlan(const ExecutionSpace&, const SeriesShape&, const FilterBank<Scalar, ExecutionSpace>&,
             Rest...) -> ConvolvePlan<Scalar, ExecutionSpace>;

/// Convolves once, into an output that the caller has. Returns when the result is there. Input and
/// output may lie in memory that the execution space or the host reaches.
/// \throws Error as ConvolvePlan; where not even blocks of one row and one channel fit the budget
/// or the host budget, naming what they take
template <class Scalar, class ExecutionSpace, class Input, class Features>
  requires requires(const Input& input) { input.shape(); }
void convolve(const ExecutionSpace& exec, const Input& input,
              const FilterBank<Scalar, ExecutionSpace>& bank, const Features& features,
              const ConvolveOptions& options = {}) {
  const StridedOutput output = seam::output_of<Scalar>(features);
  seam::OneShot<Scalar, ExecutionSpace> call(
      exec, input.shape(), seam::argument_of<ExecutionSpace>(input),
      seam::argument_of<ExecutionSpace>(features), bank, options);
  call.run(exec, input, output);
}

/// Convolves once, and returns the features in a View of the layout that the caller names, of the
/// series' rank plus one:
///
///     auto features = sx::convolve<Kokkos::LayoutRight>(exec, series, bank);
///
/// The View lies in the memory of the execution space. Returns when the result is there. \throws
/// Error as ConvolvePlan
template <class Layout, class Scalar, class ExecutionSpace, class View>
  requires seam::is_layout<Layout>
auto convolve(const ExecutionSpace& exec, const Series<View>& series,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {}) {
  using Features = Kokkos::View<typename seam::Pointers<Scalar, Series<View>::rank + 1>::type,
                                Layout, typename ExecutionSpace::memory_space>;
  seam::OneShot<Scalar, ExecutionSpace> call(
      exec, series.shape(), seam::argument_of<ExecutionSpace>(series), {}, bank, options);
  auto features = seam::allocate_features<Features>(
      exec, seam::features_extents(series.data(), series.sample_axis(), call.rows(), bank.bases()));
  call.run(exec, series, seam::output_of<Scalar>(features));
  return features;
}

/// As above, for a View whose first dimension is time and which is one epoch.
template <class Layout, class Scalar, class ExecutionSpace, class View>
  requires(seam::is_layout<Layout> && Kokkos::is_view_v<View>)
auto convolve(const ExecutionSpace& exec, const View& samples,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {}) {
  return convolve<Layout>(exec, Series<View>(samples), bank, options);
}

/// Convolves a View whose first dimension is time, one epoch, into an output that the caller has.
template <class Scalar, class ExecutionSpace, class View, class Features>
  requires Kokkos::is_view_v<View>
void convolve(const ExecutionSpace& exec, const View& samples,
              const FilterBank<Scalar, ExecutionSpace>& bank, const Features& features,
              const ConvolveOptions& options = {}) {
  convolve(exec, Series<View>(samples), bank, features, options);
}

/// As above, for events: features(t, c, b).
template <class Layout, class Scalar, class ExecutionSpace>
  requires seam::is_layout<Layout>
auto convolve(const ExecutionSpace& exec, const Events& events,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {}) {
  using Features = Kokkos::View<Scalar***, Layout, typename ExecutionSpace::memory_space>;
  seam::OneShot<Scalar, ExecutionSpace> call(
      exec, events.shape(), seam::argument_of<ExecutionSpace>(events), {}, bank, options);
  auto features = seam::allocate_features<Features>(
      exec, Kokkos::LayoutRight(static_cast<std::size_t>(call.rows()),
                                static_cast<std::size_t>(events.shape().channels),
                                static_cast<std::size_t>(bank.bases())));
  call.run(exec, events, seam::output_of<Scalar>(features));
  return features;
}

/// On the default instance of the bank's space, for callers that do not name one.
template <class Layout, class Scalar, class ExecutionSpace, class Input>
  requires seam::is_layout<Layout>
auto convolve(const Input& input, const FilterBank<Scalar, ExecutionSpace>& bank,
              const ConvolveOptions& options = {}) {
  return convolve<Layout>(seam::default_instance<ExecutionSpace>("synelix::convolve"), input, bank,
                          options);
}

/// On the default instance of the bank's space, from and to memory without Views.
template <class Scalar, class ExecutionSpace>
void convolve(const StridedSeries& series, const FilterBank<Scalar, ExecutionSpace>& bank,
              const StridedOutput& features, const ConvolveOptions& options = {}) {
  convolve(seam::default_instance<ExecutionSpace>("synelix::convolve"), series, bank, features,
           options);
}

}  // namespace synelix
