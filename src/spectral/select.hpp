// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/table.hpp"

#include <synelix/choice.hpp>

namespace synelix::spectral {

/// The passes of a set that the build and the processor have (`tile::select_set`).
/// \throws Error for any other set
template <class Scalar>
const PassTable<Scalar>& passes_of(InstructionSet set);

}  // namespace synelix::spectral
