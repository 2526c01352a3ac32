// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/devices.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// `Session` starts and ends Kokkos, for programs that do not do so themselves.
///
///     int main(int argc, char* argv[]) {
///       const sx::Session session(argc, argv);  // before anything that computes
///       run();
///     }

namespace synelix {

/// A new instance of a space with this number of threads. Calls on it overlap with calls on other
/// instances from other threads of the host. Keep it for many calls, because Kokkos fences all
/// instances when it creates or destroys one.
///
///     const auto two = sx::instance_with_threads<Kokkos::OpenMP>(2);
///     sx::convolve(two, samples, bank, features);
///
/// Results have the same bits for every number of threads.
/// \param threads  1 to the threads that Kokkos was started with. Serial has one.
/// \throws Error for another number, on a device, or if Kokkos is not running
template <class ExecutionSpace = Kokkos::DefaultHostExecutionSpace>
ExecutionSpace instance_with_threads(int threads);

}  // namespace synelix
