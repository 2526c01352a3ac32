// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Spike trains as events: sample indices instead of a dense array of counts. The features have the
// same bits as direct sums of the counts, and take less time the fewer spikes there are.
//
// Expected output:
//     3 units, 5 events in 1000 bins, 92 bytes instead of 12000
//     method: events
//     the features have the bits of the dense counts

#include <synelix/synelix.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;

int run() {
  const Exec exec;
  constexpr std::int64_t bins = 1000;

  // One list of bins for each unit, in any order. A bin that is listed twice counts twice.
  const sx::Events events = sx::Events::from_unsorted(bins, {{10, 200, 201}, {}, {500, 500, 7}});
  std::printf("%lld units, %lld events in %lld bins, %lld bytes instead of %lld\n",
              static_cast<long long>(events.shape().channels),
              static_cast<long long>(events.shape().events), static_cast<long long>(bins),
              static_cast<long long>(events.bytes()), static_cast<long long>(bins * 3 * 4));

  const sx::FilterBank<float, Exec> bank(exec, sx::RaisedCosineLog{.bases = 5}, {.window = 50});
  const auto features = sx::convolve<Kokkos::LayoutRight>(exec, events, bank);  // (t, unit, b)
  const sx::Choice choice = sx::choose(exec, events, bank);
  std::printf("method: %s\n", sx::name_of(choice.method));

  const Kokkos::View<float**, Kokkos::LayoutRight, Exec> counts("counts", bins, 3);
  for (std::int64_t unit = 0; unit < 3; ++unit) {
    for (std::int64_t e = events.begins()[unit]; e < events.begins()[unit + 1]; ++e) {
      counts(events.sample_indices()[e], unit) =
          events.counts() != nullptr ? events.counts()[e] : 1.0F;
    }
  }
  // Transforms would round otherwise, and they may be the fastest method for counts.
  const sx::ConvolveOptions direct{.method = sx::Method::direct};
  const auto dense = sx::convolve<Kokkos::LayoutRight>(exec, counts, bank, direct);
  const bool same =
      std::memcmp(features.data(), dense.data(), features.span() * sizeof(float)) == 0;
  std::printf("the features have %s of the dense counts\n", same ? "the bits" : "OTHER BITS than");
  return same && choice.method == sx::Method::events ? 0 : 1;
}

int main(int argc, char* argv[]) try {
  const sx::Session session(argc, argv);
  return run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
