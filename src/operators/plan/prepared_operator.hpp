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

  // A copy would launch with the tables of the one that it was copied from.
  PreparedOperator(const PreparedOperator&) = delete;
  PreparedOperator& operator=(const PreparedOperator&) = delete;
  PreparedOperator(PreparedOperator&&) noexcept = default;
  PreparedOperator& operator=(PreparedOperator&&) noexcept = default;
  ~PreparedOperator() = default;

  /// Asynchronous, where nobody watches.
  void run(const ExecutionSpace& exec, Watched* watched = nullptr) const;
  /// Of a watched run: work items of all passes.
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
  std::byte* m_workspace = nullptr;  ///< from a cache line on: what is packed, then teams
};

}  // namespace synelix::plan
