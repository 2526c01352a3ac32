// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/expression.hpp>
#include <synelix/loss.hpp>
#include <synelix/seam/design_matrix.hpp>
#include <synelix/seam/host_arrays.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/features.hpp>
#include <synelix/types/scaled.hpp>
#include <synelix/types/series.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// \file
/// What design_matrix.hpp declares, without Kokkos. Programs include design_matrix.hpp.

namespace synelix {

/// Whether the features of a computed design are stored.
enum class Keep : std::uint8_t {
  /// Stored if they fit half of the budget beside everything else, and reading is faster than
  /// computing. A fit that needs this memory drops them.
  automatic,
  nothing,  ///< computed again in each pass
  /// Stored at the first pass; an Error if they do not fit the budget. For lists of events,
  /// products then use the features in float, and their bits differ from those of `events`.
  features
};

/// How a design matrix is held and computed.
struct DesignMatrixOptions {
  Keep keep = Keep::automatic;  ///< whether features are stored between passes
  /// For bases in conv mode, as FeaturesOptions::method. `events` means products with the lists of
  /// events themselves, and is an Error if an input is not Events.
  Method method = Method::automatic;
  /// Bytes that the matrix and its products may use beyond their arguments; absent: a quarter of
  /// what is available.
  std::optional<std::int64_t> budget = {};
  Machine machine = {};  ///< widest instruction set, and times of the cost model
};

/// How the rows of a design matrix are obtained.
enum class RowSource : std::uint8_t {
  stored,    ///< the caller's array
  kept,      ///< computed once, stored in float
  computed,  ///< computed again in each pass
  events,    ///< never stored or computed: products use the lists of events
  streamed   ///< read from sources and computed in each pass
};

/// The name of a source of rows.
const char* name_of(RowSource source);

/// What was chosen for a design matrix.
struct DesignMatrixChoice {
  RowSource source = RowSource::stored;  ///< whether rows are stored, kept or computed
  InstructionSet instruction_set = InstructionSet::automatic;  ///< of tiles on a host
  std::int64_t rows_of_block = 0;  ///< rows whose sums are added to the others at once
  std::int64_t feature_bytes = 0;  ///< bytes that stored features take or would take
  std::int64_t buffer_bytes = 0;   ///< beside the arguments, including the walks so far
};

/// Data of the rows of a design other than their features. Refers to the caller's memory.
struct Observations {
  /// (rows) or (rows, targets): a View, a `Strided`, `scaled` of either, a `Series`, or Events.
  AnySeries targets;
  /// Added to the linear predictor, (rows) or (rows, targets). Empty: 0.
  Operand offset = {};
  /// How often a row counts, (rows), 0 or more. Empty: 1.
  Operand row_weights = {};
  /// Which rows are left out if a target is missing, that is, NaN or infinite.
  enum class Rows : std::uint8_t {
    common,  ///< a row that lacks one target is left out for all targets, as NeMoS does
    own      ///< a row is left out for the targets that it lacks
  } rows = Rows::common;  ///< which rows are left out
};

/// One right-hand side of `DesignMatrix::evaluate`: a target at a point.
struct RightHandSide {
  std::int64_t target = 0;  ///< which target
  /// (columns + 1) values: the coefficients, then the intercept. For categorical, each of them has
  /// one value for each class, classes fastest.
  std::vector<double> parameters = {};
  bool wants_hessian = false;  ///< false: Evaluation::hessian stays empty
};

/// The loss of a right-hand side and its derivatives: means over the rows that count.
struct Evaluation {
  double loss = 0;                    ///< mean of l
  double weight = 0;                  ///< sum of row weights: the number of rows if all are 1
  std::vector<double> gradient = {};  ///< of the loss, as `parameters`
  std::vector<double> hessian = {};   ///< square and symmetric, row-major; empty if not wanted
};

/// A matrix (rows, columns) of features, for products. Copies share their data. One product may be
/// in flight at a time. Arrays of products are in host memory: Views, or `Strided` and
/// `StridedOutput`.
class DesignMatrix {
 public:
  /// A stored matrix (rows, columns): a View or a `Strided` of any layout and stored type, or
  /// `scaled` of either. Refers to it.
  /// \throws Error if it does not have two dimensions, or exec cannot access it
  template <class ExecutionSpace, class Matrix>
    requires std::is_convertible_v<const Matrix&, Operand>
  DesignMatrix(const ExecutionSpace& exec, const Matrix& features,
               const DesignMatrixOptions& options = {})
      : m_pass(seam::bind_stored(exec, Operand(features), options)) {}

