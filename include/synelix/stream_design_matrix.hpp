// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/design_matrix.hpp>
#include <synelix/stream_features.hpp>

#include <initializer_list>
#include <span>

/// \file
/// Design matrices of recordings that do not fit into memory:
///
///     sx::Hdf5Source position(sx::parse_file_path("behaviour.h5:/position"));
///     const sx::DesignMatrix design = sx::stream_design_matrix(exec, place, {position});
///     const sx::FitResult model = sx::fit(design, {.targets = counts});
///
/// Each walk over the rows reads the sources block by block and computes the features of each block
/// again, unless they are kept (`DesignMatrixOptions::keep`). A thread reads the next block while
/// the caller's thread computes. Results have the bits of a `DesignMatrix` of the same samples in
/// memory.

namespace synelix {

/// A design matrix over sources and events. It refers to them.
///
/// \param exec        the instance that computes
/// \param expression  what the columns are
/// \param inputs      one for each input that the expression consumes, from left to right
/// \param options     as of DesignMatrix; the budget includes the buffers of the sources
/// \param stream      `held_bytes` and `cancel` are used. A cancelled walk throws.
/// \throws Error      as DesignMatrix; if a basis needs all samples at once (OrthExponential in
///                    eval mode), or a source fails; Method::events needs Events alone
/// \throws Cancelled  in a walk, if stream.cancel is set
/// @{
template <class ExecutionSpace>
DesignMatrix stream_design_matrix(const ExecutionSpace& exec, const Expression& expression,
                                  std::span<const StreamInput> inputs,
                                  const DesignMatrixOptions& options = {},
                                  const StreamOptions& stream = {});
template <class ExecutionSpace>
DesignMatrix stream_design_matrix(const ExecutionSpace& exec, const Expression& expression,
                                  std::initializer_list<StreamInput> inputs,
                                  const DesignMatrixOptions& options = {},
                                  const StreamOptions& stream = {}) {
  return stream_design_matrix(exec, expression, std::span(inputs.begin(), inputs.size()), options,
                              stream);
}
/// @}

}  // namespace synelix
