// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/hdf5.hpp>
#include <synelix/types/nwb.hpp>

/// \file
/// Spike trains of an NWB file as `Events`, its tables of intervals, and a description of its
/// contents. Signals are read by `Hdf5Source`. Needs the target Synelix::hdf5.
///
///     const sx::Units units = sx::read_units("session.nwb", {.bin_seconds = 0.001});
///     auto features = sx::convolve<Kokkos::LayoutRight>(exec, units.events, bank);
///
/// Spikes are counted by the rules of time_bins.hpp. Without intervals, bins start at
/// UnitsOptions::from_seconds or by default at 0. The recording ends at the latest of the last
/// spike of any unit and the stops of the file's epochs (/intervals/epochs) and of obs_intervals.
