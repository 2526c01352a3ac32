// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/golden_file.hpp"

#include <synelix/glm.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// A case of a file of fits (make_fit_golden.py), read.

namespace golden {

/// The answer of a case, and its question.
struct FitCase {
  std::string design;
  Array features;  ///< (rows, columns)
  Array y;         ///< (rows[, targets])
  synelix::Loss loss = {};
  std::string penalty;  ///< "none", "ridge", "lasso", "elasticnet", "grouplasso"
  double ratio = 1;
  std::vector<double> strength;      ///< one, or one for each column or group
  std::vector<std::int64_t> groups;  ///< (columns); empty: none
  std::vector<std::uint8_t> mask;    ///< (columns, targets); empty: none
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t targets = 1;
  std::int64_t classes = 1;
  std::vector<double> coefficients;  ///< (columns, targets, classes)
  std::vector<double> intercepts;    ///< (targets, classes)

  [[nodiscard]] bool is_sparse() const {
    return penalty == "lasso" || penalty == "elasticnet" || penalty == "grouplasso";
  }
  /// Whether parameters are determined up to a shift of all classes only.
  [[nodiscard]] bool is_categorical() const { return classes > 1; }
  [[nodiscard]] double x(std::int64_t t, std::int64_t j) const {
    return features.values[static_cast<std::size_t>(t * columns + j)];
  }
  [[nodiscard]] double target(std::int64_t t, std::int64_t i) const {
    return y.values[static_cast<std::size_t>(t * targets + i)];
  }
  [[nodiscard]] double strength_of(std::int64_t index) const {
    return strength.size() == 1 ? strength[0] : strength[static_cast<std::size_t>(index)];
  }
};

/// \throws FormatError if the case does not have the format
FitCase read_fit_case(const Group& item, const Group& root);

/// The request of the case to the library.
synelix::FitOptions options_of(const FitCase& fit);

}  // namespace golden
