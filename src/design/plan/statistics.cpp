// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/prepared_convolution.hpp"
#include "convolve/plan/row_table.hpp"
#include "convolve/plan/sample_scaling.hpp"
#include "design/plan/design_layout.hpp"
#include "design/plan/exponentials.hpp"
#include "design/sweep/ranges.hpp"
#include "launch/arrays.hpp"
#include "launch/launch.hpp"
#include "launch/plan_memory.hpp"
#include "launch/reached.hpp"
#include "machine/spaces.hpp"
#include "types/events.hpp"

#include <synelix/types/features.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <string>

namespace synelix {
namespace {

/// Most shares that the samples are cut into, and fewest samples of one.
constexpr std::int64_t most_shares = 256;
constexpr std::int64_t fewest_samples = 1024;

/// A segment with one row for each sample, for each epoch and gap.
plan::RowTable every_sample(const SeriesShape& shape) {
  ConvolveOptions options;
  options.shift = Shift::off;
  return plan::make_rows(shape, 1, options);
}

std::vector<SampleRange> ranges_of_events(const SeriesShape& shape, const Events& events) {
  require_on_host(events);
  plan::check_series(shape, events.shape());
  const std::vector<Epoch> whole{{0, shape.samples}};
  const std::vector<Epoch>& epochs = shape.epochs.empty() ? whole : shape.epochs.list();
  std::vector<SampleRange> ranges(static_cast<std::size_t>(shape.channels));
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    const std::int64_t* const begin = events.sample_indices() + events.begins()[c];
    const std::int64_t* const end = events.sample_indices() + events.begins()[c + 1];
    for (const Epoch& epoch : epochs) {
      const std::int64_t* const first = std::lower_bound(begin, end, epoch.begin);
      const std::int64_t* const last = std::lower_bound(first, end, epoch.end);
      if (last - first < epoch.size()) ranges[c].merge({0.0, 0.0});
      for (const std::int64_t* e = first; e < last; ++e) {
        const float* const counts = events.counts();
        const double count =
            counts == nullptr ? 1.0 : static_cast<double>(counts[e - events.sample_indices()]);
        ranges[c].merge({count + 0.0, count + 0.0});
      }
    }
  }
  return ranges;
}

template <class ExecutionSpace>
std::vector<SampleRange> ranges_of_array(const ExecutionSpace& exec, const SeriesShape& shape,
                                         const Strided& data, int sample_axis,
                                         std::int64_t first_sample) {
  const Kokkos::Profiling::ScopedRegion region("synelix::find_ranges");
  using MemorySpace = typename ExecutionSpace::memory_space;
  const plan::RowTable table = every_sample(shape);
  const plan::OwnedMemory<index::Segment, MemorySpace> segments("synelix::features::segments",
                                                                table.segments);
  const plan::SampleScaling<MemorySpace> scaling(shape.scaling);
  const std::int64_t samples = data.extents[static_cast<std::size_t>(sample_axis)];
  sweep::RangeSweep sweep;
  sweep.segments = segments.data();
  sweep.segment_count = static_cast<std::int64_t>(segments.size());
  sweep.source = {scaling.source_of(data, sample_axis, first_sample, 0), {}};
  sweep.samples = {first_sample, first_sample + samples};
  sweep.channels = shape.channels;
  sweep.shares = std::clamp<std::int64_t>(samples / fewest_samples, 1, most_shares);
  const plan::OwnedMemory<double, MemorySpace> memory(exec, "synelix::features::ranges",
                                                      sweep.shares * shape.channels * 2);
  const Kokkos::View<double*, MemorySpace, Kokkos::MemoryUnmanaged> found(memory.data(),
                                                                          memory.size());
  sweep.ranges = found.data();
  const std::int64_t items =
      sweep.shares * index::ceil_divide(shape.channels, sweep::RangeSweep::group);
  const tune::Mapping mapping = plan::is_host_space<ExecutionSpace> ? tune::host : tune::device;
  sweep.teams = std::min<std::int64_t>(
      items, std::max<std::int64_t>(1, exec.concurrency() / mapping.team_size));
  const std::string label = "synelix::features::ranges";
  sweep::launch(label, exec, static_cast<int>(sweep.teams), mapping.team_size, sweep);
  const auto host = plan::host_mirror(label, found);
  if (host.data() != found.data()) Kokkos::deep_copy(exec, host, found);
  exec.fence("synelix::find_ranges: the ranges of the shares are merged on the host");
  std::vector<SampleRange> ranges(static_cast<std::size_t>(shape.channels));
  for (std::size_t i = 0; i < host.size(); i += 2) {
    ranges[i / 2 % ranges.size()].merge({host(i), host(i + 1)});
  }
  return ranges;
}

}  // namespace

