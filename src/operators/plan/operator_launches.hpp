// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/plan_memory.hpp"
#include "launch/watched.hpp"
#include "launch/workspace.hpp"
#include "operators/choice/operator_items.hpp"
#include "operators/plan/conv_shape.hpp"

#include <cstddef>
#include <cstdint>

/// \file
/// The launches of a convolution operator: by transforms, with their tables, and on a device.

namespace synelix::plan {

/// The work of launches of a convolution operator: everything, or nothing.
enum class ConvWork : std::uint8_t { all, none };

/// Empty for direct sums.
template <class Scalar, class ExecutionSpace>
class OperatorTransforms {
 public:
  OperatorTransforms() = default;
  OperatorTransforms(const ExecutionSpace& exec, const ConvCutting& cutting);

  /// One run. `fixed` are the spectra of weights or the split-K partials. Asynchronous if it is not
  /// watched.
  void start(const ExecutionSpace& exec, const ConvShape& shape, const ConvCutting& cutting,
             std::byte* fixed, const sweep::Workspace& workspace, ConvWork work,
             Watched* watched) const;
  /// Work items of a run, of all passes.
  [[nodiscard]] std::int64_t items(const ConvShape& shape, const ConvCutting& cutting) const;

 private:
  OwnedMemory<Scalar, typename ExecutionSpace::memory_space> m_turns;
};

/// The same on a device, with the tables of the transform there.
template <class Scalar, class ExecutionSpace>
void start_transforms_on_device(const ExecutionSpace& exec, const ConvShape& shape,
                                const ConvCutting& cutting, const Scalar* turns, std::byte* fixed,
                                ConvWork work);

/// The number of passes of the axis; each is a launch.
inline std::int64_t passes_of(const ConvShape& shape) {
  const std::int64_t* const first =
      shape.tables.numbers.data() + shape.tables.first_pass[index::conv_dimensions - 1];
  return first[1] - first[0];
}

/// One run of direct sums. `fixed` are the packed weights, or the split-K partials. Asynchronous.
template <class Scalar, class ExecutionSpace>
void start_on_device(const ExecutionSpace& exec, const ConvShape& shape, const ConvCutting& cutting,
                     std::byte* fixed, ConvWork work);

}  // namespace synelix::plan
