// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/plan_memory.hpp"
#include "launch/watched.hpp"
#include "launch/workspace.hpp"
#include "products/choice/library_call.hpp"
#include "products/choice/product_parts.hpp"
#include "products/plan/product_arguments.hpp"
#include "products/problem/products.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// Products bound to their memory, with a workspace.

namespace synelix::plan {

template <class Scalar, class ExecutionSpace>
class PreparedProducts {
 public:
  PreparedProducts(const ExecutionSpace& exec, ProductList<Scalar> list,
                   const MatmulOptions& options, FirstLaunch first_launch);

  // A copy would launch with the tables of the original.
  PreparedProducts(const PreparedProducts&) = delete;
  PreparedProducts& operator=(const PreparedProducts&) = delete;
  PreparedProducts(PreparedProducts&&) noexcept = default;
  PreparedProducts& operator=(PreparedProducts&&) noexcept = default;
  ~PreparedProducts() = default;

  /// Asynchronous if `watched` is null.
  void launch(const ExecutionSpace& exec, Watched* watched = nullptr) const;
  /// Work items of a watched run: parts, and results that are copied as slices.
  [[nodiscard]] std::int64_t items() const;

  [[nodiscard]] const MatmulChoice& choice() const { return m_cut.choice; }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;

  [[nodiscard]] SweepLaunch<ExecutionSpace> launch(const ExecutionSpace& exec,
                                                   const std::string& label, int team_size) const;
  void start(const ExecutionSpace& exec, const sweep::ProductSet<Scalar>& products,
             const std::int64_t* shares, Watched* watched) const;
  void start_slices(const ExecutionSpace& exec, std::int64_t count, Watched* watched) const;

  ProductList<Scalar> m_list;
  ProductCut<Scalar> m_cut;
  Kokkos::View<sweep::Product<Scalar>*, MemorySpace> m_table;  ///< on a device, like the next two
  Kokkos::View<std::int64_t*, MemorySpace> m_first_parts;
  Kokkos::View<std::int64_t*, MemorySpace> m_shares_copy;
  const std::int64_t* m_shares = nullptr;
  OwnedMemory<std::byte, MemorySpace> m_memory;
  std::byte* m_workspace = nullptr;   ///< from a cache line on
  sweep::ProductSet<Scalar> m_set;    ///< what is computed
  sweep::ProductSet<Scalar> m_batch;  ///< the requested batch, if that has no table
  Scalar* m_whole = nullptr;          ///< the product that slices are part of
  bool m_streams = false;             ///< whether slices are written with streaming stores
};

/// Whether there is a library for products on a space.
template <class Scalar, class ExecutionSpace>
VendorLibrary library_of();

/// Computes it. Asynchronous on a device; on a host it is complete when the call returns.
template <class Scalar, class ExecutionSpace>
void multiply_by_library(const ExecutionSpace& exec, const sweep::Product<Scalar>& product);

}  // namespace synelix::plan
