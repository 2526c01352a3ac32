// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/arrays.hpp"
#include "products/choice/product_list.hpp"
#include "products/problem/forms.hpp"
#include "products/problem/products.hpp"
#include "vocabulary/known.hpp"

#include <synelix/strided.hpp>
#include <synelix/types/bilinear_forms.hpp>
#include <synelix/types/matmul.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The arguments of products and forms, checked, as the sweeps take them; and the names of what
/// options may be, for `require_known`.

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

/// Refuses a result of other extents or another type, that lies nowhere where it has to, or that
/// overlaps itself.
void check_result(const char* name, const StridedOutput& c,
                  const std::vector<std::int64_t>& extents, StoredType type,
                  ArrayMemory memory = ArrayMemory::needed);

/// Refuses an operand of less than two dimensions, whose numbers of channels are not one for each
/// column (row, where it is transposed), or that `check_array` refuses.
void check_matrices(const char* name, const Operand& operand);

/// Their extents in messages: "(3, 4) and (5, 6)"
std::string pair_text(const Operand& one, const Operand& other);

/// The extents of the products of two operands, batch first. \throws Error where they do not fit
/// together
std::vector<std::int64_t> product_extents(const Operand& a, const Operand& b);

/// The first matrix of an operand as the sweeps read it.
pack::MatrixSource matrix_source(const Operand& matrices);

/// One product or a batch. \throws Error where the arrays do not fit together
template <class Scalar>
ProductList<Scalar> list_batch(const Operand& a, const Operand& b, const StridedOutput& c,
                               const MatmulOptions& options,
                               ArrayMemory memory = ArrayMemory::needed);

/// Products of any shapes. Where the budget has no room for their table, there is none: what is
/// left is to name the least budget. \throws Error as above, naming the product
template <class Scalar>
ProductList<Scalar> list_products(std::span<const Product> products, const MatmulOptions& options,
                                  std::int64_t budget);

/// The forms of a call; without `y`, quadratic ones. \throws Error where arrays do not fit together
/// or the method does not apply
template <class Scalar>
sweep::FormProblem<Scalar> form_problem(const Operand& x, const Operand& a, const Operand* y,
                                        const StridedOutput& q, const BilinearFormsOptions& options,
                                        ArrayMemory memory = ArrayMemory::needed);

}  // namespace synelix::plan
