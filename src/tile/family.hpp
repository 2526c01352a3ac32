// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/single.hpp"
#include "tile/mean.hpp"
#include "tile/row_loss.hpp"

/// \file
/// The loss of a row by family: the negative log-likelihood without the terms that do not contain
/// mu, and its derivatives by the linear predictor. Formulas: McCullagh and Nelder, "Generalized
/// Linear Models", 2nd edition, 1989; the forms here differ if those cancel or overflow.
///
/// A family is a class template on the mean (tile/mean.hpp) and the pack, with `rows(eta, y)` for
/// predictors of its domain. `checked_rows` accepts any. Hosts and devices use these classes alone.

namespace synelix::tile {

/// The predictors that a family accepts.
enum class Domain : unsigned char {
  all,      ///< any
  bounded,  ///< clamped to magnitudes of at most `largest_predictor`
  positive  ///< the same; the loss is infinite below `least_positive`
};
template <class Mean>
inline constexpr Domain domain_of = Mean::needs_positive ? Domain::positive : Domain::bounded;

/// y x, and 0 if y is 0 and x infinite.
template <class Pack>
SYNELIX_INLINE Pack counted(const Pack& y, const Pack& x) {
  return lanes::select_equal(y, Pack::zero(), y, y * x);
}

/// (y - mu)^2.
template <template <class> class Mean, class Pack>
struct GaussianRows {
  static constexpr Domain domain = Domain::bounded;

  explicit SYNELIX_INLINE GaussianRows(double) {}
  [[nodiscard]] SYNELIX_INLINE RowLosses<Pack> rows(const Pack& eta, const Pack& y) const {
    const Jet<Pack> mu = Mean<Pack>(eta).mean();
    const Pack error = mu.value - y;
    return {error * error, times(2.0, error * mu.slope),
            times(2.0, multiply_add(error, mu.bend, mu.slope * mu.slope))};
  }
};
template <class Pack>
struct GaussianRows<IdentityMean, Pack> {
  static constexpr Domain domain = Domain::all;

  explicit SYNELIX_INLINE GaussianRows(double) {}
  [[nodiscard]] SYNELIX_INLINE RowLosses<Pack> rows(const Pack& eta, const Pack& y) const {
    const Pack error = eta - y;
    return {error * error, times(2.0, error), Pack::broadcast(2.0)};
  }
};

/// mu - y ln mu. The logarithm is computed only for packs with an event.
template <template <class> class Mean, class Pack>
struct PoissonRows {
  static constexpr Domain domain = domain_of<Mean<Pack>>;

  explicit SYNELIX_INLINE PoissonRows(double) {}
  [[nodiscard]] SYNELIX_INLINE RowLosses<Pack> rows(const Pack& eta, const Pack& y) const {
    const Mean<Pack> mean(eta);
    const Jet<Pack> mu = mean.mean();
    RowLosses<Pack> rows{mu.value, mu.slope, mu.bend};
    if (Mean<Pack>::has_easy_log || lanes::has_nonzero(y)) {
      const Jet<Pack> log = mean.log_mean();
      rows.loss = subtract_product(rows.loss, y, log.value);
      rows.residual = subtract_product(rows.residual, y, log.slope);
      rows.curvature = subtract_product(rows.curvature, y, log.bend);
    }
    return rows;
  }
};

/// y / mu + ln mu.
template <template <class> class Mean, class Pack>
struct GammaRows {
  static constexpr Domain domain = domain_of<Mean<Pack>>;

  explicit SYNELIX_INLINE GammaRows(double) {}
  [[nodiscard]] SYNELIX_INLINE RowLosses<Pack> rows(const Pack& eta, const Pack& y) const {
    const Mean<Pack> mean(eta);
    const Jet<Pack> log = mean.log_mean();
    const Jet<Pack> inverse = mean.inverse_mean();
    return {counted(y, inverse.value) + log.value, counted(y, inverse.slope) + log.slope,
            counted(y, inverse.bend) + log.bend};
  }
};

/// -y ln(a mu / (1 + a mu)) + ln(1 + a mu) / a. With z = ln(a mu) and s(z) = ln(1 + e^z), this is y
/// s(-z) + s(z) / a: nothing cancels, and nothing overflows if mu does.
template <template <class> class Mean, class Pack>
struct NegativeBinomialRows {
  static constexpr Domain domain = domain_of<Mean<Pack>>;

  Pack a, inverse_a, log_a;

