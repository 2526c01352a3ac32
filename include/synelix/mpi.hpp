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
/// Component `mpi`: one problem on the ranks of a communicator. Arrays are cut along time, errors
/// of one rank reach all, and sums over rows have the same bits for every number of ranks.
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
/// Calls that are collective say so: all ranks make them, in the same order. The library calls MPI
/// from the thread that calls the library, so MPI_THREAD_FUNNELED is enough. It prints on no rank
/// and ends no process.

namespace synelix::mpi {

/// A convolution of a series that is cut along time: each rank holds the samples of a range, any
/// cut in the order of the ranks, and gets the rows that stand for them. Features have the bits of
/// one process. Samples that windows see on other ranks travel while the rows that see none of them
/// are computed.
/// \tparam Scalar          float or double, of the features
/// \tparam ExecutionSpace  of Kokkos. Samples and features lie in its memory; from a device,
///                         messages go through pinned host memory, unless `MessageMemory::device`
///                         was asked for.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class ConvolvePlan {
 public:
  /// Collective.
  /// \param ranks    has to outlive the plan
  /// \param whole    the series of all ranks: samples, epochs, scaling; no events
  /// \param own      samples of this rank; may be empty
  /// \param bank     the same on all ranks
  /// \param options  the same on all ranks, but for budgets. The budget of a rank includes the
  ///                 memory of samples that come from others.
  /// \throws RankError on all ranks: as synelix::ConvolvePlan, where what has to be the same
  ///         differs, or where the ranges of the ranks do not follow each other from 0 to the last
  ///         sample
  ConvolvePlan(const Ranks& ranks, const ExecutionSpace& exec, const SeriesShape& whole, Range own,
               const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options = {});
  ConvolvePlan(ConvolvePlan&&) noexcept;             ///< moves: leaves the source unusable
  ConvolvePlan& operator=(ConvolvePlan&&) noexcept;  ///< as the constructor
  ~ConvolvePlan();

  /// Sends the samples that others need, asks for those that this rank needs, and starts the rows
  /// that need none. Collective with `finish`: each rank calls both, in this order.
  /// \param own       (samples of this rank, channels) in the series' stored type, of any strides;
  ///                  unchanged until `finish` has returned
  /// \param features  (rows(), channels, bases), complete once exec is done after `finish`
  /// \throws Error for other extents or another type, on this rank alone: call it inside
  ///         `together` where ranks may differ. StateError where a start has not been finished.
  /// @{
  template <class Samples, class Features>
  void start(const ExecutionSpace& exec, const Samples& own, const Features& features) {
    start(exec, as_strided(own), seam::output_of(features));
  }
  void start(const ExecutionSpace& exec, const Strided& own, const StridedOutput& features);
  /// @}

  /// Waits for the samples of others, and starts the rows that need them.
  /// \throws StateError where nothing was started, or MPI fails
  void finish(const ExecutionSpace& exec);

  [[nodiscard]] Range rows() const;  ///< of the features of all ranks, those of this rank
  /// Of those, the rows that see no sample of another rank.
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
