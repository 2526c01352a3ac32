// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

/// \file
/// Facts about a device's memory: the only code that queries a backend directly. For host spaces:
/// the facts about host memory.

namespace synelix {

/// Bytes that are free in the memory of the space.
template <class ExecutionSpace>
std::int64_t free_bytes(const ExecutionSpace& exec);

/// A quarter of those: the budget of a call without a given one.
template <class ExecutionSpace>
std::int64_t default_budget_of(const ExecutionSpace& exec);

/// The budget of a call: the given one, otherwise the default. The machine is queried only if more
/// than the smallest default is needed.
template <class ExecutionSpace>
std::int64_t budget_for(const ExecutionSpace& exec, std::optional<std::int64_t> told,
                        std::int64_t needed);

/// Whether kernels use any host memory like their own: one physical memory (MI300A), or two that
/// are kept coherent (GH200). False if pages would be transferred over a bus.
template <class ExecutionSpace>
bool shares_host_memory(const ExecutionSpace& exec);

/// Whether kernels of a device can access any host memory, at any speed.
template <class ExecutionSpace>
bool reads_pageable_memory(const ExecutionSpace& exec);

/// The place of memory without a known memory space.
enum class FoundMemory : std::uint8_t {
  device,  ///< of the space, or managed by it
  pinned,  ///< of the host, and accessible to the space
  host     ///< of the host
};
template <class ExecutionSpace>
FoundMemory memory_at(const ExecutionSpace& exec, const void* data);

}  // namespace synelix
