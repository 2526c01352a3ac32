// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/fit_problem.hpp"
#include "tile/select.hpp"
#include "types/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

/// \file
/// Finds columns whose mean is large relative to their spread.
///
/// Their spreads come from walks with a quadratic loss and targets 0: with predictors eta, the loss
/// is sum w eta^2 and the gradient 2 sum w eta x. All passes over rows can compute these.
///
/// A column with a standard deviation of s |mean| has a covariance of at most s |mean| deviation
/// (eta) with any predictor. A few predictors, each a mixture of many columns, rule out most
/// columns. A part of the rows with the fraction f of the weight is sufficient: there, the sum of
/// squared distances to the mean is at most that of all rows, so s becomes s / sqrt(f). The
/// remaining columns get their own predictors, on that part and then on all rows.

namespace synelix::glm {
namespace {

/// Columns with a mean of more than this many standard deviations are centered. For other columns,
/// the tolerance of a fit is at most 1e-6 times this number, compared with a centered column.
constexpr double most_offset = 100;
/// A larger ratio leaves no correct digit of the curvature, so a warning is given.
constexpr double offset_to_warn = 1e7;
/// A larger ratio leaves at most about four digits of the curvature and of standard errors.
constexpr double offset_to_warn_of_errors = 1e5;
/// With a larger ratio, rounding of the gradient exceeds the tolerance.
constexpr double offset_beyond_double = 1e9;
/// A smaller deviation is the rounding of a constant column, for features in double and in float.
constexpr double least_spread_of_double = 4e-16;
constexpr double least_spread_of_float = 1e-7;
constexpr std::int64_t sampled_rows = 8192;
constexpr std::int64_t most_every = 64;
constexpr std::size_t mixtures = 16;
constexpr std::size_t requests_at_once = 256;
/// Deviations below this fraction of a predictor may be rounding of its sums.
constexpr double rounding_of_deviation = 1e-6;
/// This dispersion distinguishes these walks from those of a gaussian fit in a store of answers.
/// The loss does not read it.
constexpr double mark_of_requests = 0.5;

/// Rows and their weights, with targets of 0.
class RowsWithoutTargets final : public Observed {
 public:
  explicit RowsWithoutTargets(const Observed& observed) : m_observed(observed) {}
  [[nodiscard]] std::int64_t rows() const override { return m_observed.rows(); }
  [[nodiscard]] std::int64_t targets() const override { return m_observed.targets(); }
  [[nodiscard]] bool has_offset() const override { return false; }
  [[nodiscard]] Range counted_rows() const override { return m_observed.counted_rows(); }
  [[nodiscard]] bool weights_follow_targets() const override {
    return m_observed.weights_follow_targets();
  }
  void begin(Range rows) const override { m_observed.begin(rows); }
  void read_targets(std::int64_t, Range rows, double* values) const override {
    std::fill_n(values, rows.size(), 0.0);
  }
  void read_weights(const RowsOf& choice, Range rows, double* weights) const override {
    m_observed.read_weights(choice, rows, weights);
  }
  void read_offsets(std::int64_t, Range rows, double* offsets) const override {
    std::fill_n(offsets, rows.size(), 0.0);
  }

 private:
  const Observed& m_observed;
};

/// Right-hand sides on the same rows, and their columns that may have a large mean.
struct Group {
  std::size_t first = 0;  ///< of its right-hand sides
  std::vector<std::int64_t> open = {};
  std::vector<double> sizes = {};  ///< approximate mean |x| of each column of the design
  std::vector<double> means = {};  ///< of each column of the design, on the rows of a walk
  double weight = 0;               ///< of these rows
  bool is_mixing = true;           ///< the next predictors are mixtures
  bool is_apart = false;           ///< each open column had its own predictor
  bool is_unfair = false;          ///< the part of the rows is not representative of all
  std::vector<ColumnCenters::Column> found = {};
};

/// A predictor: the sum of columns over their sizes, or the constant 1 without columns.
struct Mixture {
  std::size_t group = 0;
  std::vector<std::int64_t> columns = {};
  double intercept = 0;
  // Results of a walk.
  double weight = 0;
  double mean = 0;                    ///< of the predictor
  double square = 0;                  ///< mean of its square
  std::vector<double> products = {};  ///< means of the predictor times its columns
};

class CenterFinder {
 public:
  CenterFinder(FitProblem& problem, std::int64_t share)
      : m_problem(problem),
        m_rows(problem.observed),
        m_loss(glm::bind({.family = Family::gaussian, .inverse_link = InverseLink::identity},
                         tile::select_set(problem.pass.choice().instruction_set))),
        m_walks(problem.pass, m_loss, m_rows) {
    m_walks.set_share(share);
  }

