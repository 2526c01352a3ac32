// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/basis.hpp>
#include <synelix/error.hpp>

#include "bases/exponentials.hpp"
#include "bases/families.hpp"

#include <cmath>
#include <string>
#include <variant>

namespace synelix {
namespace {

/// The largest number of taps of a bank: a gibibyte, as in read_matrix. It limits window x bases,
/// because History has as many filters as taps.
constexpr std::int64_t most_taps = std::int64_t{1} << 27;

void require_taps(std::int64_t window, std::int64_t columns) {
  if (columns <= most_taps / window) return;
  throw Error("window x bases",
              std::to_string(window) + " x " + std::to_string(columns) + " is too large",
              "Use at most " + std::to_string(most_taps) + " taps");
}

/// W x B zeros.
Taps zero_taps(std::int64_t window, std::int64_t columns) {
  require_taps(window, columns);
  Taps taps;
  taps.window = window;
  taps.bases = taps.requested_bases = columns;
  taps.values.resize(static_cast<std::size_t>(window * columns));
  return taps;
}

/// Evaluates a family with a formula on the window.
template <class Family>
Taps evaluate(const Family& basis, std::int64_t window) {
  bases::check(basis);
  Taps taps = zero_taps(window, basis.bases);
  bases::fill(basis, window, taps.values);
  return taps;
}

Taps evaluate(const OrthExponential& basis, std::int64_t window) {
  bases::check(basis, window);
  require_taps(window, static_cast<std::int64_t>(basis.decay_rates.size()));
  bases::OrthonormalColumns columns = bases::orthonormal_exponentials(basis, window);
  Taps taps;
  taps.window = window;
  taps.bases = columns.rank;
  taps.requested_bases = static_cast<std::int64_t>(basis.decay_rates.size());
  taps.values = std::move(columns.values);
  return taps;
}

Taps evaluate(const History&, std::int64_t window) {
  Taps taps = zero_taps(window, window);
  for (std::int64_t w = 0; w < window; ++w) {
    taps.values[static_cast<std::size_t>(w * window + w)] = 1.0;
  }
  return taps;
}

Taps evaluate(const CustomTaps& basis, std::int64_t window) {
  bases::require_at_least("CustomTaps.window", basis.window, 1);
  bases::require_at_least("CustomTaps.bases", basis.bases, 1);
  if (window != basis.window) {
    bases::refuse("window", window, "is not the window of the taps",
                  "Use " + std::to_string(basis.window) + ", the window of the taps given");
  }
  const std::size_t found = basis.taps.size();
  const auto columns = static_cast<std::size_t>(basis.bases);
  if (found / columns != static_cast<std::size_t>(window) || found % columns != 0) {
    throw Error("CustomTaps.taps",
                std::to_string(found) + " values do not fill the window and bases",
                "Give window x bases = " + std::to_string(basis.window) + " x " +
                    std::to_string(basis.bases) + " values");
  }
  for (std::size_t i = 0; i < found; ++i) {
    if (!std::isfinite(basis.taps[i])) {
      bases::refuse("CustomTaps.taps(" + std::to_string(i / columns) + ", " +
                        std::to_string(i % columns) + ")",
                    basis.taps[i], "is not finite", "Use finite numbers");
    }
  }
  Taps taps;
  taps.window = window;
  taps.bases = taps.requested_bases = basis.bases;
  taps.values = basis.taps;
  return taps;
}

std::vector<Support> supports(const Taps& taps) {
  std::vector<Support> result(static_cast<std::size_t>(taps.bases));
  auto value = taps.values.begin();
  for (std::int64_t w = 0; w < taps.window; ++w) {
    for (Support& support : result) {
      if (*value++ == 0.0) continue;
      if (support.last == 0) support.first = w;
      support.last = w + 1;
    }
  }
  return result;
}

std::int64_t chosen_window(const Basis& basis, std::optional<std::int64_t> window) {
  if (!window) {
    if (const auto* custom = std::get_if<CustomTaps>(&basis)) return custom->window;
    throw Error("window", "none was given for " + basis_name(basis), "Give a window of at least 1");
  }
  bases::require_at_least("window", *window, 1);
  return *window;
}

}  // namespace

std::string basis_name(const Basis& basis) { return bases::family_name(basis); }

Taps evaluate_taps(const Basis& basis, std::optional<std::int64_t> window) {
  const std::int64_t taps_in_window = chosen_window(basis, window);
  return std::visit(
      [&](const auto& family) {
        Taps taps = evaluate(family, taps_in_window);
        taps.basis = family.name;
        taps.parameters = bases::recorded_parameters(family);
        taps.support = supports(taps);
        return taps;
      },
      basis);
}

}  // namespace synelix