  explicit SYNELIX_INLINE NegativeBinomialRows(double dispersion)
      : a(Pack::broadcast(dispersion)),
        inverse_a(Pack::broadcast(1.0 / dispersion)),
        log_a(lanes::log(a)) {}
  [[nodiscard]] SYNELIX_INLINE RowLosses<Pack> rows(const Pack& eta, const Pack& y) const {
    const Pack zero = Pack::zero();
    const Pack one = Pack::broadcast(1.0);
    const Mean<Pack> mean(eta);
    const Jet<Pack> log = mean.log_mean();
    const Pack z = log_a + log.value;
    const Pack product = a * mean.mean().value;
    const Pack t = lanes::select_less(one, product, one / product, product);  // e^-|z|
    const OnePlus<Pack> one_plus(t);
    const Pack rest = t * one_plus.inverse;
    const Pack slope = lanes::select_less(one, product, one_plus.inverse, rest);  // s'(z)
    const Pack other = lanes::select_less(one, product, rest, one_plus.inverse);  // s'(-z)
    const Pack upper = lanes::at_least(z, zero) + one_plus.log;                   // s(z)
    const Pack lower = lanes::at_least(-z, zero) + one_plus.log;                  // s(-z)
    const Pack by_z = subtract_product(inverse_a * slope, y, other);
    const Pack square = log.slope * log.slope;
    const Pack of_counts = other * subtract_product(log.bend, slope, square);
    // In terms of mu and 1 / mu, the sum of bend and square is exact, and the first form keeps the
    // digits of small means. For the other links, the second form has no such cancellation.
    const Pack of_rest = Mean<Pack>::needs_positive
                             ? subtract_product(log.bend + square, slope, square)
                             : multiply_add(other, square, log.bend);
    return {multiply_add(y, lower, inverse_a * upper), by_z * log.slope,
            subtract_product(inverse_a * slope * of_rest, y, of_counts)};
  }
};

/// -y ln mu - (1 - y) ln(1 - mu).
template <template <class> class Mean, class Pack>
struct BernoulliRows;

/// ln(1 + e^eta) - y eta.
template <class Pack>
struct BernoulliRows<LogisticMean, Pack> {
  static constexpr Domain domain = Domain::bounded;

  explicit SYNELIX_INLINE BernoulliRows(double) {}
  [[nodiscard]] SYNELIX_INLINE RowLosses<Pack> rows(const Pack& eta, const Pack& y) const {
    const Logistic<Pack> logistic(eta);
    const Pack linear = subtract_product(lanes::at_least(eta, Pack::zero()), y, eta);
    const Pack zeros = (Pack::broadcast(1.0) - y) * logistic.value;
    return {linear + logistic.one_plus.log, subtract_product(zeros, y, logistic.complement),
            logistic.value * logistic.complement};
  }
};

/// By the Mills ratio of |eta|, so that the logarithm of an underflowing tail stays finite. Its
/// curvature tends to 1: above 1000 by its expansion, 1 - 1 / eta^2; below with a relative error of
/// eta^2 ulp.
template <class Pack>
struct BernoulliRows<NormalMean, Pack> {
  static constexpr Domain domain = Domain::bounded;