  /// The features of an expression, in float. Refers to the inputs, one for each that the
  /// expression consumes, from left to right.
  /// \throws Error as FeaturesPlan; if the budget is too small, or with Method::events an input is
  ///         not Events
  /// @{
  template <class ExecutionSpace>
  DesignMatrix(const ExecutionSpace& exec, const Expression& expression,
               std::span<const AnySeries> inputs, const DesignMatrixOptions& options = {})
      : m_pass(seam::bind_expression(exec, expression, inputs, options)) {}
  template <class ExecutionSpace>
  DesignMatrix(const ExecutionSpace& exec, const Expression& expression,
               std::initializer_list<AnySeries> inputs, const DesignMatrixOptions& options = {})
      : DesignMatrix(exec, expression, std::span(inputs.begin(), inputs.size()), options) {}
  /// @}

  /// internal
  explicit DesignMatrix(std::shared_ptr<glm::Pass> pass) : m_pass(std::move(pass)) {}

  [[nodiscard]] std::int64_t rows() const;     ///< samples of the inputs; invalid rows count
  [[nodiscard]] std::int64_t columns() const;  ///< features of a row, without a column of ones
  /// The columns of each term; for a stored matrix one term "features" of one channel.
  [[nodiscard]] const std::vector<Term>& terms() const;
  /// What was chosen.
  [[nodiscard]] const DesignMatrixChoice& choice() const;
  /// The valid rows, as sorted disjoint ranges. The first call, or the first product, makes a pass
  /// over the features.
  [[nodiscard]] std::vector<Range> valid_rows() const;

  /// result(t, r) = sum_j X(t, j) coefficients(j, r); NaN in invalid rows.
  /// \param coefficients  (columns) or (columns, n), of a `StoredType`: float, double, (u)int8_t or
  ///                      (u)int16_t
  /// \param result        (rows) or (rows, n), float or double
  /// \throws Error if extents differ, or the result overlaps another argument or an array that the
  ///         design reads
  /// @{
  void apply(const Strided& coefficients, const StridedOutput& result) const;
  template <class Coefficients, class Result>
    requires seam::has_view<Coefficients, Result>
  void apply(const Coefficients& coefficients, const Result& result) const {
    apply(seam::host_input(coefficients), seam::host_output<1, 2>(result));
  }
  /// @}

  /// result(j, r) = sum over valid rows of X(t, j) residuals(t, r). Residuals of invalid rows are
  /// not read.
  /// \param residuals  (rows) or (rows, n), of a `StoredType`
  /// \param result     (columns) or (columns, n), float or double
  /// \throws Error as apply
  /// @{
  void apply_adjoint(const Strided& residuals, const StridedOutput& result) const;
  template <class Residuals, class Result>
    requires seam::has_view<Residuals, Result>
  void apply_adjoint(const Residuals& residuals, const Result& result) const {
    apply_adjoint(seam::host_input(residuals), seam::host_output<1, 2>(result));
  }
  /// @}

  /// result = [X 1]' diag(weights) [X 1] over the valid rows, (columns + 1, columns + 1), double;
  /// the last row and column belong to a column of ones.
  /// \param weights  (rows), of a `StoredType`; `gram` has weights of 1
  /// \throws Error as apply
  /// @{
  void gram(const StridedOutput& result) const;
  void gram_weighted(const Strided& weights, const StridedOutput& result) const;
  template <class Result>
    requires seam::has_view<Result>
  void gram(const Result& result) const {
    gram(seam::host_output<2, 2>(result));
  }
  template <class Weights, class Result>
    requires seam::has_view<Weights, Result>
  void gram_weighted(const Weights& weights, const Result& result) const {
    gram_weighted(seam::host_input(weights), seam::host_output<2, 2>(result));
  }
  /// @}
  /// Only the rows of this matrix that belong to some columns: (columns.size(), columns + 1).
  /// \throws Error as apply
  void gram_rows(Range columns, const Strided& weights, const StridedOutput& result) const;

  /// Loss, gradient and, if wanted, the Hessian of many right-hand sides in one pass over the rows.
  /// Sums are double; features and predictors of computed designs are float; with `precise`,
  /// products are double.
  /// \throws Error if the targets do not fit the rows or the family, naming the first value
  [[nodiscard]] std::vector<Evaluation> evaluate(const Loss& loss, const Observations& observations,
                                                 std::span<const RightHandSide> right_hand_sides,
                                                 bool precise = true) const;

  /// internal
  [[nodiscard]] glm::Pass& pass() const { return *m_pass; }

 private:
  std::shared_ptr<glm::Pass> m_pass;
};

}  // namespace synelix
