// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>

#include <cstdint>

/// \file
/// From the tag of a stored type to the type.

namespace oracle {

/// Calls visitor.operator()<T>() with the C++ type of a stored type.
template <class Visitor>
void visit_type(synelix::StoredType type, const Visitor& visitor) {
  switch (type) {
    case synelix::StoredType::float32:
      return visitor.template operator()<float>();
    case synelix::StoredType::float64:
      return visitor.template operator()<double>();
    case synelix::StoredType::int8:
      return visitor.template operator()<std::int8_t>();
    case synelix::StoredType::uint8:
      return visitor.template operator()<std::uint8_t>();
    case synelix::StoredType::int16:
      return visitor.template operator()<std::int16_t>();
    case synelix::StoredType::uint16:
      return visitor.template operator()<std::uint16_t>();
  }
}

}  // namespace oracle