  /// Leaves in `found` the columns of each group whose mean is large relative to their spread.
  void find(std::vector<Group>& groups);

 private:
  void walk(std::vector<Mixture>& all, const std::vector<Group>& groups, std::int64_t every);
  void rule_out(std::vector<Group>& groups, std::int64_t every);
  [[nodiscard]] bool may_be_far(const Group& group, const Mixture& mixture,
                                std::size_t place) const;
  void measure(std::vector<Group>& groups);

  FitProblem& m_problem;
  RowsWithoutTargets m_rows;
  RowLoss m_loss;
  Walks m_walks;
};

void CenterFinder::walk(std::vector<Mixture>& all, const std::vector<Group>& groups,
                        std::int64_t every) {
  const auto size = static_cast<std::size_t>(m_problem.columns + 1);
  for (std::size_t first = 0; first < all.size(); first += requests_at_once) {
    const std::span<Mixture> some =
        std::span(all).subspan(first, std::min(requests_at_once, all.size() - first));
    std::vector<double> points(some.size() * size, 0.0);
    std::vector<Request> requests;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Group& group = groups[some[i].group];
      double* const point = &points[i * size];
      for (const std::int64_t j : some[i].columns) {
        point[j] = 1 / group.sizes[static_cast<std::size_t>(j)];
      }
      point[size - 1] = some[i].intercept;
      Request request;
      request.parameters = point;
      request.rows = m_problem.sides[group.first].rows;
      request.dispersion = mark_of_requests;
      request.together = static_cast<std::int64_t>(mixtures);
      requests.push_back(request);
    }
    m_walks.all(requests, {every, Arithmetic::double_products}, [&](std::size_t i, Sums& sums) {
      Mixture& mixture = some[i];
      divide_by_weight(sums);
      mixture.weight = sums.weight;
      mixture.mean = sums.gradient.back() / 2;
      mixture.square = sums.loss;
      mixture.products.clear();
      const bool is_constant = mixture.columns.empty();
      const std::size_t count = is_constant ? size - 1 : mixture.columns.size();
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t j = is_constant ? k : static_cast<std::size_t>(mixture.columns[k]);
        mixture.products.push_back(sums.gradient[j] / 2);
      }
    });
  }
}

/// Whether a column of a mixture may have a large mean. NaN rules a column out.
bool CenterFinder::may_be_far(const Group& group, const Mixture& mixture, std::size_t place) const {
  constexpr double slack = 1.25;  // for the mean on a part of the rows
  const double mean = group.means[static_cast<std::size_t>(mixture.columns[place])];
  const double covariance = mixture.products[place] - mean * mixture.mean;
  const double variance = std::max(0.0, mixture.square - mixture.mean * mixture.mean);
  const double deviation =
      std::sqrt(variance + rounding_of_deviation * rounding_of_deviation * mixture.square);
  const double part = group.weight / m_problem.sides[group.first].facts.weight;
  const double spread = slack * std::fabs(mean) / (most_offset * std::sqrt(part));
  return std::fabs(covariance) <= spread * deviation;
}

