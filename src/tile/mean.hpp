// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/compare.hpp"
#include "lanes/functions.hpp"

/// \file
/// The mean mu of a row as a function of its linear predictor eta: one class for each inverse link.
/// `mean` is mu, `log_mean` ln mu, `inverse_mean` 1 / mu, each with two derivatives by eta. The
/// logarithm and the inverse stay exact if mu itself underflows. Everything is inline, so the
/// compiler removes unused parts.

namespace synelix::tile {

/// A function of eta with its derivatives.
template <class Pack>
struct Jet {
  Pack value;
  Pack slope;
  Pack bend;  ///< second derivative
};

template <class Pack>
SYNELIX_INLINE Pack times(double factor, const Pack& pack) {
  return Pack::broadcast(factor) * pack;
}

/// ln(1 + t) and 1 / (1 + t) for t in [0, 1], by one division.
///
/// u = 1 + t is halved above sqrt(2), as `lanes::log` does; the divisor of its series, 2 + f, and u
/// share one inverse.
template <class Pack>
struct OnePlus {
  Pack log;        ///< ln(1 + t)
  Pack shortfall;  ///< t - ln(1 + t), without cancellation
  Pack inverse;    ///< 1 / (1 + t)

  explicit SYNELIX_INLINE OnePlus(const Pack& t) {
    const Pack one = Pack::broadcast(1.0);
    const Pack middle = Pack::broadcast(0x1.a827999fcef34p-2);  // sqrt(2) - 1
    const Pack u = one + t;
    const Pack lowered = t - one;
    const Pack f = lanes::select_less(middle, t, times(0.5, lowered), t);
    const Pack numerator = lanes::select_less(middle, t, lowered, t);
    const Pack divisor = u + lanes::select_less(middle, t, Pack::broadcast(2.0), one);
    const Pack both = one / (u * divisor);
    const Pack lost = lanes::log_shortfall(f, numerator * (u * both));
    const Pack e = lanes::select_less(middle, t, one, Pack::zero());
    log = lanes::add_exponent(e, f, lost);
    shortfall = lanes::select_less(middle, t, t - log, lost);
    inverse = divisor * both;
  }
};

/// The logistic function at eta and at -eta, and ln(1 + e^-|eta|).
template <class Pack>
struct Logistic {
  Pack t;  ///< e^-|eta|
  OnePlus<Pack> one_plus;
  Pack value;       ///< 1 / (1 + e^-eta)
  Pack complement;  ///< 1 / (1 + e^eta)

  explicit SYNELIX_INLINE Logistic(const Pack& eta)
      : t(lanes::exp(-lanes::absolute(eta))), one_plus(t) {
    const Pack rest = t * one_plus.inverse;
    value = lanes::select_less(eta, Pack::zero(), rest, one_plus.inverse);
    complement = lanes::select_less(eta, Pack::zero(), one_plus.inverse, rest);
  }
};

/// The normal distribution at a = |eta|.
template <class Pack>
struct NormalTail {
  Pack a;
  Pack half_square;  ///< a^2 / 2
  Pack mills;        ///< (1 - Phi(a)) / phi(a)
  Pack density;      ///< phi(a)
  Pack tail;         ///< 1 - Phi(a)

  explicit SYNELIX_INLINE NormalTail(const Pack& eta) : a(lanes::absolute(eta)) {
    const Pack square = a * a;
    const Pack lost = multiply_add(a, a, -square);  // 0 on a set without fused multiply-add
    half_square = times(0.5, square);
    mills = lanes::mills_ratio(a);
    const Pack bell = lanes::exp(-half_square);
    density = times(0x1.9884533d43651p-2, multiply_add(bell, times(-0.5, lost), bell));
    tail = mills * density;
  }
};

/// e^eta.
template <class Pack>
class ExpMean {
 public:
  static constexpr bool needs_positive = false;
  static constexpr bool has_easy_log = true;

  explicit SYNELIX_INLINE ExpMean(const Pack& eta) : m_eta(eta) {}
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> mean() const {
    const Pack mu = lanes::exp(m_eta);
    return {mu, mu, mu};
  }
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> log_mean() const {
    return {m_eta, Pack::broadcast(1.0), Pack::zero()};
  }
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> inverse_mean() const {
    const Pack v = lanes::exp(-m_eta);
    return {v, -v, v};
  }

 private:
  Pack m_eta;
};

/// ln(1 + e^eta).
template <class Pack>
class SoftplusMean {
 public:
  static constexpr bool needs_positive = false;
  static constexpr bool has_easy_log = false;

