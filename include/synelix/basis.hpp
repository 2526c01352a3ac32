// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// \file
/// Bases: families of filters, described by a few parameters and evaluated as taps(w, b) on a
/// window of W samples, w = 0..W-1, b = 0..B-1.
///
///     const sx::Taps taps = sx::evaluate_taps(sx::RaisedCosineLog{.bases = 8}, 100);
///     const double newest = taps(0, 3);  // of filter 3
///
/// Every family is a set of functions phi_b(u) on [0, 1], sampled on the window grid
/// u(w) = w / (W-1), both ends included (u = 0 where W = 1). Causality and Shift determine which
/// sample of a series tap w is multiplied with (alignment.hpp).
///
/// Formulas, defaults and validity rules are those of NeMoS (nemos.readthedocs.io). Everything is
/// computed on the host in double, for any type of a later FilterBank. Nothing here needs Kokkos.
///
/// `name` is the name of the type as NeMoS spells it. Records, labels and the program use it.

namespace synelix {

/// What the last filters of RaisedCosineLog do at the end of the window.
enum class Decay {
  to_zero,  ///< the peaks stop early enough for every filter to be 0 at u = 1
  open      ///< the last peak is at u = 1
};

/// Raised cosines with evenly spaced peaks.
///
///     phi_b(u) = (1 + cos(clip(pi (u - b/(B-1)) (B-1) / width, -pi, pi))) / 2
///
/// Away from both ends of the window the filters sum to `width`.
/// Pillow et al. (2005), J. Neurosci. 25(47), 11003.
struct RaisedCosineLinear {
  static constexpr const char* name = "RaisedCosineLinear";  ///< its name in records and labels
  std::int64_t bases = 0;                                    ///< B, at least 2
  double width = 2.0;  ///< half of a filter's width in peak spacings; > 1, a multiple of 1/2
};

/// Raised cosines whose peaks are evenly spaced in s(u) = ln(1 + a u) / ln(1 + a): narrow filters
/// at small u, wide ones at large u.
///
///     phi_b(u) = (1 + cos(clip(pi (s(u) n - b) / width, -pi, pi))) / 2
///     n = B + width - 1  (Decay::to_zero),   n = B - 1  (Decay::open)
///
/// Pillow et al. (2008), Nature 454, 995.
struct RaisedCosineLog {
  static constexpr const char* name = "RaisedCosineLog";  ///< its name in records and labels
  std::int64_t bases = 0;                                 ///< B, at least 2
  double width = 2.0;                                     ///< as in RaisedCosineLinear
  double time_scaling = 50.0;    ///< a > 0; the larger, the more the filters crowd at u = 0
  Decay decay = Decay::to_zero;  ///< where the last peak is
};

/// B-splines on evenly spaced knots over [0, 1] whose ends are repeated `order` times
/// (Cox - de Boor recursion on half-open intervals). The filters sum to 1 at every tap.
/// De Boor (1978), A Practical Guide to Splines, chapter IX.
struct BSpline {
  static constexpr const char* name = "BSpline";  ///< its name in records and labels
  std::int64_t bases = 0;                         ///< B, at least `order`
  std::int64_t order = 4;                         ///< degree + 1, at least 1
};

/// B-splines on evenly spaced knots of a circle: the end of the window continues at its start.
/// The filters sum to 1 at every tap.
struct CyclicBSpline {
  static constexpr const char* name = "CyclicBSpline";  ///< its name in records and labels
  std::int64_t bases = 0;                               ///< B, at least `order`
  std::int64_t order = 4;                               ///< degree + 1, at least 2
};

/// B-splines scaled to unit integral: M_b = order / (t_{b+order} - t_b) * N_b, t the knots of
/// BSpline. Ramsay (1988), Statistical Science 3(4), 425.
struct MSpline {
  static constexpr const char* name = "MSpline";  ///< its name in records and labels
  std::int64_t bases = 0;                         ///< B, at least `order`
  std::int64_t order = 4;                         ///< degree + 1, at least 1
};

/// Exponentials exp(-rate u) made orthonormal: the left singular vectors of the W x B matrix of
/// exponentials, largest singular value first, so a filter does not belong to one rate.
///
/// Only the vectors inside the numerical rank are kept (singular value > largest * max(W, B) *
/// 2^-52): rates close to each other give fewer filters than rates, see Taps::bases. The sign is
/// fixed: the tap of largest magnitude of each filter is positive. (NeMoS leaves the sign to
/// LAPACK.) Needs W >= number of rates.
struct OrthExponential {
  static constexpr const char* name = "OrthExponential";  ///< its name in records and labels
  /// One for each filter, all different; per window, not per sample.
  std::vector<double> decay_rates = {};
};

/// One filter for each tap: the identity matrix, B = W. Its features are the last W samples.
struct History {
  static constexpr const char* name = "History";  ///< its name in records and labels
};

/// Taps that the user supplies.
struct CustomTaps {
  static constexpr const char* name = "CustomTaps";  ///< its name in records and labels
  std::int64_t window = 0;                           ///< W, at least 1
  std::int64_t bases = 0;                            ///< B, at least 1
  std::vector<double> taps = {};  ///< window x bases values, row-major: taps[w * bases + b]; finite
};

/// Any of the above.
using Basis = std::variant<RaisedCosineLinear, RaisedCosineLog, BSpline, CyclicBSpline, MSpline,
                           OrthExponential, History, CustomTaps>;

/// Calls visit(name, member) for each parameter of a basis except the number of its bases. Records,
/// the program and bindings read and write parameters through it, so a basis with a new parameter
/// adds one line here. Taps, windows and frequencies are data, and are not visited.
template <class Family, class Visit>
void for_each_parameter(Family& basis, const Visit& visit) {
  if constexpr (requires { basis.width; }) visit("width", basis.width);
  if constexpr (requires { basis.order; }) visit("order", basis.order);
  if constexpr (requires { basis.time_scaling; }) visit("time_scaling", basis.time_scaling);
  if constexpr (requires { basis.decay; }) visit("decay", basis.decay);
  if constexpr (requires { basis.decay_rates; }) visit("decay_rates", basis.decay_rates);
}

/// Half-open range of taps outside which a filter is exactly 0; {0, 0} for a filter of zeros.
struct Support {
  std::int64_t first = 0;  ///< the first tap that is not 0
  std::int64_t last = 0;   ///< the tap after the last one that is not 0

