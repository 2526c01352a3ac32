// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Without the losses of rows, because readers of options and files need only names and rules.
#include "glm/rows/families.hpp"

#include "glm/random/distributions.hpp"
#include "tile/row_loss.hpp"
#include "types/checks.hpp"
#include "types/missing.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>

namespace synelix {
namespace glm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log_root_two_pi = 0.91893853320467274178;

/// x y, and 0 where x is 0.
double counted(double x, double y) { return x == 0 ? 0.0 : x * y; }

// ---- gaussian

double gaussian_loss(const Loss& /*loss*/, double y, double mean) {
  return (y - mean) * (y - mean);
}
double gaussian_likelihood(const Loss& /*loss*/, double /*y*/, double row_loss, double scale) {
  return -log_root_two_pi - 0.5 * std::log(scale) - row_loss / (2.0 * scale);
}
double gaussian_deviance(const Loss& /*loss*/, double y, double mean, double scale) {
  return (y - mean) * (y - mean) / scale;
}
double draw_gaussian(RandomStream& stream, double mean, double scale, double /*dispersion*/) {
  return mean + std::sqrt(scale) * draw_normal(stream);
}

// ---- poisson

double poisson_loss(const Loss& /*loss*/, double y, double mean) {
  return mean - counted(y, std::log(mean));
}
double poisson_likelihood(const Loss& /*loss*/, double y, double row_loss, double /*scale*/) {
  return -row_loss - std::lgamma(y + 1.0);
}
double poisson_deviance(const Loss& /*loss*/, double y, double mean, double /*scale*/) {
  return 2.0 * (counted(y, std::log(y / mean)) - (y - mean));
}
double draw_count(RandomStream& stream, double mean, double /*scale*/, double /*dispersion*/) {
  return draw_poisson(stream, mean);
}

// ---- bernoulli

double bernoulli_loss(const Loss& /*loss*/, double y, double mean) {
  return -counted(y, std::log(mean)) - counted(1.0 - y, std::log1p(-mean));
}
/// The loss of bernoulli and of labels has all terms.
double loss_likelihood(const Loss& /*loss*/, double /*y*/, double row_loss, double /*scale*/) {
  return -row_loss;
}
double bernoulli_deviance(const Loss& /*loss*/, double y, double mean, double /*scale*/) {
  return 2.0 *
         (counted(y, std::log(y / mean)) + counted(1.0 - y, std::log((1.0 - y) / (1.0 - mean))));
}
double draw_bernoulli(RandomStream& stream, double mean, double /*scale*/, double /*dispersion*/) {
  return mean >= 0 && mean <= 1 ? (stream.uniform() < mean ? 1.0 : 0.0) : missing;
}

// ---- gamma

double gamma_loss(const Loss& /*loss*/, double y, double mean) { return y / mean + std::log(mean); }
double gamma_likelihood(const Loss& /*loss*/, double y, double row_loss, double scale) {
  const double shape = 1.0 / scale;
  return (shape - 1.0) * std::log(y) + shape * std::log(shape) - std::lgamma(shape) -
         shape * row_loss;
}
double gamma_deviance(const Loss& /*loss*/, double y, double mean, double scale) {
  return 2.0 * ((y - mean) / mean - std::log(y / mean)) / scale;
}
double draw_gamma_target(RandomStream& stream, double mean, double scale, double /*dispersion*/) {
  return mean > 0 ? mean * scale * draw_gamma(stream, 1 / scale) : missing;
}

// ---- negative_binomial

double negative_binomial_loss(const Loss& loss, double y, double mean) {
  const double a = loss.dispersion;
  return counted(y, std::log1p(1.0 / (a * mean))) + std::log1p(a * mean) / a;
}
double negative_binomial_likelihood(const Loss& loss, double y, double row_loss, double /*scale*/) {
  const double shape = 1.0 / loss.dispersion;
  return -row_loss + std::lgamma(y + shape) - std::lgamma(y + 1.0) - std::lgamma(shape);
}
double negative_binomial_deviance(const Loss& loss, double y, double mean, double /*scale*/) {
  const double a = loss.dispersion;
  const double gain = std::log((a * mean + 1.0) / (a * y + 1.0));
  return 2.0 * (counted(y, std::log(y / mean) + gain) + gain / a);
}
double draw_negative_binomial(RandomStream& stream, double mean, double /*scale*/,
                              double dispersion) {
  if (!(mean >= 0)) return missing;
  return draw_poisson(stream, mean * dispersion * draw_gamma(stream, 1 / dispersion));
}

// ---- the rows

constexpr InverseLink links_of_reals[]{InverseLink::identity, InverseLink::exp,
                                       InverseLink::softplus, InverseLink::logistic,
                                       InverseLink::norm_cdf, InverseLink::one_over_x};
constexpr InverseLink links_of_counts[]{InverseLink::exp, InverseLink::softplus,
                                        InverseLink::one_over_x, InverseLink::identity};
constexpr InverseLink links_of_gamma[]{InverseLink::one_over_x, InverseLink::exp,
                                       InverseLink::softplus, InverseLink::identity};
constexpr InverseLink links_of_bernoulli[]{InverseLink::logistic, InverseLink::norm_cdf};
constexpr InverseLink links_of_labels[]{InverseLink::softmax};

/// In the order of the values.
constexpr FamilyRow family_rows[] = {
    {.name = "gaussian",
     .links = links_of_reals,
     .targets = TargetKind::real,
     .scale = ScaleKind::mean_square,
     .deviance_of_loss = 1,
     .loss_at_mean = gaussian_loss,
     .log_likelihood = gaussian_likelihood,
     .deviance = gaussian_deviance,
     .draw = draw_gaussian},
    {.name = "poisson",
     .links = links_of_counts,
     .targets = TargetKind::at_least_0,
     .counts_events = true,
     .events = EventKind::uniform,
     .loss_at_mean = poisson_loss,
     .log_likelihood = poisson_likelihood,
     .deviance = poisson_deviance,
     .draw = draw_count},
    {.name = "bernoulli",
     .links = links_of_bernoulli,
     .targets = TargetKind::zero_or_one,
     .counts_events = true,
     .events = EventKind::at_most_one,
     .loss_at_mean = bernoulli_loss,
     .log_likelihood = loss_likelihood,
     .deviance = bernoulli_deviance,
     .draw = draw_bernoulli},
    {.name = "gamma",
     .links = links_of_gamma,
     .targets = TargetKind::above_0,
     .scale = ScaleKind::pearson,
     .loss_at_mean = gamma_loss,
     .log_likelihood = gamma_likelihood,
     .deviance = gamma_deviance,
     .draw = draw_gamma_target},
    {.name = "negative_binomial",
     .links = links_of_counts,
     .targets = TargetKind::at_least_0,
     .has_dispersion = true,
     .counts_events = true,
     .loss_at_mean = negative_binomial_loss,
     .log_likelihood = negative_binomial_likelihood,
     .deviance = negative_binomial_deviance,
     .draw = draw_negative_binomial},
    {.name = "categorical",
     .links = links_of_labels,
     .targets = TargetKind::label,
     .log_likelihood = loss_likelihood},
};

constexpr std::array<std::string_view, std::size(family_rows)> names_of_rows() {
  std::array<std::string_view, std::size(family_rows)> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = family_rows[i].name;
  return names;
}

// ---- links

/// ln Phi(x) for x <= 0, and its slope. The Mills ratio (1 - Phi(a)) / phi(a) is by Laplace's
/// continued fraction for large a.
struct LogNormalTail {
  double value;
  double slope;

