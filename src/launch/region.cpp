// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/region.hpp"

#include <Kokkos_Core.hpp>

namespace synelix::plan {

Region::Region(const std::string& name) { Kokkos::Profiling::pushRegion(name); }
Region::~Region() { Kokkos::Profiling::popRegion(); }

}  // namespace synelix::plan
