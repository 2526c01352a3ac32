// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// \file
/// Eval mode: the current samples, not their past, are mapped through the functions of a basis,
///     features(t, c, b) = phi_b(u),   u = (x(t, c) - lower) / (upper - lower),
/// separately in each channel c. Lower and upper are bounds that the caller names, or else the
/// least and the greatest sample of the channel, without NaN; if they are equal, u is x - lower. A
/// NaN sample gives NaN in every function. Rules are those of NeMoS.
///
///     auto position = sx::eval(sx::BSpline{.bases = 10}, {.bounds = {{0.0, 2.0}}});
///
/// (`eval` is in expression.hpp.) The functions phi_b are those of basis.hpp, not sampled on a
/// window. This file has the bases that exist in eval mode only, and the types for the range of
/// samples. Nothing here needs Kokkos.

namespace synelix {

/// The samples themselves: one function, phi(x) = x, not mapped to [0, 1].
struct Identity {
  static constexpr const char* name = "Identity";  ///< its name in records and labels
};

/// No functions: no columns, a placeholder in sums.
struct Zero {
  static constexpr const char* name = "Zero";  ///< its name in records and labels
};

/// Whether a Fourier basis has its constant column, the one whose frequencies are all 0.
enum class Intercept : std::uint8_t {
  without,  ///< the first combination of frequencies is left out if it is all zero
  with      ///< every combination is kept
};

/// Cosines and sines of one or several inputs x_d, D of them,
///
///     theta_i = 2 pi sum over d of f(i, d) (x_d - lower_d) / (upper_d - lower_d)
///     columns:  cos(theta_i) for each combination i, then sin(theta_i) for each combination i but
///               the all-zero one
///
/// over the combinations i of one frequency for each input, that of the last input varying fastest.
/// The bounds give the period, so no sample is outside.
struct Fourier {
  static constexpr const char* name = "Fourier";  ///< its name in records and labels
  /// Whole periods between the bounds, 0 or more: a list for each input, or one list for all.
  /// `frequencies_below` and `frequencies_between` make lists. A list that is not ascending is
  /// sorted, with a warning.
  std::vector<std::vector<std::int64_t>> frequencies = {};
  std::int64_t dimensions = 1;               ///< inputs that are consumed, 1 to 4
  Intercept intercept = Intercept::without;  ///< ignored if there is a mask
  /// One flag for each combination, in order: 0 leaves it out. Empty: `intercept` decides.
  std::vector<std::uint8_t> mask = {};
};

/// 0, 1, ..., count - 1. \throws Error for a count below 1
std::vector<std::int64_t> frequencies_below(std::int64_t count);

/// first, ..., last - 1. \throws Error unless 0 <= first < last
std::vector<std::int64_t> frequencies_between(std::int64_t first, std::int64_t last);

/// The combinations of frequencies that a Fourier basis keeps, `dimensions` numbers each, one
/// combination after the other. \throws Error if a rule stated at Fourier is broken
std::vector<std::int64_t> frequency_combinations(const Fourier& basis);

/// The mask that keeps the combinations for which `keep` is true, in place of the mask and the
/// intercept of `basis`. \throws Error as frequency_combinations, or if none is kept
Fourier with_mask(Fourier basis, const std::function<bool(std::span<const std::int64_t>)>& keep);

/// Any basis that samples can be mapped through. (History and CustomTaps have no functions between
/// their taps.) Splines are of order 32 at most.
using EvalBasis = std::variant<RaisedCosineLinear, RaisedCosineLog, BSpline, CyclicBSpline, MSpline,
                               OrthExponential, Identity, Fourier, Zero>;

/// Name of a basis' type as NeMoS spells it: "RaisedCosineLog", "Identity".
std::string eval_basis_name(const EvalBasis& basis);

/// The values of u = 0 and u = 1, in the units of the samples; for Fourier, one period.
struct Bounds {
  double lower = 0.0;  ///< finite
  double upper = 1.0;  ///< greater than `lower`

  /// Whether both bounds are the same.
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// How samples outside the bounds are handled.
enum class Outside : std::uint8_t {
  row,     ///< if any channel is outside, all channels of that sample are filled, as in NeMoS
  channel  ///< only the channels that are outside are filled
};

/// The least and the greatest sample of a channel, without NaN. The initial value is the range of
/// no sample. Ranges of parts merge into the range of all samples, in any order, with the same
/// bits.
struct SampleRange {
  double lower = std::numeric_limits<double>::infinity();   ///< of no sample: infinity
  double upper = -std::numeric_limits<double>::infinity();  ///< of no sample: -infinity

  /// Merges the range of another part.
  void merge(const SampleRange& other) {
    if (other.lower < lower) lower = other.lower;
    if (other.upper > upper) upper = other.upper;
  }
  /// Whether both ends are the same.
  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

}  // namespace synelix