  explicit LogNormalTail(double x) {
    double mills = 0;
    if (x > -5) {
      mills = normal_cdf(x) / std::exp(-0.5 * x * x - log_root_two_pi);
    } else {
      double fraction = -x;
      for (int k = 80; k > 0; --k) fraction = -x + k / fraction;
      mills = 1.0 / fraction;
    }
    value = -0.5 * x * x - log_root_two_pi + std::log(mills);
    slope = 1.0 / mills;
  }
  static double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
};

}  // namespace

const FamilyRow& family_row(Family family) { return family_rows[static_cast<std::size_t>(family)]; }

double draw(RandomStream& stream, Family family, double mean, double scale, double dispersion) {
  if (!std::isfinite(mean)) return missing;
  return family_row(family).draw(stream, mean, scale, dispersion);
}

double categorical_loss(std::span<const double> predictors, std::int64_t target) {
  const double largest = *std::max_element(predictors.begin(), predictors.end());
  double sum = 0;
  for (const double eta : predictors) sum += std::exp(eta - largest);
  return std::log(sum) - (predictors[static_cast<std::size_t>(target)] - largest);
}

double mean_of(InverseLink link, double predictor) {
  const double t = std::exp(-std::fabs(predictor));
  switch (link) {
    case InverseLink::exp:
      return std::exp(predictor);
    case InverseLink::softplus:
      return (predictor > 0 ? predictor : 0.0) + std::log1p(t);
    case InverseLink::logistic:
      return (predictor < 0 ? t : 1.0) / (1.0 + t);
    case InverseLink::norm_cdf:
      return LogNormalTail::normal_cdf(predictor);
    case InverseLink::one_over_x:
      return 1.0 / predictor;
    case InverseLink::identity:
    case InverseLink::automatic:
    case InverseLink::softmax:
      break;
  }
  return predictor;
}

