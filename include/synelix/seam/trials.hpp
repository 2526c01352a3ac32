// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>
#include <synelix/seam/arguments.hpp>
#include <synelix/seam/convolve.hpp>
#include <synelix/series.hpp>
#include <synelix/types/convolve.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// \file
/// What the templates of trials.hpp call. For the public headers, not for users.

namespace synelix::seam {

/// Calls body, and adds the number of the trial to an Error.
template <class Body>
decltype(auto) naming_trial(std::size_t k, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error("trials[" + std::to_string(k) + "]: " + error.what());
  }
}

/// The shapes that a plan needs.
template <class ExecutionSpace, class Trial>
std::vector<SeriesShape> shapes_of(const std::vector<Trial>& trials) {
  std::vector<SeriesShape> shapes;
  shapes.reserve(trials.size());
  for (std::size_t k = 0; k < trials.size(); ++k) {
    naming_trial(k, [&] { shapes.push_back(shape_of<ExecutionSpace>(trials[k])); });
  }
  return shapes;
}

/// Whether a one-shot call of trials and their features goes through the device in blocks.
/// \param features  empty: the call allocates them
/// \throws Error if staging forbids what is needed
template <class ExecutionSpace, class Trial, class Features = StridedOutput>
bool go_in_blocks(const ExecutionSpace& exec, const std::vector<Trial>& trials, Staging staging,
                  const std::vector<Features>& features = {}) {
  if (is_on_host<ExecutionSpace> && staging != Staging::always) return false;
  for (std::size_t k = 0; k < trials.size(); ++k) {
    const Argument output =
        k < features.size() ? argument_of<ExecutionSpace>(features[k]) : Argument{};
    const bool is_staged = naming_trial(k, [&] {
      return goes_in_blocks(exec, staging, argument_of<ExecutionSpace>(as_series(trials[k])),
                            output);
    });
    if (is_staged) return true;
  }
  return false;
}

/// Refuses lists of different lengths, and outputs that overlap one another or an input.
/// \param inputs  of events: none
void require_apart(std::size_t trials, const std::vector<Strided>& inputs,
                   const std::vector<StridedOutput>& features);

/// Convolves trials one after the other, each in blocks through the device if necessary.
template <class Scalar, class ExecutionSpace, class Trial, class Features>
void convolve_each(const ExecutionSpace& exec, const std::vector<Trial>& trials,
                   const FilterBank<Scalar, ExecutionSpace>& bank,
                   const std::vector<Features>& features, const ConvolveOptions& options) {
  std::vector<Strided> inputs;
  std::vector<StridedOutput> outputs;
  outputs.reserve(features.size());
  for (const Features& output : features) outputs.push_back(output_of(output));
  if constexpr (!std::is_same_v<Trial, Events>) {
    inputs.reserve(trials.size());
    for (const Trial& trial : trials) inputs.push_back(as_series(trial).data());
  }
  require_apart(trials.size(), inputs, outputs);
  for (std::size_t k = 0; k < trials.size(); ++k) {
    naming_trial(k, [&] {
      decltype(auto) series = as_series(trials[k]);
      OneShot<Scalar, ExecutionSpace> call(exec, series.shape(),
                                           argument_of<ExecutionSpace>(series),
                                           argument_of<ExecutionSpace>(features[k]), bank, options);
      call.convolve(exec, series, outputs[k]);
    });
  }
}

}  // namespace synelix::seam
