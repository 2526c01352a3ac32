// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/convolve.hpp>
#include <synelix/expression.hpp>
#include <synelix/scaled.hpp>
#include <synelix/seam/features.hpp>
#include <synelix/seam/spaces.hpp>
#include <synelix/series.hpp>
#include <synelix/types/features.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// \file
/// `compute_features`: the columns of an expression of bases (expression.hpp), a matrix
/// (rows, columns), each column computed and written once.
///
///     auto design = sx::compute_features(exec, bump * position + history, {counts, xy, spikes});
///     design.values;                   // (samples, columns)
///     design.part("History");          // (samples, channels, bases) of that term, not a copy
///
/// `FeaturesPlan` is for many runs of one shape and for streams, `choose_features` returns how it
/// would be computed.
///
/// All inputs have the same samples and the same epochs. Rows are those of `convolve`: with
/// Border::nan and Border::zero every sample, with Border::valid the samples at which every basis
/// in conv mode has a complete window; of each epoch every n-th. Rows of gaps between epochs are
/// NaN in all columns, also in eval mode. Samples of gaps do not count in ranges, because they are
/// not data.

namespace synelix {

/// The range of each channel of a block, from the samples of epochs, with the scaling of `shape`
/// applied. One pass over the samples on exec, and a fence; allocates a few bytes for each channel.
/// For Events (samples without an event count as 0) it is counted on the host.
/// \throws Error if the block does not fit the shape
template <class ExecutionSpace>
std::vector<SampleRange> find_ranges(const ExecutionSpace& exec, const SeriesShape& shape,
                                     const InputBlock& block);

/// The statistics of each input that a plan for this expression needs: one entry for each input,
/// empty if nothing is needed. For OrthExponential the host reads the samples, which must be in its
/// memory. The maps come from an orthogonal decomposition that is updated sample by sample.
/// \throws Error if inputs do not fit the expression or exec cannot access them, or OrthExponential
/// has more rates than a channel has samples
template <class ExecutionSpace>
std::vector<InputStatistics> find_statistics(const ExecutionSpace& exec,
                                             const Expression& expression,
                                             std::span<const AnySeries> inputs);

/// How an expression would be computed on exec, without running anything. Ranges are not needed.
/// \throws Error as FeaturesPlan
template <class Scalar, class ExecutionSpace>
FeaturesChoice choose_features(const ExecutionSpace& exec, const Expression& expression,
                               const std::vector<InputShape>& inputs,
                               const FeaturesOptions& options = {});

/// An expression bound to the shapes of its inputs, with its tables and workspace, on one instance.
///
/// The constructor checks, chooses, allocates, and launches each kernel once with no work; `run`
/// then allocates nothing, copies nothing and fences nothing: one launch for each basis that is a
/// term, and for products some launches for each `product_rows` rows. The bits are the same for
/// every block, batch and budget. One run may be in flight at a time.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class FeaturesPlan {
 public:
  static_assert(seam::computes<Scalar, ExecutionSpace>());

  /// \param expression  what the columns are
  /// \param inputs      one shape for each input, from left to right
  /// \param options     border, rows, budget
  /// \param statistics  one entry for each input, from `find_statistics` or with ranges from
  ///                    `find_ranges`; may be empty if `input_uses` requires none
  /// \throws Error if the number of inputs is not what the expression consumes, their samples or
  ///         epochs differ, inputs of a product differ in shape, statistics are missing, an option
  ///         is out of its range or the budget is too small, or Kokkos is not running
  FeaturesPlan(const ExecutionSpace& exec, const Expression& expression,
               const std::vector<InputShape>& inputs, const FeaturesOptions& options = {},
               const std::vector<InputStatistics>& statistics = {});
  FeaturesPlan(FeaturesPlan&&) noexcept;             ///< moves: leaves the source unusable
  FeaturesPlan& operator=(FeaturesPlan&&) noexcept;  ///< as the constructor
  ~FeaturesPlan();

  /// Computes all features into `features`, (rows, columns): a View or a `StridedOutput` of the
  /// plan's scalar type. Inputs are a span, or a list in braces. Asynchronous on exec.
  /// \throws Error if inputs differ from the plan's, or the output overlaps itself or an input
  /// @{
  template <class Output>
  void run(const ExecutionSpace& exec, std::span<const AnySeries> inputs,
           const Output& features) const {
    run_all(exec, inputs, seam::features_on<Scalar, ExecutionSpace>(features));
  }
  template <class Output>
  void run(const ExecutionSpace& exec, std::initializer_list<AnySeries> inputs,
           const Output& features) const {
    run(exec, std::span<const AnySeries>(inputs.begin(), inputs.size()), features);
  }
  /// @}

  /// Computes some rows into `features`, (rows.size(), columns). Each block holds at least
  /// `samples_for(input, rows)`. Asynchronous on exec. \throws Error as `run`, or if the rows leave
  /// the design
  void run_block(const ExecutionSpace& exec, Range rows, std::span<const InputBlock> blocks,
                 StridedOutput features) const;

  /// As `run`, but in parts that the caller watches, and with a fence: the result is complete when
  /// the call returns. \throws Error as `run` \throws Cancelled if watch.cancel is set
  void run_watched(const ExecutionSpace& exec, std::span<const AnySeries> inputs,
                   const StridedOutput& features, const Watch& watch) const;

