// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A packed recording: int16 as an amplifier delivers it, with microvolts per bit and an offset for
// each channel. It is converted in small blocks (tiles), never all at once. No window crosses the
// border of an epoch.
//
// Expected output:
//     int16, 30000 samples x 4 channels: 234.4 KiB instead of 468.8 KiB as float
//     rows with values: [100, 15000) [15100, 30000)
//     largest difference to the converted recording: 0

#include <synelix/synelix.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;

int run() {
  const Exec exec;
  const Kokkos::View<std::int16_t**, Kokkos::LayoutRight, Exec> stored("stored", 30'000, 4);
  const Kokkos::View<float**, Kokkos::LayoutRight, Exec> volts("volts", 30'000, 4);
  const std::vector<double> microvolts{0.195, 0.195, 0.39, 0.39};
  const std::vector<double> offsets{0.0, -12.5, 0.0, 3.25};
  for (std::size_t t = 0; t < 30'000; ++t) {
    for (std::size_t c = 0; c < 4; ++c) {
      stored(t, c) = static_cast<std::int16_t>((t * 37 + c * 11) % 2001) - 1000;
      volts(t, c) = static_cast<float>(stored(t, c) * microvolts[c] + offsets[c]);
    }
  }
  std::printf("int16, 30000 samples x 4 channels: %.1f KiB instead of %.1f KiB as float\n",
              30'000 * 4 * 2 / 1024.0, 30'000 * 4 * 4 / 1024.0);

  const sx::Series series(sx::scaled(stored, microvolts, offsets),
                          {.epochs = {{0, 15'000}, {15'000, 30'000}}});
  const sx::FilterBank<float, Exec> bank(exec, sx::RaisedCosineLinear{.bases = 4}, {.window = 100});
  const auto features = sx::convolve<Kokkos::LayoutRight>(exec, series, bank);

  std::printf("rows with values:");
  for (const sx::Range rows : sx::valid_rows(series.shape(), bank.window(), {})) {
    std::printf(" [%lld, %lld)", static_cast<long long>(rows.begin),
                static_cast<long long>(rows.end));
  }

  const sx::Series converted(volts, {.epochs = {{0, 15'000}, {15'000, 30'000}}});
  const auto expected = sx::convolve<Kokkos::LayoutRight>(exec, converted, bank);
  double worst = 0;
  for (std::size_t i = 0; i < features.span(); ++i) {
    const float a = features.data()[i];
    const float b = expected.data()[i];
    if (std::isnan(a) != std::isnan(b)) worst = HUGE_VAL;
    if (!std::isnan(a) && !std::isnan(b)) worst = std::max(worst, std::abs(double(a) - b));
  }
  std::printf("\nlargest difference to the converted recording: %g\n", worst);
  return worst < 1e-4 ? 0 : 1;  // the compiler may round `volts` once or twice
}

int main(int argc, char* argv[]) try {
  const sx::Session session(argc, argv);
  return run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
