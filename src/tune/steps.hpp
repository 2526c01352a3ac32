// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

/// \file
/// Constants of the cost model: what the steps of the methods take where nothing was calibrated.

namespace synelix::tune {

/// What a point of a line takes in transforms of at most so many points, over one of 256: longer
/// ones leave the first-level cache, and then the second (perf/NOTES.md, The FFT method).
struct PointFactor {
  long points;
  double factor;
};
inline constexpr PointFactor point_factors[] = {{256, 1.0},   {512, 1.06},  {1024, 1.13},
                                                {2048, 1.2},  {4096, 1.32}, {8192, 2.1},
                                                {16384, 2.5}, {32768, 2.8}, {1L << 62, 7.0}};

/// The cost model where nothing was calibrated, by bytes of a register: 64, 32, 16. Nanoseconds on
/// one core of an Ice Lake server, fitted to 300 shapes (perf/NOTES.md, The choice).
constexpr Steps steps_of([[maybe_unused]] int register_bytes) {
  return {.multiply_add = 0.25,
          .result = 11.4,
          .run = 8.8,
          .strip = 127,
          .sample = 5.4,
          .fft_point = 27,
          .fft_result = 5.2,
          .fft_run = 7,
          .event = 26,
          .event_tap = 0.52,
          .event_result = 8.3,
          .event_strip = 725};
}

}  // namespace synelix::tune
