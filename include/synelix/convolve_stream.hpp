// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/convolve.hpp>
#include <synelix/seam/convolve_stream.hpp>
#include <synelix/seam/spaces.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>

/// \file
/// `ConvolveStream`: a convolution of samples that arrive block by block, for closed loops and for
/// endless sources. The stream keeps the past samples that windows need. For any block lengths, the
/// features have the bits of the entire series convolved at once with the same choice.
///
///     const sx::SeriesShape longest{.samples = 30, .channels = 32};   // of a block
///     sx::ConvolveStream stream(exec, longest, bank, sx::choose_stream(exec, nominal, bank));
///     for (;;) {
///       const sx::Range rows = stream.push(exec, block, features);    // (samples, channels)
///       exec.fence();  // the first rows.size() rows of features are there
///     }

namespace synelix {

/// A convolution whose input arrives in blocks.
///
/// The constructor allocates; `push` and `finish` allocate nothing, copy nothing between memories
/// and fence nothing: they are asynchronous on exec, as `ConvolvePlan::run` is, and their arguments
/// must stay unchanged until exec is fenced. (On a host the result is complete when they return.)
/// One call of a stream may be in flight at a time, all on instances whose work is ordered. A
/// stream dies before Kokkos::finalize.
///
/// Rows are those of the entire series: every n-th sample of each epoch, in order. A row is written
/// as soon as the newest sample of its window has arrived: at once for causal windows, and
/// `delay()` samples later for others. Gaps between epochs have no rows here.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class ConvolveStream {
 public:
  static_assert(seam::computes<Scalar, ExecutionSpace>());

  /// \param longest  shape of the longest block: its samples, channels, stored type and scaling, or
  ///                 whether it holds events. `finish` ends an epoch; the shape must not list
  ///                 epochs.
  /// \param choice   determines the bits: method and instruction set, from `choose_stream` for a
  ///                 series of the expected length. How the work is cut follows from the longest
  ///                 block.
  /// \param options  as for a plan; `method` is the choice's. The budget includes the past samples
  ///                 that the stream holds: twice (window + longest block) samples x channels, or
  ///                 that many events.
  /// \throws Error as ConvolvePlan; for epochs; if the choice was made with other options
  ConvolveStream(const ExecutionSpace& exec, const SeriesShape& longest,
                 const FilterBank<Scalar, ExecutionSpace>& bank, const Choice& choice,
                 const ConvolveOptions& options = {});

  ConvolveStream(ConvolveStream&&) noexcept;             ///< moves: leaves the source unusable
  ConvolveStream& operator=(ConvolveStream&&) noexcept;  ///< as the constructor
  ~ConvolveStream();

  /// Takes a block, and writes the rows that are then complete to the first rows of `features`.
  ///
  /// \param block     (samples, channels, ...) as a View or a Strided, at most as long as
  ///                  `longest`; may be empty; or Events, whose samples are counted from the
  ///                  block's first. Values are stored values; their scaling is that of `longest`.
  ///                  Making an Events allocates; a block of counts in an array does not.
  /// \param features  View or StridedOutput of the block's dimensions followed by the basis, and at
  ///                  least `rows_for(samples)` rows; of events, (rows, channels, bases)
  /// \returns the rows, counted from the first row of the stream. Asynchronous on exec.
  /// \throws Error for another type or number of channels, a block that is too long, features that
  ///         do not fit or overlap the block; the stream is then unchanged
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

  /// Ends the epoch: writes the `rows_at_end` rows that still lack samples: as NaN or as sums with
  /// zeros, depending on the border. The next block starts another epoch.
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

  /// Rows that a push of this many samples would write now.
  [[nodiscard]] std::int64_t rows_for(std::int64_t samples) const;
  /// Rows that `finish` would write now; none for causal windows.
  [[nodiscard]] std::int64_t rows_at_end() const;
  /// The most rows that any call writes.
  [[nodiscard]] std::int64_t most_rows() const;
  /// Samples by which rows lag behind the newest sample: 0 for causal windows, W / 2 for acausal
  /// ones, W - 1 or, with shift, W for anti-causal ones.
  [[nodiscard]] std::int64_t delay() const;
  /// Samples of this epoch so far.
  [[nodiscard]] std::int64_t samples() const;
  /// The method and instruction set that were passed in, and how a block of the longest length is
  /// cut.
  [[nodiscard]] const Choice& choice() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

template <class Scalar, class ExecutionSpace, class... Rest>
ConvolveStream(const ExecutionSpace&, const SeriesShape&, const FilterBank<Scalar, ExecutionSpace>&,
               Rest...) -> ConvolveStream<Scalar, ExecutionSpace>;

/// As `choose`, limited to the methods that give a row as soon as its samples have arrived. The
/// choice is for a ConvolveStream. `samples` are the entire expected series: a SeriesShape, or what
/// `convolve` takes as samples. A plan with the method of this choice gives the same bits.
/// \throws Error as ConvolvePlan, and for the method fft, whose rows wait for a complete block
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