  /// The same range.
  friend bool operator==(const Support&, const Support&) = default;
};

/// One parameter of a basis, as it is recorded with features in a file.
using BasisParameter =
    std::pair<std::string, std::variant<std::int64_t, double, std::string, std::vector<double>>>;

/// A basis evaluated on a window.
struct Taps {
  std::int64_t window = 0;           ///< W
  std::int64_t bases = 0;            ///< B; for OrthExponential the numerical rank
  std::int64_t requested_bases = 0;  ///< requested B; larger than `bases` if the rank is deficient
  std::vector<double> values;        ///< W x B, row-major
  std::vector<Support> support;      ///< of each of the B filters
  std::string basis;                 ///< name of the basis' type, "RaisedCosineLog"
  std::vector<BasisParameter> parameters;  ///< the parameters that the values come from

  /// taps(w, b)
  double operator()(std::int64_t w, std::int64_t b) const {
    return values[static_cast<std::size_t>(w * bases + b)];
  }
};

/// Name of a basis' type as NeMoS spells it: "RaisedCosineLog", "CustomTaps".
std::string basis_name(const Basis& basis);

/// Evaluates a basis on a window: taps(w, b) = phi_b(u(w)).
///
/// \param basis   the family and its parameters
/// \param window  W in samples, at least 1. May be absent for CustomTaps only, which have their own
///                window; if given for them, it must equal theirs.
/// \return        W x B doubles on the host and the support of each filter
/// \throws Error  if a parameter breaks a rule stated with it, is NaN or infinite, W is absent,
///                below 1 or the number of rates, or W x B above 2^27 (CustomTaps may have more)
Taps evaluate_taps(const Basis& basis, std::optional<std::int64_t> window = std::nullopt);

/// How a basis is sampled.
struct BankOptions {
  std::optional<std::int64_t> window = {};  ///< taps of each filter, in samples; at least 1
};

}  // namespace synelix
