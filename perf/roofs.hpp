// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

/// \file
/// What this machine can do, measured in this run: multiply-adds and stores. Shares of these carry
/// over to another day and machine; seconds do not.

namespace synelix::perf {

/// Limits of all threads of the run together.
struct Roofs {
  InstructionSet set = InstructionSet::plain;
  double flops_float = 0;   ///< multiply-adds on registers, 2 operations each, a second
  double flops_double = 0;
  double store_bytes = 0;   ///< written a second by regular stores to 256 MiB that are in use
};

/// The roofs of this run: medians of five repetitions, measured at the first call.
const Roofs& roofs();

}  // namespace synelix::perf
