// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pointers and strides: a program that does not use Kokkos itself. The session starts Kokkos if it
// is not running. The arrays belong to the program; here time is their second dimension.
//
// Expected output:
//     x = 1 2 3 4 5 6 7 8, taps = 1 2 3 4
//     causal features: nan nan nan nan 20 30 40 50

#include <synelix/synelix.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace sx = synelix;

int main() try {
  const sx::Session session;

  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8};  // (1 channel, 8 samples)
  std::vector<double> features(8);                      // (1 channel, 8 samples, 1 basis)

  const sx::FilterBank<double> bank(sx::CustomTaps{.window = 4, .bases = 1, .taps = {1, 2, 3, 4}},
                                    {});
  const sx::StridedSeries series(sx::Strided(x.data(), {1, 8}), {.sample_axis = 1});
  sx::convolve(series, bank, sx::StridedOutput(features.data(), {1, 8, 1}));

  std::printf("x = 1 2 3 4 5 6 7 8, taps = 1 2 3 4\ncausal features:");
  for (const double value : features) {
    if (std::isnan(value)) {
      std::printf(" nan");
    } else {
      std::printf(" %g", value);
    }
  }
  std::printf("\n");

  bool ok = true;
  const std::vector<double> expected{NAN, NAN, NAN, NAN, 20, 30, 40, 50};
  for (std::size_t t = 0; t < 8; ++t) {
    ok = ok && (std::isnan(expected[t]) ? std::isnan(features[t]) : features[t] == expected[t]);
  }
  return ok ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
