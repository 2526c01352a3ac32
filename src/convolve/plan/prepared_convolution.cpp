// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/prepared_convolution.hpp"

#include "convolve/choice/direct_items.hpp"
#include "convolve/direct/pack_extent.hpp"
#include "convolve/sweep/filters.hpp"
#include "launch/launch.hpp"
#include "launch/plan_memory.hpp"
#include "machine/budget.hpp"
#include "machine/device_memory.hpp"
#include "machine/spaces.hpp"
#include "tile/flat.hpp"
#include "tile/select.hpp"
#include "tune/device.hpp"

#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <utility>

namespace synelix::plan {
namespace {

const std::string filters_label = "synelix::convolve::filters";

/// A copy that reports an error if there is no memory: there may be a million epochs.
SeriesShape copy_of(const SeriesShape& shape) {
  SeriesShape copy{.samples = shape.samples,
                   .channels = shape.channels,
                   .type = shape.type,
                   .epochs = {},
                   .scaling = shape.scaling,
                   .has_events = shape.has_events,
                   .events = shape.events};
  if (shape.epochs.is_everything()) return copy;
  std::vector<Epoch> epochs;
  epochs.reserve(shape.epochs.size());
  seam::prefer_large_pages(epochs.data(), shape.epochs.size() * sizeof(Epoch));
  epochs.assign(shape.epochs.begin(), shape.epochs.end());
  copy.epochs = std::move(epochs);
  return copy;
}

/// Number of values of the taps with their padding of zeros.
template <class Scalar>
constexpr std::int64_t taps_values(std::int64_t window, std::int64_t bases) {
  return window * bases + 2 * tile::flat_zeros<Scalar>;
}

}  // namespace

template <class Scalar>
chooser::ProblemSize problem_size(const SeriesShape& shape, const RowTable& rows, const Taps& taps,
                                  const SharedFilter& shared) {
  const std::int64_t window = taps.window;
  const std::int64_t bases = taps.bases;
  chooser::ProblemSize size;
  for (const Support& support : taps.support) size.taps_in_support += support.last - support.first;
  size.window_shape = tune::window_shape_for(taps.support);
  size.shared_members = shared.members;
  size.shared_taps = shared.taps;
  size.shared_delay = shared.most_delay;
  size.samples = shape.samples;
  size.rows = rows.rows;
  size.longest_segment = rows.longest;
  size.lengths = rows.lengths;
  size.segments = static_cast<std::int64_t>(rows.segments.size());
  size.channels = shape.channels;
  size.window = window;
  size.bases = bases;
  size.scalar_bytes = static_cast<std::int64_t>(sizeof(Scalar));
  size.stored_bytes = size_of(shape.type);
  size.table_bytes = static_cast<std::int64_t>(rows.segments.size() * sizeof(index::Segment)) +
                     static_cast<std::int64_t>(shape.epochs.size() * sizeof(Epoch)) +
                     // Taps, and the shared filters of the direct method, with the rounding of
                     // Kokkos allocations.
                     index::round_up(taps_values<Scalar>(window, bases) * size.scalar_bytes, 8) +
                     index::round_up(window * bases * size.scalar_bytes, 8) +
                     bases * static_cast<std::int64_t>(sizeof(Range)) +
                     static_cast<std::int64_t>((shape.scaling.channel_scale.size() +
                                                shape.scaling.channel_offset.size()) *
                                               sizeof(double)) +
                     workspace_alignment;
  size.lane_bytes = static_cast<std::int64_t>(sizeof(sweep::LaneTarget));
  size.pack_bytes = static_cast<std::int64_t>(sizeof(sweep::PackExtent));
  size.has_events = shape.has_events;
  size.events = shape.events;
  return size;
}

template <class Scalar, class ExecutionSpace>
chooser::Resources resources_of(const ExecutionSpace& exec, const ConvolveOptions& options) {
  chooser::Resources resources;
  if constexpr (is_host_space<ExecutionSpace>) {
    resources.instruction_set = tile::select_set(options.machine.instruction_set);
    resources.register_bytes = tile::register_bytes(resources.instruction_set);
    resources.mapping = tune::host;
    resources.concurrency = exec.concurrency();
  } else {
    resources.instruction_set = InstructionSet::plain;
    resources.register_bytes = lanes::DeviceThread::bytes;
    resources.mapping = tune::device;
    resources.concurrency = std::max<std::int64_t>(1, exec.concurrency() / tune::device.team_size);
    resources.scratch_bytes = device_scratch_bytes<ExecutionSpace, Scalar>();
  }
  resources.lanes = resources.register_bytes / static_cast<int>(sizeof(Scalar));
  resources.nanoseconds = options.machine.nanoseconds.value_or(chooser::table_steps(resources));
  for (const NamedBytes& size : all_work_bytes) {
    const std::int64_t bytes = options.machine.bytes.*size.value;
    if (bytes > 0) resources.bytes.*size.value = bytes;
  }
  return resources;
}

template <class Scalar, class ExecutionSpace>
PreparedConvolution<Scalar, ExecutionSpace>::PreparedConvolution(
    const ExecutionSpace& exec, const SeriesShape& shape, RowTable rows, const Bank& bank,
    const ConvolveOptions& options, Workspace borrowed, std::int64_t extra_bytes,
    const std::optional<Choice>& choice)
    : m_shape(copy_of(shape)),
      m_window(bank.window()),
      m_bases(bank.bases()),
      m_rows(std::move(rows)),
      m_shared(find_shared_filter<Scalar>(bank.taps())),
      m_size(problem_size<Scalar>(shape, m_rows, bank.taps(), m_shared)),
      m_resources(resources_of<Scalar>(exec, options)) {
  m_size.table_bytes += extra_bytes;
  m_choice = choice ? *choice
                    : chooser::make_choice(m_size, m_resources, options, [&](std::int64_t needed) {
                        return budget_for(exec, options.budget, needed);
                      });
  m_mapping = m_resources.mapping;
  m_team_bytes = chooser::team_bytes(m_size, m_resources, m_choice);
  m_sums = SumLaunches<Scalar, ExecutionSpace>(m_size, m_resources, m_choice);
  m_label = std::string("synelix::convolve::") + name_of(m_choice.method);
  number_strips(m_rows, m_choice.strip_rows);

  if (borrowed.data() != nullptr) {
    if (static_cast<std::int64_t>(borrowed.size()) < m_choice.workspace_bytes) {
      throw Error("workspace", not_enough(static_cast<std::int64_t>(borrowed.size())),
                  "Lend at least " + std::to_string(m_choice.workspace_bytes) + " bytes");
    }
    m_workspace = borrowed;
  } else {
    m_owned = workspace_memory<MemorySpace>(exec, "synelix::convolve::workspace",
                                            m_choice.teams * m_team_bytes);
    if constexpr (is_host_space<ExecutionSpace>) {
      seam::prefer_large_pages(m_owned.data(), m_owned.size());
    }
    m_workspace = Workspace(m_owned.data(), m_owned.size());
  }
  if (!chooser::shares_filter(m_size, m_resources, m_choice)) m_shared = {};
  upload_tables(exec);
  load_taps(exec, bank);
  warm_up(exec);
}

template <class Scalar, class ExecutionSpace>
void PreparedConvolution<Scalar, ExecutionSpace>::upload_tables(const ExecutionSpace& exec) {
  m_segments =
      reached_list(exec, "synelix::convolve::segments", m_rows.segments, m_uploaded_segments);
  m_scaling = SampleScaling<MemorySpace>(m_shape.scaling);
  m_taps = {exec, "synelix::convolve::taps", taps_values<Scalar>(m_window, m_bases)};
  if (m_choice.method == Method::direct) {
    m_filters = {exec, filters_label, m_window * m_bases};
    m_supports = {exec, "synelix::convolve::supports", m_bases};
  }
  if (m_choice.method == Method::fft) {
    m_fft = FftLaunches<Scalar, ExecutionSpace>(exec, m_size, m_resources, m_choice);
  }
}

template <class Scalar, class ExecutionSpace>
void PreparedConvolution<Scalar, ExecutionSpace>::update(const ExecutionSpace& exec,
                                                         const Bank& bank) {
  if (bank.window() != m_window || bank.bases() != m_bases) {
    throw Error("bank",
                std::to_string(bank.window()) + " taps x " + std::to_string(bank.bases()) +
                    " bases differ from the plan",
                "Use a bank of " + std::to_string(m_window) + " taps x " + std::to_string(m_bases) +
                    " bases, which the plan was made for");
  }
  m_shared = {};
  if (chooser::shares_filter(m_size, m_resources, m_choice)) {
    m_shared = find_shared_filter<Scalar>(bank.taps());
    if (m_shared.most_delay > m_size.shared_delay) m_shared = {};  // no memory was reserved for it
  }
  load_taps(exec, bank);
}

template <class Scalar, class ExecutionSpace>
void PreparedConvolution<Scalar, ExecutionSpace>::load_taps(const ExecutionSpace& exec,
                                                            const Bank& bank) {
  Scalar* const taps = m_taps.data() + tile::flat_zeros<Scalar>;
  const auto teams = static_cast<int>(std::min(m_choice.teams, m_bases));
  sweep::launch(
      filters_label, exec, teams, m_mapping.team_size,
      sweep::FilterSweep<Scalar>{bank.values(), m_window, m_bases, taps, tile::flat_zeros<Scalar>,
                                 m_filters.data(), m_supports.data(), teams});
  if (m_choice.method == Method::fft) {
    m_fft.update(launch_on(exec), taps, bank.taps());
  }
}

template <class Scalar, class ExecutionSpace>
sweep::Problem<Scalar> PreparedConvolution<Scalar, ExecutionSpace>::problem() const {
  return {.segments = m_segments,
          .segment_count = static_cast<std::int64_t>(m_rows.segments.size()),
          .taps = m_taps.data() + tile::flat_zeros<Scalar>,
          .filters = m_filters.data(),
          .supports = m_supports.data(),
          .delays = m_shared.members > 0 ? m_shared.delays.data() : nullptr,
          .shared_basis = m_shared.basis,
          .most_delay = m_shared.most_delay,
          .window = m_window,
          .bases = m_bases,
          .lag = m_rows.lag,
          .layout = m_rows.layout,
          .strip_rows = m_choice.strip_rows};
}

template <class Scalar, class ExecutionSpace>
index::WorkGrid PreparedConvolution<Scalar, ExecutionSpace>::grid_of(Range strips, Range channels,
                                                                     Range bases) const {
  return {.strips = strips,
          .channels = channels,
          .bases = bases,
          .strip_step = m_choice.strips,
          .channel_step = m_choice.batch_channels,
          .basis_step = m_choice.batch_bases};
}

template <class Scalar, class ExecutionSpace>
SweepRun<Scalar> PreparedConvolution<Scalar, ExecutionSpace>::run_of(
    const Block& block, const sweep::FeatureTarget<Scalar>& features) const {
  const auto strip_of = [&](std::int64_t row) {
    const auto& segments = m_rows.segments;
    const auto k = static_cast<std::size_t>(
        index::last_at_or_before(segments.data(), static_cast<std::int64_t>(segments.size()),
                                 &index::Segment::row_begin, row));
    return segments[k].strip_begin + (row - segments[k].row_begin) / m_choice.strip_rows;
  };
  Range strips{0, 0};
  if (block.rows.size() > 0) {
    strips = {strip_of(block.rows.begin), strip_of(block.rows.end - 1) + 1};
  }
  return {problem(), grid_of(strips, block.channels, block.bases), features, m_mapping, m_record};
}

template <class Scalar, class ExecutionSpace>
SweepRun<Scalar> PreparedConvolution<Scalar, ExecutionSpace>::epoch_run(
    Range samples, std::int64_t given, const sweep::FeatureTarget<Scalar>& features) const {
  sweep::Problem<Scalar> one = problem();
  one.segments = nullptr;
  one.segment_count = 1;
  one.single.range = samples;
  one.layout.given = given;
  one.strip_rows = chooser::strip_rows_for(m_size, m_resources, m_choice, features.rows.size());
  const Range strips{0, index::ceil_divide(features.rows.size(), one.strip_rows)};
  return {one, grid_of(strips, {0, m_shape.channels}, {0, m_bases}), features, m_mapping, m_record};
}

template <class Scalar, class ExecutionSpace>
SweepLaunch<ExecutionSpace> PreparedConvolution<Scalar, ExecutionSpace>::launch_on(
    const ExecutionSpace& exec) const {
  return {exec,
          m_label,
          {first_line(m_workspace.data()), m_team_bytes, m_choice.teams},
          m_mapping.team_size};
}

template <class Scalar, class ExecutionSpace>
template <class Source>
void PreparedConvolution<Scalar, ExecutionSpace>::launch(const ExecutionSpace& exec,
                                                         const SweepRun<Scalar>& run,
                                                         const Source& source) const {
  if (m_choice.method == Method::fft) {
    m_fft.sweep(launch_on(exec), run, source);
  } else {
    m_sums.sweep(launch_on(exec), run, source);
  }
}

/// Kokkos allocates at the first launch of a kernel. This launch has no work, so that no run
/// allocates.
template <class Scalar, class ExecutionSpace>
void PreparedConvolution<Scalar, ExecutionSpace>::warm_up(const ExecutionSpace& exec) const {
  const SweepRun<Scalar> nothing{problem(), {}, {}, m_mapping, m_record};
  if (m_shape.has_events) {
    launch(exec, nothing, pack::EventSource{});
  } else {
    launch(exec, nothing, pack::ArraySource{});
  }
}

template <class Scalar, class ExecutionSpace>
pack::ArraySource PreparedConvolution<Scalar, ExecutionSpace>::source_of(
    const Strided& data, int sample_axis, std::int64_t first_sample,
    std::int64_t first_channel) const {
  return m_scaling.source_of(data, sample_axis, first_sample, first_channel);
}

template <class Scalar, class ExecutionSpace>
Range PreparedConvolution<Scalar, ExecutionSpace>::samples_for(Range rows) const {
  const auto& segments = m_rows.segments;
  const index::Reach reach = index::reach_by(m_choice, {m_window, m_rows.lag});
  return index::samples_seen(segments.data(), static_cast<std::int64_t>(segments.size()), rows,
                             reach, m_rows.layout);
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                                        \
  template class PreparedConvolution<SCALAR, SPACE>;                                              \
  template void PreparedConvolution<SCALAR, SPACE>::launch(const SPACE&, const SweepRun<SCALAR>&, \
                                                           const pack::ArraySource&) const;       \
  template void PreparedConvolution<SCALAR, SPACE>::launch(const SPACE&, const SweepRun<SCALAR>&, \
                                                           const pack::EventSource&) const;       \
  template chooser::Resources resources_of<SCALAR, SPACE>(const SPACE&, const ConvolveOptions&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
template chooser::ProblemSize problem_size<float>(const SeriesShape&, const RowTable&, const Taps&,
                                                  const SharedFilter&);
template chooser::ProblemSize problem_size<double>(const SeriesShape&, const RowTable&, const Taps&,
                                                   const SharedFilter&);

}  // namespace synelix::plan
