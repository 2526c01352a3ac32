// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A design matrix for a model of one neuron: its own recent spikes, where the animal is, and how
// fast it runs there. A sum has the columns of its terms, one after the other. A product multiplies
// columns. Every column is computed once, at its final place.
//
// Expected output:
//     10000 rows x 68 columns
//       history: columns 0 to 7
//       (place * speed): columns 8 to 67
//     place * speed at sample 5000, largest column: 0.6120
//     columns are what their bases say: yes

#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace sx = synelix;

int main() try {
  const sx::Session session;
  const Kokkos::DefaultHostExecutionSpace exec;

  constexpr int samples = 10'000;
  Kokkos::View<unsigned char*, Kokkos::HostSpace> spikes("spikes", samples);
  Kokkos::View<double*, Kokkos::HostSpace> position("position", samples);  // meters
  Kokkos::View<double*, Kokkos::HostSpace> speed("speed", samples);        // meters per second
  for (int t = 0; t < samples; ++t) {
    spikes(t) = t * 7919 % 101 < 4 ? 1 : 0;
    position(t) = 1.0 - std::cos(t * 0.001);
    speed(t) = std::abs(std::sin(t * 0.001));
  }

  const auto history =
      sx::conv(sx::RaisedCosineLog{.bases = 8}, {.window = 100, .label = "history"});
  const auto place = sx::eval(sx::BSpline{.bases = 12}, {.bounds = {{0.0, 2.0}}, .label = "place"});
  const auto running = sx::eval(sx::RaisedCosineLinear{.bases = 5}, {.label = "speed"});

  // Bases take the inputs from left to right.
  const auto design =
      sx::compute_features<double>(exec, history + place * running, {spikes, position, speed});

  std::printf("%zu rows x %zu columns\n", design.values.extent(0), design.values.extent(1));
  for (const sx::Term& term : design.terms) {
    std::printf("  %s: columns %lld to %lld\n", term.label.c_str(),
                static_cast<long long>(term.columns.begin),
                static_cast<long long>(term.columns.end - 1));
  }

  const auto product = design.part("(place * speed)");  // (samples, channels, bases), not a copy
  double largest = 0.0;
  double sum = 0.0;
  for (std::size_t b = 0; b < product.extent(2); ++b) {
    largest = std::max(largest, product(5000, 0, b));
    sum += product(5000, 0, b);
  }
  std::printf("place * speed at sample 5000, largest column: %.4f\n", largest);

  // The splines sum to 1, so the columns of the product sum to those of the speed.
  const auto alone = sx::compute_features<double>(exec, running, {speed});
  double speed_sum = 0.0;
  for (std::size_t b = 0; b < 5; ++b) speed_sum += alone.values(5000, b);
  const bool ok = std::abs(sum - speed_sum) < 1e-12 && std::isnan(design.values(99, 0)) &&
                  !std::isnan(design.values(100, 0));
  std::printf("columns are what their bases say: %s\n", ok ? "yes" : "no");
  return ok ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
