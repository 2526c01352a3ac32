// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `MatrixPass`: the questions to a pass over dense rows, as jobs of a walk. A pass on a host and
/// one on a device differ only in how they walk.

namespace synelix::glm {

/// A product with weights, and the destination of its sums.
struct WeightedProduct {
  std::int64_t side = -1;  ///< the right-hand side whose curvatures are the weights; -1: observed
  RowsOf rows = {};        ///< of observed
  std::int64_t row_class = 0;  ///< for categorical: the pair of classes
  std::int64_t column_class = 0;
  double* result = nullptr;
  std::int64_t row_stride = 0;     ///< from one row of the result to the next
  std::int64_t column_stride = 1;  ///< from one column to the next
};

/// What a walk computes.
struct WalkJob {
  const Observed* observed = nullptr;  ///< null if only bytes are counted
  const RowLoss* loss = nullptr;       ///< null: no right-hand sides
  std::span<const Request> requests = {};
  std::span<Sums> sums = {};  ///< of the requests, all 0; empty: no gradients are wanted
  std::vector<WeightedProduct> products = {};  ///< whose results are 0
  Range product_rows = {};                     ///< of [X 1]': rows of the results
  bool is_triangle = false;  ///< whether only results on and above the diagonal are wanted
  std::int64_t every = 1;
};

class MatrixPass : public WalkingPass {
 public:
  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override;
  void gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
            double* result) override;
  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range columns, double* result) override;
  void gram_rows(const Observed& observed, const RowsOf& rows, Range columns,
                 double* result) override;

 protected:
  virtual void walk(WalkJob job, Arithmetic arithmetic) = 0;
  /// How many of the requests one walk should answer: at least one.
  [[nodiscard]] virtual std::size_t requests_of_walk(const WalkJob& job,
                                                     Arithmetic /*arithmetic*/) {
    return job.requests.size();
  }
  /// The job of requests with the products for their Hessians, whose sums have their sizes.
  [[nodiscard]] WalkJob job_of(const RowLoss& loss, const Observed* observed,
                               std::span<const Request> requests, std::span<Sums> sums) const;

 private:
  [[nodiscard]] WeightedProduct product_of(std::int64_t side, const RowsOf& rows,
                                           double* result) const;
  /// Computes some rows of a product.
  void walk_rows(WalkJob job, Range columns, double* result);
};

}  // namespace synelix::glm
