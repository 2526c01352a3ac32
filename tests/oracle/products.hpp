// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle/array.hpp"
#include "oracle/library.hpp"
#include "oracle/matrix_product.hpp"
#include "oracle/random_case.hpp"

#include <synelix/matmul.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <variant>
#include <vector>

/// \file
/// Operands of matrix products, placed and stored at random.

namespace oracle {

/// Twice the bound for the rounding of each product and each sum.
template <class Scalar>
double product_tolerance(double most, std::int64_t inner) {
  return 2 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * most *
         static_cast<double>(inner + 2);
}

/// An operand of any stored type, placed at random, and its physical values as the library rounds
/// them.
template <class Scalar>
class RandomOperand {
 public:
  RandomOperand(std::vector<std::int64_t> extents, synelix::StoredType type,
                const Placement& placement, std::mt19937_64& random, double scale = 1,
                double offset = 0)
      : m_scale(scale), m_offset(offset) {
    visit_type(type, [&]<class T>() {
      Array<T> array(extents, placement, T(77));
      for (std::int64_t i = 0; i < array.size(); ++i) {
        const double value =
            std::is_integral_v<T>
                ? static_cast<double>(draw(random, std::is_signed_v<T> ? -50 : 0, 100))
                : static_cast<double>(static_cast<float>(draw(random, -1000, 1000)) / 512.0F);
        array.at(i) = static_cast<T>(value);
        m_physical.push_back(static_cast<double>(
            static_cast<Scalar>(static_cast<double>(array.at(i)) * scale + offset)));
      }
      m_array = std::move(array);
    });
  }

  [[nodiscard]] synelix::Operand matrices() const {
    const synelix::Operand stored(
        std::visit([](const auto& array) { return array.strided(); }, m_array));
    if (m_scale == 1 && m_offset == 0) return stored;
    return scaled(stored, m_scale, m_offset);
  }
  [[nodiscard]] const std::vector<double>& physical() const { return m_physical; }

 private:
  std::variant<Array<float>, Array<double>, Array<std::int8_t>, Array<std::uint8_t>,
               Array<std::int16_t>, Array<std::uint16_t>>
      m_array{Array<float>({0}, right_placement(1), 0.0F)};
  std::vector<double> m_physical;
  double m_scale;
  double m_offset;
};

}  // namespace oracle
