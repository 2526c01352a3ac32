// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exec_array.hpp"
#include "runners/products_runner.hpp"

#include <synelix/matmul.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

/// \file
/// The memory of a set of products.

namespace synelix::perf {

/// Row-major operands and results of a problem, and the place of each product.
template <class Scalar>
class Operands {
 public:
  struct Place {
    std::int64_t a;
    std::int64_t b;
    std::int64_t c;
  };

  explicit Operands(const ProductsProblem& problem)
      : m_problem(problem),
        m_a(made_values<Scalar>(problem.is_int8 ? 0 : left_count(), 7919, 1009)),
        m_bytes(filled_bytes(problem.is_int8 ? left_count() : 0)),
        m_b(made_values<Scalar>(right_count(), 104'729, 1013)),
        m_c(static_cast<std::size_t>(count_of(&ProductShape::rows, &ProductShape::columns) *
                                     (is_windows() ? products() : 1))) {
    Place next{0, 0, 0};
    for (std::int64_t p = 0; p < products(); ++p) {
      m_places.push_back(next);
      const ProductShape& shape = this->shape(p);
      if (!is_windows()) next.a += shape.rows * shape.inner;
      next.b += is_windows() ? 1 : shape.inner * shape.columns;
      next.c += shape.rows * shape.columns;
    }
  }

  [[nodiscard]] bool is_windows() const { return m_problem.kind == "windows"; }
  [[nodiscard]] const ProductsProblem& problem() const { return m_problem; }
  [[nodiscard]] std::int64_t products() const {
    if (is_windows()) return m_problem.length - m_problem.shapes[0].columns + 1;
    return m_problem.kind == "batch" ? m_problem.count
                                     : static_cast<std::int64_t>(m_problem.shapes.size());
  }
  [[nodiscard]] const ProductShape& shape(std::int64_t product) const {
    return m_problem.shapes[m_problem.kind == "list" ? static_cast<std::size_t>(product) : 0];
  }
  [[nodiscard]] Place place(std::int64_t product) const {
    return m_places[static_cast<std::size_t>(product)];
  }
  /// Values from one row of a right operand to the next.
  [[nodiscard]] std::int64_t right_row(std::int64_t product) const {
    return is_windows() ? m_problem.length : shape(product).columns;
  }
  [[nodiscard]] Scalar* a() const { return m_a.data(); }
  /// Left operands starting at a place.
  [[nodiscard]] Operand left(std::int64_t place,
                             std::initializer_list<std::int64_t> extents) const {
    if (!m_problem.is_int8) return Strided(m_a.data() + place, extents);
    return scaled(Strided(m_bytes.data() + place, extents), 1.0 / 128, 0);
  }
  [[nodiscard]] Scalar* b() const { return m_b.data(); }
  [[nodiscard]] Scalar* c() const { return m_c.data(); }

  [[nodiscard]] double value(std::int64_t product, std::int64_t i, std::int64_t j) const {
    m_c.to_host();
    return static_cast<double>(
        m_c[static_cast<std::size_t>(place(product).c + i * shape(product).columns + j)]);
  }

 private:
  [[nodiscard]] std::int64_t count_of(std::int64_t ProductShape::* one,
                                      std::int64_t ProductShape::* other) const {
    std::int64_t count = 0;
    for (const ProductShape& shape : m_problem.shapes) count += shape.*one * shape.*other;
    return m_problem.kind == "batch" ? count * m_problem.count : count;
  }
  [[nodiscard]] std::int64_t left_count() const {
    return count_of(&ProductShape::rows, &ProductShape::inner);
  }
  [[nodiscard]] std::int64_t right_count() const {
    if (is_windows()) return m_problem.shapes[0].inner * m_problem.length;
    return count_of(&ProductShape::inner, &ProductShape::columns);
  }
  static ExecArray<std::int8_t> filled_bytes(std::int64_t count) {
    LargeArray<std::int8_t> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      values[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i * 7919 % 251 - 125);
    }
    return ExecArray<std::int8_t>(std::move(values));
  }

  ProductsProblem m_problem;
  ExecArray<Scalar> m_a;
  ExecArray<std::int8_t> m_bytes;
  ExecArray<Scalar> m_b;
  ExecArray<Scalar> m_c;
  std::vector<Place> m_places;
};

}  // namespace synelix::perf
