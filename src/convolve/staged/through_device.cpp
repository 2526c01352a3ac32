// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/staged/through_device.hpp"

#include "blocks/in_flight.hpp"
#include "convolve/staged/gather_events.hpp"
#include "convolve/staged/staging.hpp"
#include "launch/arrays.hpp"
#include "machine/spaces.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace synelix::plan {
namespace {

/// An array of the caller, starting at one of its channels.
template <class Void>
pack::BlockSide side_of(const BasicStrided<Void>& array, int sample_axis, int trailing) {
  pack::BlockSide side;
  side.data = static_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(array.data)));
  side.row_stride = array.strides[static_cast<std::size_t>(sample_axis)];
  if (trailing > 0) side.basis_stride = array.strides[static_cast<std::size_t>(array.rank - 1)];
  side.channels = index::channel_map(array, sample_axis, trailing);
  return side;
}

/// The part of an array that begins at a row and a channel.
pack::BlockSide part_of(pack::BlockSide side, std::int64_t row, std::int64_t channel,
                        std::int64_t value_bytes) {
  side.data += row * side.row_stride * value_bytes;
  side.first_channel = channel;
  return side;
}

/// The bytes of each slot on a device; the same size of its input and output is pinned on the host.
blocks::SlotBytes slot_bytes(const SeriesShape& shape, const Choice& choice, std::int64_t bases,
                             std::int64_t scalar_bytes, std::size_t workspace) {
  chooser::ProblemSize size;
  size.stored_bytes = size_of(shape.type);
  size.scalar_bytes = scalar_bytes;
  size.bases = bases;
  size.has_events = shape.has_events;
  return {.inputs = {chooser::staged_input_bytes(size, choice.staging)},
          .output = chooser::staged_features_bytes(size, choice.staging),
          .workspace = static_cast<std::int64_t>(workspace)};
}

}  // namespace

template <class Scalar, class ExecutionSpace>
ThroughDevice<Scalar, ExecutionSpace>::ThroughDevice(const ExecutionSpace& exec,
                                                     const SeriesShape& shape, RowTable rows,
                                                     const Bank& bank,
                                                     const ConvolveOptions& options,
                                                     const Choice& choice)
    : m_exec(exec),
      m_convolution(exec, shape, std::move(rows), bank, options, {}, 0, choice),
      m_first_workspace(m_convolution.workspace()),
      m_slot_bytes(
          slot_bytes(shape, choice, bank.bases(), sizeof(Scalar), m_first_workspace.size())),
      m_slots(exec, "synelix::convolve", choice.staging.slots, m_slot_bytes) {
  if (choice.staging.whole_events) {
    const std::int64_t bytes = chooser::event_list_bytes(shape.channels, shape.events);
    m_event_lists = blocks::allocated_or_refused("budget", "the device", bytes, [&] {
      return decltype(m_event_lists)(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                             std::string("synelix::convolve::events_on_device")),
          static_cast<std::size_t>(bytes));
    });
  }
  for (std::size_t k = 0; k < m_slots.count(); ++k) {
    m_pinned.push_back({{"synelix::convolve::pinned_input", m_slot_bytes.inputs.front()},
                        {"synelix::convolve::pinned_output", m_slot_bytes.output}});
    // Kokkos allocates at the first launch on an instance: it happens here, not in the run.
    use_workspace_of(k);
    m_convolution.warm_up(m_slots.instance(k));
  }
}

template <class Scalar, class ExecutionSpace>
void ThroughDevice<Scalar, ExecutionSpace>::use_workspace_of(std::size_t slot) {
  if (slot == 0) return m_convolution.use_workspace(m_first_workspace);
  m_convolution.use_workspace(m_slots.workspace(slot));
}

template <class Scalar, class ExecutionSpace>
void ThroughDevice<Scalar, ExecutionSpace>::convolve(const StridedSeries& series,
                                                     const StridedOutput& features,
                                                     const Watch& watch) {
  check_series(m_convolution.shape(), series.shape());
  check_features(features, stored_type<Scalar>, series.data(), series.sample_axis(), choice().rows,
                 m_convolution.bases());
  check_apart(Arguments().writes("features", features).reads("series", series.data()));
  convolve_blocks(series, features, series.sample_axis(), watch);
}

template <class Scalar, class ExecutionSpace>
void ThroughDevice<Scalar, ExecutionSpace>::convolve(const Events& events,
                                                     const StridedOutput& features,
                                                     const Watch& watch) {
  if (blocks().input) require_on_host(events);
  check_series(m_convolution.shape(), events.shape());
  check_features(features, stored_type<Scalar>, choice().rows, m_convolution.shape().channels,
                 m_convolution.bases());
  convolve_blocks(events, features, 0, watch);
}

