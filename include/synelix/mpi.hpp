// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/convolve.hpp>
#include <synelix/error.hpp>
#include <synelix/seam/output.hpp>
#include <synelix/stream.hpp>
#include <synelix/types/mpi.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>

/// \file
/// Component `mpi`: one problem on the ranks of a communicator. Arrays are cut along time, an error
/// on one rank is thrown on all, and sums over rows have the same bits for every number of ranks.
///
///     MPI_Init(&argc, &argv);
///     {
///       const sx::Session session;
///       const sx::mpi::Ranks ranks(MPI_COMM_WORLD);
///       const sx::Range own = ranks.share(whole.samples);
///       sx::mpi::ConvolvePlan<float> plan(ranks, exec, whole, own, bank);
///       plan.start(exec, samples, features);  // samples of `own`, features of `plan.rows()`
///       plan.finish(exec);
///     }
///     MPI_Finalize();
///
/// Collective calls are marked as such: all ranks make them, in the same order. The library calls
/// MPI from the thread that calls the library, so MPI_THREAD_FUNNELED is enough. It prints on no
/// rank and ends no process.

namespace synelix::mpi {

/// A convolution of a series that is cut along time: each rank holds the samples of a range, in the
/// order of the ranks, and gets the rows of these samples. The ranges may have any lengths.
/// Features have the bits of one process. Samples of other ranks are sent while the rows that need
/// none of them are computed.
/// \tparam Scalar          float or double, of the features
/// \tparam ExecutionSpace  of Kokkos. Samples and features are in its memory. On a device, messages
///                         go through pinned host memory unless `MessageMemory::device` is set.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class ConvolvePlan {
 public:
  /// Collective.
  /// \param ranks    must outlive the plan
  /// \param whole    the series of all ranks: samples, epochs, scaling; no events
  /// \param own      samples of this rank; may be empty
  /// \param bank     the same on all ranks
  /// \param options  the same on all ranks, except for budgets. The budget of a rank includes the
  ///                 memory of samples that come from others.
  /// \throws RankError on all ranks: as synelix::ConvolvePlan, if an argument differs that must be
  ///         the same, or if the ranges of the ranks are not contiguous from 0 to the last sample
  ConvolvePlan(const Ranks& ranks, const ExecutionSpace& exec, const SeriesShape& whole, Range own,
               const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {});
  ConvolvePlan(ConvolvePlan&&) noexcept;             ///< moves: leaves the source unusable
  ConvolvePlan& operator=(ConvolvePlan&&) noexcept;  ///< as the constructor
  ~ConvolvePlan();

  /// Sends the samples that others need, requests those that this rank needs, and starts the rows
  /// that need none. Collective with `finish`: each rank calls both, in this order.
  /// \param own       (samples of this rank, channels) in the series' stored type, of any strides;
  ///                  unchanged until `finish` has returned
  /// \param features  (rows(), channels, bases), complete once exec is done after `finish`
  /// \throws Error for other extents or another type, on this rank alone: call it inside `together`
  ///         if ranks may differ. StateError if an earlier start is not finished.
  /// @{
  template <class Samples, class Features>
  void start(const ExecutionSpace& exec, const Samples& own, const Features& features) {
    start(exec, as_strided(own), seam::output_of(features));
  }
  void start(const ExecutionSpace& exec, const Strided& own, const StridedOutput& features);
  /// @}

  /// Waits for the samples of others, and starts the rows that need them.
  /// \throws StateError if nothing was started, or MPI fails
  void finish(const ExecutionSpace& exec);

  [[nodiscard]] Range rows() const;  ///< the rows of this rank, of the features of all ranks
  /// The rows of this rank that need no sample of another rank.
  [[nodiscard]] Range interior() const;
  [[nodiscard]] std::int64_t halo_bytes() const;  ///< that other ranks send to this one
  [[nodiscard]] const Choice& choice() const;     ///< as of one process; workspace of this rank

 private:
  template <class Samples>
  static Strided as_strided(const Samples& samples) {
    if constexpr (Kokkos::is_view_v<Samples>) {
      return seam::read_only(seam::strided_of(samples));
    } else {
      return samples;
    }
  }

  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace synelix::mpi
