// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runners/products_runner.hpp"

#include "exec_array.hpp"
#include "runners/forms_runner.hpp"
#include "runners/products_operands.hpp"
#include "runners/runner.hpp"

#include <synelix/matmul.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
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

/// The library, with a plan that is made once.
template <class Scalar>
class Library : public OperatorRunner {
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
        products.push_back({m_operands.left(place.a, {one.rows, one.inner}),
                            Strided(m_operands.b() + place.b, {one.inner, one.columns}),
                            StridedOutput(m_operands.c() + place.c, {one.rows, one.columns})});
      }
      m_plan = std::make_unique<Plan>(m_exec, std::span<const Product>(products), options);
    } else if (problem.kind == "windows") {
      m_plan = std::make_unique<Plan>(
          m_exec, m_operands.left(0, {shape.rows, shape.inner}),
          windows(Strided(m_operands.b(), {shape.inner, problem.length}), shape.columns),
          StridedOutput(m_operands.c(), {count, shape.rows, shape.columns}), options);
    } else if (count == 1) {
      m_plan = std::make_unique<Plan>(m_exec, m_operands.left(0, {shape.rows, shape.inner}),
                                      Strided(m_operands.b(), {shape.inner, shape.columns}),
                                      StridedOutput(m_operands.c(), {shape.rows, shape.columns}),
                                      options);
    } else {
      m_plan = std::make_unique<Plan>(
          m_exec, m_operands.left(0, {count, shape.rows, shape.inner}),
          Strided(m_operands.b(), {count, shape.inner, shape.columns}),
          StridedOutput(m_operands.c(), {count, shape.rows, shape.columns}), options);
    }
  }
  void run() override {
    m_plan->run(m_exec);
    m_exec.fence();
  }
  [[nodiscard]] double value(const std::vector<std::int64_t>& point) const override {
    return m_operands.value(point.at(0), point.at(1), point.at(2));
  }
  [[nodiscard]] std::string detail() const override {
    const MatmulChoice& choice = m_plan->choice();
    return std::string(name_of(choice.multiplier)) + (choice.is_sliced ? ", slices of one" : "");
  }

 private:
  using Plan = MatmulPlan<Scalar, Exec>;

  Exec m_exec;
  Operands<Scalar> m_operands;
  std::unique_ptr<Plan> m_plan;
};

/// The BLAS: a call for each product, or one call for copied windows.
template <class Scalar>
class Blas : public OperatorRunner {
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
  [[nodiscard]] double value(const std::vector<std::int64_t>& point) const override {
    return m_operands.value(point.at(0), point.at(1), point.at(2));
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
std::unique_ptr<OperatorRunner> make(const std::string& runner, const ProductsProblem& problem) {
  if (runner == "synelix") return std::make_unique<Library<Scalar>>(problem, Multiplier::automatic);
  if (runner == "synelix_tiles") {
    return std::make_unique<Library<Scalar>>(problem, Multiplier::tiles);
  }
  if (problem.is_int8) throw Absent("operands of floats");
  if (runner == "kokkos_batched") return make_batched(problem);
  if (on_device) throw Absent("the BLAS of hosts");
  return std::make_unique<Blas<Scalar>>(problem, runner == "blas_windows");
}

}  // namespace

std::unique_ptr<OperatorRunner> make_products(const std::string& runner,
                                              const ProductsProblem& problem) {
  if (problem.kind == "forms") return make_forms(runner, problem);
  return problem.is_double ? make<double>(runner, problem) : make<float>(runner, problem);
}

}  // namespace synelix::perf
