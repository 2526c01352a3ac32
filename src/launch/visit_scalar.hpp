// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>
#include <synelix/strided.hpp>

#include <string>

namespace synelix::plan {

/// Calls visit.operator()<Scalar>() with the scalar of a result. \throws Error naming the argument
/// where that is neither float nor double
template <class Visitor>
auto visit_scalar(const std::string& argument, StoredType type, const Visitor& visit) {
  switch (type) {
    case StoredType::float32:
      return visit.template operator()<float>();
    case StoredType::float64:
      return visit.template operator()<double>();
    default:
      throw Error(argument, std::string(synelix::name_of(type)) + " is not supported",
                  "Use float32 or float64");
  }
}

}  // namespace synelix::plan
