// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bases/functions.hpp"
#include "convolve/plan/sample_scaling.hpp"
#include "design/plan/design_layout.hpp"
#include "design/sweep/eval.hpp"
#include "launch/plan_memory.hpp"

#include <synelix/types/features.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// A basis in eval mode within a plan: its parameters and the ranges of its inputs, on the device;
/// and the sweep for them.

namespace synelix::plan {

/// Bytes on the device of a basis in eval mode.
std::int64_t evaluation_bytes(const DesignLayout& design, const Component& component);

/// Tables of one basis.
template <class Scalar, class ExecutionSpace>
class PreparedEvaluation {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// \throws Error if statistics that the basis needs are missing
  PreparedEvaluation(const DesignLayout& design, std::int64_t component,
                     std::span<const InputStatistics> statistics);

  /// The sweep over `features`, without rows, workspace and sources.
  [[nodiscard]] const sweep::EvalSweep<Scalar>& sweep() const { return m_sweep; }
  /// The source of an array as input `dimension` of the basis.
  [[nodiscard]] pack::AnySource source_of(int dimension, const Strided& data, int sample_axis,
                                          std::int64_t first_sample) const {
    return {m_scalings[static_cast<std::size_t>(dimension)].source_of(data, sample_axis,
                                                                      first_sample, 0),
            {}};
  }

 private:
  using Table = OwnedMemory<double, MemorySpace>;

  void bind_ranges(const Component& component, const EvalTerm& term,
                   std::span<const InputStatistics> statistics);

  std::vector<SampleScaling<MemorySpace>> m_scalings;
  Table m_functions;
  Table m_ranges;  ///< (dimension, lower or upper or span, channel)
  Table m_maps;
  sweep::EvalSweep<Scalar> m_sweep;
};

}  // namespace synelix::plan