/// One round: mixtures of columns for groups with many open columns, else one predictor for each
/// column.
void CenterFinder::rule_out(std::vector<Group>& groups, std::int64_t every) {
  std::vector<Mixture> all;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Group& group = groups[g];
    if (group.is_unfair || group.is_apart || group.open.empty()) continue;
    all.push_back({.group = g, .intercept = 1});
    const std::size_t open = group.open.size();
    const std::size_t count = group.is_mixing ? std::min(mixtures, open) : open;
    group.is_apart = count == open;
    const std::size_t first = all.size();
    all.resize(first + count);
    for (std::size_t i = 0; i < count; ++i) all[first + i].group = g;
    for (std::size_t i = 0; i < open; ++i) {
      all[first + i % count].columns.push_back(group.open[i]);
    }
  }
  walk(all, groups, every);
  for (std::size_t m = 0; m < all.size();) {
    Group& group = groups[all[m].group];
    group.means = std::move(all[m].products);
    group.weight = all[m].weight;
    const double whole = m_problem.sides[group.first].facts.weight;
    group.is_unfair = every > 1 && !(group.weight * static_cast<double>(every) >= whole / 4);
    const std::size_t before = group.open.size();
    std::vector<std::int64_t> left;
    for (++m; m < all.size() && !all[m].columns.empty(); ++m) {
      for (std::size_t k = 0; k < all[m].columns.size(); ++k) {
        if (may_be_far(group, all[m], k)) left.push_back(all[m].columns[k]);
      }
    }
    if (group.is_unfair) {
      group.is_apart = false;
      continue;
    }
    std::sort(left.begin(), left.end());
    group.is_mixing = left.size() > mixtures && 2 * left.size() <= before;
    group.open = std::move(left);
  }
}

/// Means and spreads of the remaining columns, on all rows. A predictor x / size - 1 keeps the
/// digits of a spread that a sum of squares of x loses.
void CenterFinder::measure(std::vector<Group>& groups) {
  std::vector<Mixture> all;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Group& group = groups[g];
    for (const std::int64_t j : group.open) {
      const auto at = static_cast<std::size_t>(j);
      group.sizes[at] = group.means[at];
      all.push_back({.group = g, .columns = {j}, .intercept = -1});
    }
  }
  walk(all, groups, 1);
  for (const Mixture& one : all) {
    Group& group = groups[one.group];
    const auto at = static_cast<std::size_t>(one.columns.front());
    const double variance = std::max(0.0, one.square - one.mean * one.mean);
    const double spread = std::sqrt(variance) / std::fabs(1 + one.mean);
    if (!(spread * most_offset < 1)) continue;
    group.found.push_back({one.columns.front(), group.sizes[at] * (1 + one.mean), spread});
  }
}

void CenterFinder::find(std::vector<Group>& groups) {
  const std::int64_t part =
      std::clamp<std::int64_t>(m_problem.pass.rows() / sampled_rows, 1, most_every);
  const auto is_open = [](const Group& group) {
    return !group.is_unfair && !group.is_apart && !group.open.empty();
  };
  for (const std::int64_t every : {part, std::int64_t{1}}) {
    while (std::any_of(groups.begin(), groups.end(), is_open)) rule_out(groups, every);
    for (Group& group : groups) group.is_unfair = false;
  }
  measure(groups);
}

