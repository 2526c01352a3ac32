// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

/// \file
/// What this machine can do at this moment: multiply-adds and stores. On a shared machine that
/// changes within seconds, so every benchmark measures the roofs before and after itself. Shares of
/// a roof carry over to another day and machine; seconds do not.

namespace synelix::perf {

/// Limits of all threads of the run together.
struct Roofs {
  InstructionSet set = InstructionSet::plain;
  double flops_float = 0;  ///< multiply-adds on registers, 2 operations each, a second
  double flops_double = 0;
  double store_bytes = 0;  ///< written a second by regular stores to 128 MiB that are in use
};

/// Measures the roofs: medians of three repetitions, about a tenth of a second in all.
Roofs measure_roofs();

}  // namespace synelix::perf