template <class Scalar, class ExecutionSpace>
template <class Input>
void ThroughDevice<Scalar, ExecutionSpace>::convolve_blocks(const Input& input,
                                                            const StridedOutput& features,
                                                            int sample_axis, const Watch& watch) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const std::int64_t channels = m_convolution.shape().channels;
  const Kokkos::Profiling::ScopedRegion region(m_region);
  m_features = features;
  m_sample_axis = sample_axis;
  bring(input);
  // All of these are used on other instances than the one that created them.
  m_exec.fence("synelix::convolve: tables and arguments are there");
  blocks::InFlight<Block> in_flight(
      m_slots.count(), [&](std::size_t slot) { m_slots.wait(slot); },
      [&](const Block& block, std::size_t slot) { scatter(slot, block); });
  for (std::int64_t c = 0; c < channels; c += blocks().channels) {
    const Range some{c, std::min(channels, c + blocks().channels)};
    for (std::int64_t r = 0; r < choice().rows;) {
      if (watch.cancel != nullptr && watch.cancel->load()) {
        in_flight.finish();  // these copies use memory that goes out of scope
        throw Cancelled("convolve: cancelled at row " + std::to_string(r) + " of channel " +
                        std::to_string(c));
      }
      const Block block{rows_from(r, some, input), some, {0, m_convolution.bases()}};
      in_flight.add(block, [&](std::size_t slot) {
        use_workspace_of(slot);
        launch(slot, block, input, features_for(slot, block));
        fetch(slot, block);
      });
      r = block.rows.end;
      if (watch.progress) {
        watch.progress({(c * choice().rows + r * some.size()) / channels, choice().rows,
                        std::chrono::duration<double>(Clock::now() - start).count()});
      }
    }
  }
  in_flight.finish();
}

template <class Scalar, class ExecutionSpace>
bool ThroughDevice<Scalar, ExecutionSpace>::fits(Range rows, Range, const StridedSeries&) const {
  return !blocks().input || m_convolution.samples_for(rows).size() <= blocks().samples;
}

template <class Scalar, class ExecutionSpace>
bool ThroughDevice<Scalar, ExecutionSpace>::fits(Range rows, Range channels,
                                                 const Events& events) const {
  return !blocks().input || blocks().whole_events ||
         count_events(events, m_convolution.samples_for(rows), channels) <= blocks().events;
}

template <class Scalar, class ExecutionSpace>
std::int64_t ThroughDevice<Scalar, ExecutionSpace>::whole_strips(std::int64_t begin,
                                                                 std::int64_t end) const {
  if (choice().method != Method::fft || end == choice().rows) return end;
  const auto& segments = m_convolution.rows().segments;
  const auto k = static_cast<std::size_t>(
      index::last_at_or_before(segments.data(), static_cast<std::int64_t>(segments.size()),
                               &index::Segment::row_begin, end));
  const std::int64_t row = segments[k].row_begin;
  const std::int64_t border = row + (end - row) / choice().strip_rows * choice().strip_rows;
  return border > begin ? border : end;
}

template <class Scalar, class ExecutionSpace>
template <class Input>
Range ThroughDevice<Scalar, ExecutionSpace>::rows_from(std::int64_t begin, Range channels,
                                                       const Input& input) const {
  // Fewer rows if they are far apart or have many events.
  const Range rows = blocks::leading_rows({begin, std::min(choice().rows, begin + blocks().rows)},
                                          [&](Range some) { return fits(some, channels, input); });
  return {begin, whole_strips(begin, rows.end)};
}

/// Copies the samples of the slot's block to the device, and computes it.
template <class Scalar, class ExecutionSpace>
void ThroughDevice<Scalar, ExecutionSpace>::launch(std::size_t slot, const Block& block,
                                                   const StridedSeries& series,
                                                   const sweep::FeatureTarget<Scalar>& features) {
  const Strided& data = series.data();
  const SweepRun<Scalar> run = m_convolution.run_of(block, features);
  if (!blocks().input) {
    m_convolution.launch(m_slots.instance(slot), run,
                         m_convolution.source_of(data, series.sample_axis(), 0, 0));
    return;
  }
  const Range samples = m_convolution.samples_for(block.rows);
  const Range channels = block.channels;
  const std::int64_t size = size_of(data.type);
  const pack::BlockSide from =
      part_of(side_of(data, series.sample_axis(), 0), samples.begin, channels.begin, size);
  const pack::DenseStrides dense = pack::dense_like(from, samples.size(), channels.size(), 1);
  sweep::copy_on_host(m_gather, {pack::side_of(m_pinned[slot].input.data(), dense, channels.size()),
                                 from, samples.size(), channels.size(), 1, size});
  Strided on_device;
  on_device.data =
      m_slots.input(slot, 0, m_pinned[slot].input, samples.size() * channels.size() * size);
  on_device.type = data.type;
  on_device.rank = 2;
  on_device.extents = {samples.size(), channels.size()};
  on_device.strides = {dense.row, dense.channel};
  m_convolution.launch(m_slots.instance(slot), run,
                       m_convolution.source_of(on_device, 0, samples.begin, channels.begin));
}

