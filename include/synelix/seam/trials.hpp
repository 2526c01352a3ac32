// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>
#include <synelix/seam/arguments.hpp>
#include <synelix/series.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// \file
/// What the templates of trials.hpp call. For the public headers, not for users.

namespace synelix::seam {

/// Calls body, and says which trial an Error is about.
template <class Body>
decltype(auto) naming_trial(std::size_t k, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error("trials[" + std::to_string(k) + "]: " + error.what());
  }
}

/// What a plan is made for.
template <class ExecutionSpace, class Trial>
std::vector<SeriesShape> shapes_of(const std::vector<Trial>& trials) {
  std::vector<SeriesShape> shapes;
  shapes.reserve(trials.size());
  for (std::size_t k = 0; k < trials.size(); ++k) {
    naming_trial(k, [&] { shapes.push_back(shape_of<ExecutionSpace>(trials[k])); });
  }
  return shapes;
}

}  // namespace synelix::seam
