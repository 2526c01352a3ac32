// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A closed loop: samples arrive in blocks of any length, and the features of each block are needed
// at once. The stream keeps the past samples that its windows need. The features have the same bits
// as those of the entire recording in one call.
//
// Expected output:
//     method: direct, delay: 0 samples
//     33 blocks, 1000 rows
//     the features have the bits of the whole recording

#include <synelix/synelix.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;

int run() {
  const Exec exec;
  constexpr std::int64_t samples = 1000, channels = 32, bases = 8, longest = 32;

  const Kokkos::View<float**, Kokkos::LayoutRight, Exec> recording("recording", samples, channels);
  for (std::int64_t t = 0; t < samples; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) {
      recording(t, c) = std::sin(0.01F * static_cast<float>(t * (c + 1)));
    }
  }
  const sx::FilterBank<float, Exec> bank(exec, sx::RaisedCosineLog{.bases = bases},
                                         {.window = 100});

  // The choice determines the bits. It is made for the expected length, here a day.
  const sx::SeriesShape day{.samples = 86'400'000, .channels = channels, .epochs = {}};
  const sx::Choice choice = sx::choose_stream(exec, day, bank);
  const sx::SeriesShape block_shape{.samples = longest, .channels = channels, .epochs = {}};
  sx::ConvolveStream stream(exec, block_shape, bank, choice);
  std::printf("method: %s, delay: %lld samples\n", sx::name_of(stream.choice().method),
              static_cast<long long>(stream.delay()));

  const auto whole =
      sx::convolve<Kokkos::LayoutRight>(exec, recording, bank, {.method = choice.method});
  const Kokkos::View<float***, Kokkos::LayoutRight, Exec> features("features", stream.most_rows(),
                                                                   channels, bases);
  int blocks = 0;
  std::int64_t rows = 0;
  bool same = true;
  for (std::int64_t t = 0; t < samples; ++blocks) {
    const std::int64_t arrived = std::min<std::int64_t>(1 + t * 7 % longest, samples - t);
    const auto block = Kokkos::subview(recording, Kokkos::make_pair(t, t + arrived), Kokkos::ALL);
    const sx::Range given = stream.push(exec, block, features);  // allocates nothing
    exec.fence();
    // Here the loop acts: features(0 .. given.size(), channel, basis) are this block's.
    same = same && std::memcmp(features.data(), &whole(given.begin, 0, 0),
                               given.size() * channels * bases * sizeof(float)) == 0;
    rows += given.size();
    t += arrived;
  }
  std::printf("%d blocks, %lld rows\n", blocks, static_cast<long long>(rows));
  std::printf("the features have %s the whole recording\n",
              same ? "the bits of" : "OTHER BITS than");
  return same && rows == samples ? 0 : 1;
}

int main(int argc, char* argv[]) try {
  const sx::Session session(argc, argv);
  return run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