template <class Scalar, class ExecutionSpace>
void ThroughDevice<Scalar, ExecutionSpace>::launch(std::size_t slot, const Block& block,
                                                   const Events& events,
                                                   const sweep::FeatureTarget<Scalar>& features) {
  const SweepRun<Scalar> run = m_convolution.run_of(block, features);
  if (!blocks().input || blocks().whole_events) {
    m_convolution.launch(m_slots.instance(slot), run, m_events);
    return;
  }
  const Range samples = m_convolution.samples_for(block.rows);
  const Range channels = block.channels;
  const std::int64_t count = count_events(events, samples, channels);
  const EventLists lists(channels.size(), count, events.counts() != nullptr);
  const blocks::Buffer& pinned = m_pinned[slot].input;
  gather(lists, events, samples, channels, pinned.data());
  m_convolution.launch(
      m_slots.instance(slot), run,
      source_of(lists, m_slots.input(slot, 0, pinned, lists.bytes()), channels.begin));
}

template <class Scalar, class ExecutionSpace>
void ThroughDevice<Scalar, ExecutionSpace>::bring(const Events& events) {
  if (!blocks().whole_events) {
    m_events = source_of(events);
    return;
  }
  const EventLists lists(events.shape().channels, events.shape().events,
                         events.counts() != nullptr);
  const auto size = static_cast<std::size_t>(lists.bytes());
  const Kokkos::View<const std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> from(
      reinterpret_cast<const std::byte*>(events.begins()), size);
  Kokkos::deep_copy(m_exec, Kokkos::subview(m_event_lists, std::pair(std::size_t{0}, size)), from);
  m_events = source_of(lists, m_event_lists.data(), 0);
}

/// The dense block of a slot, as features.
template <class Scalar, class ExecutionSpace>
StridedOutput ThroughDevice<Scalar, ExecutionSpace>::block_on_device(std::size_t slot,
                                                                     const Block& block) const {
  const auto [rows, channels, bases] = block;
  const pack::DenseStrides dense = pack::dense_like(side_of(m_features, m_sample_axis, 1),
                                                    rows.size(), channels.size(), bases.size());
  StridedOutput dense_block;
  dense_block.data = m_slots.output(slot, m_pinned[slot].output);
  dense_block.type = stored_type<Scalar>;
  dense_block.rank = 3;
  dense_block.extents = {rows.size(), channels.size(), bases.size()};
  dense_block.strides = {dense.row, dense.channel, dense.basis};
  return dense_block;
}

template <class Scalar, class ExecutionSpace>
sweep::FeatureTarget<Scalar> ThroughDevice<Scalar, ExecutionSpace>::features_for(
    std::size_t slot, const Block& block) const {
  if (blocks().features) return features_of<Scalar>(block_on_device(slot, block), block, 0);
  // The final place: the first row is the block's, and channels are counted from the array's first.
  const Block placed{block.rows, {0, m_convolution.shape().channels}, block.bases};
  sweep::FeatureTarget<Scalar> features = features_of<Scalar>(m_features, placed, m_sample_axis);
  features.data += block.rows.begin * features.row_stride;
  return features;
}

template <class Scalar, class ExecutionSpace>
void ThroughDevice<Scalar, ExecutionSpace>::fetch(std::size_t slot, const Block& block) const {
  if (!blocks().features) return;
  const auto [rows, channels, bases] = block;
  m_slots.fetch(
      slot, m_pinned[slot].output,
      rows.size() * channels.size() * bases.size() * static_cast<std::int64_t>(sizeof(Scalar)));
}

/// Scatters a finished block to its final place.
template <class Scalar, class ExecutionSpace>
void ThroughDevice<Scalar, ExecutionSpace>::scatter(std::size_t slot, const Block& block) const {
  if (!blocks().features) return;
  const auto [rows, channels, bases] = block;
  const StridedOutput from = block_on_device(slot, block);
  const pack::DenseStrides dense{from.strides[0], from.strides[1], from.strides[2]};
  const pack::BlockSide to =
      part_of(side_of(m_features, m_sample_axis, 1), rows.begin, channels.begin, sizeof(Scalar));
  sweep::copy_on_host(m_scatter,
                      {to, pack::side_of(m_pinned[slot].output.data(), dense, channels.size()),
                       rows.size(), channels.size(), bases.size(), sizeof(Scalar)});
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class ThroughDevice<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
