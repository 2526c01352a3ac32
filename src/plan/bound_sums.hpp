// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "choose/direct.hpp"
#include "plan/host_space.hpp"
#include "plan/sweep_run.hpp"
#include "sweep/device_direct.hpp"
#include "sweep/device_events.hpp"
#include "sweep/direct.hpp"
#include "sweep/events.hpp"
#include "tile/select.hpp"
#include "vocabulary/caches.hpp"

#include <cstdint>
#include <type_traits>

/// \file
/// The direct and the event method of a plan, which sum over taps: which sweeps a space has for
/// them. `start(functor, items)` launches a sweep.

namespace synelix::plan {

/// The features of a launch, past the caches where they are more than those hold.
template <class Scalar>
sweep::Features<Scalar> with_stores(const SweepRun<Scalar>& run) {
  sweep::Features<Scalar> features = run.features;
  const double bytes = static_cast<double>(features.rows.size()) *
                       static_cast<double>(run.grid.channels.size() * run.grid.bases.size()) *
                       sizeof(Scalar);
  const bool leaves = bytes > tune::streamed_share * static_cast<double>(last_level_cache_bytes());
  features.stores = leaves ? tile::Stores::streamed : tile::Stores::cached;
  return features;
}

/// Lanes of several strips or channels, on any space.
template <class Start, class Scalar, class Tiles, class Source>
void sweep_lanes(const Start& start, const SweepRun<Scalar>& run, const Tiles& tiles,
                 const Source& source) {
  start(
      sweep::DirectSweep<Scalar, Tiles, Source>{
          run.problem, source, with_stores(run), run.grid, {}, tiles, run.mapping, run.record},
      run.grid.size());
}

/// On a host.
template <class Scalar>
class HostSums {
 public:
  HostSums() = default;
  HostSums(const chooser::ProblemSize&, const chooser::Resources&, const Choice& choice)
      : m_method(choice.method), m_tiles{&tile::table_of<Scalar>(choice.instruction_set)} {}

  template <class Start, class Source>
  void sweep(const Start& start, const SweepRun<Scalar>& run, const Source& source) const {
    if constexpr (std::is_same_v<Source, pack::EventSource>) {
      if (m_method == Method::events) {
        start(sweep::EventSweep<Scalar, Tiles>{run.problem,
                                               source,
                                               with_stores(run),
                                               run.grid,
                                               {},
                                               m_tiles,
                                               run.mapping,
                                               run.record},
              run.grid.size());
        return;
      }
    }
    sweep_lanes(start, run, m_tiles, source);
  }

 private:
  using Tiles = sweep::HostTiles<Scalar>;

  Method m_method = Method::direct;
  Tiles m_tiles{};
};

/// On a device.
template <class Scalar>
class DeviceSums {
 public:
  DeviceSums() = default;
  DeviceSums(const chooser::ProblemSize& size, const chooser::Resources& resources,
             const Choice& choice)
      : m_method(choice.method),
        m_has_windows(chooser::takes_windows(size, resources, choice)),
        m_shape(tune::window_shape_for(size.bases)) {}

  template <class Start>
  void sweep(const Start& start, const SweepRun<Scalar>& run,
             const pack::ArraySource& source) const {
    if (m_has_windows) return sweep_windows<0>(start, run, source);
    sweep_lanes(start, run, sweep::DeviceTiles<Scalar>{}, source);
  }
  template <class Start>
  void sweep(const Start& start, const SweepRun<Scalar>& run,
             const pack::EventSource& source) const {
    if (m_method != Method::events) {
      return sweep_lanes(start, run, sweep::DeviceTiles<Scalar>{}, source);
    }
    start(
        sweep::DeviceEventSweep<Scalar, tune::event_bases>{
            run.problem, source, run.features, run.grid, {}, run.record},
        run.grid.size());
  }

 private:
  /// Window tiles of the shape that suits the bank.
  template <int shape, class Start>
  void sweep_windows(const Start& start, const SweepRun<Scalar>& run,
                     const pack::ArraySource& source) const {
    if constexpr (shape < tune::window_shape_count) {
      if (shape != m_shape) return sweep_windows<shape + 1>(start, run, source);
      constexpr tune::WindowShape tile = tune::window_shapes[shape];
      start(
          sweep::DeviceDirectSweep<Scalar, tile.groups, tile.bases>{
              run.problem, source, run.features, run.grid, {}, run.record},
          run.grid.size());
    }
  }

  Method m_method = Method::direct;
  bool m_has_windows = false;
  int m_shape = 0;
};

/// Those of a space.
template <class Scalar, class ExecutionSpace>
using BoundSums =
    std::conditional_t<is_host_space<ExecutionSpace>, HostSums<Scalar>, DeviceSums<Scalar>>;

}  // namespace synelix::plan