template <class ExecutionSpace>
std::vector<SampleRange> find_ranges(const ExecutionSpace& exec, const SeriesShape& shape,
                                     const InputBlock& block) {
  require_running("synelix::find_ranges");
  require_valid(shape);
  if (shape.has_events && block.events != nullptr) return ranges_of_events(shape, *block.events);
  const Strided& data = block.samples;
  if (shape.has_events || block.events != nullptr || data.rank != 2 || data.type != shape.type ||
      data.extents[1] != shape.channels || block.first_sample < 0 ||
      block.first_sample > shape.samples || data.extents[0] > shape.samples - block.first_sample ||
      data.extents[0] < 0 || (data.data == nullptr && data.extents[0] > 0)) {
    throw Error("block",
                plan::extents_text(data) + " of " + std::string(name_of(data.type)) +
                    " from sample " + std::to_string(block.first_sample) +
                    " does not fit the series",
                "Pass (samples, " + std::to_string(shape.channels) + " channels) of " +
                    std::string(name_of(shape.type)) + " within " + std::to_string(shape.samples) +
                    " samples");
  }
  if (data.extents[0] == 0)
    return std::vector<SampleRange>(static_cast<std::size_t>(shape.channels));
  return ranges_of_array(exec, shape, data, 0, block.first_sample);
}

template <class ExecutionSpace>
std::vector<InputStatistics> find_statistics(const ExecutionSpace& exec,
                                             const Expression& expression,
                                             std::span<const AnySeries> inputs) {
  require_running("synelix::find_statistics");
  const std::vector<InputUse> uses = input_uses(expression);
  if (inputs.size() != uses.size()) {
    throw Error("inputs", std::to_string(inputs.size()) + " is the wrong number of inputs",
                "Pass " + std::to_string(uses.size()) + ", as " + expression.label() + " consumes");
  }
  std::vector<InputStatistics> statistics(inputs.size());
  const auto needs = [](const InputUse& use) { return use.needs_ranges || use.needs_samples; };
  if (std::none_of(uses.begin(), uses.end(), needs)) return statistics;
  std::vector<InputShape> shapes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    shapes.push_back(inputs[i].shape());
    if (uses[i].needs_samples) plan::check_on_host(inputs[i], i);
    if (inputs[i].events() == nullptr && needs(uses[i])) plan::check_reached(exec, inputs[i], i);
  }
  static_cast<void>(plan::lay_out(expression, shapes, {}, {}));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const AnySeries& input = inputs[i];
    if (!needs(uses[i])) continue;
    const SeriesShape& shape = shapes[i].series;
    if (uses[i].needs_ranges) {
      statistics[i].ranges =
          input.events() != nullptr
              ? ranges_of_events(shape, *input.events())
              : ranges_of_array(exec, shape, input.samples().array(), input.sample_axis(), 0);
    }
    if (uses[i].needs_samples) plan::fit_exponentials(expression, i, input, statistics[i]);
  }
  return statistics;
}

#define SYNELIX_INSTANTIATE(SPACE)                                                              \
  template std::vector<SampleRange> find_ranges<SPACE>(const SPACE&, const SeriesShape&,        \
                                                       const InputBlock&);                      \
  template std::vector<InputStatistics> find_statistics<SPACE>(const SPACE&, const Expression&, \
                                                               std::span<const AnySeries>);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
