// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/convolve.hpp>
#include <synelix/seam/convolve_stream.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>

/// \file
/// `ConvolveStream`: a convolution of samples that arrive block by block, for closed loops and for
/// sources without an end. The stream carries what windows need of the past; whatever the lengths
/// of the blocks, the features have the bits of the whole series convolved at once, under the same
/// choice.
///
///     const sx::SeriesShape longest{.samples = 30, .channels = 32};   // of a block
///     sx::ConvolveStream stream(exec, longest, bank, sx::choose_stream(exec, nominal, bank));
///     for (;;) {
///       const sx::Range rows = stream.push(exec, block, features);    // (samples, channels)
///       exec.fence();  // the first rows.size() rows of features are there
///     }

namespace synelix {

/// A convolution whose input comes in blocks.
///
/// The constructor allocates; `push` and `finish` allocate nothing, copy nothing between memories
/// and fence nothing: they are asynchronous on exec, as `ConvolvePlan::run` is, and what they are
/// given stays untouched until exec is fenced. (On a host the result is there when they return.)
/// One call of a stream may be in flight at a time, all on instances of one order of work. A stream
/// dies before Kokkos::finalize.
///
/// Rows are those of the whole series: every n-th sample of each epoch, in order. A row is given as
/// soon as the newest sample of its window is there: at once for causal windows, and `delay()`
/// samples late for others. Gaps between epochs have no rows here.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class ConvolveStream {
 public:
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "features must be float or double");
  static_assert(seam::is_supported_space<ExecutionSpace>,
                "synelix runs on the Kokkos spaces Serial, OpenMP, Cuda and HIP");

  /// \param longest  shape of the longest block: its samples, channels, stored type and scaling, or
  ///                 whether it holds events. Epochs are marked by `finish`, and not listed here.
  /// \param choice   what decides the bits: method and instruction set, from `choose_stream` for
  ///                 a series of the length that is expected. How the work is cut follows
  ///                 from the longest block.
  /// \param options  as for a plan; `method` is the choice's. The budget counts what the stream
  ///                 holds of the past: twice (window + longest block) samples x channels, or so
  ///                 many events.
  /// \throws Error as ConvolvePlan; for epochs; where the choice is another one's than of these
  ///         options
  ConvolveStream(const ExecutionSpace& exec, const SeriesShape& longest,
                 const FilterBank<Scalar, ExecutionSpace>& bank, const Choice& choice,
                 const ConvolveOptions& options = {});

  ConvolveStream(ConvolveStream&&) noexcept;             ///< moves: leaves the source unusable
  ConvolveStream& operator=(ConvolveStream&&) noexcept;  ///< as the constructor
  ~ConvolveStream();

  /// Takes a block, and writes the rows that are known by it to the first rows of `features`.
  ///
  /// \param block     (samples, channels, ...) as a View or a Strided, at most as long as
  ///                  `longest` and perhaps empty; or Events, whose samples are counted from the
  ///                  block's first. Stored values: the scaling is that of `longest`. Making an
  ///                  Events allocates; a block of counts in an array does not.
  /// \param features  View or StridedOutput of the block's dimensions with the basis behind them,
  ///                  and at least `rows_for(samples)` rows; of events, (rows, channels, bases)
  /// \returns the rows, counted from the first row of the stream. Asynchronous on exec.
  /// \throws Error for another type or number of channels, a block that is too long, features that
  ///         do not fit or overlap the block; nothing is taken then
  /// @{
  template <class Block, class Features>
  Range push(const ExecutionSpace& exec, const Block& block, const Features& features) {
    if constexpr (seam::takes_block<ExecutionSpace, Scalar, Block, Features>()) {
      return push(exec, seam::without_view_of_block(block), seam::output_of(features));
    } else {
      return {};
    }
  }
  Range push(const ExecutionSpace& exec, const Strided& block, const StridedOutput& features);
  Range push(const ExecutionSpace& exec, const Events& block, const StridedOutput& features);
  /// @}

  /// Ends the epoch: writes the rows that were waiting for samples that do not come, `rows_at_end`
  /// of them: NaN or sums with zeros, as the border says. The next block starts another epoch.
  ///
  /// \param features  as for `push`, with at least `rows_at_end` rows
  /// \returns the rows. Asynchronous on exec. \throws Error for features that do not fit
  /// @{
  template <class Features>
  Range finish(const ExecutionSpace& exec, const Features& features) {
    if constexpr (seam::takes_features<ExecutionSpace, seam::Reach::kernels, Scalar, 0,
                                       Features>()) {
      return finish(exec, seam::output_of(features));
    } else {
      return {};
    }
  }
  Range finish(const ExecutionSpace& exec, const StridedOutput& features);
  /// @}

  /// Rows that a push of so many samples gives now.
  [[nodiscard]] std::int64_t rows_for(std::int64_t samples) const;
  /// Rows that `finish` gives now; none for causal windows.
  [[nodiscard]] std::int64_t rows_at_end() const;
  /// The most rows that any call gives.
  [[nodiscard]] std::int64_t most_rows() const;
  /// Samples by which rows lag behind the newest sample: 0 for causal windows, W / 2 for acausal
  /// ones, W - 1 or, with shift, W for anti-causal ones.
  [[nodiscard]] std::int64_t delay() const;
  /// Samples of this epoch so far.
  [[nodiscard]] std::int64_t samples() const;
  /// The method and instruction set that were passed in, and how a longest block is cut.
  [[nodiscard]] const Choice& choice() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

template <class Scalar, class ExecutionSpace, class... Rest>
ConvolveStream(const ExecutionSpace&, const SeriesShape&, const FilterBank<Scalar, ExecutionSpace>&,
               Rest...) -> ConvolveStream<Scalar, ExecutionSpace>;

/// As `choose`, by the methods that give a row as soon as its samples are there: what a stream of
/// blocks is made with. `samples` stand for the whole series that is expected: a SeriesShape, or
/// what `convolve` takes as samples. A plan with the method of this choice gives the same bits.
/// \throws Error as ConvolvePlan, and for the method fft, whose rows wait for their block
/// @{
template <class Scalar, class ExecutionSpace>
Choice choose_stream(const ExecutionSpace& exec, const SeriesShape& shape,
                     const FilterBank<Scalar, ExecutionSpace>& bank,
                     const ConvolveOptions& options = {});
template <class Scalar, class ExecutionSpace, class Samples>
Choice choose_stream(const ExecutionSpace& exec, const Samples& samples,
                     const FilterBank<Scalar, ExecutionSpace>& bank,
                     const ConvolveOptions& options = {}) {
  return choose_stream(exec, seam::shape_of<ExecutionSpace>(samples), bank, options);
}
/// @}

}  // namespace synelix