/// Groups the right-hand sides on all rows: those on the same rows are one group.
std::vector<Group> groups_of(const FitProblem& problem) {
  std::vector<Group> groups;
  for (std::size_t first = 0; first < problem.sides.size(); ++first) {
    const Side& front = problem.sides[first];
    if (front.same_rows != first || front.rows.folds != RowsOf::Fold::all) continue;
    Group group{.first = first};
    std::vector<std::uint8_t> is_used(static_cast<std::size_t>(problem.columns), 0);
    for (const Side& side : problem.sides) {
      if (side.same_rows != first || !(side.scales.back() > 0)) continue;
      if (group.sizes.empty()) group.sizes = side.scales;
      for (std::int64_t j = 0; j < problem.columns; ++j) {
        if (problem.uses(j, side.rows.target)) is_used[static_cast<std::size_t>(j)] = 1;
      }
    }
    if (group.sizes.empty()) continue;  // perfect models without features have no sizes
    const double residual = group.sizes.back();
    group.sizes.pop_back();
    for (std::int64_t j = 0; j < problem.columns; ++j) {
      const auto at = static_cast<std::size_t>(j);
      group.sizes[at] /= residual;
      const bool is_number = group.sizes[at] > 0 && std::isfinite(1 / group.sizes[at]);
      if (is_used[at] != 0 && is_number) group.open.push_back(j);
    }
    if (!group.open.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

/// The scale of a right-hand side without the means of its columns. Constant columns are like the
/// intercept: a large one is not a scale for others.
void take_means_out(const FitProblem& problem, const std::vector<ColumnCenters::Column>& found,
                    double least, Side& side) {
  std::vector<double> scales = side.scales;
  double of_constants = 0;
  for (const ColumnCenters::Column& one : found) {
    double& scale = scales[static_cast<std::size_t>(one.column)];
    const bool is_constant = one.spread <= least;
    if (is_constant && problem.uses(one.column, side.rows.target)) {
      of_constants = std::max(of_constants, scale);
    }
    scale *= is_constant ? 0 : one.spread;
  }
  double most = 0;
  for (std::int64_t j = 0; j < problem.columns; ++j) {
    if (problem.uses(j, side.rows.target)) {
      most = std::max(most, scales[static_cast<std::size_t>(j)]);
    }
  }
  if (most == 0 || of_constants <= most_offset * most) most = std::max(most, of_constants);
  if (most > 0) side.gradient_scale = most;
}

/// The centers of a group: its columns that are not constant.
std::shared_ptr<ColumnCenters> centers_of(const Group& group, double least) {
  auto centers = std::make_shared<ColumnCenters>();
  for (const ColumnCenters::Column& one : group.found) {
    if (one.spread > least) centers->columns.push_back(one);
  }
  return centers->columns.empty() ? nullptr : std::move(centers);
}

/// Names the columns whose sums have lost digits, once each.
void warn_of_offsets(FitProblem& problem) {
  const bool has_errors = problem.options.standard_errors;
  const double limit = has_errors ? offset_to_warn_of_errors : offset_to_warn;
  std::vector<std::uint8_t> is_told(static_cast<std::size_t>(problem.columns), 0);
  std::vector<std::string> names;
  for (const Side& side : problem.sides) {
    if (side.centers == nullptr) continue;
    for (const ColumnCenters::Column& one : side.centers->columns) {
      std::uint8_t& told = is_told[static_cast<std::size_t>(one.column)];
      if (told != 0 || one.spread * limit >= 1) continue;
      told = 1;
      names.push_back(name_of_column(problem.pass.terms(), one.column) + " with mean " +
                      number_text(one.mean) + " and standard deviation " +
                      number_text(std::fabs(one.mean) * one.spread));
    }
  }
  if (names.empty()) return;
  problem.warnings.push_back(
      std::string("the mean of columns is more than ") + (has_errors ? "1e5" : "1e7") +
      " times their standard deviation, and rounding takes digits from their " +
      (has_errors ? "standard errors" : "coefficients") +
      "; subtract the mean from these columns: " + listed(names));
}

}  // namespace

void find_column_centers(FitProblem& problem, std::int64_t share) {
  if (!problem.options.fit_intercept) return;  // nothing absorbs a mean
  std::vector<Group> groups = groups_of(problem);
  if (groups.empty()) return;
  CenterFinder(problem, share).find(groups);
  const std::int64_t values = problem.pass.rows() * problem.columns;
  const bool is_float = problem.pass.choice().feature_bytes == values * std::int64_t{sizeof(float)};
  const double least = is_float ? least_spread_of_float : least_spread_of_double;
  for (const Group& group : groups) {
    if (group.found.empty()) continue;
    const SharedCenters centers = centers_of(group, least);
    for (Side& side : problem.sides) {
      // Folds use the centers of all rows, because they share Hessians and sums.
      const bool is_whole = side.rows.folds == RowsOf::Fold::all;
      const Side& whole =
          is_whole ? side : problem.sides[static_cast<std::size_t>(side.rows.target)];
      if (whole.same_rows != group.first) continue;
      side.centers = centers;
      take_means_out(problem, group.found, least, side);
      if (centers == nullptr) continue;
      for (const ColumnCenters::Column& one : centers->columns) {
        const bool is_beyond = one.spread * offset_beyond_double < 1;
        side.is_beyond_double = side.is_beyond_double || is_beyond;
      }
    }
  }
  warn_of_offsets(problem);
}

}  // namespace synelix::glm
