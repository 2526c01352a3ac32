// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// synelix_fit_check FILE [CASE]: compares fits and products of designs with numbers that were found
// and certified without the library. The formats of files are described in make_fit_golden.py and
// make_fit_operators.py. Lines and exit status are those of golden/check_program.hpp. Each fit runs
// on its stored features and, where they come from counts, on events and on features that are
// computed, from memory and from the file, for every way to keep them. So do the products.

#include "golden/check_program.hpp"
#include "golden/fits/design_case.hpp"
#include "golden/fits/fit_case.hpp"
#include "golden/fits/fit_certificate.hpp"
#include "golden/fits/fit_designs.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

namespace {

using golden::Array;
using golden::FitCase;
using golden::Group;
using golden::Outcome;

/// The comparisons of one fit: the first that fails, and the largest differences.
class Comparison {
 public:
  explicit Comparison(std::string design) : m_design(std::move(design)) {}

  /// \param tolerance  the difference that may be
  void near(const std::string& what, double found, double wanted, double tolerance) {
    const double difference = std::abs(found - wanted);
    if (difference <= tolerance || (std::isnan(found) && std::isnan(wanted))) return;
    std::ostringstream text;
    text.precision(17);
    text << what << " is " << found << ", not " << wanted << " within " << tolerance;
    fail(text.str());
  }
  void below(const std::string& what, double found, double limit) {
    if (found <= limit) return;
    std::ostringstream text;
    text << what << " is " << found << ", above " << limit;
    fail(text.str());
  }
  void fail(const std::string& text) {
    if (m_text.empty()) m_text = m_design + ": " + text;
  }
  [[nodiscard]] const std::string& text() const { return m_text; }

