// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/scaled.hpp>
#include <synelix/series.hpp>

#include <vector>

/// \file
/// Numbers of a scaling as an argument of `scaled`.

namespace oracle {

/// An array with the numbers of a scaling, which has to outlive it.
template <class Array>
auto scaled_by(const Array& array, const synelix::Scaling& scaling) {
  const auto numbers = [](double all, const std::vector<double>& each) {
    return each.empty() ? synelix::PerChannel(all) : synelix::PerChannel(each);
  };
  return synelix::scaled(array, numbers(scaling.scale, scaling.channel_scale),
                         numbers(scaling.offset, scaling.channel_offset));
}

}  // namespace oracle
