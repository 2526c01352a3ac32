// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "plan/bound_convolution.hpp"

#include <synelix/error.hpp>
#include <synelix/features.hpp>

#include <cstddef>
#include <cstring>
#include <string>

/// \file
/// Whether an input lies where an execution space reaches it.

namespace synelix::plan {

/// Refuses an input that the space does not reach, as far as is known.
template <class ExecutionSpace>
void check_reached(const FeatureInput& input, std::size_t i) {
  const bool is_reached =
      is_host_space<ExecutionSpace>
          ? input.is_on_host()
          : *input.memory_space() == '\0' ||
                std::strcmp(input.memory_space(), ExecutionSpace::memory_space::name()) == 0;
  if (!is_reached) {
    throw Error("inputs[" + std::to_string(i) + "]",
                std::string("an array in ") + input.memory_space(),
                "memory that the execution space reaches");
  }
}

}  // namespace synelix::plan
