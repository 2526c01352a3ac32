// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products_runner.hpp"

#include "forms_runner.hpp"

#include <synelix/matmul.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

extern "C" {
// BLAS: c(m, n) = alpha op(a) op(b) + beta c, column-major.
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
}

namespace synelix::perf {
namespace {

/// Row-major operands and results of a problem, and where each product's lie.
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
        m_a(filled(count_of(&ProductShape::rows, &ProductShape::inner), 7919, 1009)),
        m_b(filled(right_count(), 104'729, 1013)),
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
  [[nodiscard]] std::int64_t right_count() const {
    if (is_windows()) return m_problem.shapes[0].inner * m_problem.length;
    return count_of(&ProductShape::inner, &ProductShape::columns);
  }
  static ExecArray<Scalar> filled(std::int64_t count, std::int64_t factor, std::int64_t divisor) {
    LargeArray<Scalar> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      values[static_cast<std::size_t>(i)] = static_cast<Scalar>(
          static_cast<double>(i * factor % divisor) / static_cast<double>(divisor) - 0.5);
    }
    return ExecArray<Scalar>(std::move(values));
  }

  ProductsProblem m_problem;
  ExecArray<Scalar> m_a;
  ExecArray<Scalar> m_b;
  ExecArray<Scalar> m_c;
  std::vector<Place> m_places;
};

/// The library, with a plan that is made once.
template <class Scalar>
class Library : public ProductsRunner {
 public:
  Library(const ProductsProblem& problem, Multiplier multiplier) : m_operands(problem) {
    MatmulOptions options;
    options.multiplier = multiplier;
    const ProductShape& shape = m_operands.shape(0);
    const std::int64_t count = m_operands.products();
    if (problem.kind == "list") {
      std::vector<Product> products;
      for (std::int64_t p = 0; p < count; ++p) {
        const auto place = m_operands.place(p);
        const ProductShape& one = m_operands.shape(p);
        products.push_back({Strided(m_operands.a() + place.a, {one.rows, one.inner}),
                            Strided(m_operands.b() + place.b, {one.inner, one.columns}),
                            StridedOutput(m_operands.c() + place.c, {one.rows, one.columns})});
      }
      m_plan.emplace(m_exec, std::span<const Product>(products), options);
    } else if (problem.kind == "windows") {
      m_plan.emplace(m_exec, Strided(m_operands.a(), {shape.rows, shape.inner}),
                     windows(Strided(m_operands.b(), {shape.inner, problem.length}), shape.columns),
                     StridedOutput(m_operands.c(), {count, shape.rows, shape.columns}), options);
    } else if (count == 1) {
      m_plan.emplace(m_exec, Strided(m_operands.a(), {shape.rows, shape.inner}),
                     Strided(m_operands.b(), {shape.inner, shape.columns}),
                     StridedOutput(m_operands.c(), {shape.rows, shape.columns}), options);
    } else {
      m_plan.emplace(m_exec, Strided(m_operands.a(), {count, shape.rows, shape.inner}),
                     Strided(m_operands.b(), {count, shape.inner, shape.columns}),
                     StridedOutput(m_operands.c(), {count, shape.rows, shape.columns}), options);
    }
  }
  void run() override {
    m_plan->run(m_exec);
    m_exec.fence();
  }
  [[nodiscard]] double value(std::int64_t product, std::int64_t i, std::int64_t j) const override {
    return m_operands.value(product, i, j);
  }
  [[nodiscard]] std::string detail() const override {
    const MatmulChoice& choice = m_plan->choice();
    return std::string(name_of(choice.multiplier)) + (choice.is_sliced ? ", slices of one" : "");
  }

 private:
  Exec m_exec;
  Operands<Scalar> m_operands;
  std::optional<MatmulPlan<Scalar, Exec>> m_plan;
};

/// The BLAS: a call for each product, or one whose windows are copied.
template <class Scalar>
class Blas : public ProductsRunner {
 public:
  Blas(const ProductsProblem& problem, bool copies_windows)
      : m_operands(problem), m_copies_windows(copies_windows) {
    if (copies_windows) {
      m_whole.resize(static_cast<std::size_t>(m_operands.shape(0).rows * problem.length));
    }
  }
  void run() override {
    const ProductShape& shape = m_operands.shape(0);
    if (!m_copies_windows) {
      for (std::int64_t p = 0; p < m_operands.products(); ++p) {
        const auto place = m_operands.place(p);
        const ProductShape& one = m_operands.shape(p);
        multiply(one, m_operands.a() + place.a, m_operands.b() + place.b, m_operands.right_row(p),
                 m_operands.c() + place.c);
      }
      return;
    }
    const std::int64_t length = m_operands.problem().length;
    multiply({shape.rows, shape.inner, length}, m_operands.a(), m_operands.b(), length,
             m_whole.data());
    Scalar* to = m_operands.c();
    for (std::int64_t p = 0; p < m_operands.products(); ++p) {
      for (std::int64_t i = 0; i < shape.rows; ++i) {
        to = std::copy_n(m_whole.data() + i * length + p, shape.columns, to);
      }
    }
  }
  [[nodiscard]] double value(std::int64_t product, std::int64_t i, std::int64_t j) const override {
    return m_operands.value(product, i, j);
  }
  [[nodiscard]] std::string detail() const override { return "BLAS"; }

 private:
  static void multiply(const ProductShape& shape, const Scalar* a, const Scalar* b,
                       std::int64_t right_row, Scalar* c) {
    const int m = static_cast<int>(shape.columns);  // row-major: the transposes' product
    const int n = static_cast<int>(shape.rows);
    const int k = static_cast<int>(shape.inner);
    const int ldb = static_cast<int>(right_row);
    const Scalar one = 1;
    const Scalar zero = 0;
    if constexpr (std::is_same_v<Scalar, float>) {
      sgemm_("N", "N", &m, &n, &k, &one, b, &ldb, a, &k, &zero, c, &m);
    } else {
      dgemm_("N", "N", &m, &n, &k, &one, b, &ldb, a, &k, &zero, c, &m);
    }
  }

  Operands<Scalar> m_operands;
  bool m_copies_windows;
  std::vector<Scalar> m_whole;
};

template <class Scalar>
std::unique_ptr<ProductsRunner> make(const std::string& runner, const ProductsProblem& problem) {
  if (runner == "synelix") return std::make_unique<Library<Scalar>>(problem, Multiplier::automatic);
  if (runner == "synelix_tiles") {
    return std::make_unique<Library<Scalar>>(problem, Multiplier::tiles);
  }
  if (on_device) throw Absent("the BLAS of hosts");
  return std::make_unique<Blas<Scalar>>(problem, runner == "blas_windows");
}

}  // namespace

std::unique_ptr<ProductsRunner> make_products(const std::string& runner,
                                              const ProductsProblem& problem) {
  if (problem.kind == "forms") return make_forms(runner, problem);
  return problem.is_double ? make<double>(runner, problem) : make<float>(runner, problem);
}

}  // namespace synelix::perf
