// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/arrays.hpp"
#include "products/choice/product_list.hpp"
#include "products/problem/forms.hpp"
#include "products/problem/products.hpp"
#include "types/checks.hpp"

#include <synelix/strided.hpp>
#include <synelix/types/bilinear_forms.hpp>
#include <synelix/types/matmul.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The checked arguments of products and forms for the sweeps; and the names of option values, for
/// `require_known`.

namespace synelix {

template <>
inline constexpr std::string_view value_names<Multiplier>[] { "automatic", "tiles", "library" };
template <>
inline constexpr std::string_view value_names<FormMethod>[] { "automatic", "product", "triangle" };

namespace plan {

inline void check_known(const MatmulOptions& options) {
  require_known("multiplier", options.multiplier);
  require_known("machine.instruction_set", options.machine.instruction_set);
}

inline void check_known(const BilinearFormsOptions& options) {
  require_known("method", options.method);
  require_known("machine.instruction_set", options.machine.instruction_set);
}

}  // namespace plan
}  // namespace synelix

namespace synelix::plan {

/// Refuses a result of other extents or another type, a null pointer where data is needed, and a
/// result that overlaps itself.
void check_result(const char* name, const StridedOutput& c,
                  const std::vector<std::int64_t>& extents, StoredType type,
                  ArrayMemory memory = ArrayMemory::needed);

/// Refuses an operand of less than two dimensions, one whose channel scaling does not have one
/// number for each column (for a transposed operand, row), and one that `check_array` refuses.
void check_matrices(const char* name, const Operand& operand);

/// The extents of both for messages: "(3, 4) and (5, 6)"
std::string pair_text(const Operand& one, const Operand& other);

/// The extents of the products of two operands, batch first. \throws Error if they do not fit
/// together
std::vector<std::int64_t> product_extents(const Operand& a, const Operand& b);

/// The first matrix of an operand for the sweeps.
pack::MatrixSource matrix_source(const Operand& matrices);

/// One product or a batch. \throws Error if the arrays do not fit together
template <class Scalar>
ProductList<Scalar> list_batch(const Operand& a, const Operand& b, const StridedOutput& c,
                               const MatmulOptions& options,
                               ArrayMemory memory = ArrayMemory::needed);

/// Products of any shapes. If their table does not fit the budget, it is not made: the list then
/// only serves to find the least budget. \throws Error as above, naming the product
template <class Scalar>
ProductList<Scalar> list_products(std::span<const Product> products, const MatmulOptions& options,
                                  std::int64_t budget);

/// The forms of a call; without `y`, quadratic forms. \throws Error if arrays do not fit together
/// or the method does not apply
template <class Scalar>
sweep::FormProblem<Scalar> form_problem(const Operand& x, const Operand& a, const Operand* y,
                                        const StridedOutput& q, const BilinearFormsOptions& options,
                                        ArrayMemory memory = ArrayMemory::needed);

}  // namespace synelix::plan
