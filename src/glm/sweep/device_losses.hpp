// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/device_design.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "tile/family.hpp"

#include <synelix/loss.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The losses of rows on a device, with residuals and curvatures; and sums of blocks of rows, added
/// in their order.

namespace synelix::sweep {

/// A right-hand side, with the observed values of the rows of a wave.
struct DeviceSide {
  const double* targets = nullptr;
  const double* weights = nullptr;  ///< null: all are 1
  const double* offsets = nullptr;  ///< null for none
  double dispersion = 1;            ///< of negative_binomial
  std::int64_t curvature = -1;      ///< its first array of curvatures; -1: none

  [[nodiscard]] KOKKOS_INLINE_FUNCTION double weight(std::int64_t row) const {
    return weights == nullptr ? 1.0 : weights[row];
  }
};

/// Sums of a right-hand side over a block: its loss, then its weight.
inline constexpr std::int64_t device_loss_sums = 2;

/// Turns predictors (vector, row) into residuals w dl/deta. A team takes a block of one right-hand
/// side; each of its virtual threads has rows at a fixed distance, and their sums are added in
/// order.
template <class Scalar>
struct DeviceLossSweep {
  static constexpr int threads = tune::device_row_threads;
  using Bounds = Kokkos::LaunchBounds<threads, tune::device_loss_teams>;
  static constexpr std::int64_t scratch_bytes =
      device_loss_sums * threads * std::int64_t{sizeof(double)} + 64;