  /// What was chosen: terms, components, how each is computed.
  [[nodiscard]] const FeaturesChoice& choice() const;
  /// Rows of the features.
  [[nodiscard]] std::int64_t rows() const { return choice().rows; }
  /// Columns of the features.
  [[nodiscard]] std::int64_t columns() const { return choice().columns; }
  /// The columns of each term.
  [[nodiscard]] const std::vector<Term>& terms() const { return choice().terms; }
  /// Samples of one input that the given rows depend on; empty if they need none.
  [[nodiscard]] Range samples_for(std::int64_t input, Range rows) const;

 private:
  void run_all(const ExecutionSpace& exec, std::span<const AnySeries> inputs,
               const StridedOutput& features) const;
  void run_parts(const ExecutionSpace& exec, std::span<const AnySeries> inputs,
                 const StridedOutput& features, const Watch* watch) const;
  struct State;
  std::unique_ptr<State> m_state;
};

/// The part of a View (rows, columns) that belongs to a term, as (rows, channels, bases).
template <class View>
  requires Kokkos::is_view_v<View>
auto part_of(const View& features, const Term& term) {
  static_assert(View::rank() == 2,
                "features of an expression must have two dimensions: (rows, columns)");
  using Value = typename View::value_type;
  using Part = Kokkos::View<Value***, Kokkos::LayoutStride, typename View::memory_space,
                            Kokkos::MemoryUnmanaged>;
  const std::size_t step = features.stride(1);
  return Part(features.data() + static_cast<std::size_t>(term.columns.begin) * step,
              Kokkos::LayoutStride(features.extent(0), features.stride(0),
                                   static_cast<std::size_t>(term.channels),
                                   static_cast<std::size_t>(term.bases) * step,
                                   static_cast<std::size_t>(term.bases), step));
}

/// The parts of a View (rows, columns) that belong to the terms, each (rows, channels, bases), not
/// copied; the View must outlive them. \throws Error if the terms have another number of columns
template <class View>
  requires Kokkos::is_view_v<View>
auto split(const View& features, const std::vector<Term>& terms) {
  static_cast<void>(split(seam::strided_of(features), terms, 1));
  std::vector<decltype(part_of(features, terms.front()))> parts;
  for (const Term& term : terms) parts.push_back(part_of(features, term));
  return parts;
}

/// A design and its terms.
template <class View>
struct Features {
  View values;              ///< (rows, columns)
  std::vector<Term> terms;  ///< the columns of each term

  /// The columns of a term as (rows, channels, bases), not copied. \throws Error for a label that
  /// no term has; the message names the existing ones
  [[nodiscard]] auto part(const std::string& label) const {
    return part_of(values, term_of(terms, label));
  }
};

/// Computes the features of an expression once, and returns them with their terms in a View
/// (rows, columns) of the layout and scalar type that the caller names:
///
///     auto design = sx::compute_features<double>(exec, expression, {counts, position});
///
/// There is one input for each that the expression consumes, from left to right: a span, or a list
/// in braces. Returns when the result is complete. Allocates the result and, until then, the plan's
/// workspace.
/// \throws Error as FeaturesPlan
template <class Scalar = float, class Layout = Kokkos::LayoutRight, class ExecutionSpace>
auto compute_features(const ExecutionSpace& exec, const Expression& expression,
                      std::span<const AnySeries> inputs, const FeaturesOptions& options = {}) {
  static_assert(seam::is_layout<Layout>, "the layout must be LayoutRight or LayoutLeft");
  using View = Kokkos::View<Scalar**, Layout, typename ExecutionSpace::memory_space>;
  Features<View> features;
  features.terms = seam::compute_features_at<Scalar>(
      exec, expression, inputs, options, [&](std::int64_t rows, std::int64_t columns) {
        features.values = seam::allocate_features<View>(
            exec, Layout(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)));
        return seam::features_on<Scalar, ExecutionSpace>(features.values);
      });
  return features;
}

/// The same into memory of the caller, whose type determines the scalar type: float32 or float64.
/// Returns the terms with their columns.
///
///     const auto shape = sx::feature_extents(expression, shapes);
///     std::vector<double> values(shape.rows * shape.columns);
///     sx::compute_features(exec, expression, inputs,
///                          sx::StridedOutput(values.data(), {shape.rows, shape.columns}));
///
/// \throws Error as FeaturesPlan and its `run` \throws Cancelled if options.watch.cancel is set;
/// the features are then incomplete
template <class ExecutionSpace>
std::vector<Term> compute_features(const ExecutionSpace& exec, const Expression& expression,
                                   std::span<const AnySeries> inputs, const StridedOutput& features,
                                   const FeaturesOptions& options = {});

/// As above, with the inputs written out.
template <class Scalar = float, class Layout = Kokkos::LayoutRight, class ExecutionSpace>
auto compute_features(const ExecutionSpace& exec, const Expression& expression,
                      std::initializer_list<AnySeries> inputs,
                      const FeaturesOptions& options = {}) {
  return compute_features<Scalar, Layout>(
      exec, expression, std::span<const AnySeries>(inputs.begin(), inputs.size()), options);
}

}  // namespace synelix
