// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cases.hpp"
#include "exec_array.hpp"
#include "noise.hpp"

#include <synelix/synelix.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// The arrays of a dense case, and a check of its features.

namespace synelix::perf {

/// Whether features agree, at 300 random points with a complete window, with plain sums in double.
/// `sample(t, c)` is the input as convolved, `features` the host's copy, and `delay` the number of
/// samples from the newest one in a row's window to the row.
template <class Scalar, class Sample>
bool is_right(const Sample& sample, const Scalar* features, const FeaturePlaces& places,
              const Taps& taps, std::int64_t delay) {
  const double allowed = sizeof(Scalar) == 4 ? 1e-4 : 1e-11;
  const std::int64_t first = taps.window - 1 + delay;
  Noise noise;
  for (int i = 0; i < 300 && first < places.samples; ++i) {
    const std::int64_t t = first + noise.below(places.samples - first);
    const std::int64_t c = noise.below(places.channels);
    const std::int64_t b = noise.below(taps.bases);
    double sum = 0;
    double size = 0;
    for (std::int64_t w = 0; w < taps.window; ++w) {
      const double term = taps(w, b) * static_cast<double>(sample(t - delay - w, c));
      sum += term;
      size += std::abs(term);
    }
    const double found = features[places(t, c, b)];
    if (!(std::abs(sum - found) <= allowed * (size + 1e-6))) return false;
  }
  return true;
}

/// Samples in the type they are stored in, a bank, and features; all memory is touched.
template <class Scalar, class Stored>
struct DenseProblem {
  Case shape;
  Exec exec;
  FilterBank<Scalar, Exec> bank;
  SamplePlaces samples;
  FeaturePlaces places;
  ExecArray<Stored> x;
  ExecArray<Scalar> y;

  DenseProblem(const Case& problem, Bank kind, Order order = natural_order)
      : shape(problem),
        bank(exec, taps_of(kind, problem.bases, problem.window)),
        samples{problem.samples, problem.channels},
        places{problem.samples, problem.channels, problem.bases, order},
        x(static_cast<std::size_t>(samples.count())),
        y(static_cast<std::size_t>(places.count())) {
    Noise noise;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if constexpr (std::is_integral_v<Stored>) {
        x[i] = static_cast<Stored>(noise.below(251) - 125);
      } else {
        x[i] = static_cast<Stored>(noise.sample());
      }
    }
    x.to_exec();
  }

  [[nodiscard]] StridedSeries series() const { return StridedSeries(samples.input(x.data())); }
  [[nodiscard]] StridedOutput features() const { return places.output(y.data()); }
  /// For features of the default options: causal, so the present sample is not in the window.
  [[nodiscard]] bool is_right() const {
    y.to_host();
    const auto sample = [this](std::int64_t t, std::int64_t c) { return x.host()[samples(t, c)]; };
    return perf::is_right(sample, y.host(), places, bank.taps(), 1);
  }

  /// Operations with all taps, of the rows with a complete window.
  [[nodiscard]] double dense_flops() const {
    return 2.0 * outputs_per_tap() * static_cast<double>(shape.bases * shape.window);
  }
  /// Operations with the taps inside the supports.
  [[nodiscard]] double trimmed_flops() const {
    return 2.0 * outputs_per_tap() * static_cast<double>(taps_in_support(bank.taps()));
  }
  [[nodiscard]] double bytes_stored() const {
    return static_cast<double>(y.size() * sizeof(Scalar));
  }
  [[nodiscard]] double bytes_moved() const {
    return bytes_stored() + static_cast<double>(x.size() * sizeof(Stored));
  }

 private:
  [[nodiscard]] double outputs_per_tap() const {
    return static_cast<double>((shape.samples - shape.window) * shape.channels);
  }
};

}  // namespace synelix::perf