  DeviceDesign from;
  Loss loss;  ///< resolved
  const DeviceSide* sides = nullptr;
  std::int64_t side_count = 0;
  std::int64_t classes = 1;
  bool has_weights = true;  ///< whether any right-hand side has weights other than 1
  bool has_offsets = false;
  const double* intercepts = nullptr;  ///< (side, class)
  Scalar* predictors = nullptr;        ///< (side, class, row)
  /// Arrays of a wave: w d2l/deta2; for categorical the probabilities of each class, 0 in rows that
  /// do not count.
  double* curvatures = nullptr;  ///< null: no curvatures are wanted
  double* sums = nullptr;        ///< (block, side, device_loss_sums)
  std::int64_t block_step = 0;   ///< values from one block to the next
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {items, threads, scratch_bytes};
  }
  /// Work items.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const { return from.blocks() * side_count; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const parts = team_memory<double>(team, device_loss_sums * threads);
    for_each_team_item(team, items(), workspace.teams, [&](std::int64_t i) {
      const std::int64_t block = i / side_count;
      const std::int64_t side = i % side_count;
      for_each_item(team, threads, [=, this](std::int64_t thread) {
        const LossSums found = walk(from.block(block), side, thread);
        parts[thread] = found.loss;
        parts[threads + thread] = found.weight;
      });
      team.team_barrier();
      double* const to = sums + block * block_step + side * device_loss_sums;
      for_each_item(team, device_loss_sums, [=](std::int64_t k) {
        double sum = 0;
        for (std::int64_t thread = 0; thread < threads; ++thread) {
          sum += parts[k * threads + thread];
        }
        to[k] = sum;
      });
      team.team_barrier();
    });
  }

 private:
  struct LossSums {
    double loss = 0;
    double weight = 0;
  };

  /// Processes the rows of a virtual thread.
  KOKKOS_FUNCTION LossSums walk(Range rows, std::int64_t side, std::int64_t thread) const {
    LossSums found;
    const DeviceSide& own = sides[side];
    const double intercept = classes > 1 ? 0.0 : intercepts[side];
    for (std::int64_t t = rows.begin + thread; t < rows.end; t += threads) {
      if (!from.has_tile(t)) continue;
      const std::int64_t row = t - from.rows.begin;
      const double of_row = has_weights ? own.weight(row) : 1.0;
      const double weight = from.is_valid(t) ? of_row : 0.0;
      const double offset = has_offsets ? own.offsets[row] : 0.0;
      found.weight += weight;
      found.loss += classes > 1
                        ? loss_of_classes(own, side, row, own.targets[row], weight, offset)
                        : loss_of(own, side, row, own.targets[row], weight, intercept, offset);
    }
    return found;
  }

  [[nodiscard]] KOKKOS_FUNCTION Scalar& value_of(std::int64_t side, std::int64_t c,
                                                 std::int64_t row) const {
    return predictors[(side * classes + c) * from.vector_step() + row];
  }
  [[nodiscard]] KOKKOS_FUNCTION double& curvature_of(const DeviceSide& own, std::int64_t c,
                                                     std::int64_t row) const {
    return curvatures[(own.curvature + c) * from.rows.size() + row];
  }

  [[nodiscard]] KOKKOS_FUNCTION bool wants_curvature(const DeviceSide& own) const {
    return curvatures != nullptr && own.curvature >= 0;
  }

  /// Computes the residual of a row. Returns w l.
  KOKKOS_FUNCTION double loss_of(const DeviceSide& own, std::int64_t side, std::int64_t row,
                                 double target, double weight, double intercept,
                                 double offset) const {
    Scalar& value = value_of(side, 0, row);
    tile::RowLosses<double> found{};
    if (weight != 0) {
      const double predictor = static_cast<double>(value) + intercept + offset;
      // Only one family has a dispersion: the others do not read it from memory.
      const double dispersion = loss.family == Family::negative_binomial ? own.dispersion : 1.0;
      found = tile::visit_rows<lanes::Single<double>>(
          loss.family, loss.inverse_link, tile::SingleRow{target, predictor, dispersion});
    }
    value = static_cast<Scalar>(weight * found.residual);
    if (wants_curvature(own)) curvature_of(own, 0, row) = weight * found.curvature;
    return weight == 0 ? 0.0 : weight * found.loss;
  }

  /// The same for classes. The array of residuals holds the exponentials until their sum is known.
  KOKKOS_FUNCTION double loss_of_classes(const DeviceSide& own, std::int64_t side, std::int64_t row,
                                         double target, double weight, double offset) const {
    if (weight == 0) {
      for (std::int64_t c = 0; c < classes; ++c) {
        value_of(side, c, row) = Scalar(0);
        if (wants_curvature(own)) curvature_of(own, c, row) = 0;
      }
      return 0;
    }
    const auto predictor = [&](std::int64_t c) {
      const double eta =
          static_cast<double>(value_of(side, c, row)) + intercepts[side * classes + c] + offset;
      const double most = eta > tile::largest_predictor ? tile::largest_predictor : eta;
      return most < -tile::largest_predictor ? -tile::largest_predictor : most;
    };
    const auto label = static_cast<std::int64_t>(target);
    double largest = predictor(0);
    for (std::int64_t c = 1; c < classes; ++c) {
      const double eta = predictor(c);
      largest = largest < eta ? eta : largest;
    }
    double of_label = 0;  // eta of its class minus the largest
    double rest = 0;      // the sum of the other classes
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) {
      const double below = predictor(c) - largest;
      const double e = Kokkos::exp(below);
      if (c == label) of_label = below;
      rest += c == label ? 0.0 : e;
      sum += e;
      value_of(side, c, row) = static_cast<Scalar>(e);
    }
    for (std::int64_t c = 0; c < classes; ++c) {
      Scalar& value = value_of(side, c, row);
      const double p = static_cast<double>(value) / sum;
      value = static_cast<Scalar>(weight * (c == label ? -rest / sum : p));
      if (wants_curvature(own)) curvature_of(own, c, row) = p;
    }
    // If its own class has the largest predictor, log1p avoids cancellation.
    return weight * (of_label == 0 ? Kokkos::log1p(rest) : Kokkos::log(sum) - of_label);
  }
};

/// totals += sums of each block, block by block. A virtual item is a value.
struct DeviceTotalsSweep {
  const double* sums = nullptr;  ///< (block, value)
  std::int64_t blocks = 0;
  std::int64_t values = 0;
  bool begins = false;  ///< whether totals begin at 0
  double* totals = nullptr;
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {index::ceil_divide(items, tune::device_row_threads), tune::device_row_threads, 0};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_thread_item(team, values, workspace.teams, [=, this](std::int64_t i) {
      double total = begins ? 0.0 : totals[i];
      for (std::int64_t b = 0; b < blocks; ++b) total += sums[b * values + i];
      totals[i] = total;
    });
  }
};

}  // namespace synelix::sweep