 private:
  std::string m_design;
  std::string m_text;
};

/// Takes the mean over classes out of each row of classes: a shift of all classes changes no
/// prediction.
std::vector<double> centred(const std::vector<double>& values, std::int64_t classes) {
  std::vector<double> result = values;
  const auto count = static_cast<std::size_t>(classes);
  for (std::size_t first = 0; count > 1 && first < result.size(); first += count) {
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += result[first + k];
    for (std::size_t k = 0; k < count; ++k) result[first + k] -= sum / static_cast<double>(count);
  }
  return result;
}

void compare_parameters(const FitCase& fit, const Group& item, const synelix::FitResult& found,
                        Comparison& comparison) {
  const std::vector<double> b = centred(found.coefficients, fit.classes);
  const std::vector<double> wanted = centred(fit.coefficients, fit.classes);
  const double largest = std::max(1.0, golden::largest_finite(wanted));
  for (std::size_t i = 0; i < b.size(); ++i) {
    comparison.near("coefficient " + std::to_string(i), b[i], wanted[i], 1e-6 * largest);
    if ((fit.coefficients[i] == 0) != (found.coefficients[i] == 0)) {
      comparison.fail("coefficient " + std::to_string(i) + " is 0 in one answer only");
    }
  }
  const std::vector<double> b0 = centred(found.intercepts, fit.classes);
  const std::vector<double> wanted0 = centred(fit.intercepts, fit.classes);
  for (std::size_t i = 0; i < b0.size(); ++i) {
    comparison.near("intercept " + std::to_string(i), b0[i], wanted0[i], 1e-6 * largest);
  }
  if (!item.has("standard_error")) return;
  const Array errors = item.array("standard_error");  // (columns + 1[, targets])
  for (std::size_t i = 0; i < errors.values.size(); ++i) {
    const double difference =
        i < b.size() ? b[i] - wanted[i] : b0[i - b.size()] - wanted0[i - b.size()];
    comparison.below("distance in standard errors of parameter " + std::to_string(i),
                     std::abs(difference) / errors.values[i], 1e-3);
  }
}

void compare_arrays(const Group& item, const std::string& name, const std::vector<double>& found,
                    double relative, Comparison& comparison) {
  if (!item.has(name)) return;
  const Array wanted = item.array(name);
  if (wanted.values.size() != found.size()) {
    comparison.fail(name + " has " + std::to_string(found.size()) + " values, not " +
                    std::to_string(wanted.values.size()));
    return;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    comparison.near(name + " " + std::to_string(i), found[i], wanted.values[i],
                    relative * std::max(1.0, std::abs(wanted.values[i])));
  }
}

void compare_certificates(const FitCase& fit, const golden::FitCertifier& certifier,
                          const synelix::FitResult& found, Comparison& comparison) {
  for (std::int64_t i = 0; i < fit.targets; ++i) {
    const std::string target = " of target " + std::to_string(i);
    const auto at = static_cast<std::size_t>(i);
    const golden::FitCertificate certificate =
        certifier.certify(i, found.coefficients, found.intercepts);
    comparison.below("violation" + target, certificate.kkt_scale, 1e-6);
    comparison.below("distance in standard errors" + target, certificate.decrement, 1e-3);
    comparison.near("objective" + target, found.objective[at], certificate.objective, 1e-5);
    comparison.below("optimality" + target, found.optimality[at], 1e-6);
    if (found.stop[at] != synelix::Stop::converged) {
      comparison.fail("stop" + target + " is " + name_of(found.stop[at]));
    }
  }
}

void compare_fit(const FitCase& fit, const golden::FitCertifier& certifier, const Group& item,
                 const golden::FitDesign& design, Comparison& comparison) {
  const synelix::Strided y(fit.y.values.data(), {fit.rows, fit.targets});
  synelix::FitOptions options = golden::options_of(fit);
  options.standard_errors = item.has("standard_error");
  if (!design.is_exact) options.optimality_tolerance = 1e-9;
  const synelix::FitResult found = synelix::fit(design.matrix, {.targets = y}, options);
  const double relative = design.is_exact ? 1e-8 : 1e-5;
  compare_parameters(fit, item, found, comparison);
  compare_arrays(item, "objective", found.objective, design.is_exact ? 1e-12 : 1e-7, comparison);
  // Of penalized fits the loss alone is not at its least: it differs by as much as coefficients do.
  compare_arrays(item, "loss", found.mean_loss, design.is_exact ? 1e-9 : 1e-6, comparison);
  // NeMoS starts at the mean of all rows, the library at that of the rows that count.
  if (item.integer("valid_rows").value_or(fit.rows) == fit.rows) {
    compare_arrays(item, "start_intercept", found.start_intercepts, 1e-10, comparison);
  }
  compare_arrays(item, "standard_error", found.standard_errors, relative, comparison);
  const bool has_valid = item.has("dof_resid_valid_rows");
  compare_arrays(item, has_valid ? "dof_resid_valid_rows" : "dof_resid",
                 found.residual_degrees_of_freedom, 0, comparison);
  const bool has_alpha = fit.loss.family == synelix::Family::negative_binomial;
  if (item.has("scale")) {
    // NeMoS' scale of negative_binomial is the dispersion, one number for all targets.
    const std::vector<double>& scale = has_alpha ? found.dispersion : found.scale;
    compare_arrays(item, "scale", scale, relative, comparison);
  }
  compare_certificates(fit, certifier, found, comparison);
}

Outcome check_fit(const Group& item, const Group& root) {
  const FitCase fit = golden::read_fit_case(item, root);
  const golden::FitCertifier certifier(fit);
  std::string designs;
  for (const golden::FitDesign& design : golden::designs_of(fit, root)) {
    Comparison comparison(design.name);
    compare_fit(fit, certifier, item, design, comparison);
    if (!comparison.text().empty()) return {Outcome::Kind::differs, comparison.text()};
    designs += (designs.empty() ? "" : ", ") + design.name;
  }
  return {Outcome::Kind::agrees, designs};
}

const char* name_of_place(golden::InputPlace place) {
  return place == golden::InputPlace::memory ? "memory" : "file";
}

/// A case of make_fit_operators.py.
Outcome check_design(const Group& item, const Group& /*root*/) {
  if (!item.text("kind").has_value()) {
    return {Outcome::Kind::not_compared, "a group without the attribute kind"};
  }
  const std::pair<synelix::Keep, const char*> keeps[] = {
      {synelix::Keep::automatic, "automatic"},
      {synelix::Keep::nothing, "nothing kept"},
      {synelix::Keep::features, "features kept"}};
  for (const golden::InputPlace place : {golden::InputPlace::memory, golden::InputPlace::file}) {
    for (const auto& [keep, name] : keeps) {
      // Stored features are taken in both types, one for each way.
      const bool is_double = keep != synelix::Keep::features;
      const auto found = golden::read_design_case(item, is_double, place, {.keep = keep});
      std::string text = golden::compare_products(item, *found);
      if (text.empty()) text = golden::compare_evaluations(item, *found);
      if (!text.empty()) {
        return {Outcome::Kind::differs,
                std::string(name_of_place(place)) + ", " + name + ": " + text};
      }
    }
  }
  return {Outcome::Kind::agrees, "products from memory and file, for every way to keep features"};
}

golden::Check check_of(const std::string& section) {
  if (section == "fits") return check_fit;
  return section == "designs" ? nullptr : check_design;
}

}  // namespace

int main(int argc, char* argv[]) {
  return golden::run_checks(argc, argv, "synelix_fit_check", check_of);
}
