// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>
#include <synelix/seam/convolve.hpp>
#include <synelix/series.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// What the templates of trials.hpp call. For the public headers, not for users.

namespace synelix::seam {

/// What a trial is to the library: a View becomes a Series, one epoch.
template <class Input>
decltype(auto) as_series(const Input& input) {
  if constexpr (Kokkos::is_view_v<Input>) {
    return Series<Input>(input);
  } else {
    return (input);
  }
}

/// Calls body, and says which trial an Error is about.
template <class Body>
decltype(auto) naming_trial(std::size_t k, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error("trials[" + std::to_string(k) + "]: " + error.what());
  }
}

template <class Input>
std::vector<SeriesShape> shapes_of(const std::vector<Input>& trials) {
  std::vector<SeriesShape> shapes;
  shapes.reserve(trials.size());
  for (std::size_t k = 0; k < trials.size(); ++k) {
    naming_trial(k, [&] { shapes.push_back(as_series(trials[k]).shape()); });
  }
  return shapes;
}

/// An array that is written, of a View or as it is.
template <class Output>
StridedOutput output_of(const Output& output) {
  if constexpr (Kokkos::is_view_v<Output>) {
    return StridedOutput(strided_of(output));
  } else {
    return output;
  }
}

/// Rank of the series that an input is.
template <class Input>
constexpr int rank_of() {
  if constexpr (Kokkos::is_view_v<Input>) {
    return static_cast<int>(Input::rank());
  } else if constexpr (requires { Input::rank; }) {
    return Input::rank;
  } else {
    return 2;  // events: samples x channels
  }
}

/// Extents of the features of an input.
template <class Input>
Kokkos::LayoutRight extents_of_features(const Input& input, std::int64_t rows, std::int64_t bases) {
  if constexpr (requires { input.sample_axis(); }) {
    return features_extents(input.data(), input.sample_axis(), rows, bases);
  } else {
    return Kokkos::LayoutRight(static_cast<std::size_t>(rows),
                               static_cast<std::size_t>(input.shape().channels),
                               static_cast<std::size_t>(bases));
  }
}

}  // namespace synelix::seam
