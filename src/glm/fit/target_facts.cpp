// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/target_facts.hpp"

#include "glm/rows/check_targets.hpp"
#include "glm/rows/families.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace synelix::glm {
namespace {

constexpr std::int64_t rows_of_word = 64;
constexpr std::int64_t rows_read_at_once = 512 * rows_of_word;
constexpr std::size_t lanes = 8;  ///< of the widest instruction set

/// A bijection of 64 bits. Source: the finalizer of MurmurHash3, Appleby, public domain.
std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}

/// Partial sums and extrema for each lane.
struct LaneSums {
  std::array<double, lanes> weight = {};
  std::array<double, lanes> target = {};  ///< weighted
  std::array<double, lanes> smallest = {};
  std::array<double, lanes> largest = {};

  void add(std::size_t lane, double y, double w) {
    weight[lane] += w;
    target[lane] += w * y;
    const bool counts = w != 0;
    smallest[lane] = (counts & (y < smallest[lane])) ? y : smallest[lane];
    largest[lane] = (counts & (y > largest[lane])) ? y : largest[lane];
  }
};

/// The facts of one right-hand side, block by block.
class FactReader {
 public:
  FactReader(const Loss& loss, const Observed& observed, std::span<const std::uint64_t> valid,
             const RowsOf& side)
      : m_loss(loss), m_observed(observed), m_valid(valid), m_side(side) {
    if (family_row(loss.family).has_classes()) {
      m_facts.shares.assign(static_cast<std::size_t>(loss.classes), 0);
    }
    m_facts.smallest = std::numeric_limits<double>::infinity();
    m_facts.largest = -m_facts.smallest;
    m_facts.least_offset = std::numeric_limits<double>::infinity();
    m_sums.smallest.fill(m_facts.smallest);
    m_sums.largest.fill(m_facts.largest);
  }

  void read(Range rows, std::vector<double>& targets, std::vector<double>& weights,
            std::vector<double>& offsets) {
    m_observed.read_targets(m_side.target, rows, targets.data());
    m_observed.read_weights(m_side, rows, weights.data());
    const bool has_offset = m_observed.has_offset();
    if (has_offset) m_observed.read_offsets(m_side.target, rows, offsets.data());
    check_block(m_loss, m_side.target, rows,
                {targets.data(), weights.data(), has_offset ? offsets.data() : nullptr}, m_valid);
    const std::int64_t count = rows.size();
    for (std::int64_t first = 0; first < count; first += rows_of_word) {
      const auto last = std::min(first + rows_of_word, count);
      take_word(rows.begin + first, {weights.data() + first, weights.data() + last});
    }
    add(targets.data(), weights.data(), count);
    if (has_offset) add_offsets(offsets.data(), weights.data(), count);
  }

  TargetFacts facts() {
    for (std::size_t l = 0; l < lanes; ++l) {
      m_facts.weight += m_sums.weight[l];
      m_facts.mean += m_sums.target[l];
      m_facts.smallest = std::min(m_facts.smallest, m_sums.smallest[l]);
      m_facts.largest = std::max(m_facts.largest, m_sums.largest[l]);
    }
    if (m_facts.rows == 0) refuse_no_row();
    m_facts.mean /= m_facts.weight;
    m_facts.offset /= m_facts.weight;
    if (m_observed.has_offset()) {
      m_facts.log_exposure = m_largest_offset + std::log(m_exposure / m_facts.weight);
    } else {
      m_facts.least_offset = 0;
    }
    for (double& share : m_facts.shares) share /= m_facts.weight;
    return m_facts;
  }

