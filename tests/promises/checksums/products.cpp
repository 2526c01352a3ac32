// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kind.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/matmul.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <deque>
#include <vector>

// Products and forms: single ones, batches, lists and windows, of stored types with scale and
// offset. All are computed by the library's tiles: the bits of a vendor's library are its own.

namespace checksums {
namespace {

using namespace synelix;

/// Arrays that live as long as the results computed from them.
template <class Scalar>
class Operands {
 public:
  explicit Operands(Draws& draws) : m_draws(draws) {}

  /// Matrices of a stored type; now and then with one scale and offset, or those of each column.
  Operand draw(const std::vector<std::int64_t>& extents) {
    Operand matrices = draw_plain(extents);
    if (m_draws.once_in(4)) return scaled(matrices, 0.195, -1.25);
    if (m_draws.once_in(6)) {
      const PerChannel scale = numbers(extents.back());
      return scaled(matrices, scale,
                    m_draws.once_in(2) ? PerChannel(numbers(extents.back())) : 0.0);
    }
    return matrices;
  }
  Operand draw_plain(const std::vector<std::int64_t>& extents) {
    m_arrays.push_back(draw_operand<Scalar>(extents, m_draws));
    if (m_draws.once_in(12)) m_arrays.back().add_strays(m_draws);
    return m_arrays.back().strided();
  }
  /// Of these extents, or a view of the transposed ones.
  Operand draw_either(std::int64_t rows, std::int64_t columns) {
    if (m_draws.once_in(2)) return draw({rows, columns});
    return transposed(draw({columns, rows}));
  }

 private:
  std::span<const double> numbers(std::int64_t count) {
    std::vector<double>& numbers = m_numbers.emplace_back();
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(m_draws.real());
    return numbers;
  }

