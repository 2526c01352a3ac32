// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/sweep_launches.hpp"

#include "convolve/choice/direct_items.hpp"
#include "convolve/direct/device_direct.hpp"
#include "convolve/direct/direct.hpp"
#include "convolve/events/device_events.hpp"
#include "convolve/events/events.hpp"
#include "launch/host_space.hpp"
#include "launch/start_watched.hpp"
#include "machine/spaces.hpp"
#include "tile/column_table.hpp"
#include "tile/select.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Selects and launches the sweeps of a space for sums over taps.

namespace synelix::plan {
namespace {

constexpr int no_windows = -1;

/// The features of a launch. Stores bypass the caches if the features do not fit there.
template <class Scalar>
sweep::FeatureTarget<Scalar> with_stores(const SweepRun<Scalar>& run) {
  sweep::FeatureTarget<Scalar> features = run.features;
  const double bytes = static_cast<double>(features.rows.size()) *
                       static_cast<double>(run.grid.channels.size() * run.grid.bases.size()) *
                       sizeof(Scalar);
  const bool leaves = bytes > static_cast<double>(streamed_bytes()) &&
                      reinterpret_cast<std::uintptr_t>(features.data) % sizeof(Scalar) == 0;
  features.stores = leaves ? tile::Stores::streamed : tile::Stores::cached;
  return features;
}

/// The tiles of a space.
template <class Scalar, class ExecutionSpace>
auto tiles_of([[maybe_unused]] InstructionSet set) {
  if constexpr (is_host_space<ExecutionSpace>) {
    return sweep::HostTiles<Scalar>{&tile::table_of<Scalar>(set),
                                    &tile::column_table_of<Scalar>(set)};
  } else {
    return sweep::DeviceTiles<Scalar>{};
  }
}

/// Window tiles of the shape for the bank, on a device.
template <int shape, class ExecutionSpace, class Scalar>
void sweep_windows(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
                   const pack::ArraySource& source, int wanted) {
  if constexpr (shape < tune::window_shape_count) {
    if (shape != wanted) return sweep_windows<shape + 1>(how, run, source, wanted);
    constexpr tune::WindowShape tile = tune::window_shapes[shape];
    start_sweep(how,
                sweep::DeviceDirectSweep<Scalar, tile.groups, tile.bases>{
                    run.problem, source, run.features, run.grid, {}, run.record},
                run.grid.size());
  }
}

/// Events, newest first.
template <class ExecutionSpace, class Scalar, class Tiles>
void sweep_events(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
                  const pack::EventSource& source, const Tiles& tiles) {
  if constexpr (is_host_space<ExecutionSpace>) {
    start_sweep(
        how,
        sweep::EventSweep<Scalar, Tiles>{
            run.problem, source, with_stores(run), run.grid, {}, tiles, run.mapping, run.record},
        run.grid.size());
  } else {
    start_sweep(how,
                sweep::DeviceEventSweep<Scalar, tune::event_bases>{
                    run.problem, source, run.features, run.grid, {}, run.record},
                run.grid.size());
  }
}

}  // namespace

template <class Scalar, class ExecutionSpace>
SumLaunches<Scalar, ExecutionSpace>::SumLaunches(const chooser::ProblemSize& size,
                                                 const chooser::Resources& resources,
                                                 const Choice& choice)
    : m_method(choice.method),
      m_set(choice.instruction_set),
      m_window_shape(chooser::takes_windows(size, resources, choice) ? size.window_shape
                                                                     : no_windows) {}

template <class Scalar, class ExecutionSpace>
template <class Source>
void SumLaunches<Scalar, ExecutionSpace>::sweep(const SweepLaunch<ExecutionSpace>& how,
                                                const SweepRun<Scalar>& run,
                                                const Source& source) const {
  const auto tiles = tiles_of<Scalar, ExecutionSpace>(m_set);
  if constexpr (std::is_same_v<Source, pack::EventSource>) {
    if (m_method == Method::events) return sweep_events(how, run, source, tiles);
  } else if constexpr (!is_host_space<ExecutionSpace>) {
    if (m_window_shape != no_windows) return sweep_windows<0>(how, run, source, m_window_shape);
  }
  // Lanes of several strips or channels: DirectSweep::operator() (convolve/direct/direct.hpp).
  start_sweep(
      how,
      sweep::DirectSweep<Scalar, std::decay_t<decltype(tiles)>, Source>{
          run.problem, source, with_stores(run), run.grid, {}, tiles, run.mapping, run.record},
      run.grid.size());
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                                 \
  template class SumLaunches<SCALAR, SPACE>;                                               \
  template void SumLaunches<SCALAR, SPACE>::sweep(                                         \
      const SweepLaunch<SPACE>&, const SweepRun<SCALAR>&, const pack::ArraySource&) const; \
  template void SumLaunches<SCALAR, SPACE>::sweep(                                         \
      const SweepLaunch<SPACE>&, const SweepRun<SCALAR>&, const pack::EventSource&) const;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
