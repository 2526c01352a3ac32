// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle/array.hpp"
#include "oracle/convolution.hpp"
#include "oracle/random_case.hpp"
#include "oracle/stored.hpp"

#include <synelix/convolve.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// Runs the library on a case of the oracle: a case in memory, and its features as (r, c, b).

namespace oracle {

/// Space and scalar of a typed test.
template <class Space, class Scalar>
struct On {
  using space = Space;
  using scalar = Scalar;
};

/// Each space of hosts with float and double. A suite uses these only if it is only for hosts, with
/// the reason.
#if defined(KOKKOS_ENABLE_SERIAL) && defined(KOKKOS_ENABLE_OPENMP)
using HostSpaces = testing::Types<On<Kokkos::Serial, float>, On<Kokkos::Serial, double>,
                                  On<Kokkos::OpenMP, float>, On<Kokkos::OpenMP, double>>;
#else
using HostSpaces = testing::Types<On<Kokkos::DefaultHostExecutionSpace, float>,
                                  On<Kokkos::DefaultHostExecutionSpace, double>>;
#endif

/// Every space that tests run on, with float and double: in a build for a device, the device. There
/// memory of `new` is shared with it (tests/on_device), and hosts have builds of their own.
using AllSpaces = std::conditional_t<has_device,
                                     testing::Types<On<Kokkos::DefaultExecutionSpace, float>,
                                                    On<Kokkos::DefaultExecutionSpace, double>>,
                                     HostSpaces>;

template <class Scalar, class Space>
synelix::FilterBank<Scalar, Space> bank_of(const Space& exec, const Problem& problem) {
  return {
      exec,
      synelix::CustomTaps{.window = problem.window, .bases = problem.bases, .taps = problem.taps},
      {}};
}

/// The events of a case of counts.
template <class Scalar>
synelix::Events events_of(const RandomCase<Scalar>& test) {
  std::vector<synelix::Events::Train> trains(static_cast<std::size_t>(test.problem.channels));
  for (std::int64_t t = 0; t < test.problem.samples; ++t) {
    for (std::size_t c = 0; c < trains.size(); ++c) {
      const double count = test.stored[static_cast<std::size_t>(t) * trains.size() + c];
      if (count == 0.0) continue;
      trains[c].samples.push_back(t);
      trains[c].counts.push_back(static_cast<float>(count));
    }
  }
  return {test.problem.samples, trains, test.problem.epochs};
}

/// An output that shows missing writes of a run, and writes outside of its places.
template <class Scalar>
inline constexpr Scalar unwritten = Scalar(-12345);

/// The features of an array of any placement, as (r, c, b).
template <class Scalar>
std::vector<Scalar> rows_first(const Array<Scalar>& features, int axis) {
  const std::vector<std::int64_t>& extents = features.extents();
  const std::vector<std::int64_t> series(extents.begin(), extents.end() - 1);
  const std::int64_t rows = series[static_cast<std::size_t>(axis)];
  const std::int64_t bases = extents.back();
  const std::int64_t channels = rows > 0 ? features.size() / bases / rows : 0;
  const std::vector<Scalar> values = features.values();
  std::vector<Scalar> result;
  result.reserve(values.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t at = position(series, axis, r, c) * bases;
      for (std::int64_t b = 0; b < bases; ++b) {
        result.push_back(values[static_cast<std::size_t>(at + b)]);
      }
    }
  }
  return result;
}

/// Runs a separate plan for a case, with a random layout of input and output.
template <class Space, class Scalar>
std::vector<Scalar> run_case(const Space& exec, const RandomCase<Scalar>& test,
                             const synelix::ConvolveOptions& options, std::mt19937_64& random) {
  const auto bank = bank_of<Scalar>(exec, test.problem);
  std::vector<Scalar> result;
  visit_type(test.type, [&]<class T>() {
    Array<T> input(test.extents, random_placement(test.extents.size(), Signs::any, random), T(99));
    for (std::int64_t i = 0; i < input.size(); ++i) {
      const std::int64_t t = i / test.problem.channels;
      const std::int64_t c = i % test.problem.channels;
      input.at(position(test.extents, test.series.sample_axis, t, c)) =
          static_cast<T>(test.stored[static_cast<std::size_t>(i)]);
    }
    const synelix::StridedSeries series(scaled_by(input.strided(), test.scaling), test.series);
    const synelix::ConvolvePlan<Scalar, Space> plan(exec, series, bank, options);
    std::vector<std::int64_t> extents = test.extents;
    extents[static_cast<std::size_t>(test.series.sample_axis)] = plan.rows();
    extents.push_back(test.problem.bases);
    Array<Scalar> output(extents, random_placement(extents.size(), Signs::positive, random),
                         unwritten<Scalar>);
    plan.run(exec, series, output.output());
    exec.fence();
    EXPECT_EQ(output.damaged(), 0) << "written outside the features";
    result = rows_first(output, test.series.sample_axis);
  });
  return result;
}

/// Runs a separate plan for the events of a case of counts.
template <class Space, class Scalar>
std::vector<Scalar> run_events(const Space& exec, const RandomCase<Scalar>& test,
                               const synelix::ConvolveOptions& options, std::mt19937_64& random) {
  const auto bank = bank_of<Scalar>(exec, test.problem);
  const synelix::Events events = events_of(test);
  const synelix::ConvolvePlan<Scalar, Space> plan(exec, events, bank, options);
  Array<Scalar> output({plan.rows(), test.problem.channels, test.problem.bases},
                       random_placement(3, Signs::positive, random), unwritten<Scalar>);
  plan.run(exec, synelix::copy_events(exec, events), output.output());
  exec.fence();
  EXPECT_EQ(output.damaged(), 0) << "written outside the features";
  return output.values();
}

}  // namespace oracle
