// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Features of an array: 10,000 samples of 10 channels, 8 log-spaced raised cosines over 100
// samples, first in batches of a chosen size, as in NeMoS, then within a budget, from which the
// library chooses the batches.
//
// Expected output:
//     features: 10000 samples x 10 channels x 8 bases, NaN in the first 100 samples
//     batches of 2000 samples, 5 channels, 2 bases: the same bits
//     a budget of 1 MiB: the same bits
//     a 3-d array, 10000 x 10 x 2: the same bits in each half

#include <synelix/synelix.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;
using Counts = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;
using Features = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

// A small random number generator, so that every run has the same counts.
void fill(const Counts& counts) {
  std::uint64_t state = 7;
  for (std::size_t t = 0; t < counts.extent(0); ++t) {
    for (std::size_t c = 0; c < counts.extent(1); ++c) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      counts(t, c) = (state >> 33) % 10 == 0 ? 1.0F : 0.0F;
    }
  }
}

bool same_bits(const Features& a, const Features& b) {
  return a.span() == b.span() && std::memcmp(a.data(), b.data(), a.span() * sizeof(float)) == 0;
}

int run() {
  const Exec exec;
  const Counts counts("counts", 10'000, 10);
  fill(counts);

  const sx::FilterBank<float, Exec> bank(exec, sx::RaisedCosineLog{.bases = 8}, {.window = 100});
  const Features features = sx::convolve<Kokkos::LayoutRight>(exec, counts, bank);

  bool ok = features.extent(0) == 10'000 && features.extent(1) == 10 && features.extent(2) == 8;
  for (std::size_t t = 0; t < 10'000; ++t) ok = ok && std::isnan(features(t, 0, 0)) == (t < 100);
  std::printf("features: %zu samples x %zu channels x %zu bases, NaN in the first 100 samples\n",
              features.extent(0), features.extent(1), features.extent(2));

  const sx::ConvolveOptions batched{.batch = {.samples = 2000, .channels = 5, .bases = 2}};
  const bool batches =
      same_bits(features, sx::convolve<Kokkos::LayoutRight>(exec, counts, bank, batched));
  std::printf("batches of 2000 samples, 5 channels, 2 bases: %s\n",
              batches ? "the same bits" : "OTHER BITS");

  const sx::ConvolveOptions bounded{.budget = sx::mebibytes(1)};
  const bool budget =
      same_bits(features, sx::convolve<Kokkos::LayoutRight>(exec, counts, bank, bounded));
  std::printf("a budget of 1 MiB: %s\n", budget ? "the same bits" : "OTHER BITS");

  // All dimensions other than time are channels. Here each count is stored twice.
  const Kokkos::View<float***, Kokkos::LayoutRight, Exec> twice("twice", 10'000, 10, 2);
  for (std::size_t t = 0; t < 10'000; ++t) {
    for (std::size_t c = 0; c < 10; ++c) twice(t, c, 0) = twice(t, c, 1) = counts(t, c);
  }
  const auto doubled = sx::convolve<Kokkos::LayoutRight>(exec, twice, bank);  // (t, c, 2, b)
  bool halves = doubled.extent(2) == 2;
  for (std::size_t t = 0; t < 10'000; ++t) {
    for (std::size_t c = 0; c < 10; ++c) {
      for (std::size_t half = 0; half < 2; ++half) {
        halves = halves &&
                 std::memcmp(&doubled(t, c, half, 0), &features(t, c, 0), 8 * sizeof(float)) == 0;
      }
    }
  }
  std::printf("a 3-d array, 10000 x 10 x 2: %s in each half\n",
              halves ? "the same bits" : "OTHER BITS");
  return ok && batches && budget && halves ? 0 : 1;
}

int main(int argc, char* argv[]) try {
  const sx::Session session(argc, argv);
  return run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
