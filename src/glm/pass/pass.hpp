// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"
#include "glm/rows/row_loss.hpp"

#include <synelix/types/design_matrix.hpp>
#include <synelix/types/scaled.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// \file
/// `Pass`: one walk over the rows of a design matrix that serves many right-hand sides. Solvers
/// access a design only through it.
///
/// All sums are over the rows that are valid (finite features), observed (finite target), and have
/// a weight above 0. They are taken in blocks of `choice().rows_of_block` rows of the recording,
/// which begin at multiples of that number: in order within a block, blocks added in order.
/// `SegmentedPass` does so for each segment of the recording, and adds segments as a tree.

namespace synelix::plan {
class Watched;
}

namespace synelix::glm {

/// Precision of products with features. Sums over blocks are double in any case.
enum class Arithmetic : std::uint8_t { float_products, double_products };

/// The wanted results of one right-hand side.
struct Request {
  /// (columns + 1, classes) values, row-major: coefficients, then the intercepts.
  const double* parameters = nullptr;
  RowsOf rows = {};         ///< target, folds
  double dispersion = 1.0;  ///< of negative_binomial
  bool wants_hessian = false;
  bool wants_scale = false;  ///< `Sums::scale`
  /// How many right-hand sides are requested together, before the budget splits them into walks. A
  /// pass multiplies one and many with different algorithms, whose last bits differ. It chooses by
  /// this number, so that bits do not depend on the budget. 0: the number of the call.
  std::int64_t together = 0;
};

/// The number of right-hand sides that determines the algorithm of a walk: see Request::together.
inline std::int64_t together_of(std::span<const Request> requests) {
  if (!requests.empty() && requests.front().together > 0) return requests.front().together;
  return static_cast<std::int64_t>(requests.size());
}

/// Sums over rows of one right-hand side: not means.
struct Sums {
  double loss = 0;    ///< sum of w l
  double weight = 0;  ///< sum of w
  std::vector<double> gradient =
      {};  ///< sum of w dl/deta x, as parameters; never resized by a pass of the same shape
  std::vector<double> hessian = {};  ///< sum of w d2l/deta2 x x', square, full, row-major
  /// For each parameter, sum of w |x| |dl/deta|: the scale of a gradient. With lists of events |x|
  /// is replaced by the convolution with |taps|, which is |x| if no tap is negative.
  std::vector<double> scale = {};
};

/// The cost of a pass, for the choice of a solver: seconds of one thread, predicted from counted
/// operations. It depends only on the problem (rows, columns, expression, events), and not on the
/// source, the budget, the threads, or whether features are kept, because results of different
/// solvers differ in their bits.
struct PassCost {
  double rows = 0;      ///< of a pass itself: features computed or read
  double gradient = 0;  ///< of one right-hand side
  double hessian = 0;   ///< of one right-hand side
  double gram = 0;      ///< of a Gram matrix
  /// The cost of a Hessian in evaluations of loss and gradient, and in gradients of one of many
  /// right-hand sides. These ratios decide when a Hessian is computed, and so affect bits of
  /// results. They follow only from counted multiply-adds, so new measurements of seconds change no
  /// bit.
  double hessian_in_evaluations = 0;
  double hessian_in_gradients = 0;

  /// Computes both ratios from the seconds.
  void set_ratios() {
    hessian_in_evaluations = hessian / std::max(rows + gradient, 1e-300);
    hessian_in_gradients = hessian / std::max(gradient, 1e-300);
  }
};

/// One walk over the rows of a design matrix. It has no function with a default, so that a pass in
/// front of another one cannot forget to forward one: see ForwardingPass.
class Pass {
 public:
  virtual ~Pass() = default;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::int64_t columns() const = 0;
  [[nodiscard]] virtual const std::vector<Term>& terms() const = 0;
  [[nodiscard]] virtual const DesignMatrixChoice& choice() const = 0;
  [[nodiscard]] virtual PassCost cost() const = 0;
  /// Sets a part of the budget aside for a caller: for results of walks, models, searches. Walks
  /// use only the rest, until `return_share`. Bits do not depend on the part.
  /// \param loss   of the walks that follow
  /// \param least  bytes that the caller needs
  /// \param most   bytes that the caller can use
  /// \return the bytes that it may use: `least` plus half of the rest, at most `most`
  /// \throws Error if `least` and the smallest walk do not fit the budget together
  virtual std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) = 0;
  virtual void return_share() = 0;
  /// Sets the object that may cancel walks, until the next call; null for none. A walk may then end
  /// by `Cancelled`, or by an exception of the caller: its results are incomplete, and the pass is
  /// unchanged.
  virtual void set_watched(plan::Watched* watched) = 0;
  /// Bytes that it holds between walks, without the memory of walks.
  [[nodiscard]] virtual std::int64_t held_bytes() const = 0;
  /// Frees the memory of walks; the next one allocates it again.
  virtual void release_memory() = 0;
  /// Limits walks that sum over rows to these rows, until the next call. They begin and end at
  /// multiples of `tune::fit_block_rows` rows (for events, `tune::event_chunk_rows`), or at the
  /// ends of the recording.
  virtual void set_rows(Range rows) = 0;
  /// How many copies of the sums of a request are in memory during a walk.
  [[nodiscard]] virtual std::int64_t copies_of_sums() const = 0;
  /// Identifies the algorithm by which a walk multiplies this many linear predictors. Algorithms
  /// round differently, so an answer of one cannot replace that of another.
  [[nodiscard]] virtual std::uint64_t way_of_products(Arithmetic arithmetic,
                                                      std::int64_t predictors) const = 0;
  /// One bit for each row, row t in bit t % 64 of word t / 64: whether its features are finite.
  [[nodiscard]] virtual std::span<const std::uint64_t> valid() = 0;