  Draws& m_draws;
  std::deque<AnyArray> m_arrays;
  std::deque<std::vector<double>> m_numbers;
};

MatmulOptions draw_matmul_options(const Runner& runner, Draws& draws) {
  MatmulOptions options;
  options.machine = runner.machine;
  options.multiplier = Multiplier::tiles;
  if (draws.once_in(3)) options.alpha = -0.75;
  if (draws.once_in(3)) options.beta = draws.once_in(2) ? 1.0 : 0.3;
  if (draws.once_in(3)) options.budget = mebibytes(8);
  return options;
}

/// A result with values that a beta other than 0 adds to.
template <class Scalar>
oracle::Array<Scalar> draw_result(const std::vector<std::int64_t>& extents, Draws& draws) {
  auto result = draw_output<Scalar>(extents, draws);
  for (std::int64_t i = 0; i < result.size(); ++i) result.at(i) = static_cast<Scalar>(draws.real());
  return result;
}

std::int64_t draw_extent(Draws& draws) {
  return draws.between(1, draws.once_in(8) ? 150 : draws.once_in(2) ? 40 : 9);
}

template <class Scalar>
void one_product(const Runner& runner, Draws& draws, Checksum& checksum) {
  Operands<Scalar> operands(draws);
  const std::int64_t rows = draw_extent(draws);
  const std::int64_t inner = draws.once_in(20) ? 1500 : draw_extent(draws);
  const std::int64_t columns = draw_extent(draws);
  const Operand a = operands.draw_either(rows, inner);
  const Operand b = operands.draw_either(inner, columns);
  auto c = draw_result<Scalar>({rows, columns}, draws);
  matmul(runner.exec, a, b, c.output(), draw_matmul_options(runner, draws));
  checksum.add(c);
}

template <class Scalar>
void batch(const Runner& runner, Draws& draws, Checksum& checksum) {
  Operands<Scalar> operands(draws);
  const std::int64_t rows = draws.between(1, 20);
  const std::int64_t inner = draws.between(1, 20);
  const std::int64_t columns = draws.between(1, 20);
  const std::int64_t outer = draws.between(1, 4);
  const std::int64_t count = draws.between(1, 5);
  const bool is_shared = draws.once_in(2);
  const Operand a = operands.draw({outer, count, rows, inner});
  const Operand b = is_shared
                        ? operands.draw({inner, columns})
                        : operands.draw({draws.once_in(2) ? 1 : outer, count, inner, columns});
  auto c = draw_result<Scalar>({outer, count, rows, columns}, draws);
  matmul(runner.exec, a, b, c.output(), draw_matmul_options(runner, draws));
  checksum.add(c);
}

template <class Scalar>
void list(const Runner& runner, Draws& draws, Checksum& checksum) {
  Operands<Scalar> operands(draws);
  std::deque<oracle::Array<Scalar>> results;
  std::vector<Product> products;
  for (std::int64_t k = draws.between(1, 9); k > 0; --k) {
    const std::int64_t rows = draw_extent(draws);
    const std::int64_t inner = draw_extent(draws);
    const std::int64_t columns = draw_extent(draws);
    const Operand a = operands.draw_either(rows, inner);
    const Operand b = operands.draw_either(inner, columns);
    results.push_back(draw_result<Scalar>({rows, columns}, draws));
    products.push_back({a, b, results.back().output()});
  }
  matmul(runner.exec, products, draw_matmul_options(runner, draws));
  for (const auto& result : results) checksum.add(result);
}

template <class Scalar>
void windows_of(const Runner& runner, Draws& draws, Checksum& checksum) {
  Operands<Scalar> operands(draws);
  const std::int64_t rows = draws.between(1, 12);
  const std::int64_t inner = draws.between(1, 15);
  const std::int64_t columns = draws.between(1, 10);
  const std::int64_t width = columns + draws.between(0, 80);
  const std::int64_t step = draws.between(1, 4);
  const Operand a = operands.draw({rows, inner});
  const Operand b = windows(operands.draw_plain({inner, width}), columns, step);
  auto c = draw_result<Scalar>({b.count(), rows, columns}, draws);
  matmul(runner.exec, a, b, c.output(), draw_matmul_options(runner, draws));
  checksum.add(c);
}

/// Windows along rows and columns.
template <class Scalar>
void windows_of_both(const Runner& runner, Draws& draws, Checksum& checksum) {
  Operands<Scalar> operands(draws);
  const std::int64_t inner = draws.between(1, 6);
  const std::int64_t columns = draws.between(1, 6);
  const std::int64_t rows = draws.between(1, 6);
  const std::int64_t height = inner + draws.between(0, 12);
  const std::int64_t width = columns + draws.between(0, 12);
  const Operand a = operands.draw({rows, inner});
  const std::int64_t step = draws.between(1, 3);
  const Operand b = windows(operands.draw_plain({height, width}), inner, columns, step);
  auto c = draw_result<Scalar>({b.array().extents[0], b.array().extents[1], rows, columns}, draws);
  matmul(runner.exec, a, b, c.output(), draw_matmul_options(runner, draws));
  checksum.add(c);
}

BilinearFormsOptions draw_form_options(const Runner& runner, Draws& draws) {
  BilinearFormsOptions options;
  options.machine = runner.machine;
  if (draws.once_in(3)) options.budget = mebibytes(8);
  return options;
}

template <class Scalar>
void bilinear(const Runner& runner, Draws& draws, Checksum& checksum) {
  Operands<Scalar> operands(draws);
  const std::int64_t count = draws.between(1, 150);
  const std::int64_t m = draw_extent(draws);
  const std::int64_t n = draw_extent(draws);
  const bool has_several = draws.once_in(3);
  const std::int64_t matrices = draws.between(1, 3);
  const Operand x = operands.draw({count, m});
  const Operand a = has_several ? operands.draw({matrices, m, n}) : operands.draw({m, n});
  const Operand y = operands.draw({count, n});
  auto q = has_several ? draw_output<Scalar>({matrices, count}, draws)
                       : draw_output<Scalar>({count}, draws);
  bilinear_forms(runner.exec, x, a, y, q.output(), draw_form_options(runner, draws));
  checksum.add(q);
}

template <class Scalar>
void quadratic(const Runner& runner, Draws& draws, Checksum& checksum) {
  Operands<Scalar> operands(draws);
  const std::int64_t count = draws.between(1, 150);
  const std::int64_t n = draw_extent(draws);
  const bool has_several = draws.once_in(3);
  const std::int64_t matrices = draws.between(1, 3);
  const Operand x = operands.draw({count, n});
  const Operand a = has_several ? operands.draw({matrices, n, n}) : operands.draw({n, n});
  auto q = has_several ? draw_output<Scalar>({matrices, count}, draws)
                       : draw_output<Scalar>({count}, draws);
  BilinearFormsOptions options = draw_form_options(runner, draws);
  options.method = static_cast<FormMethod>(draws.between(0, 2));
  quadratic_forms(runner.exec, x, a, q.output(), options);
  checksum.add(q);
}

template <class Scalar>
void run_products_of_type(Runner& runner) {
  const auto run = [&](const char* kind, int cases, const auto& compute) {
    runner.run(of_type<Scalar>(kind), cases, Numbers::arithmetic,
               [&](Draws& draws, Checksum& checksum) { compute(runner, draws, checksum); });
  };
  run("products.one", 250, one_product<Scalar>);
  run("products.batch", 120, batch<Scalar>);
  run("products.list", 60, list<Scalar>);
  run("products.windows", 120, windows_of<Scalar>);
  run("products.windows_of_both", 60, windows_of_both<Scalar>);
  run("forms.bilinear", 120, bilinear<Scalar>);
  run("forms.quadratic", 120, quadratic<Scalar>);
}

}  // namespace

void run_products(Runner& runner) {
  run_products_of_type<float>(runner);
  run_products_of_type<double>(runner);
}

}  // namespace checksums
