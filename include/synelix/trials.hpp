// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/convolve.hpp>
#include <synelix/seam/spaces.hpp>
#include <synelix/seam/trials.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Trials: a list of series of unequal lengths, convolved in one call and one launch. Each is
/// convolved separately, and may have its own epochs; no window spans two trials. Lists do not
/// nest: the caller must flatten lists that NeMoS nests.
///
///     using Trial = Kokkos::View<float**, Kokkos::LayoutRight>;
///     std::vector<Trial> trials = read_trials();  // each (samples, channels)
///     auto features = sx::convolve<Kokkos::LayoutRight>(exec, trials, bank);  // a View for each

namespace synelix {

/// A choice bound to the shapes of a list of trials and a bank, with its workspace, on one
/// instance: `ConvolvePlan` for lists. The lengths are fixed; the memory of samples and features
/// may change from run to run.
///
/// In addition to the workspace a plan holds about 700 bytes for each trial, which count toward the
/// budget.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class TrialsPlan {
 public:
  static_assert(seam::computes<Scalar, ExecutionSpace>());

  /// For trials of these shapes, or for the shapes of samples. They must agree in number of
  /// channels, stored type and scaling. One warning is given if some are shorter than the window.
  /// \throws Error for an empty list, for trials that do not agree, or as ConvolvePlan
  /// @{
  TrialsPlan(const ExecutionSpace& exec, std::vector<SeriesShape> shapes,
             const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {});
  template <class Trial>
  TrialsPlan(const ExecutionSpace& exec, const std::vector<Trial>& trials,
             const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {})
      : TrialsPlan(exec, seam::shapes_of<ExecutionSpace>(trials), bank, options) {}
  /// @}

  TrialsPlan(TrialsPlan&&) noexcept;             ///< moves: leaves the source unusable
  TrialsPlan& operator=(TrialsPlan&&) noexcept;  ///< as the constructor
  ~TrialsPlan();

  /// Computes the features of all trials: for each, an output of its dimensions plus the basis,
  /// with `rows(k)` rows; of events, (rows, channels, bases). Asynchronous on exec; one run of a
  /// plan may be in flight at a time. Fences nothing. Allocates nothing, except for Views that are
  /// `scaled` by a number for each channel: each run copies these numbers. To avoid that, make a
  /// Series of each once. If the execution space has its own memory, the table of pointers is
  /// copied there on exec.
  /// \throws Error if shapes differ from the plan's, or outputs overlap one another or an input
  template <class Trial, class Features>
  void run(const ExecutionSpace& exec, const std::vector<Trial>& trials,
           const std::vector<Features>& features) const {
    if constexpr (seam::takes<ExecutionSpace, seam::Reach::kernels, Scalar, Trial, Features>()) {
      require_counts(trials.size(), features.size());
      for (std::size_t k = 0; k < trials.size(); ++k) {
        seam::naming_trial(
            k, [&] { bind(exec, k, seam::as_series(trials[k]), seam::output_of(features[k])); });
      }
      launch(exec);
    }
  }

  /// What was chosen, for all trials together.
  [[nodiscard]] const Choice& choice() const;
  /// Rows of the features of trial k.
  [[nodiscard]] std::int64_t rows(std::size_t k) const;

 private:
  void require_counts(std::size_t trials, std::size_t features) const;
  void bind(const ExecutionSpace& exec, std::size_t k, const StridedSeries& series,
            const StridedOutput& features) const;
  void bind(const ExecutionSpace& exec, std::size_t k, const Events& events,
            const StridedOutput& features) const;
  void launch(const ExecutionSpace& exec) const;

  struct State;
  std::unique_ptr<State> m_state;
};

template <class Scalar, class ExecutionSpace, class Trial, class... Rest>
TrialsPlan(const ExecutionSpace&, const std::vector<Trial>&,
           const FilterBank<Scalar, ExecutionSpace>&, Rest...)
    -> TrialsPlan<Scalar, ExecutionSpace>;

/// Convolves a list of trials once, and returns when the results are complete:
///
///     sx::convolve(exec, trials, bank, features);                             // into outputs
///     auto features = sx::convolve<Kokkos::LayoutRight>(exec, trials, bank);  // a View for each
///
/// Arguments are those of `convolve`, but samples and features are lists of equal length. Samples
/// have any of its forms, one form for all; features are Views or StridedOutputs. If one of them is
/// in host memory that a device does not reach, the trials are convolved one after the other, in
/// blocks. An empty list gives an empty list.
/// \throws Error as TrialsPlan and `convolve`
/// @{
template <class Scalar, class ExecutionSpace, class Trial, class Features>
void convolve(const ExecutionSpace& exec, const std::vector<Trial>& trials,
              const FilterBank<Scalar, ExecutionSpace>& bank, const std::vector<Features>& features,
              const ConvolveOptions& options = {}) {
  if constexpr (seam::takes<ExecutionSpace, seam::Reach::kernels_or_host, Scalar, Trial,
                            Features>()) {
    if (trials.empty() && features.empty()) return;
    if (seam::go_in_blocks(exec, trials, options.staging, features)) {
      return seam::convolve_each(exec, trials, bank, features, options);
    }
    if constexpr (seam::reaches<ExecutionSpace, seam::ArrayIn<Trial>>() &&
                  seam::reaches<ExecutionSpace, Features>()) {
      const TrialsPlan<Scalar, ExecutionSpace> plan(exec, trials, bank, options);
      plan.run(exec, trials, features);
      exec.fence("synelix::convolve: the plan's workspace is released");
    }
  }
}
template <class Layout, class Scalar, class ExecutionSpace, class Trial>
  requires seam::is_layout<Layout>
auto convolve(const ExecutionSpace& exec, const std::vector<Trial>& trials,
              const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {}) {
  using Features = seam::FeaturesView<Layout, Scalar, ExecutionSpace, Trial>;
  std::vector<Features> features;
  if constexpr (seam::returns_features<ExecutionSpace, seam::Reach::kernels_or_host, Trial>()) {
    features.reserve(trials.size());
    if (seam::go_in_blocks(exec, trials, options.staging)) {
      for (std::size_t k = 0; k < trials.size(); ++k) {
        seam::naming_trial(k, [&] {
          features.push_back(seam::convolved<Layout>(exec, trials[k], bank, options));
        });
      }
      return features;
    }
    if constexpr (seam::reaches<ExecutionSpace, seam::ArrayIn<Trial>>()) {
      if (trials.empty()) return features;
      const TrialsPlan<Scalar, ExecutionSpace> plan(exec, trials, bank, options);
      for (std::size_t k = 0; k < trials.size(); ++k) {
        features.push_back(seam::new_features<Features>(exec, seam::as_series(trials[k]),
                                                        plan.rows(k), bank.bases()));
      }
      plan.run(exec, trials, features);
      exec.fence("synelix::convolve: the plan's workspace is released");
    }
  }
  return features;
}
/// @}

}  // namespace synelix
