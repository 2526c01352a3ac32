// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Separate from the losses, because readers of options and files need only names and rules.
#include "vocabulary/known.hpp"
#include "vocabulary/number_text.hpp"

#include <synelix/error.hpp>
#include <synelix/loss.hpp>

#include <cmath>
#include <span>
#include <string>
#include <string_view>

namespace synelix {

// Names, in the order of values.
template <>
inline constexpr std::string_view value_names<Family>[] {
  "gaussian", "poisson", "bernoulli", "gamma", "negative_binomial", "categorical"
};
template <>
inline constexpr std::string_view value_names<InverseLink>[] {
  "automatic", "exp", "softplus", "logistic", "norm_cdf", "one_over_x", "identity", "softmax"
};

namespace {

/// The inverse links of a family, NeMoS' default first.
std::span<const InverseLink> links_of(Family family) {
  using enum InverseLink;
  static constexpr InverseLink gaussian[]{identity, exp, softplus, logistic, norm_cdf, one_over_x};
  static constexpr InverseLink counts[]{exp, softplus, one_over_x, identity};
  static constexpr InverseLink bernoulli[]{logistic, norm_cdf};
  static constexpr InverseLink gamma[]{one_over_x, exp, softplus, identity};
  static constexpr InverseLink categorical[]{softmax};
  switch (family) {
    case Family::gaussian:
      return gaussian;
    case Family::bernoulli:
      return bernoulli;
    case Family::gamma:
      return gamma;
    case Family::categorical:
      return categorical;
    case Family::poisson:
    case Family::negative_binomial:
      break;
  }
  return counts;
}

[[noreturn]] void refuse_link(const Loss& loss) {
  std::string usable;
  for (const InverseLink link : links_of(loss.family)) {
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
  Loss known = loss;
  const std::span<const InverseLink> links = links_of(loss.family);
  if (loss.inverse_link == InverseLink::automatic) known.inverse_link = links.front();
  bool is_allowed = false;
  for (const InverseLink link : links) is_allowed = is_allowed || link == known.inverse_link;
  if (!is_allowed) refuse_link(loss);
  if (loss.family == Family::negative_binomial &&
      !(loss.dispersion > 0 && std::isfinite(loss.dispersion))) {
    throw Error("loss.dispersion",
                "the value " + number_text(loss.dispersion) + " is not a dispersion",
                "Give a finite number above 0");
  }
  if (loss.family == Family::categorical && loss.classes < 2) {
    throw Error("loss.classes", "the number " + std::to_string(loss.classes) + " is too small",
                "Give at least 2 classes");
  }
  return known;
}

}  // namespace synelix
