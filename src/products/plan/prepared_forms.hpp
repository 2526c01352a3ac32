// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/plan_memory.hpp"
#include "launch/watched.hpp"
#include "launch/workspace.hpp"
#include "products/choice/form_items.hpp"
#include "products/problem/forms.hpp"

#include <synelix/types/bilinear_forms.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Bilinear forms bound to their memory, with a workspace.

namespace synelix::plan {

template <class Scalar, class ExecutionSpace>
class PreparedForms {
 public:
  PreparedForms(const ExecutionSpace& exec, const sweep::FormProblem<Scalar>& problem,
                const BilinearFormsOptions& options, FirstLaunch first_launch);

  /// Asynchronous if `watched` is null.
  void launch(const ExecutionSpace& exec, Watched* watched = nullptr) const;
  /// Work items of a watched run.
  [[nodiscard]] std::int64_t items() const;

  [[nodiscard]] const BilinearFormsChoice& choice() const { return m_cutting.choice; }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;
  /// The work of a launch: everything, or nothing, so that Kokkos prepares the kernel.
  enum class Work : std::uint8_t { none, all };

  void start(const ExecutionSpace& exec, Work work, Watched* watched) const;

  sweep::FormProblem<Scalar> m_problem;
  FormCutting m_cutting;
  OwnedMemory<std::byte, MemorySpace> m_memory;
  std::byte* m_workspace = nullptr;  ///< from a cache line on
};

}  // namespace synelix::plan
