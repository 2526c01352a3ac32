// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "roofs/roofs.hpp"

/// \file
/// The roofs as Kokkos kernels, for a device: each launch fills it, and several launches are timed
/// between two fences. They run on any space, so that a host can test them; a host's own roofs
/// (roofs.cpp) use its registers and stores better.

namespace synelix::perf {

/// As `measure_roof`, on the default execution space. `stream` is a copy, with bytes read and
/// written counted together: the best case of a convolution. Arrays are 1 GiB on a device and 64
/// MiB on a host, and the result of the last launch is checked. \throws std::runtime_error if it is
/// wrong
double measure_device_roof(Roof roof, double seconds);

}  // namespace synelix::perf
