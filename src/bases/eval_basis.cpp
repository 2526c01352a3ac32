// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/eval_basis.hpp"

#include <synelix/error.hpp>

#include "bases/exponentials.hpp"
#include "bases/families.hpp"
#include "bases/functions.hpp"

#include <Kokkos_MathematicalFunctions.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace synelix {
namespace bases {
namespace {

constexpr std::int64_t most_combinations = std::int64_t{1} << 20;

std::string entry(std::size_t d) { return "Fourier.frequencies[" + std::to_string(d) + "]"; }

void check_frequencies(const Fourier& basis) {
  require_known("Fourier.intercept", basis.intercept);
  if (basis.dimensions < 1 || basis.dimensions > most_dimensions) {
    refuse("Fourier.dimensions", basis.dimensions, "is not supported",
           "Use 1 to " + std::to_string(most_dimensions));
  }
  const auto lists = static_cast<std::int64_t>(basis.frequencies.size());
  if (lists != 1 && lists != basis.dimensions) {
    throw Error("Fourier.frequencies", std::to_string(lists) + " lists do not match the dimensions",
                basis.dimensions == 1 ? "Give one list"
                                      : "Give one list, or " + std::to_string(basis.dimensions) +
                                            ", one for each dimension");
  }
  for (std::size_t d = 0; d < basis.frequencies.size(); ++d) {
    if (basis.frequencies[d].empty()) {
      throw Error(entry(d), "none was given", "Give at least one frequency");
    }
    for (const std::int64_t frequency : basis.frequencies[d]) {
      if (frequency < 0) refuse(entry(d), frequency, "is negative", "Use frequencies of 0 or more");
    }
  }
}

/// Every combination, in order, before mask and intercept.
std::vector<std::int64_t> all_combinations(const Fourier& sorted) {
  std::int64_t count = 1;
  for (const auto& list : sorted.frequencies) {
    const auto size = static_cast<std::int64_t>(list.size());
    if (size > most_combinations / count) {
      throw Error("Fourier.frequencies",
                  "they make more than " + std::to_string(most_combinations) + " combinations",
                  "Use at most " + std::to_string(most_combinations) + " combinations");
    }
    count *= size;
  }
  const auto dimensions = static_cast<std::size_t>(sorted.dimensions);
  std::vector<std::int64_t> combinations(static_cast<std::size_t>(count) * dimensions);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::size_t rest = i;
    for (std::size_t d = dimensions; d-- > 0;) {
      const auto& list = sorted.frequencies[d];
      combinations[i * dimensions + d] = list[rest % list.size()];
      rest /= list.size();
    }
  }
  return combinations;
}

bool is_zero(const std::int64_t* combination, std::int64_t dimensions) {
  return std::all_of(combination, combination + dimensions, [](std::int64_t f) { return f == 0; });
}

/// Whether each combination is kept.
std::vector<std::uint8_t> kept(const Fourier& basis, const std::vector<std::int64_t>& all) {
  const std::size_t count = all.size() / static_cast<std::size_t>(basis.dimensions);
  std::vector<std::uint8_t> keep(count, 1);
  if (!basis.mask.empty()) {
    if (basis.mask.size() != count) {
      throw Error("Fourier.mask",
                  std::to_string(basis.mask.size()) + " flags do not match the combinations",
                  "Give one flag for each of " + std::to_string(count) + " combinations");
    }
    keep = basis.mask;
    for (const std::uint8_t flag : keep) {
      if (flag > 1) refuse("Fourier.mask", std::int64_t{flag}, "is not a flag", "Use 0 and 1");
    }
  } else if (basis.intercept == Intercept::without && is_zero(all.data(), basis.dimensions)) {
    keep[0] = 0;
  }
  if (std::find(keep.begin(), keep.end(), 1) == keep.end()) {
    throw Error("Fourier", "no combination of frequencies is left",
                "Let mask and intercept keep at least one");
  }
  return keep;
}

}  // namespace

Fourier sorted(Fourier basis) {
  check_frequencies(basis);
  basis.frequencies.resize(static_cast<std::size_t>(basis.dimensions), basis.frequencies.front());
  for (auto& list : basis.frequencies) std::sort(list.begin(), list.end());
  return basis;
}

