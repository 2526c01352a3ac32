// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/fit_names.hpp"

namespace synelix {

const char* name_of(Solver solver) { return known_name(solver); }
const char* name_of(Stop stop) { return known_name(stop); }

}  // namespace synelix