 private:
  /// Counts the reasons why rows do not count.
  [[noreturn]] void refuse_no_row() const {
    std::int64_t valid = 0;
    std::int64_t weighted = 0;
    std::vector<double> weights(static_cast<std::size_t>(rows_read_at_once));
    for (std::int64_t first = 0; first < m_observed.rows(); first += rows_read_at_once) {
      const Range rows{first, std::min(first + rows_read_at_once, m_observed.rows())};
      m_observed.begin(rows);
      m_observed.read_weights(m_side, rows, weights.data());
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const std::uint64_t word = m_valid[static_cast<std::size_t>(row / rows_of_word)];
        valid += static_cast<std::int64_t>((word >> (row % rows_of_word)) & 1U);
        if (weights[static_cast<std::size_t>(row - first)] != 0) ++weighted;
      }
    }
    throw Error("targets",
                "target " + std::to_string(m_side.target) + " has no row that counts. Of " +
                    std::to_string(m_observed.rows()) + " rows, " + std::to_string(valid) +
                    " have whole windows and finite features, " + std::to_string(weighted) +
                    " have a finite target and a weight above 0, and none has both",
                "Give rows where both hold: a longer time, a smaller gap beside folds, or shorter "
                "windows");
  }

  /// Finds which of up to 64 rows count, one bit each, and hashes them with their weights. Sets the
  /// weights of rows with invalid features to 0.
  void take_word(std::int64_t row, std::span<double> weights) {
    const std::uint64_t valid = m_valid[static_cast<std::size_t>(row / rows_of_word)];
    std::uint64_t counting = ~std::uint64_t{0};
    int has_other_than_1 = 0;   // no bool: the loop is vectorized
    int has_other_weights = 0;  // than 0 and 1
    for (const double weight : weights) has_other_than_1 |= static_cast<int>(weight != 1);
    if (has_other_than_1 != 0 || valid != counting || weights.size() < rows_of_word) {
      counting = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        if (((valid >> i) & 1U) == 0) weights[i] = 0;
        counting |= static_cast<std::uint64_t>(weights[i] != 0) << i;
        has_other_weights |= static_cast<int>(weights[i] != 0) & static_cast<int>(weights[i] != 1);
      }
    }
    m_facts.rows += std::popcount(counting);
    hash(static_cast<std::uint64_t>(row));
    hash(counting);
    if (has_other_weights == 0) return;
    for (const double weight : weights) hash(std::bit_cast<std::uint64_t>(weight));
  }
  void hash(std::uint64_t value) { m_facts.rows_hash = mixed(m_facts.rows_hash ^ mixed(value)); }

  /// Row i goes to lane i % lanes, so that the compiler can vectorize the loop.
  void add(const double* targets, const double* weights, std::int64_t count) {
    LaneSums sums = m_sums;  // a local copy: the compiler knows that no array overlaps it
    const std::int64_t whole = count - count % static_cast<std::int64_t>(lanes);
    for (std::int64_t i = 0; i < whole; i += static_cast<std::int64_t>(lanes)) {
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::int64_t row = i + static_cast<std::int64_t>(l);
        sums.add(l, targets[row], weights[row]);
      }
    }
    for (std::int64_t i = whole; i < count; ++i) {
      sums.add(static_cast<std::size_t>(i - whole), targets[i], weights[i]);
    }
    m_sums = sums;
    if (m_facts.shares.empty()) return;
    for (std::int64_t i = 0; i < count; ++i) {
      if (weights[i] != 0) m_facts.shares[static_cast<std::size_t>(targets[i])] += weights[i];
    }
  }

  /// Exposures are added as multiples of the largest so far: e^offset of 710 is infinite, and that
  /// of -746 is 0.
  void add_offsets(const double* offsets, const double* weights, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (weights[i] == 0) continue;
      m_facts.offset += weights[i] * offsets[i];
      m_facts.least_offset = std::min(m_facts.least_offset, offsets[i]);
      if (offsets[i] > m_largest_offset) {
        m_exposure *= std::exp(m_largest_offset - offsets[i]);
        m_largest_offset = offsets[i];
      }
      m_exposure += weights[i] * std::exp(offsets[i] - m_largest_offset);
    }
  }

  const Loss& m_loss;
  const Observed& m_observed;
  std::span<const std::uint64_t> m_valid;
  RowsOf m_side;
  TargetFacts m_facts;
  double m_largest_offset = -std::numeric_limits<double>::infinity();
  double m_exposure = 0;  ///< sum of weight times e^(offset - m_largest_offset)
  LaneSums m_sums;
};

