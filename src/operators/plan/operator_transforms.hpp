// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/workspace.hpp"
#include "operators/choice/operator_items.hpp"
#include "operators/plan/conv_shape.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// A convolution operator by transforms: its tables and launches.

namespace synelix::plan {

/// What launches of a convolution operator compute: everything, or nothing.
enum class ConvWork : std::uint8_t { all, none };

/// Empty for direct sums.
template <class Scalar, class ExecutionSpace>
class OperatorTransforms {
 public:
  OperatorTransforms() = default;
  OperatorTransforms(const ExecutionSpace& exec, const ConvCutting& cutting);

  /// One run. `fixed` are the spectra of weights or the split-K partials. Asynchronous.
  void start(const ExecutionSpace& exec, const ConvShape& shape, const ConvCutting& cutting,
             std::byte* fixed, const sweep::Workspace& workspace, ConvWork work) const;

 private:
  Kokkos::View<Scalar*, typename ExecutionSpace::memory_space> m_turns;
};

}  // namespace synelix::plan
