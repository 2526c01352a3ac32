// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runners/forms_runner.hpp"

#include "exec_array.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/matmul.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace synelix::perf {
namespace {

/// Vectors, a matrix, and their forms.
template <class Scalar>
class Forms : public OperatorRunner {
 public:
  explicit Forms(const ProductsProblem& problem)
      : m_shape(problem.shapes.at(0)),
        m_x(made_values<Scalar>(m_shape.rows * m_shape.inner, 7919, 1009)),
        m_a(made_values<Scalar>(m_shape.inner * m_shape.columns, 104'729, 1013)),
        m_q(static_cast<std::size_t>(m_shape.rows)) {
    if (m_shape.inner != m_shape.columns) throw std::runtime_error("forms of a square matrix");
  }
  [[nodiscard]] double value(const std::vector<std::int64_t>& point) const override {
    m_q.to_host();
    return static_cast<double>(m_q[static_cast<std::size_t>(point.at(1))]);
  }

 protected:
  [[nodiscard]] const ProductShape& shape() const { return m_shape; }
  [[nodiscard]] Strided x() const { return {m_x.data(), {m_shape.rows, m_shape.inner}}; }
  [[nodiscard]] Strided a() const { return {m_a.data(), {m_shape.inner, m_shape.columns}}; }
  [[nodiscard]] StridedOutput q() const { return {m_q.data(), {m_shape.rows}}; }
  [[nodiscard]] const Scalar* vectors() const { return m_x.data(); }
  [[nodiscard]] Scalar* forms() const { return m_q.data(); }

 private:
  ProductShape m_shape;
  ExecArray<Scalar> m_x;
  ExecArray<Scalar> m_a;
  ExecArray<Scalar> m_q;
};

/// The library's forms, with a plan that is made once.
template <class Scalar>
class LibraryForms : public Forms<Scalar> {
 public:
  LibraryForms(const ProductsProblem& problem, const std::string& runner) : Forms<Scalar>(problem) {
    if (runner == "synelix_bilinear") {
      m_plan = std::make_unique<Plan>(m_exec, this->x(), this->a(), this->x(), this->q());
      return;
    }
    BilinearFormsOptions options;
    if (runner == "synelix_product") options.method = FormMethod::product;
    m_plan = std::make_unique<Plan>(m_exec, this->x(), this->a(), this->q(), options);
  }
  void run() override {
    m_plan->run(m_exec);
    m_exec.fence();
  }
  [[nodiscard]] std::string detail() const override { return name_of(m_plan->choice().method); }

 private:
  using Plan = BilinearFormsPlan<Scalar, Exec>;

  Exec m_exec;
  std::unique_ptr<Plan> m_plan;
};

/// The product stored, then dot products.
template <class Scalar>
class StoredForms : public Forms<Scalar> {
 public:
  StoredForms(const ProductsProblem& problem, Multiplier multiplier)
      : Forms<Scalar>(problem),
        m_c(static_cast<std::size_t>(this->shape().rows * this->shape().columns)),
        m_plan(m_exec, this->x(), this->a(),
               StridedOutput(m_c.data(), {this->shape().rows, this->shape().columns}),
               MatmulOptions{.multiplier = multiplier}) {}
  void run() override {
    m_plan.run(m_exec);
    const Scalar* const c = m_c.data();
    const Scalar* const x = this->vectors();
    Scalar* const q = this->forms();
    const std::int64_t n = this->shape().columns;
    Kokkos::parallel_for(
        "dots", Kokkos::RangePolicy<Exec>(m_exec, 0, this->shape().rows),
        KOKKOS_LAMBDA(const std::int64_t i) {
          constexpr std::int64_t lanes = 16;  // enough sums for a compiler to use registers
          Scalar sums[lanes] = {};
          std::int64_t j = 0;
          for (; j + lanes <= n; j += lanes) {
            for (std::int64_t l = 0; l < lanes; ++l) {
              sums[l] += c[i * n + j + l] * x[i * n + j + l];
            }
          }
          for (; j < n; ++j) sums[0] += c[i * n + j] * x[i * n + j];
          for (std::int64_t l = 1; l < lanes; ++l) sums[0] += sums[l];
          q[i] = sums[0];
        });
    m_exec.fence();
  }
  [[nodiscard]] std::string detail() const override {
    return std::string(name_of(m_plan.choice().multiplier)) + ", stored";
  }

 private:
  Exec m_exec;
  ExecArray<Scalar> m_c;
  MatmulPlan<Scalar, Exec> m_plan;
};

template <class Scalar>
std::unique_ptr<OperatorRunner> make(const std::string& runner, const ProductsProblem& problem) {
  if (runner == "tiles_dots") {
    return std::make_unique<StoredForms<Scalar>>(problem, Multiplier::tiles);
  }
  if (runner == "blas_dots") {
    return std::make_unique<StoredForms<Scalar>>(problem, Multiplier::library);
  }
  return std::make_unique<LibraryForms<Scalar>>(problem, runner);
}

}  // namespace

std::unique_ptr<OperatorRunner> make_forms(const std::string& runner,
                                           const ProductsProblem& problem) {
  return problem.is_double ? make<double>(runner, problem) : make<float>(runner, problem);
}

}  // namespace synelix::perf
