// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/plan_memory.hpp"
#include "launch/watched.hpp"
#include "launch/workspace.hpp"
#include "operators/choice/operator_items.hpp"
#include "operators/plan/conv_shape.hpp"
#include "operators/plan/operator_launches.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// A convolution operator bound to its memory, with a workspace.

namespace synelix::plan {

template <class Scalar, class ExecutionSpace>
class PreparedOperator {
 public:
  PreparedOperator(const ExecutionSpace& exec, ConvShape shape, const ConvOptions& options,
                   FirstLaunch first_launch);

  // A copy would launch with the tables of the original.
  PreparedOperator(const PreparedOperator&) = delete;
  PreparedOperator& operator=(const PreparedOperator&) = delete;
  PreparedOperator(PreparedOperator&&) noexcept = default;
  PreparedOperator& operator=(PreparedOperator&&) noexcept = default;
  ~PreparedOperator() = default;

  /// Asynchronous if it is not watched.
  void launch(const ExecutionSpace& exec, Watched* watched = nullptr) const;
  /// Work items of all passes, for a watched run.
  [[nodiscard]] std::int64_t items() const;

  [[nodiscard]] const ConvChoice& choice() const { return m_cutting.choice; }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Work = ConvWork;

  void start(const ExecutionSpace& exec, Work work, Watched* watched) const;
  void start_on_host(const ExecutionSpace& exec, Work work, Watched* watched) const;
  void start_by_weights(const ExecutionSpace& exec, const sweep::Workspace& workspace, Work work,
                        Watched* watched) const;

  ConvShape m_shape;
  ConvCutting m_cutting;
  Kokkos::View<index::ConvPass*, MemorySpace> m_passes;  ///< on a device
  Kokkos::View<std::int64_t*, MemorySpace> m_numbers;    ///< on a device
  OperatorTransforms<Scalar, ExecutionSpace> m_fft;
  OwnedMemory<std::byte, MemorySpace> m_memory;
  std::byte* m_workspace = nullptr;  ///< aligned to a cache line: packed values, then the memory of
                                     ///< teams
};

}  // namespace synelix::plan
