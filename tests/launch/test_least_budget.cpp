// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/random_case.hpp"
#include "oracle/random_conv.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/conv.hpp>
#include <synelix/matmul.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

// The least budget that an error names is the least that works, and any larger one works too.

namespace least_budget_tests {
namespace {

namespace sx = synelix;
using Exec = Kokkos::DefaultHostExecutionSpace;
using oracle::Array;
using oracle::draw;
using oracle::once_in;

/// Calls `use(budget)`, which throws if the budget is too small.
void expect_least_works(const std::function<void(std::int64_t)>& use, std::mt19937_64& random,
                        const std::string& problem) {
  const auto least_named = [&](std::int64_t budget) -> std::int64_t {
    try {
      use(budget);
      return -1;
    } catch (const sx::Error& error) {
      const std::string text = error.what();
      const auto at = text.find("at least ");
      EXPECT_EQ(text.rfind("budget: " + std::to_string(budget) + " bytes", 0), 0U) << text;
      return at == std::string::npos ? 0 : std::stoll(text.substr(at + 9));
    }
  };
  const std::int64_t least = least_named(0);
  if (least == -1) return;  // nothing is allocated
  ASSERT_GT(least, 0) << problem;
  EXPECT_EQ(least_named(least), -1) << problem;
  EXPECT_EQ(least_named(least - 1), least) << problem;
  EXPECT_EQ(least_named(draw(random, 0, least - 1)), least) << problem;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t more = least + draw(random, 0, once_in(random, 2) ? 300 : 3 * least);
    EXPECT_EQ(least_named(more), -1) << problem << ": " << more << " bytes, of " << least;
  }
}

TEST(LeastBudget, OfConvolutionsWorks) {
  const Exec exec;
  std::mt19937_64 random(71);
  for (int turn = 0; turn < 120; ++turn) {
    const int dimensions = static_cast<int>(draw(random, 1, 3));
    oracle::ConvWish wish{.dimensions = dimensions,
                          .kind = static_cast<sx::PaddingKind>(draw(random, 0, 2)),
                          .stride = once_in(random, 2) ? 1 : draw(random, 2, 3),
                          .groups = draw(random, 0, 2)};
    const oracle::RandomConv<float> test(oracle::random_convolution(wish, random), dimensions,
                                         random);
    for (const auto op : {sx::ConvOperator::forward, sx::ConvOperator::grad_input,
                          sx::ConvOperator::grad_weights, sx::ConvOperator::grad_bias}) {
      const bool by_weights = op == sx::ConvOperator::grad_weights;
      const bool by_bias = op == sx::ConvOperator::grad_bias;
      const bool reads_x = op == sx::ConvOperator::forward || by_weights;
      Array<float> result(op == sx::ConvOperator::forward ? test.y_extents()
                          : by_weights                    ? test.w_extents()
                          : by_bias ? std::vector<std::int64_t>{test.conv.outputs}
                                    : test.x_extents(),
                          oracle::right_placement(by_bias ? 1 : test.x_extents().size()), 0.0F);
      sx::ConvArrays arrays{
          op,
          dimensions,
          reads_x ? test.x.matrices() : test.y.matrices(),
          by_weights ? sx::Operand(test.y.matrices()) : sx::Operand(test.w.matrices()),
          {},
          result.output()};
      if (by_bias) arrays.second = {};
      for (const auto method : {sx::ConvMethod::automatic, sx::ConvMethod::fft}) {
        sx::ConvOptions options = test.options();
        options.method = method;
        try {
          (void)sx::choose_conv(exec, arrays, options);
        } catch (const sx::Error&) {
          continue;  // which transforms do not serve
        }
        expect_least_works(
            [&](std::int64_t budget) {
              options.budget = budget;
              sx::convolve_arrays(exec, arrays, options);
            },
            random, test.text() + ", operator " + std::to_string(static_cast<int>(op)));
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

/// An operand in rows or columns, of values or integers.
sx::Operand operand(std::span<const float> floats, std::span<const std::int8_t> bytes,
                    std::int64_t rows, std::int64_t columns, std::mt19937_64& random) {
  const bool is_turned = once_in(random, 2);
  const std::vector<std::int64_t> shape{is_turned ? columns : rows, is_turned ? rows : columns};
  const sx::Operand matrices = once_in(random, 2) ? sx::Operand(sx::Strided(floats.data(), shape))
                                                  : sx::Operand(sx::Strided(bytes.data(), shape));
  return is_turned ? transposed(matrices) : matrices;
}

class LeastBudgetOfMatrices : public testing::Test {
 protected:
  sx::Operand drawn(std::int64_t rows, std::int64_t columns) {
    return operand(m_floats, m_bytes, rows, columns, m_random);
  }
  std::int64_t extent(std::int64_t largest) {
    return once_in(m_random, 8) ? draw(m_random, 0, 2) : draw(m_random, 1, largest);
  }

  std::vector<float> m_floats = std::vector<float>(1 << 17, 0.5F);
  std::vector<std::int8_t> m_bytes = std::vector<std::int8_t>(1 << 17, 1);
  std::vector<float> m_results = std::vector<float>(1 << 21);
  std::mt19937_64 m_random{72};
  Exec m_exec;
};

TEST_F(LeastBudgetOfMatrices, OfProductsAndWindowsWorks) {
  for (int turn = 0; turn < 300; ++turn) {
    const std::int64_t m = extent(120);
    const std::int64_t k = extent(turn % 5 == 0 ? 400 : 60);
    const std::int64_t n = extent(250);
    const std::int64_t width = draw(m_random, 1, std::max<std::int64_t>(1, n));
    const std::int64_t step = draw(m_random, 1, 4);
    const sx::Operand a = drawn(m, k);
    const sx::Operand b = drawn(k, n);
    const bool by_columns = once_in(m_random, 2);
    sx::MatmulOptions options{.multiplier = sx::Multiplier::tiles};
    if (once_in(m_random, 4)) options.beta = 1;
    const std::string text = "(" + std::to_string(m) + ", " + std::to_string(k) + ", " +
                             std::to_string(n) + "), windows of " + std::to_string(width) +
                             ", step " + std::to_string(step);
    const auto result = [&](std::vector<std::int64_t> extents) {
      std::vector<std::int64_t> strides(extents.size());
      std::int64_t stride = 1;
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const std::size_t at = by_columns ? i : extents.size() - 1 - i;
        strides[at] = stride;
        stride *= std::max<std::int64_t>(1, extents[at]);
      }
      return sx::StridedOutput(m_results.data(), std::span<const std::int64_t>(extents),
                               std::span<const std::int64_t>(strides));
    };
    expect_least_works(
        [&](std::int64_t budget) {
          options.budget = budget;
          sx::matmul(m_exec, a, b, result({m, n}), options);
        },
        m_random, text);
    if (n > 0 && (n - width) / step * m * width < (1 << 20)) {
      const sx::Operand w = windows(b, width, step);
      expect_least_works(
          [&](std::int64_t budget) {
            options.budget = budget;
            sx::matmul(m_exec, a, w, result({(n - width) / step + 1, m, width}), options);
          },
          m_random, text);
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(LeastBudgetOfMatrices, OfListsWorks) {
  for (int turn = 0; turn < 100; ++turn) {
    std::vector<sx::Product> products;
    const std::int64_t count = draw(m_random, 1, 12);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t m = extent(40);
      const std::int64_t k = extent(30);
      const std::int64_t n = extent(40);
      float* const to = m_results.data() + 2000 * i;
      products.push_back({drawn(m, k), drawn(k, n),
                          once_in(m_random, 2)
                              ? sx::StridedOutput(to, {m, n})
                              : sx::StridedOutput(to, {m, n}, {1, std::max<std::int64_t>(1, m)})});
    }
    expect_least_works(
        [&](std::int64_t budget) {
          sx::matmul(m_exec, std::span<const sx::Product>(products),
                     {.multiplier = sx::Multiplier::tiles, .budget = budget});
        },
        m_random, std::to_string(count) + " products");
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(LeastBudgetOfMatrices, OfFormsWorks) {
  for (int turn = 0; turn < 300; ++turn) {
    const std::int64_t count = extent(300);
    const std::int64_t m = extent(70);
    const std::int64_t n = extent(70);
    const sx::StridedOutput q(m_results.data(), {count});
    const sx::Operand x = drawn(count, m);
    const std::string text =
        std::to_string(count) + " forms of (" + std::to_string(m) + ", " + std::to_string(n) + ")";
    sx::BilinearFormsOptions options;
    expect_least_works(
        [&, a = drawn(m, n), y = drawn(count, n)](std::int64_t budget) {
          options.budget = budget;
          sx::bilinear_forms(m_exec, x, a, y, q, options);
        },
        m_random, text);
    options.method = once_in(m_random, 2) ? sx::FormMethod::product : sx::FormMethod::automatic;
    expect_least_works(
        [&, a = drawn(m, m)](std::int64_t budget) {
          options.budget = budget;
          sx::quadratic_forms(m_exec, x, a, q, options);
        },
        m_random, text + ", quadratic");
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace least_budget_tests