double predictor_of(InverseLink link, double mean) {
  switch (link) {
    case InverseLink::exp:
      return std::log(mean);
    case InverseLink::softplus:  // ln(e^mu - 1)
      return mean > 1 ? mean + std::log1p(-std::exp(-mean)) : std::log(std::expm1(mean));
    case InverseLink::logistic:
      return std::log(mean) - std::log1p(-mean);
    case InverseLink::norm_cdf: {
      if (!(mean > 0 && mean < 1)) return mean == 0 ? -infinity : mean == 1 ? infinity : NAN;
      // Uses the side where Phi is at most 1/2: there ln Phi is concave, and Newton's steps from 0
      // are monotone.
      const double tail = std::log(std::min(mean, 1.0 - mean));
      double x = 0;
      for (int i = 0; i < 100; ++i) {
        const LogNormalTail log_cdf(x);
        const double step = (tail - log_cdf.value) / log_cdf.slope;
        x = std::min(x + step, 0.0);
        if (std::fabs(step) <= 1e-16 * std::fabs(x)) break;
      }
      return mean < 0.5 ? x : -x;
    }
    case InverseLink::one_over_x:
      return 1.0 / mean;
    case InverseLink::identity:
    case InverseLink::automatic:
    case InverseLink::softmax:
      break;
  }
  return mean;
}

bool has_border(const Loss& loss) {
  const bool gives_any =
      loss.inverse_link == InverseLink::identity || loss.inverse_link == InverseLink::one_over_x;
  return gives_any && family_row(loss.family).targets != TargetKind::real;
}

bool has_mean_at_0(const Loss& loss) {
  return !has_border(loss) && loss.inverse_link != InverseLink::one_over_x;
}

bool is_outside(const Loss& loss, double predictor, double mean) {
  return (has_border(loss) && predictor < tile::least_positive) || std::isinf(mean);
}

double canonical_value(double value) { return std::isnan(value) ? missing : value + 0.0; }

}  // namespace glm

// ---- the public functions, and the rules of a loss

template <>
inline constexpr auto value_names<Family> = glm::names_of_rows();
template <>
inline constexpr std::string_view value_names<InverseLink>[] {
  "automatic", "exp", "softplus", "logistic", "norm_cdf", "one_over_x", "identity", "softmax"
};

namespace {

[[noreturn]] void refuse_link(const Loss& loss) {
  std::string usable;
  for (const InverseLink link : glm::family_row(loss.family).links) {
    usable += (usable.empty() ? "" : ", ") + std::string(name_of(link));
  }
  throw Error("loss.inverse_link",
              "the family " + std::string(name_of(loss.family)) + " has no inverse link " +
                  name_of(loss.inverse_link),
              "Use automatic, or one of " + usable, Remedy::automatic);
}

}  // namespace

const char* name_of(Family family) { return known_name(family); }
const char* name_of(InverseLink inverse_link) { return known_name(inverse_link); }

Loss resolved(const Loss& loss) {
  require_known("loss.family", loss.family);
  require_known("loss.inverse_link", loss.inverse_link);
  const glm::FamilyRow& row = glm::family_row(loss.family);
  Loss known = loss;
  if (loss.inverse_link == InverseLink::automatic) known.inverse_link = row.links.front();
  if (std::count(row.links.begin(), row.links.end(), known.inverse_link) == 0) refuse_link(loss);
  if (row.has_dispersion && !(loss.dispersion > 0 && std::isfinite(loss.dispersion))) {
    throw Error("loss.dispersion",
                "the value " + number_text(loss.dispersion) + " is not a dispersion",
                "Give a finite number above 0");
  }
  if (row.has_classes() && loss.classes < 2) {
    throw Error("loss.classes", "the number " + std::to_string(loss.classes) + " is too small",
                "Give at least 2 classes");
  }
  return known;
}

}  // namespace synelix
