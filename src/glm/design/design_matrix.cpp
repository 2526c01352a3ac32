// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/types/design_matrix.hpp>

#include "glm/design/arguments.hpp"
#include "glm/design/row_weights.hpp"
#include "glm/pass/pass.hpp"
#include "launch/arrays.hpp"
#include "launch/region.hpp"
#include "pack/matrix.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace synelix {
namespace {

constexpr std::int64_t bits_of_word = 64;

/// Refuses an array that is not (rows) or (rows, n). Returns n.
template <class Void>
std::int64_t vectors_of(const char* name, const BasicStrided<Void>& array, std::int64_t rows,
                        const char* of) {
  plan::check_array(name, array);
  if (array.rank < 1 || array.rank > 2 || array.extents[0] != rows) {
    throw Error(name, plan::extents_text(array) + " does not match " + std::to_string(rows) + of,
                "Pass (" + std::to_string(rows) + ") or (" + std::to_string(rows) + ", n)");
  }
  return array.rank == 2 ? array.extents[1] : 1;
}

/// Refuses a result that is not (rows, n), or (rows) if n is 1, or that overlaps itself.
void check_result(const StridedOutput& result, std::int64_t rows, std::int64_t n) {
  plan::visit_scalar("result", result.type, []<class Scalar>() {});
  StridedOutput expected = result;
  expected.rank = result.rank == 1 && n == 1 ? 1 : 2;
  expected.extents[0] = rows;
  expected.extents[1] = expected.rank == 2 ? n : 0;
  plan::check_output("result", result, expected);
}

/// A matrix as doubles, (rows, n) row-major.
std::vector<double> doubles_of(const Strided& array, std::int64_t n) {
  pack::MatrixSource source;
  source.data = array.data;
  source.type = array.type;
  source.row_stride = array.strides[0];
  source.column_stride = array.rank == 2 ? array.strides[1] : 0;
  std::vector<double> values(static_cast<std::size_t>(array.extents[0] * n));
  pack::gather_block(source, source.data,
                     pack::MatrixBlock<double>{0, array.extents[0], 0, n, values.data(), n, 1});
  return values;
}

/// Copies rows of doubles, row-major, to rows of a result from `first` on.
void put(const double* values, std::int64_t first, std::int64_t rows, std::int64_t n,
         const StridedOutput& result) {
  const std::int64_t column_stride = result.rank == 2 ? result.strides[1] : 0;
  plan::visit_scalar("result", result.type, [&]<class Scalar>() {
    Scalar* const to = static_cast<Scalar*>(result.data) + first * result.strides[0];
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t r = 0; r < n; ++r) {
        to[i * result.strides[0] + r * column_stride] = static_cast<Scalar>(values[i * n + r]);
      }
    }
  });
}

/// Checks the result (double, no overlap with the weights or the design), and computes rows of a
/// Gram matrix.
template <class Compute>
void compute_gram(const glm::Pass& pass, std::int64_t rows, const Strided& weights,
                  const StridedOutput& result, const Compute& compute) {
  const std::int64_t size = pass.columns() + 1;
  StridedOutput expected = result;
  expected.type = StoredType::float64;
  expected.rank = 2;
  expected.extents[0] = rows;
  expected.extents[1] = size;
  plan::check_output("result", result, expected);
  glm::check_result_apart(pass, "result", result, plan::Arguments().reads("weights", weights));
  if (result.strides[1] == 1 && result.strides[0] == size) {
    return compute(static_cast<double*>(result.data));
  }
  std::vector<double> values(static_cast<std::size_t>(rows * size));
  compute(values.data());
  put(values.data(), 0, rows, size, result);
}

}  // namespace

const char* name_of(RowSource source) { return known_name(source); }

std::int64_t DesignMatrix::rows() const { return m_pass->rows(); }
std::int64_t DesignMatrix::columns() const { return m_pass->columns(); }
const std::vector<Term>& DesignMatrix::terms() const { return m_pass->terms(); }
const DesignMatrixChoice& DesignMatrix::choice() const { return m_pass->choice(); }

