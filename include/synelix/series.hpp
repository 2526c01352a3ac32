// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/error.hpp>
#include <synelix/scaled.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/series.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// The input of a convolution: `Series`, samples of one or many channels in an array of any layout,
/// and `Events`, spike trains as sample indices with counts. Both may be cut into epochs.

namespace synelix {

/// Copies events to the memory of an execution space. Plans on a device need this, because plans
/// never copy. One copy of all lists in the order of exec, and a fence.
///
///     const sx::Events near = sx::copy_events(exec, events);
///     plan.run(exec, near, features);
///
/// \throws Error if the events are not on the host
template <class ExecutionSpace>
Events copy_events(const ExecutionSpace& exec, const Events& events);

}  // namespace synelix
