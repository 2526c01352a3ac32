// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

/// \file
/// Constants of the cost model: the times of the methods' steps without a calibration.

namespace synelix::tune {

/// The largest predicted time, relative to the method that the constants below choose, with which a
/// calibration replaces that method: predictions have errors of some percent (perf/NOTES.md,
/// Calibration of sizes).
inline constexpr double calibrated_gain = 0.8;

/// The cost of a point of a line in transforms of at most `points` points, relative to one of 256:
/// longer ones exceed the first-level cache, and then the second (perf/NOTES.md, The FFT method).
/// The excess over 1 is counted as the step `fft_far`, which `calibrate` measures.
struct PointFactor {
  long points;
  double factor;
};
inline constexpr PointFactor point_factors[] = {{256, 1.0},   {512, 1.06},  {1024, 1.13},
                                                {2048, 1.2},  {4096, 1.45}, {8192, 1.9},
                                                {16384, 2.5}, {32768, 2.8}, {1L << 62, 4.3}};

/// Transforms with this many points store lines while the next ones are computed, if rows are full
/// cache lines and a pack of lanes has a few of them; and the relative cost of a point then
/// (perf/NOTES.md, The FFT method).
inline constexpr long alternating_points = 256;
inline constexpr long fewest_alternating_lines = 4;
inline constexpr double alternating_factor = 0.83;

/// The cost of one more part of the window for each point of a pack of lanes, relative to a point
/// of short transforms: its spectra and kernels come from farther caches once for all lines, and
/// each line multiplies (perf/NOTES.md, The FFT method).
inline constexpr double part_streamed = 0.5;
inline constexpr double part_multiplied = 0.08;

/// The cost model without a calibration, by bytes of a register: 64, 32, 16. Results of `calibrate`
/// on one core of an Ice Lake server, the median of three runs. For 64, transforms and events take
/// 0.7 and 0.85 of that, between that server and a Zen 4 (perf/NOTES.md, The choice).
constexpr Steps steps_of(int register_bytes) {
  if (register_bytes >= 64) {
    return {.multiply_add = 0.22,
            .result = 6.7,
            .run = 9,
            .strip = 70,
            .sample = 7,
            .fft_point = 15,
            .fft_far = 15,
            .fft_result = 2,
            .fft_run = 2.6,
            .event = 4.2,
            .event_tap = 1.0,
            .event_result = 5.3,
            .event_strip = 94};
  }
  if (register_bytes >= 32) {
    return {.multiply_add = 0.21,
            .result = 4.2,
            .run = 8.5,
            .strip = 90,
            .sample = 5.2,
            .fft_point = 7,
            .fft_far = 7,
            .fft_result = 7.5,
            .fft_run = 4,
            .event = 16,
            .event_tap = 0.75,
            .event_result = 3.0,
            .event_strip = 160};
  }
  return {.multiply_add = 0.29,
          .result = 4.1,
          .run = 5,
          .strip = 90,
          .sample = 7.5,
          .fft_point = 6,
          .fft_far = 6,
          .fft_result = 10,
          .fft_run = 1,
          .event = 18,
          .event_tap = 0.75,
          .event_result = 2.4,
          .event_strip = 150};
}

/// The same for a device: the time of a step of one team of 256 threads while all teams of an H200
/// (1056) are busy. Not measured: multiply-adds at 85 % of its peak of float, results and samples
/// at the 4.3 TB/s that copies reach, points of transforms from counts of instructions, and taps of
/// events at one load each (perf/NOTES.md, Devices).
inline constexpr Steps device_steps{.multiply_add = 0.15,
                                    .result = 3.9,
                                    .run = 0,
                                    .strip = 300,
                                    .sample = 2,
                                    .fft_point = 10,
                                    .fft_far = 10,
                                    .fft_result = 0,
                                    .fft_run = 0,
                                    .event = 2,
                                    .event_tap = 1,
                                    .event_result = 3.9,
                                    .event_strip = 1000};

}  // namespace synelix::tune
