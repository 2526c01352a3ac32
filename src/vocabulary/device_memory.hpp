// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

/// \file
/// What a device says of its memory: the one place that asks a backend directly. Of host spaces:
/// what holds for host memory.

namespace synelix {

/// Bytes that are free in the memory of the space.
template <class ExecutionSpace>
std::int64_t free_bytes(const ExecutionSpace& exec);

/// A quarter of those: the budget of a call that names none.
template <class ExecutionSpace>
std::int64_t default_budget_of(const ExecutionSpace& exec);

/// What a call may use: what it was told, else the default, which the machine is asked for only
/// where more is needed than the least of it.
template <class ExecutionSpace>
std::int64_t budget_for(const ExecutionSpace& exec, std::optional<std::int64_t> told,
                        std::int64_t needed);

/// Whether kernels use any host memory as their own: one physical memory (MI300A), or one
/// that both keep coherent (GH200). False where pages would travel over a bus.
template <class ExecutionSpace>
bool shares_host_memory(const ExecutionSpace& exec);

/// Whether kernels of a device read and write any memory of the host, at whatever speed.
template <class ExecutionSpace>
bool reads_pageable_memory(const ExecutionSpace& exec);

/// Where memory lies that nobody has described.
enum class FoundMemory : std::uint8_t {
  device,  ///< of the space, or managed by it
  pinned,  ///< of the host, and reached by the space
  host     ///< of the host
};
template <class ExecutionSpace>
FoundMemory memory_at(const ExecutionSpace& exec, const void* data);

}  // namespace synelix
