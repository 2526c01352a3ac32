// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/fits/fit_case.hpp"

#include <Kokkos_Core.hpp>

#include <map>

namespace golden {
namespace {

/// The value under a name. \throws FormatError listing the names
template <class Value>
Value named(const Group& item, const std::string& attribute, const std::string& name,
            const std::map<std::string, Value>& values) {
  const auto found = values.find(name);
  if (found != values.end()) return found->second;
  std::string names;
  for (const auto& [one, value] : values) names += (names.empty() ? "" : ", ") + one;
  throw FormatError(item.path() + ": " + attribute + " is '" + name + "'; it may be " + names);
}

synelix::Loss read_loss(const Group& item) {
  using synelix::Family;
  using synelix::InverseLink;
  synelix::Loss loss;
  loss.family = named<Family>(item, "family", item.text("family").value_or(""),
                              {{"gaussian", Family::gaussian},
                               {"poisson", Family::poisson},
                               {"bernoulli", Family::bernoulli},
                               {"gamma", Family::gamma},
                               {"negativebinomial", Family::negative_binomial},
                               {"categorical", Family::categorical}});
  loss.inverse_link =
      named<InverseLink>(item, "inverse_link", item.text("inverse_link").value_or(""),
                         {{"exp", InverseLink::exp},
                          {"softplus", InverseLink::softplus},
                          {"logistic", InverseLink::logistic},
                          {"norm_cdf", InverseLink::norm_cdf},
                          {"one_over_x", InverseLink::one_over_x},
                          {"identity", InverseLink::identity},
                          {"log_softmax", InverseLink::softmax}});
  loss.dispersion = item.number("alpha").value_or(1.0);
  loss.classes = item.integer("classes").value_or(2);
  return loss;
}

void require_size(const Group& item, const std::string& name, std::size_t found,
                  std::int64_t wanted) {
  if (found == static_cast<std::size_t>(wanted)) return;
  throw FormatError(item.path() + ": " + name + " has " + std::to_string(found) + " values, not " +
                    std::to_string(wanted));
}

}  // namespace

FitCase read_fit_case(const Group& item, const Group& root) {
  FitCase fit;
  fit.design = item.text("design").value_or("");
  if (fit.design.empty()) throw FormatError(item.path() + ": attribute design is missing");
  fit.features = root.group("designs").group(fit.design).array("features");
  fit.y = item.array("y");
  if (fit.features.rank() != 2) throw FormatError(item.path() + ": features are not a matrix");
  fit.rows = fit.features.extents[0];
  fit.columns = fit.features.extents[1];
  fit.targets = fit.y.rank() == 2 ? fit.y.extents[1] : 1;
  fit.loss = read_loss(item);
  if (fit.loss.family == synelix::Family::categorical) fit.classes = fit.loss.classes;
  fit.penalty = item.text("penalty").value_or("none");
  fit.ratio = item.number("ratio").value_or(1.0);
  fit.strength = item.array("strength").values;
  if (item.has("groups")) {
    for (const double value : item.array("groups").values) {
      fit.groups.push_back(static_cast<std::int64_t>(value));
    }
  }
  if (item.has("feature_mask")) {
    for (const double value : item.array("feature_mask").values) {
      fit.mask.push_back(static_cast<std::uint8_t>(value));
    }
  }
  fit.coefficients = item.array("coef").values;
  fit.intercepts = item.array("intercept").values;
  require_size(item, "y", fit.y.values.size(), fit.rows * fit.targets);
  require_size(item, "coef", fit.coefficients.size(), fit.columns * fit.targets * fit.classes);
  require_size(item, "intercept", fit.intercepts.size(), fit.targets * fit.classes);
  return fit;
}

synelix::FitOptions options_of(const FitCase& fit) {
  using Per = synelix::Strength::Per;
  synelix::FitOptions options;
  options.loss = fit.loss;
  options.feature_mask = fit.mask;
  // Answers are compared with those of the limit, so the search continues down to rounding.
  options.optimality_tolerance = 1e-10;
  options.standard_errors_tolerance = 1e-6;
  const Per per = fit.penalty == "grouplasso" ? Per::group : Per::coefficient;
  const synelix::Strength strength = fit.strength.size() == 1
                                         ? synelix::Strength(fit.strength[0])
                                         : synelix::Strength(fit.strength, per);
  if (fit.penalty == "none") {
    options.penalty = synelix::NoPenalty{};
  } else if (fit.penalty == "ridge") {
    options.penalty = synelix::Ridge{strength};
  } else if (fit.penalty == "lasso") {
    options.penalty = synelix::Lasso{strength};
  } else if (fit.penalty == "elasticnet") {
    options.penalty = synelix::ElasticNet{strength, fit.ratio};
  } else if (fit.penalty == "grouplasso") {
    options.penalty = synelix::GroupLasso{strength, fit.groups};
  } else {
    throw FormatError("penalty is '" + fit.penalty +
                      "'; it may be none, ridge, lasso, elasticnet, grouplasso");
  }
  return options;
}

}  // namespace golden
