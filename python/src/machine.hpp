// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime.hpp"

#include <synelix/choice.hpp>

/// \file
/// Calibrations: measured, stored in files, and used by the options of calls.

namespace synelix::python {

/// The calibration of a keyword `machine`. Call with the GIL: it starts Kokkos if necessary.
/// \throws Error if this processor lacks its instruction set
Machine calibration_of(nb::handle value);

void bind_machine(nb::module_& module);

}  // namespace synelix::python
