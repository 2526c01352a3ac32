// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/expression.hpp>
#include <synelix/types/convolve.hpp>
#include <synelix/types/scaled.hpp>
#include <synelix/types/series.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

/// \file
/// What features.hpp declares, without Kokkos: options, inputs, choices and extents. Programs
/// include features.hpp.

namespace synelix {

/// How a design is computed.
struct FeaturesOptions {
  Border border = Border::nan;  ///< content of rows whose window leaves its epoch
  /// For conv mode. `events` applies to inputs that are Events; for others it means `direct`.
  Method method = Method::automatic;
  Batch batch = {};  ///< of each basis in conv mode
  /// Bytes that the call may use beyond its arguments, in the memory of the execution space;
  /// absent: a quarter of what is available there.
  std::optional<std::int64_t> budget = {};
  /// Only every n-th sample of each epoch, counted from its start, becomes a row.
  std::int64_t every = 1;
  Machine machine = {};  ///< widest instruction set, and times of the cost model
  /// For stream_features, as for stream_convolve. compute_features copies only events, if they are
  /// out of reach or for `always`, within the budget. Plans never copy.
  Staging staging = Staging::automatic;
  /// Budget of host memory, if blocks of a stream go through a device; absent: a quarter of what is
  /// available.
  std::optional<std::int64_t> host_budget = {};
  /// Reports the progress of compute_features, and cancels it. For streams use StreamOptions.
  Watch watch = {};
};

/// How a design will be computed.
struct FeaturesChoice {
  std::int64_t rows = 0;              ///< of the features
  std::int64_t columns = 0;           ///< of the features
  std::vector<Term> terms;            ///< the columns of each term
  std::vector<Component> components;  ///< the bases, from left to right
  /// For each component, how it is convolved. In eval mode only rows, every, instruction set, bytes
  /// and seconds are set.
  std::vector<Choice> choices;
  std::int64_t product_rows = 0;  ///< rows of factors that are resident at a time; 0: no products
  std::int64_t workspace_bytes = 0;  ///< what the plan allocates
  double flops = 0;                  ///< floating-point operations
  double bytes = 0;                  ///< of the inputs of every component, and of the features
  double seconds = 0;                ///< predicted by the cost model
};

/// Statistics of all samples of an input that a plan needs beforehand.
struct InputStatistics {
  std::vector<SampleRange> ranges = {};  ///< of each channel
  /// For OrthExponential in eval mode: for each channel the map from exponentials to orthonormal
  /// columns, rates x columns, row-major. NaN in the columns beyond the rank of a channel.
  std::vector<double> orthonormal_map = {};
  std::int64_t orthonormal_columns = 0;  ///< the largest rank of any channel
};

/// One input. It refers to its argument and to the argument's memory; both must outlive it.
///
/// | argument                                | how it is read                      |
/// |-----------------------------------------|-------------------------------------|
/// | a View, a `Strided`, `scaled` of either | time first, one epoch               |
/// | `Series`, `StridedSeries`               | its sample axis, epochs and scaling |
/// | `Events`                                | its epochs                          |
class AnySeries {
 public:
  /// Takes any argument of the table above.
  /// @{
  template <class Samples>
    requires std::is_convertible_v<const Samples&, Operand>
  AnySeries(const Samples& samples)  // NOLINT(google-explicit-constructor): a list of inputs
      : m_samples(samples) {}
  template <class View>
  AnySeries(const Series<View>& series)  // NOLINT(google-explicit-constructor)
      : m_samples(series.view()), m_axis(series.sample_axis()), m_series(&series) {}
  AnySeries(const StridedSeries& series)  // NOLINT(google-explicit-constructor)
      : m_samples(series.data()), m_axis(series.sample_axis()), m_series(&series) {}
  AnySeries(const Events& events)  // NOLINT(google-explicit-constructor)
      : m_events(&events) {}
  /// @}

  /// The shape that a plan needs. \throws Error as StridedSeries
  [[nodiscard]] InputShape shape() const;
  /// The samples. For a series without its scaling, which is in its shape. Empty for events.
  [[nodiscard]] const Operand& samples() const { return m_samples; }
  /// The dimension along time.
  [[nodiscard]] int sample_axis() const { return m_axis; }
  /// The series, or null.
  [[nodiscard]] const StridedSeries* series() const { return m_series; }
  /// The events, or null.
  [[nodiscard]] const Events* events() const { return m_events; }

 private:
  Operand m_samples;
  int m_axis = 0;
  const StridedSeries* m_series = nullptr;
  const Events* m_events = nullptr;
};

/// A part of one input: samples [first_sample, ...) of all its channels as (samples, channels), in
/// the stored type of the plan's shape; or events of the entire recording.
struct InputBlock {
  Strided samples = {};            ///< empty if the input is events
  std::int64_t first_sample = 0;   ///< of the recording: the sample that row 0 of `samples` holds
  const Events* events = nullptr;  ///< null if the input is samples
};

/// The sample that each row of the features stands for, ascending. \throws Error as FeaturesPlan
std::vector<std::int64_t> feature_samples(const Expression& expression,
                                          const std::vector<InputShape>& inputs,
                                          const FeaturesOptions& options = {});

/// The rows of which no column is NaN because of an incomplete window or a gap, as sorted disjoint
/// ranges.
/// \throws Error as FeaturesPlan
std::vector<Range> valid_rows(const Expression& expression, const std::vector<InputShape>& inputs,
                              const FeaturesOptions& options = {});

/// The extents of a design, and the columns of its terms.
struct DesignExtents {
  std::int64_t rows = 0;         ///< of the features
  std::int64_t columns = 0;      ///< of the features
  std::vector<Term> terms = {};  ///< the columns of each term
};

/// The extents of the features, before anything is computed. Needs no running Kokkos.
/// \param statistics  from `find_statistics`, needed if the expression has an OrthExponential in
///                    eval mode, whose columns depend on the samples; may be empty otherwise
/// \throws Error as FeaturesPlan
DesignExtents feature_extents(const Expression& expression, const std::vector<InputShape>& inputs,
                              const FeaturesOptions& options = {},
                              const std::vector<InputStatistics>& statistics = {});

}  // namespace synelix
