// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/expression.hpp>

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

/// \file
/// Penalties of the coefficients of a generalized linear model, in NeMoS' convention: they are
/// added to the mean loss without scaling by the number of rows.

namespace synelix {

/// How strong a penalty is: one number for all coefficients, or numbers as `per` says.
struct Strength {
  /// What `each` has one number for.
  enum class Per : std::uint8_t {
    all,                    ///< `value`
    coefficient,            ///< (columns)
    target,                 ///< (targets)
    coefficient_of_target,  ///< (columns, targets), row-major
    group                   ///< (groups), of GroupLasso
  };
  double value = 1.0;             ///< 0 or more
  std::vector<double> each = {};  ///< as `per` says, 0 or more; empty with Per::all
  Per per = Per::all;             ///< what `each` has numbers for

  Strength() = default;  ///< 1 for all coefficients
  /// One number for all coefficients.
  Strength(double number) : value(number) {}  // NOLINT(google-explicit-constructor): Ridge{1e-3}
  /// A number for each of `what`, in the shape that Strength::Per gives.
  Strength(std::vector<double> numbers, Per what) : each(std::move(numbers)), per(what) {}
};

/// No penalty.
struct NoPenalty {};

/// strength / 2 sum_j b_j^2
struct Ridge {
  Strength strength = {};  ///< default: 1 for all coefficients
};

/// strength sum_j |b_j|
struct Lasso {
  Strength strength = {};  ///< default: 1 for all coefficients
};

/// strength ((1 - ratio) / 2 sum_j b_j^2 + ratio sum_j |b_j|)
struct ElasticNet {
  Strength strength = {};  ///< default: 1 for all coefficients
  double ratio = 0.5;      ///< above 0, at most 1
};

/// strength sum_g sqrt(n_g) ||b_g||, n_g the coefficients of group g. Coefficients of no group have
/// no penalty.
struct GroupLasso {
  Strength strength = {};  ///< default: 1 for all groups
  /// Group of each coefficient, 0, 1, ..., or -1 for none: (columns), separately for each target;
  /// or (columns, targets), row-major, if groups span targets.
  std::vector<std::int64_t> groups = {};
};

/// Any of the above.
using Penalty = std::variant<NoPenalty, Ridge, Lasso, ElasticNet, GroupLasso>;

/// The group of each column, with one group for the columns of each channel of each term: the
/// filters of one unit.
std::vector<std::int64_t> groups_of_channels(const std::vector<Term>& terms);

}  // namespace synelix
