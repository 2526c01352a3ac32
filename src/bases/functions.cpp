// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bases/functions.hpp"

#include "bases/eval_basis.hpp"

#include <Kokkos_MathematicalFunctions.hpp>

#include <cmath>
#include <new>
#include <type_traits>
#include <variant>
#include <vector>

namespace synelix::bases {

LogCosines kernel_form(const RaisedCosineLog& family, const double*) {
  const auto last_peak = static_cast<double>(family.bases - 1);
  return {.basis = family,
          .spacings = family.decay == Decay::to_zero ? last_peak + family.width : last_peak,
          .stretch = std::log1p(family.time_scaling)};
}

Exponentials kernel_form(const OrthExponential& family, const double* table) {
  return {.rates = table, .count = static_cast<std::int64_t>(family.decay_rates.size())};
}

Waves kernel_form(const Fourier& family, const double* table) {
  const auto numbers = static_cast<std::int64_t>(frequency_combinations(family).size());
  const std::int64_t cosines = numbers / family.dimensions;
  return {.frequencies = table,
          .dimensions = static_cast<int>(family.dimensions),
          .cosines = cosines,
          .sines_from = 2 * cosines - column_count(family)};
}

Functions::Functions(const EvalBasis& basis, const double* table)
    : m_family(static_cast<int>(basis.index())) {
  std::visit(
      [&](const auto& family) {
        using Form = KernelForm<std::decay_t<decltype(family)>>;
        static_assert(std::is_trivially_copyable_v<Form> && sizeof(Form) <= sizeof m_form);
        ::new (static_cast<void*>(m_form)) Form(kernel_form(family, table));
      },
      basis);
}

std::vector<double> table_of(const EvalBasis& basis) {
  if (const auto* exponentials = std::get_if<OrthExponential>(&basis)) {
    return exponentials->decay_rates;
  }
  if (const auto* fourier = std::get_if<Fourier>(&basis)) {
    const auto combinations = frequency_combinations(*fourier);
    return {combinations.begin(), combinations.end()};
  }
  return {};
}

}  // namespace synelix::bases
