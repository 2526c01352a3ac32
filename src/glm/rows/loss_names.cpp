// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Apart from the losses: readers of files need the names alone.
#include "glm/rows/loss_names.hpp"

#include <synelix/loss.hpp>

namespace synelix {

const char* name_of(Family family) { return known_name(family); }
const char* name_of(InverseLink inverse_link) { return known_name(inverse_link); }

}  // namespace synelix