std::vector<Range> DesignMatrix::valid_rows() const {
  const plan::Region region("synelix::design_matrix::valid_rows");
  const std::span<const std::uint64_t> valid = m_pass->valid();
  const auto is_valid = [&](std::int64_t t) {
    return (valid[static_cast<std::size_t>(t / bits_of_word)] >> (t % bits_of_word) & 1) != 0;
  };
  std::vector<Range> ranges;
  for (std::int64_t t = 0; t < rows(); ++t) {
    if (!is_valid(t)) continue;
    if (ranges.empty() || ranges.back().end != t) ranges.push_back({t, t});
    ranges.back().end = t + 1;
  }
  return ranges;
}

void DesignMatrix::apply(const Strided& coefficients, const StridedOutput& result) const {
  const plan::Region region("synelix::design_matrix::apply");
  const std::int64_t n = vectors_of("coefficients", coefficients, columns(), " columns");
  check_result(result, rows(), n);
  if (n == 0) return;
  glm::check_result_apart(*m_pass, "result", result,
                          plan::Arguments().reads("coefficients", coefficients));
  const std::vector<double> values = doubles_of(coefficients, n);
  const bool is_plain = result.type == StoredType::float64 && result.strides[0] == n &&
                        (result.rank == 1 || result.strides[1] == 1);
  if (is_plain) {
    return m_pass->apply(values.data(), n, {0, rows()}, static_cast<double*>(result.data));
  }
  // Complete blocks, so that no features are computed twice.
  constexpr std::int64_t most_values = std::int64_t{1} << 17;
  const std::int64_t block = std::max<std::int64_t>(1, choice().rows_of_block);
  const std::int64_t step = std::max<std::int64_t>(1, most_values / n / block) * block;
  std::vector<double> predictors(static_cast<std::size_t>(std::min(step, rows()) * n));
  for (std::int64_t first = 0; first < rows(); first += step) {
    const Range some{first, std::min(rows(), first + step)};
    m_pass->apply(values.data(), n, some, predictors.data());
    put(predictors.data(), first, some.size(), n, result);
  }
}

void DesignMatrix::apply_adjoint(const Strided& residuals, const StridedOutput& result) const {
  const plan::Region region("synelix::design_matrix::apply_adjoint");
  const std::int64_t n = vectors_of("residuals", residuals, rows(), " rows");
  check_result(result, columns(), n);
  if (n == 0) return;
  glm::check_result_apart(*m_pass, "result", result,
                          plan::Arguments().reads("residuals", residuals));
  std::vector<double> sums(static_cast<std::size_t>(columns() * n));
  m_pass->apply_adjoint(residuals, sums.data());
  put(sums.data(), 0, columns(), n, result);
}

void DesignMatrix::gram(const StridedOutput& result) const {
  const plan::Region region("synelix::design_matrix::gram");
  const glm::RowWeights weights(rows());
  compute_gram(*m_pass, columns() + 1, {}, result, [&](double* to) {
    m_pass->gram(weights, {.target = -1}, glm::Arithmetic::float_products, to);
  });
}

void DesignMatrix::gram_weighted(const Strided& weights, const StridedOutput& result) const {
  const plan::Region region("synelix::design_matrix::gram");
  if (vectors_of("weights", weights, rows(), " rows") != 1) {
    throw Error("weights", plan::extents_text(weights) + " has several columns",
                "Pass one weight for each row");
  }
  const glm::RowWeights observed(rows(), weights);
  compute_gram(*m_pass, columns() + 1, weights, result, [&](double* to) {
    m_pass->gram(observed, {.target = -1}, glm::Arithmetic::float_products, to);
  });
}

void DesignMatrix::gram_rows(Range columns, const Strided& weights,
                             const StridedOutput& result) const {
  const plan::Region region("synelix::design_matrix::gram_rows");
  plan::check_range("columns", columns, this->columns() + 1);
  if (vectors_of("weights", weights, rows(), " rows") != 1) {
    throw Error("weights", plan::extents_text(weights) + " has several columns",
                "Pass one weight for each row");
  }
  const glm::RowWeights observed(rows(), weights);
  compute_gram(*m_pass, columns.size(), weights, result,
               [&](double* to) { m_pass->gram_rows(observed, {.target = -1}, columns, to); });
}

}  // namespace synelix
