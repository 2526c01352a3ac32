// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"
#include "convolve/plan/bank_taps.hpp"
#include "convolve/plan/row_table.hpp"
#include "convolve/plan/sample_scaling.hpp"
#include "convolve/plan/sweep_launches.hpp"
#include "convolve/sweep/problem.hpp"
#include "launch/apart.hpp"
#include "launch/host_space.hpp"
#include "launch/plan_memory.hpp"

#include <synelix/choice.hpp>
#include <synelix/convolve.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

/// \file
/// The state of a convolution plan after its choice: tables on the device, workspace and labels;
/// and the launch of its sweep.

namespace synelix::plan {

/// The taps of a bank on the host and in the memory of the kernels. References both.
template <class Scalar>
class BankTaps {
 public:
  template <class ExecutionSpace>
  BankTaps(const FilterBank<Scalar, ExecutionSpace>& bank)  // NOLINT(google-explicit-constructor)
      : m_host(&bank.taps()), m_values(bank.view().data()) {}
  /// \param values  taps(w, b) in the working type
  BankTaps(const Taps& host, const Scalar* values) : m_host(&host), m_values(values) {}

  [[nodiscard]] std::int64_t window() const { return m_host->window; }
  [[nodiscard]] std::int64_t bases() const { return m_host->bases; }
  [[nodiscard]] const Taps& taps() const { return *m_host; }
  [[nodiscard]] const Scalar* values() const { return m_values; }

 private:
  const Taps* m_host;
  const Scalar* m_values;
};

/// Tables, workspace and launches of one plan.
template <class Scalar, class ExecutionSpace>
class PreparedConvolution {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Bank = BankTaps<Scalar>;
  using Workspace = Kokkos::View<std::byte*, MemorySpace, Kokkos::MemoryUnmanaged>;

  PreparedConvolution(const ExecutionSpace& exec, const SeriesShape& shape, const Bank& bank,
                      const ConvolveOptions& options, Workspace borrowed)
      : PreparedConvolution(exec, shape, make_rows(shape, bank.window(), options), bank, options,
                            borrowed) {}

  /// Takes rows that are already laid out, `extra_bytes` that the caller allocates itself, and
  /// optionally a choice for them.
  PreparedConvolution(const ExecutionSpace& exec, const SeriesShape& shape, RowTable rows,
                      const Bank& bank, const ConvolveOptions& options, Workspace borrowed,
                      std::int64_t extra_bytes = 0,
                      const std::optional<Choice>& choice = std::nullopt);

  // A copy would launch with the segments of the original.
  PreparedConvolution(const PreparedConvolution&) = delete;
  PreparedConvolution& operator=(const PreparedConvolution&) = delete;
  PreparedConvolution(PreparedConvolution&&) noexcept = default;
  PreparedConvolution& operator=(PreparedConvolution&&) noexcept = default;
  ~PreparedConvolution() = default;

  void update(const ExecutionSpace& exec, const Bank& bank);

  /// Launches each kernel once, with no work, so that Kokkos makes its allocations for an instance
  /// now.
  void warm_up(const ExecutionSpace& exec) const;
  /// The arguments of a run that writes features, except the input. The workspace may be the
  /// caller's.
  [[nodiscard]] Arguments arguments_of(const StridedOutput& features) const {
    Arguments arguments;
    arguments.writes("features", features)
        .writes("workspace", m_workspace.data(), m_workspace.size());
    return arguments;
  }

  /// Later launches use other memory, of as many bytes as the plan's own.
  void use_workspace(const Workspace& workspace) { m_workspace = workspace; }
  [[nodiscard]] const Workspace& workspace() const { return m_workspace; }

  /// The run of one block, whose features are given.
  [[nodiscard]] SweepRun<Scalar> run_of(const Block& block,
                                        const sweep::FeatureTarget<Scalar>& features) const;
  /// The run of rows of one epoch that is in no table and has `samples` so far: the rows after the
  /// first `given`, numbered from 0, at most as many as the choice was made for.
  [[nodiscard]] SweepRun<Scalar> epoch_run(Range samples, std::int64_t given,
                                           const sweep::FeatureTarget<Scalar>& features) const;
  /// \param source  events of the entire recording, or an array whose (samples, channels) start at
  ///                its `first_sample` and the block's first channel
  template <class Source>
  void launch(const ExecutionSpace& exec, const SweepRun<Scalar>& run, const Source& source) const;

