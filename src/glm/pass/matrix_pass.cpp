// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/matrix_pass.hpp"

#include "launch/arrays.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace synelix::glm {
namespace {

/// Fills the lower triangle of a matrix of ((columns + 1) classes)^2 from the upper one, and blocks
/// of pairs of classes from those with first <= second.
void mirror(double* result, std::int64_t size, std::int64_t classes) {
  const std::int64_t n = size * classes;
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t j = i; j < size; ++j) {
      for (std::int64_t c = 0; c < classes; ++c) {
        for (std::int64_t d = c; d < classes; ++d) {
          const double value = result[(i * classes + c) * n + j * classes + d];
          result[(i * classes + d) * n + j * classes + c] = value;
          result[(j * classes + c) * n + i * classes + d] = value;
          result[(j * classes + d) * n + i * classes + c] = value;
        }
      }
    }
  }
}

}  // namespace

WeightedProduct MatrixPass::product_of(std::int64_t side, const RowsOf& rows,
                                       double* result) const {
  return {.side = side, .rows = rows, .result = result, .row_stride = columns() + 1};
}

WalkJob MatrixPass::job_of(const RowLoss& loss, const Observed* observed,
                           std::span<const Request> requests, std::span<Sums> sums) const {
  WalkJob job{.observed = observed, .loss = &loss, .requests = requests, .sums = sums};
  job.product_rows = {0, columns() + 1};
  job.is_triangle = true;
  const std::int64_t classes = loss.classes();
  const std::int64_t n = (columns() + 1) * classes;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    if (!requests[r].wants_hessian) continue;
    for (std::int64_t c = 0; c < classes; ++c) {
      for (std::int64_t d = c; d < classes; ++d) {
        WeightedProduct product =
            product_of(static_cast<std::int64_t>(r), {}, sums[r].hessian.data());
        if (product.result != nullptr) product.result += c * n + d;
        product.row_class = c;
        product.column_class = d;
        product.row_stride = classes * n;
        product.column_stride = classes;
        job.products.push_back(product);
      }
    }
  }
  return job;
}

void MatrixPass::evaluate(const RowLoss& loss, const Observed& observed,
                          std::span<const Request> requests, Arithmetic arithmetic,
                          std::int64_t every, std::span<Sums> sums) {
  const std::int64_t classes = loss.classes();
  const auto n = static_cast<std::size_t>((columns() + 1) * classes);
  for (std::size_t r = 0; r < requests.size(); ++r) {
    Sums& to = sums[r];
    to.loss = 0;
    to.weight = 0;
    to.gradient.assign(n, 0.0);
    to.scale.assign(requests[r].wants_scale ? n : 0, 0.0);
    to.hessian.assign(requests[r].wants_hessian ? n * n : 0, 0.0);
  }
  std::size_t count = requests.size();
  for (std::size_t first = 0; first < requests.size(); first += count) {
    count = std::min(count, requests.size() - first);
    const auto some = [&] {
      WalkJob job =
          job_of(loss, &observed, requests.subspan(first, count), sums.subspan(first, count));
      job.every = std::max<std::int64_t>(1, every);
      return job;
    };
    count = requests_of_walk(some(), arithmetic);
    walk(some(), arithmetic);
  }
  for (std::size_t r = 0; r < requests.size(); ++r) {
    if (requests[r].wants_hessian) mirror(sums[r].hessian.data(), columns() + 1, classes);
  }
}

void MatrixPass::gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
                      double* result) {
  const std::int64_t size = columns() + 1;
  std::fill_n(result, size * size, 0.0);
  WalkJob job{.observed = &observed, .product_rows = {0, size}, .is_triangle = true};
  job.products.push_back(product_of(-1, rows, result));
  walk(std::move(job), arithmetic);
  mirror(result, size, 1);
}

void MatrixPass::gram_rows(const Observed& observed, const RowsOf& rows, Range some,
                           double* result) {
  WalkJob job{.observed = &observed};
  job.products.push_back(product_of(-1, rows, result));
  walk_rows(std::move(job), some, result);
}

void MatrixPass::hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                              Range some, double* result) {
  if (loss.classes() != 1) {
    throw Error("loss", "rows of the Hessian of categorical targets are not supported",
                "Use Pass::evaluate");
  }
  Request alone = request;
  alone.wants_scale = false;
  WalkJob job{.observed = &observed, .loss = &loss, .requests = {&alone, 1}};
  job.products.push_back(product_of(0, {}, result));
  walk_rows(std::move(job), some, result);
}

void MatrixPass::walk_rows(WalkJob job, Range some, double* result) {
  const std::int64_t size = columns() + 1;
  plan::check_range("columns", some, size);
  if (some.size() == 0) return;
  std::fill_n(result, some.size() * size, 0.0);
  job.product_rows = some;
  walk(std::move(job), Arithmetic::float_products);
}

}  // namespace synelix::glm
