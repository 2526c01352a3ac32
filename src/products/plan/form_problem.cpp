// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/plan/product_arguments.hpp"

#include "launch/apart.hpp"
#include "launch/arrays.hpp"

#include <synelix/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace synelix {

const char* name_of(FormMethod method) { return known_name(method); }

namespace plan {
namespace {

void check_vectors(const char* name, const Operand& vectors) {
  check_matrices(name, vectors);
  if (vectors.rank() == 2) return;
  throw Error(name, extents_text(vectors.array()) + " has the wrong number of dimensions",
              "Pass two dimensions: one row for each vector");
}

/// Refuses operands that do not fit together.
void check_operands(const Operand& x, const Operand& a, const Operand* y) {
  check_vectors("x", x);
  check_matrices("a", a);
  if (a.rank() > 3) {
    throw Error("a", extents_text(a.array()) + " has too many dimensions",
                "Pass one matrix, or several along one dimension before its own");
  }
  if (x.columns() != a.rows()) {
    throw Error("a", pair_text(x, a) + " do not fit together",
                "Use as many rows of a as x has columns");
  }
  if (y == nullptr) {
    if (a.rows() == a.columns()) return;
    throw Error("a", extents_text(a.array()) + " is not square",
                "Use a square matrix, for quadratic forms");
  }
  check_vectors("y", *y);
  if (y->columns() != a.columns()) {
    throw Error("y", pair_text(a, *y) + " do not fit together",
                "Use as many columns of y as a has");
  }
  if (y->rows() != x.rows()) {
    throw Error("y", pair_text(x, *y) + " do not fit together", "Use as many rows of y as x has");
  }
}

}  // namespace

template <class Scalar>
sweep::FormProblem<Scalar> form_problem(const Operand& x, const Operand& a, const Operand* y,
                                        const StridedOutput& q, const BilinearFormsOptions& options,
                                        ArrayMemory memory) {
  check_known(options);
  check_operands(x, a, y);
  if (y != nullptr && options.method == FormMethod::triangle) {
    throw Error("method", "triangle serves quadratic forms only", "Use product, where y is not x");
  }
  std::vector<std::int64_t> extents;
  if (a.rank() == 3) extents.push_back(a.count());
  extents.push_back(x.rows());
  check_result("q", q, extents, stored_type<Scalar>, memory);
  Arguments arguments;
  arguments.writes("q", q).reads("x", x).reads("a", a);
  if (y != nullptr) arguments.reads("y", *y);
  check_apart(arguments);

  sweep::FormProblem<Scalar> problem;
  problem.left = matrix_source(x);
  problem.matrix = matrix_source(a);
  problem.right = matrix_source(y != nullptr ? *y : x);
  problem.result = static_cast<Scalar*>(q.data);
  problem.result_step = q.strides[static_cast<std::size_t>(q.rank - 1)];
  if (a.rank() == 3) {
    problem.result_matrix = q.strides[0];
    problem.matrix_step = a.array().strides[0];
    problem.matrices = a.count();
  }
  problem.rows = x.rows();
  problem.inner = a.rows();
  problem.columns = a.columns();
  problem.is_triangle = y == nullptr && options.method != FormMethod::product;
  return problem;
}

#define SYNELIX_INSTANTIATE(SCALAR)                                                                \
  template sweep::FormProblem<SCALAR> form_problem(const Operand&, const Operand&, const Operand*, \
                                                   const StridedOutput&,                           \
                                                   const BilinearFormsOptions&, ArrayMemory);
SYNELIX_INSTANTIATE(float)
SYNELIX_INSTANTIATE(double)
#undef SYNELIX_INSTANTIATE

}  // namespace plan
}  // namespace synelix
