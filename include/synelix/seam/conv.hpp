// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/output.hpp>

/// \file
/// What the operators of conv.hpp call. For the public headers, not for users.
///
/// Arrays and options are ConvArrays and ConvOptions, which conv.hpp declares after this header.

namespace synelix::seam {

/// An operator that writes to the caller's result of this rank.
template <int rank, class ExecutionSpace, class Arrays, class Output, class Options>
void conv_into(const ExecutionSpace& exec, Arrays arrays, const Output& output,
               const Options& options) {
  if constexpr (takes_output<ExecutionSpace, rank, rank, Output>()) {
    arrays.result = output_on<ExecutionSpace, rank, rank>(output);
    convolve_arrays(exec, arrays, options);
  }
}

/// The result of an operator in a new View of this rank. `size` as of `conv_extents`, or none.
template <class Result, int rank, class ExecutionSpace, class Arrays, class Options, class... Size>
Result conv_of(const ExecutionSpace& exec, Arrays arrays, const Options& options,
               const Size&... size) {
  Result result;
  if constexpr (returns_output<ExecutionSpace, rank, rank, Result>()) {
    result =
        new_output<Result>(exec, "synelix::conv::result", conv_extents(arrays, options, size...));
    arrays.result = strided_of(result);
    convolve_arrays(exec, arrays, options);
  }
  return result;
}

}  // namespace synelix::seam