void check(const EvalBasis& basis) {
  const auto check_spline_order = [](const char* name, std::int64_t order) {
    if (order > most_order) {
      refuse(std::string(name) + ".order", order, "is too large",
             "Use at most " + std::to_string(most_order) + " in eval mode");
    }
  };
  std::visit(
      [&](const auto& family) {
        using Type = std::decay_t<decltype(family)>;
        if constexpr (std::is_same_v<Type, OrthExponential>) {
          check(family, static_cast<std::int64_t>(family.decay_rates.size()));
        } else if constexpr (std::is_same_v<Type, Fourier>) {
          static_cast<void>(frequency_combinations(family));
        } else if constexpr (!std::is_same_v<Type, Identity> && !std::is_same_v<Type, Zero>) {
          check(family);
        }
        if constexpr (requires { family.order; }) {
          check_spline_order(family.name, family.order);
        }
      },
      basis);
}

std::int64_t input_count(const EvalBasis& basis) {
  const auto* fourier = std::get_if<Fourier>(&basis);
  return fourier != nullptr ? fourier->dimensions : 1;
}

std::int64_t column_count(const EvalBasis& basis) {
  return std::visit(
      [](const auto& family) -> std::int64_t {
        using Type = std::decay_t<decltype(family)>;
        if constexpr (std::is_same_v<Type, OrthExponential>) {
          return static_cast<std::int64_t>(family.decay_rates.size());
        } else if constexpr (std::is_same_v<Type, Fourier>) {
          const auto combinations = frequency_combinations(family);
          const auto count = static_cast<std::int64_t>(combinations.size()) / family.dimensions;
          return 2 * count - (is_zero(combinations.data(), family.dimensions) ? 1 : 0);
        } else if constexpr (std::is_same_v<Type, Identity>) {
          return 1;
        } else if constexpr (std::is_same_v<Type, Zero>) {
          return 0;
        } else {
          return family.bases;
        }
      },
      basis);
}

std::vector<BasisParameter> parameters_of(const EvalBasis& basis) {
  if (const auto* fourier = std::get_if<Fourier>(&basis)) {
    const auto combinations = frequency_combinations(*fourier);
    return {{"dimensions", fourier->dimensions},
            {"frequencies", std::vector<double>(combinations.begin(), combinations.end())}};
  }
  return std::visit([](const auto& family) { return recorded_parameters(family); }, basis);
}

bool is_basis_name(std::string_view name) {
  constexpr auto conv = family_names(std::type_identity<Basis>{});
  constexpr auto eval = family_names(std::type_identity<EvalBasis>{});
  return std::find(conv.begin(), conv.end(), name) != conv.end() ||
         std::find(eval.begin(), eval.end(), name) != eval.end();
}

}  // namespace bases

std::vector<std::int64_t> frequencies_below(std::int64_t count) {
  bases::require_at_least("frequencies_below", count, 1);
  return frequencies_between(0, count);
}

std::vector<std::int64_t> frequencies_between(std::int64_t first, std::int64_t last) {
  if (first < 0 || last <= first) {
    throw Error("frequencies_between",
                "(" + std::to_string(first) + ", " + std::to_string(last) +
                    ") is not a range of frequencies",
                "Use 0 <= first < last");
  }
  if (last - first > bases::most_combinations) {
    throw Error("frequencies_between", std::to_string(last - first) + " frequencies are too many",
                "Use at most " + std::to_string(bases::most_combinations));
  }
  std::vector<std::int64_t> frequencies;
  for (std::int64_t f = first; f < last; ++f) frequencies.push_back(f);
  return frequencies;
}

std::vector<std::int64_t> frequency_combinations(const Fourier& basis) {
  const Fourier sorted = bases::sorted(basis);
  const std::vector<std::int64_t> all = bases::all_combinations(sorted);
  const std::vector<std::uint8_t> keep = bases::kept(sorted, all);
  const auto dimensions = static_cast<std::ptrdiff_t>(sorted.dimensions);
  std::vector<std::int64_t> combinations;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i) * dimensions;
    if (keep[i] != 0) combinations.insert(combinations.end(), first, first + dimensions);
  }
  return combinations;
}

Fourier with_mask(Fourier basis, const std::function<bool(std::span<const std::int64_t>)>& keep) {
  const Fourier sorted = bases::sorted(basis);
  const std::vector<std::int64_t> all = bases::all_combinations(sorted);
  const auto dimensions = static_cast<std::size_t>(sorted.dimensions);
  basis.mask.clear();
  for (std::size_t i = 0; i < all.size(); i += dimensions) {
    basis.mask.push_back(keep(std::span(all).subspan(i, dimensions)) ? 1 : 0);
  }
  static_cast<void>(frequency_combinations(basis));
  return basis;
}

std::string eval_basis_name(const EvalBasis& basis) { return bases::family_name(basis); }

}  // namespace synelix