/// The nearest mean that family and link can have, a rounding error away from the border.
double reachable(const Loss& loss, double mean) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  switch (loss.inverse_link) {
    case InverseLink::exp:
    case InverseLink::softplus:
      return std::max(mean, eps);
    case InverseLink::logistic:
    case InverseLink::norm_cdf:
      return std::clamp(mean, eps, 1 - eps);
    case InverseLink::one_over_x:
      return std::abs(mean) < eps ? eps : mean;
    default:
      return has_border(loss) ? std::max(mean, eps) : mean;
  }
}

/// The intercept of a predictor. If an offset would move a row to the border, an intercept with
/// which every row is at or above the predictor.
double inside_border(const Loss& loss, const TargetFacts& facts, double predictor) {
  constexpr double least_share = 1e-3;
  constexpr double above_rounding = 1e-12;
  const double intercept = predictor - facts.offset;
  if (!has_border(loss) || intercept + facts.least_offset >= least_share * predictor) {
    return intercept;
  }
  return std::max(predictor, above_rounding * std::abs(facts.least_offset)) - facts.least_offset;
}

}  // namespace

std::vector<TargetFacts> read_facts(const Loss& loss, const Observed& observed,
                                    std::span<const std::uint64_t> valid,
                                    std::span<const RowsOf> sides) {
  std::vector<FactReader> readers;
  readers.reserve(sides.size());
  for (const RowsOf& side : sides) readers.emplace_back(loss, observed, valid, side);
  const std::int64_t most = std::min(rows_read_at_once, observed.rows());
  std::vector<double> targets(static_cast<std::size_t>(most));
  std::vector<double> weights(targets.size());
  std::vector<double> offsets(targets.size());
  for (std::int64_t first = 0; first < observed.rows(); first += most) {
    const Range rows{first, std::min(first + most, observed.rows())};
    observed.begin(rows);
    for (FactReader& reader : readers) reader.read(rows, targets, weights, offsets);
  }
  std::vector<TargetFacts> facts;
  facts.reserve(readers.size());
  for (FactReader& reader : readers) facts.push_back(reader.facts());
  return facts;
}

std::vector<double> null_intercepts(const Loss& loss, const TargetFacts& facts) {
  if (family_row(loss.family).has_classes()) {
    std::vector<double> values;
    double sum = 0;
    for (const double share : facts.shares) {
      values.push_back(std::log(std::max(share, std::numeric_limits<double>::epsilon())));
      sum += values.back();
    }
    for (double& value : values) value -= sum / static_cast<double>(values.size());
    return values;
  }
  if (loss.inverse_link == InverseLink::exp) {
    return {std::log(reachable(loss, facts.mean)) - facts.log_exposure};
  }
  return {inside_border(loss, facts, predictor_of(loss.inverse_link, reachable(loss, facts.mean)))};
}

bool null_is_optimum(const Loss& loss, const TargetFacts& facts, bool has_offset) {
  return facts.is_constant() && !has_offset && !family_row(loss.family).has_classes() &&
         reachable(loss, facts.smallest) == facts.smallest;
}

bool has_no_events(const Loss& loss, const TargetFacts& facts) {
  switch (family_row(loss.family).targets) {
    case TargetKind::at_least_0:
      return facts.largest == 0;
    case TargetKind::zero_or_one:
      return facts.is_constant();
    case TargetKind::label:
      return std::count(facts.shares.begin(), facts.shares.end(), 0.0) > 0;
    case TargetKind::real:
    case TargetKind::above_0:
      break;
  }
  return false;
}

}  // namespace synelix::glm
