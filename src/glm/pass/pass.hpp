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
/// `Pass`: one walk over the rows of a design matrix that serves many right-hand sides. Solvers see
/// a design through it, and nothing else.
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

/// What is wanted of one right-hand side.
struct Request {
  /// (columns + 1, classes) values, row-major: coefficients, then the intercepts.
  const double* parameters = nullptr;
  RowsOf rows = {};         ///< target, folds
  double dispersion = 1.0;  ///< of negative_binomial
  bool wants_hessian = false;
  bool wants_scale = false;  ///< `Sums::scale`
  /// How many right-hand sides are asked for at once, before the budget cuts them into walks. A
  /// pass multiplies one and many in other ways, whose last bits differ. It goes by this number, so
  /// that bits do not depend on the budget. 0: those of the call.
  std::int64_t together = 0;
};

/// How many right-hand sides decide the way of a walk: see Request::together.
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
  /// Of each parameter, sum of w |x| |dl/deta|: what a gradient is compared with. With lists of
  /// events |x| is taken as the convolution with |taps|, which is |x| where no tap is negative.
  std::vector<double> scale = {};
};

/// What a pass costs, for the choice of a solver: seconds of one thread, predicted from counted
/// operations. It follows from the problem alone (rows, columns, expression, events): not from the
/// source, the budget, the threads, or whether features are kept. A solver has bits of its own.
struct PassCost {
  double rows = 0;      ///< of a pass itself: features computed or read
  double gradient = 0;  ///< of one right-hand side
  double hessian = 0;   ///< of one right-hand side
  double gram = 0;      ///< of a Gram matrix
  /// What a Hessian costs in evaluations of loss and gradient, and in gradients of one right-hand
  /// side of many. They decide when a Hessian is taken, and so bits of results. They follow from
  /// counted multiply-adds alone: where seconds are measured again, no bit changes.
  double hessian_in_evaluations = 0;
  double hessian_in_gradients = 0;

  /// Takes both ratios from the seconds.
  void set_ratios() {
    hessian_in_evaluations = hessian / std::max(rows + gradient, 1e-300);
    hessian_in_gradients = hessian / std::max(gradient, 1e-300);
  }
};

/// One walk over the rows of a design matrix.
class Pass {
 public:
  virtual ~Pass() = default;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::int64_t columns() const = 0;
  [[nodiscard]] virtual const std::vector<Term>& terms() const = 0;
  [[nodiscard]] virtual const DesignMatrixChoice& choice() const = 0;
  [[nodiscard]] virtual PassCost cost() const = 0;
  /// Sets a part of the budget aside for a caller: for results of walks, models, searches. Walks
  /// get by with the rest, until `return_share`. Bits do not depend on the part.
  /// \param loss   of the walks that follow
  /// \param least  bytes that the caller needs
  /// \param most   bytes that serve it
  /// \return what it may take: `least` and half of what is left, `most` at most
  /// \throws Error where the least and the smallest walk do not fit the budget together
  virtual std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) {
    static_cast<void>(loss);
    return std::max(least, std::min(most, std::int64_t{1} << 28));
  }
  virtual void return_share() {}
  /// Who is asked while walks last, until the next call; null: nobody. A walk may then end by
  /// `Cancelled`, or by what the caller throws: its results are unfinished, and the pass is as
  /// before.
  virtual void set_watched(plan::Watched* watched) { m_watched = watched; }
  /// Bytes that it holds between walks, beside the memory of walks.
  [[nodiscard]] virtual std::int64_t held_bytes() const { return 0; }
  /// Gives back the memory of walks; the next one takes it again.
  virtual void release_memory() {}
  /// Walks that sum over rows take these alone, until the next call. They begin and end at whole
  /// blocks of `tune::fit_block_rows` rows (of events: chunks of `tune::event_chunk_rows`), or at
  /// the ends of the recording.
  virtual void set_rows(Range rows) { m_walked = rows; }
  /// How often the sums of a request lie in memory while a walk lasts.
  [[nodiscard]] virtual std::int64_t copies_of_sums() const { return 1; }
  /// Which way a walk multiplies so many linear predictors. Ways round differently, so that answers
  /// of one are not those of another.
  [[nodiscard]] virtual std::uint64_t way_of_products(Arithmetic arithmetic,
                                                      std::int64_t predictors) const {
    static_cast<void>(arithmetic);
    static_cast<void>(predictors);
    return 0;
  }
  /// One bit for each row, row t in bit t % 64 of word t / 64: whether its features are finite.
  [[nodiscard]] virtual std::span<const std::uint64_t> valid() = 0;

  /// Evaluates all requests in one walk. `every` > 1 takes only each so-many-th block of 512 rows
  /// (counted from row 0 of the recording), which gives a start cheaply. With lists of events, each
  /// so-many-th tile of `tune::event_tile_rows` rows: shorter ones would take most events twice.
  /// One Sums for each request; fields that were not asked for are left empty.
  virtual void evaluate(const RowLoss& loss, const Observed& observed,
                        std::span<const Request> requests, Arithmetic arithmetic,
                        std::int64_t every, std::span<Sums> sums) = 0;

  /// [X 1]' diag(w) [X 1], (columns + 1) squared, full, row-major; w as `rows` says (target -1:
  /// rows that are observed for all targets). With products in float, pivots below about 1e-6 of
  /// the scaled matrix are rounding: ranks need products in double. Lists of events are double in
  /// any case.
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

  /// The caller's arrays that the rows come from. No result may overlap them.
  [[nodiscard]] std::span<const Operand> inputs() const { return m_inputs; }
  /// Called once, by the code that binds the design.
  void set_inputs(std::vector<Operand> inputs) { m_inputs = std::move(inputs); }

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