  /// Evaluates all requests in one walk. `every` = n > 1 uses only every n-th block of 512 rows
  /// (counted from row 0 of the recording), which gives a cheap start. With lists of events, it
  /// uses every n-th tile of `tune::event_tile_rows` rows: with shorter ones, most events would
  /// belong to two tiles. There is one Sums for each request; fields that were not requested stay
  /// empty.
  virtual void evaluate(const RowLoss& loss, const Observed& observed,
                        std::span<const Request> requests, Arithmetic arithmetic,
                        std::int64_t every, std::span<Sums> sums) = 0;

  /// [X 1]' diag(w) [X 1], (columns + 1) squared, full, row-major; w is given by `rows` (target -1:
  /// rows that are observed for all targets). With products in float, pivots below about 1e-6 of
  /// the scaled matrix are rounding: ranks need products in double. Lists of events always use
  /// double.
  virtual void gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
                    double* result) = 0;

  /// Rows `columns` of the Hessian of a request: (columns.size(), columns() + 1), row-major.
  virtual void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                            Range columns, double* result) = 0;

  /// Rows `columns` of the Gram matrix.
  virtual void gram_rows(const Observed& observed, const RowsOf& rows, Range columns,
                         double* result) = 0;

  /// predictors(t, r) = sum_j X(t, j) coefficients(j, r), r < n, for rows [rows.begin, rows.end),
  /// row-major from rows.begin on; NaN in invalid rows. Coefficients: (columns, n), row-major.
  virtual void apply(const double* coefficients, std::int64_t n, Range rows,
                     double* predictors) = 0;

  /// sums(j, r) = sum over valid rows of X(t, j) residuals(t, r): (columns, n), row-major.
  /// Residuals of any stored type and strides, (rows, n).
  virtual void apply_adjoint(const Strided& residuals, double* sums) = 0;

  /// The caller's arrays that the rows are read from. No result may overlap them.
  [[nodiscard]] virtual std::span<const Operand> inputs() const = 0;
  /// Called once, by the code that binds the design.
  virtual void set_inputs(std::vector<Operand> inputs) = 0;
};

/// The common part of passes that walk over rows themselves.
class WalkingPass : public Pass {
 public:
  std::int64_t take_share(const RowLoss& /*loss*/, std::int64_t least, std::int64_t most) override {
    return std::max(least, std::min(most, std::int64_t{1} << 28));
  }
  void return_share() override {}
  void set_watched(plan::Watched* watched) override { m_watched = watched; }
  [[nodiscard]] std::int64_t held_bytes() const override { return 0; }
  void release_memory() override {}
  void set_rows(Range rows) override { m_walked = rows; }
  [[nodiscard]] std::int64_t copies_of_sums() const override { return 1; }
  [[nodiscard]] std::uint64_t way_of_products(Arithmetic /*arithmetic*/,
                                              std::int64_t /*predictors*/) const override {
    return 0;
  }
  [[nodiscard]] std::span<const Operand> inputs() const override { return m_inputs; }
  void set_inputs(std::vector<Operand> inputs) override { m_inputs = std::move(inputs); }

 protected:
  [[nodiscard]] plan::Watched* watched() const { return m_watched; }
  /// The rows of walks that sum.
  [[nodiscard]] Range walked() const { return m_walked.size() > 0 ? m_walked : Range{0, rows()}; }

 private:
  Range m_walked;  ///< empty: all
  plan::Watched* m_watched = nullptr;
  std::vector<Operand> m_inputs;
};

}  // namespace synelix::glm