  /// The samples of an array as a source, with the plan's scaling.
  [[nodiscard]] pack::ArraySource source_of(const Strided& data, int sample_axis,
                                            std::int64_t first_sample,
                                            std::int64_t first_channel) const;

  [[nodiscard]] Range samples_for(Range rows) const;

  [[nodiscard]] const SeriesShape& shape() const { return m_shape; }
  [[nodiscard]] const Choice& choice() const { return m_choice; }
  [[nodiscard]] std::int64_t window() const { return m_window; }
  [[nodiscard]] std::int64_t bases() const { return m_bases; }
  [[nodiscard]] std::int64_t lag() const { return m_rows.lag; }
  [[nodiscard]] const RowTable& rows() const { return m_rows; }
  [[nodiscard]] const tune::Mapping& mapping() const { return m_mapping; }
  [[nodiscard]] bool has_short_epoch() const { return m_rows.has_short_epoch; }
  /// Records the borders of executed work items, for tests.
  void record(index::WorkItem* items) { m_record.items = items; }

 private:
  void upload_tables(const ExecutionSpace& exec);
  void load_taps(const ExecutionSpace& exec, const Bank& bank);
  [[nodiscard]] index::WorkGrid grid_of(Range strips, Range channels, Range bases) const;
  [[nodiscard]] sweep::Problem<Scalar> problem() const;
  [[nodiscard]] SweepLaunch<ExecutionSpace> launch_on(const ExecutionSpace& exec) const;

  SeriesShape m_shape;
  std::int64_t m_window;
  std::int64_t m_bases;
  RowTable m_rows;
  SharedFilter m_shared;  ///< of the bank, if it is computed once
  chooser::ProblemSize m_size;
  chooser::Resources m_resources;
  Choice m_choice;
  std::int64_t m_team_bytes = 0;
  tune::Mapping m_mapping;
  const index::Segment* m_segments = nullptr;
  Kokkos::View<index::Segment*, MemorySpace> m_uploaded_segments;  ///< on a device
  OwnedMemory<Scalar, MemorySpace> m_taps;                         ///< b fastest, with zeros before
                                                                   ///< and after
  OwnedMemory<Scalar, MemorySpace> m_filters;  ///< w fastest, for the direct method
  OwnedMemory<Range, MemorySpace> m_supports;
  SumLaunches<Scalar, ExecutionSpace> m_sums;
  FftLaunches<Scalar, ExecutionSpace> m_fft;
  SampleScaling<MemorySpace> m_scaling;
  OwnedMemory<std::byte, MemorySpace> m_owned;
  Workspace m_workspace;
  sweep::Record m_record;
  std::string m_label;
};

/// The features of a block as arguments of the sweeps.
template <class Scalar>
sweep::FeatureTarget<Scalar> features_of(const StridedOutput& features, const Block& block,
                                         int sample_axis) {
  sweep::FeatureTarget<Scalar> result;
  result.data = static_cast<Scalar*>(features.data);
  result.rows = block.rows;
  result.first_channel = block.channels.begin;
  result.first_basis = block.bases.begin;
  result.row_stride = features.strides[static_cast<std::size_t>(sample_axis)];
  result.basis_stride = features.strides[static_cast<std::size_t>(features.rank - 1)];
  result.channels = index::channel_map(features, sample_axis, 1);
  return result;
}

/// The sizes of the problem, for the choice.
/// @{
template <class Scalar>
chooser::ProblemSize problem_size(const SeriesShape& shape, const RowTable& rows, const Taps& taps,
                                  const SharedFilter& shared);
template <class Scalar>
chooser::ProblemSize problem_size(const SeriesShape& shape, const RowTable& rows,
                                  const Taps& taps) {
  return problem_size<Scalar>(shape, rows, taps, find_shared_filter<Scalar>(taps));
}
/// @}

/// The resources of a space. \throws Error for an instruction set that is not available
template <class Scalar, class ExecutionSpace>
chooser::Resources resources_of(const ExecutionSpace& exec, const ConvolveOptions& options);

}  // namespace synelix::plan