  explicit SYNELIX_INLINE SoftplusMean(const Pack& eta)
      : m_eta(eta),
        m_logistic(eta),
        m_mu(lanes::at_least(eta, Pack::zero()) + m_logistic.one_plus.log) {}
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> mean() const {
    return {m_mu, m_logistic.value, m_logistic.value * m_logistic.complement};
  }
  /// Below -38, ln mu is eta - e^eta / 2 to the last bit.
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> log_mean() const {
    const Pack far = Pack::broadcast(-38.0);
    const Pack inverse = Pack::broadcast(1.0) / m_mu;
    const Pack slope = m_logistic.value * inverse;
    // slope (f'' / f' - slope), where f'' / f' = 1 / (1 + e^eta) =: c. For very negative eta, mu -
    // t cancels for t = e^eta, so c - slope is written as c (mu - t) / mu.
    const Pack left = -(slope * m_logistic.complement) * (m_logistic.one_plus.shortfall * inverse);
    const Pack right = slope * (m_logistic.complement - slope);
    const Pack bend = lanes::select_less(m_eta, Pack::zero(), left, right);
    return {lanes::select_less(m_eta, far, m_eta, lanes::log(m_mu)),
            lanes::select_less(m_eta, far, Pack::broadcast(1.0), slope),
            lanes::select_less(m_eta, far, times(-0.5, m_logistic.t), bend)};
  }
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> inverse_mean() const {
    const Jet<Pack> log = log_mean();
    const Pack v = Pack::broadcast(1.0) / m_mu;
    return {v, -(log.slope * v), v * (log.slope * log.slope - log.bend)};
  }

 private:
  Pack m_eta;
  Logistic<Pack> m_logistic;
  Pack m_mu;
};

/// 1 / (1 + e^-eta).
template <class Pack>
class LogisticMean {
 public:
  explicit SYNELIX_INLINE LogisticMean(const Pack& eta) : m_logistic(eta) {}
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> mean() const {
    const Pack slope = m_logistic.value * m_logistic.complement;
    return {m_logistic.value, slope, slope * (m_logistic.complement - m_logistic.value)};
  }

 private:
  Logistic<Pack> m_logistic;
};

/// The distribution function of the standard normal.
template <class Pack>
class NormalMean {
 public:
  explicit SYNELIX_INLINE NormalMean(const Pack& eta) : m_eta(eta), m_tail(eta) {}
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> mean() const {
    const Pack rest = Pack::broadcast(1.0) - m_tail.tail;
    return {lanes::select_less(m_eta, Pack::zero(), m_tail.tail, rest), m_tail.density,
            -(m_eta * m_tail.density)};
  }

 private:
  Pack m_eta;
  NormalTail<Pack> m_tail;
};

/// 1 / eta.
template <class Pack>
class InverseMean {
 public:
  static constexpr bool needs_positive = true;
  static constexpr bool has_easy_log = false;

  explicit SYNELIX_INLINE InverseMean(const Pack& eta)
      : m_eta(eta), m_mu(Pack::broadcast(1.0) / eta) {}
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> mean() const {
    const Pack square = m_mu * m_mu;
    return {m_mu, -square, times(2.0, square * m_mu)};
  }
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> log_mean() const {
    return {-lanes::log(m_eta), -m_mu, m_mu * m_mu};
  }
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> inverse_mean() const {
    return {m_eta, Pack::broadcast(1.0), Pack::zero()};
  }

 private:
  Pack m_eta;
  Pack m_mu;
};

/// eta itself.
template <class Pack>
class IdentityMean {
 public:
  static constexpr bool needs_positive = true;
  static constexpr bool has_easy_log = false;

  explicit SYNELIX_INLINE IdentityMean(const Pack& eta) : m_eta(eta) {}
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> mean() const {
    return {m_eta, Pack::broadcast(1.0), Pack::zero()};
  }
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> log_mean() const {
    const Pack v = Pack::broadcast(1.0) / m_eta;
    return {lanes::log(m_eta), v, -(v * v)};
  }
  [[nodiscard]] SYNELIX_INLINE Jet<Pack> inverse_mean() const {
    const Pack v = Pack::broadcast(1.0) / m_eta;
    const Pack square = v * v;
    return {v, -square, times(2.0, square * v)};
  }

 private:
  Pack m_eta;
};

}  // namespace synelix::tile