  explicit SYNELIX_INLINE BernoulliRows(double) {}
  [[nodiscard]] SYNELIX_INLINE RowLosses<Pack> rows(const Pack& eta, const Pack& y) const {
    const Pack zero = Pack::zero();
    const Pack one = Pack::broadcast(1.0);
    const NormalTail<Pack> normal(eta);
    const Pack head = one - normal.tail;
    // The outcome on the side of the predictor is likely; the other one is in the tail.
    const Pack likely_slope = normal.density / head;
    const Pack tail_slope = one / normal.mills;
    const RowLosses<Pack> likely{-lanes::log1p(-normal.tail), likely_slope,
                                 likely_slope * (normal.a + likely_slope)};
    const Pack log_root = Pack::broadcast(0x1.d67f1c864beb5p-1);  // ln(sqrt(2 pi))
    const Pack direct = tail_slope * (tail_slope - normal.a);
    const Pack expanded = one - one / (normal.a * normal.a);
    const RowLosses<Pack> tail{
        normal.half_square + (log_root - lanes::log(normal.mills)), tail_slope,
        lanes::select_less(Pack::broadcast(1000.0), normal.a, expanded, direct)};
    const Pack q = one - y;
    const Pack for_likely = lanes::select_less(eta, zero, q, y);
    const Pack for_tail = lanes::select_less(eta, zero, y, q);
    const Pack likely_way = lanes::select_less(eta, zero, for_likely, -for_likely);
    const Pack tail_way = lanes::select_less(eta, zero, -for_tail, for_tail);
    return {multiply_add(for_likely, likely.loss, for_tail * tail.loss),
            multiply_add(likely_way, likely.residual, tail_way * tail.residual),
            multiply_add(for_likely, likely.curvature, for_tail * tail.curvature)};
  }
};

/// The nearest accepted predictor.
template <class Pack>
SYNELIX_INLINE Pack within_bounds(const Pack& predictor) {
  const Pack bound = Pack::broadcast(largest_predictor);
  return lanes::at_most(lanes::at_least(predictor, -bound), bound);
}

/// The rows of any predictors. A predictor without a mean in the family (mu <= 0) has an infinite
/// loss, so that a line search steps back; its derivatives are 0. NaN gives NaN.
template <class Rows, class Pack>
SYNELIX_INLINE RowLosses<Pack> checked_rows(const Rows& family, const Pack& predictor,
                                            const Pack& y) {
  if constexpr (Rows::domain == Domain::all) {
    return family.rows(predictor, y);
  } else {
    const Pack eta = within_bounds(predictor);
    if constexpr (Rows::domain == Domain::bounded) {
      return family.rows(eta, y);
    } else {
      const Pack least = Pack::broadcast(least_positive);
      const RowLosses<Pack> rows =
          family.rows(lanes::select_less(eta, least, Pack::broadcast(1.0), eta), y);
      return {lanes::select_less(eta, least, Pack::broadcast(lanes::infinity), rows.loss),
              lanes::select_less(eta, least, Pack::zero(), rows.residual),
              lanes::select_less(eta, least, Pack::zero(), rows.curvature)};
    }
  }
}

/// Calls visit.template operator()<Rows>() with the class of a family and link, and returns its
/// result; a result without a value if the family has no such link, or labels.
/// @{
template <template <template <class> class, class> class Rows, class Pack, class Visit>
SYNELIX_FUNCTION constexpr auto visit_link(InverseLink link, const Visit& visit) {
  switch (link) {
    case InverseLink::exp:
      return visit.template operator()<Rows<ExpMean, Pack>>();
    case InverseLink::softplus:
      return visit.template operator()<Rows<SoftplusMean, Pack>>();
    case InverseLink::one_over_x:
      return visit.template operator()<Rows<InverseMean, Pack>>();
    case InverseLink::identity:
      return visit.template operator()<Rows<IdentityMean, Pack>>();
    default:
      return decltype(visit.template operator()<Rows<ExpMean, Pack>>()) {};
  }
}
template <template <template <class> class, class> class Rows, class Pack, class Visit>
SYNELIX_FUNCTION constexpr auto visit_link_of_share(InverseLink link, const Visit& visit) {
  switch (link) {
    case InverseLink::logistic:
      return visit.template operator()<Rows<LogisticMean, Pack>>();
    case InverseLink::norm_cdf:
      return visit.template operator()<Rows<NormalMean, Pack>>();
    default:
      return decltype(visit.template operator()<Rows<NormalMean, Pack>>()) {};
  }
}
template <class Pack, class Visit>
SYNELIX_FUNCTION constexpr auto visit_rows(Family family, InverseLink link, const Visit& visit) {
  switch (family) {
    case Family::gaussian:
      return link == InverseLink::logistic || link == InverseLink::norm_cdf
                 ? visit_link_of_share<GaussianRows, Pack>(link, visit)
                 : visit_link<GaussianRows, Pack>(link, visit);
    case Family::poisson:
      return visit_link<PoissonRows, Pack>(link, visit);
    case Family::bernoulli:
      return visit_link_of_share<BernoulliRows, Pack>(link, visit);
    case Family::gamma:
      return visit_link<GammaRows, Pack>(link, visit);
    case Family::negative_binomial:
      return visit_link<NegativeBinomialRows, Pack>(link, visit);
    default:
      return decltype(visit_link<PoissonRows, Pack>(link, visit)){};
  }
}
/// @}

/// The loss of a single row, as `checked_rows`.
struct SingleRow {
  double target;
  double predictor;
  double dispersion;

  template <class Rows>
  SYNELIX_INLINE RowLosses<double> operator()() const {
    using Pack = lanes::Single<double>;
    const RowLosses<Pack> row = checked_rows(Rows(dispersion), Pack{predictor}, Pack{target});
    return {row.loss.value, row.residual.value, row.curvature.value};
  }
};

}  // namespace synelix::tile
