// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/row_loss.hpp"

#include <synelix/types/design_matrix.hpp>
#include <synelix/types/glm.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// A fitted model that a caller passes in, checked.

namespace synelix::glm {

/// A model whose arrays have consistent sizes, for a design with as many columns.
struct ModelView {
  Loss loss = {};  ///< resolved
  RowLoss of_row = {};
  std::int64_t targets = 0;
  std::int64_t classes = 1;  ///< linear predictors of each row and target
  const double* coefficients = nullptr;
  const double* intercepts = nullptr;
  std::vector<double> scale = {};       ///< phi of each target
  std::vector<double> dispersion = {};  ///< of each target

  /// The loss of a target.
  [[nodiscard]] Loss loss_of(std::int64_t target) const {
    Loss found = loss;
    found.dispersion = dispersion[static_cast<std::size_t>(target)];
    return found;
  }
  /// Linear predictors of each row.
  [[nodiscard]] std::int64_t predictors() const { return targets * classes; }
};

/// \throws Error if the model does not fit the design, or its arrays do not have the sizes of its
///         members
ModelView view_of(const DesignMatrix& design, const FitResult& model);

/// Refuses an array that is not (rows, targets) or, with one target, (rows). `classes` > 1 adds a
/// dimension.
void check_rows_by_targets(const char* name, const StridedOutput& array, std::int64_t rows,
                           std::int64_t targets, std::int64_t classes = 1);

/// e^p_k / sum_c e^p_c of the predictors of a row.
void softmax(const double* predictors, std::int64_t classes, double* probabilities);

/// Access to the values of a (rows, targets[, classes]) array.
class OutputRows {
 public:
  OutputRows() = default;
  /// For an array that `check_rows_by_targets` has accepted.
  OutputRows(const StridedOutput& array, std::int64_t classes);
  [[nodiscard]] bool is_given() const { return m_data != nullptr; }
  void write(std::int64_t row, std::int64_t target, std::int64_t k, double value) const {
    const std::int64_t i = row * m_row + target * m_target + k * m_class;
    if (m_type == StoredType::float64) {
      static_cast<double*>(m_data)[i] = value;
    } else {
      static_cast<float*>(m_data)[i] = static_cast<float>(value);
    }
  }

 private:
  void* m_data = nullptr;
  StoredType m_type = StoredType::float64;
  std::int64_t m_row = 0;
  std::int64_t m_target = 0;
  std::int64_t m_class = 0;
};

}  // namespace synelix::glm
