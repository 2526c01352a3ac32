// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/refusals.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/conv.hpp>
#include <synelix/convolve.hpp>
#include <synelix/convolve_stream.hpp>
#include <synelix/features.hpp>
#include <synelix/matmul.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// No verb writes memory of another argument: each argument of each verb overlaps the output of the
// verb by its last byte, and is rejected before anything is written.

namespace overlap_tests {
namespace {

namespace sx = synelix;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Op = sx::ConvOperator;
using oracle::expect_refused;

/// Memory of a result, and a place for an argument that ends one byte inside of it.
class Overlap : public testing::Test {
 protected:
  static constexpr std::size_t bytes = std::size_t{1} << 16;
  static constexpr std::size_t result_at = bytes / 2;

  Overlap() : m_memory(bytes / sizeof(double), 1.0), m_apart(bytes / sizeof(double), 1.0) {}

  /// The memory of results, which is not written here.
  [[nodiscard]] float* result() { return reinterpret_cast<float*>(at(result_at)); }
  /// Values that are apart from it.
  template <class T = float>
  [[nodiscard]] T* apart() {
    return reinterpret_cast<T*>(m_apart.data());
  }
  /// `count` values, the last one over the first bytes of the result.
  template <class T = float>
  [[nodiscard]] T* over(std::int64_t count) {
    return reinterpret_cast<T*>(at(result_at)) - (count - 1);
  }
  /// Calls `refused(pointer)` with memory that overlaps the result, and expects an error about
  /// `argument`.
  template <class T = float, class Call>
  void refuse(const std::string& result, const std::string& argument, std::int64_t count,
              const Call& call) {
    SCOPED_TRACE(argument);
    const std::vector<double> before = m_memory;
    expect_refused([&] { call(over<T>(count)); }, result, "overlaps that of " + argument, "apart");
    EXPECT_EQ(m_memory, before) << "nothing is written";
    call(apart<T>());
    m_memory = before;
  }

 private:
  [[nodiscard]] std::byte* at(std::size_t byte) {
    return reinterpret_cast<std::byte*>(m_memory.data()) + byte;
  }

  std::vector<double> m_memory;
  std::vector<double> m_apart;
};

/// The operator with its arrays, by each way to compute it.
void compute(const sx::ConvArrays& arrays) {
  const Exec exec;
  (void)sx::choose_conv(exec, arrays);
  const sx::ConvPlan<float, Exec> plan(exec, arrays);
  sx::convolve_arrays(exec, arrays);
}

class ConvOverlap : public Overlap {
 protected:
  /// Every argument that an operator reads, laid over its result.
  void refuse_all(Op op, const std::string& result, const std::vector<std::string>& names,
                  const std::vector<std::vector<std::int64_t>>& extents, bool second_is_scaled,
                  const std::vector<std::int64_t>& result_extents) {
    SCOPED_TRACE(result);
    const bool takes_bias = op == Op::forward || op == Op::transposed;
    const auto count = [&](std::size_t i) {
      std::int64_t values = 1;
      for (const std::int64_t extent : extents[i]) values *= extent;
      return values;
    };
    const auto arrays = [&] {
      sx::ConvArrays made{op, 1, {}, {}, {}, sx::StridedOutput(this->result(), result_extents)};
      made.first = sx::Strided(apart(), extents[0]);
      if (extents.size() > 1) made.second = sx::Strided(apart(), extents[1]);
      if (takes_bias) made.bias = sx::Strided(apart(), {result_extents[1]});
      return made;
    };
    for (std::size_t i = 0; i < extents.size(); ++i) {
      refuse(result, names[i], count(i), [&](float* data) {
        sx::ConvArrays made = arrays();
        (i == 0 ? made.first : made.second) = sx::Strided(data, extents[i]);
        compute(made);
      });
      if (i == 1 && !second_is_scaled) continue;
      for (const bool is_scale : {true, false}) {
        refuse<double>(result, names[i] + (is_scale ? "'s scales" : "'s offsets"), extents[i][1],
                       [&](double* numbers) {
                         sx::ConvArrays made = arrays();
                         sx::Operand& operand = i == 0 ? made.first : made.second;
                         const auto channels = static_cast<std::size_t>(extents[i][1]);
                         const std::span<const double> met(numbers, channels);
                         const std::span<const double> others(apart<double>(), channels);
                         operand =
                             scaled(operand, is_scale ? met : others, is_scale ? others : met);
                         compute(made);
                       });
      }
    }
    if (!takes_bias) return;
    refuse(result, "bias", result_extents[1], [&](float* data) {
      sx::ConvArrays made = arrays();
      made.bias = sx::Strided(data, {result_extents[1]});
      compute(made);
    });
  }
};

TEST_F(ConvOverlap, OfEveryArgumentIsRefused) {
  refuse_all(Op::forward, "y", {"x", "w"}, {{2, 3, 9}, {4, 3, 2}}, false, {2, 4, 8});
  refuse_all(Op::transposed, "y", {"x", "w"}, {{2, 4, 8}, {4, 3, 2}}, false, {2, 3, 9});
  refuse_all(Op::grad_input, "grad_x", {"grad_y", "w"}, {{2, 4, 8}, {4, 3, 2}}, false, {2, 3, 9});
  refuse_all(Op::grad_weights, "grad_w", {"x", "grad_y"}, {{2, 3, 9}, {2, 4, 8}}, true, {4, 3, 2});
  refuse_all(Op::grad_bias, "grad_b", {"grad_y"}, {{2, 4, 8}}, false, {4});
}

TEST_F(Overlap, OfEveryArgumentOfProductsIsRefused) {
  const Exec exec;
  const auto a = [](float* data) { return sx::Operand(sx::Strided(data, {5, 3})); };
  const auto b = [](float* data) { return sx::Operand(sx::Strided(data, {3, 4})); };
  const sx::StridedOutput c(result(), {5, 4});
  const auto multiply = [&](const sx::Operand& left, const sx::Operand& right) {
    (void)sx::choose_matmul(exec, left, right, c);
    const sx::MatmulPlan<float, Exec> plan(exec, left, right, c);
    sx::matmul(exec, left, right, c);
  };
  const auto list = [&](const sx::Operand& left, const sx::Operand& right) {
    std::array<sx::Product, 2> products{
        sx::Product{a(apart()), b(apart()), sx::StridedOutput(apart<float>() + 4096, {5, 4})},
        sx::Product{left, right, c}};
    const sx::MatmulPlan<float, Exec> plan(exec, products);
    sx::matmul(exec, std::span<const sx::Product>(products));
  };
  refuse("c", "a", 15, [&](float* data) { multiply(a(data), b(apart())); });
  refuse("c", "b", 12, [&](float* data) { multiply(a(apart()), b(data)); });
  const std::string own = "products[1]";
  refuse(own + ".c", own + ".a", 15, [&](float* data) { list(a(data), b(apart())); });
  refuse(own + ".c", own + ".b", 12, [&](float* data) { list(a(apart()), b(data)); });
  for (const bool is_scale : {true, false}) {
    const auto scaled = [&](const sx::Operand& matrices, double* numbers) {
      const std::span<const double> each(numbers, static_cast<std::size_t>(matrices.columns()));
      return is_scale ? sx::scaled(matrices, each) : sx::scaled(matrices, 1, each);
    };
    const std::string part = is_scale ? "'s scales" : "'s offsets";
    refuse<double>("c", "a" + part, 3,
                   [&](double* numbers) { multiply(scaled(a(apart()), numbers), b(apart())); });
    refuse<double>("c", "b" + part, 4,
                   [&](double* numbers) { multiply(a(apart()), scaled(b(apart()), numbers)); });
    refuse<double>("c", "a" + part, 5, [&](double* numbers) {  // of rows
      const sx::Operand turned(sx::Strided(apart(), {3, 5}));
      multiply(transposed(scaled(turned, numbers)), b(apart()));
    });
    refuse<double>(own + ".c", own + ".a" + part, 3,
                   [&](double* numbers) { list(scaled(a(apart()), numbers), b(apart())); });
    refuse<double>(own + ".c", own + ".b" + part, 4,
                   [&](double* numbers) { list(a(apart()), scaled(b(apart()), numbers)); });
  }
}

TEST_F(Overlap, OfEveryArgumentOfFormsIsRefused) {
  const Exec exec;
  const sx::StridedOutput q(result(), {5});
  const auto x = [](float* data) { return sx::Operand(sx::Strided(data, {5, 3})); };
  const auto matrix = [](float* data) { return sx::Operand(sx::Strided(data, {3, 3})); };
  const auto bilinear = [&](const sx::Operand& left, const sx::Operand& a,
                            const sx::Operand& right) {
    (void)sx::choose_bilinear_forms(exec, left, a, right, q);
    const sx::BilinearFormsPlan<float, Exec> plan(exec, left, a, right, q);
    sx::bilinear_forms(exec, left, a, right, q);
  };
  const auto quadratic = [&](const sx::Operand& left, const sx::Operand& a) {
    (void)sx::choose_quadratic_forms(exec, left, a, q);
    const sx::BilinearFormsPlan<float, Exec> plan(exec, left, a, q);
    sx::quadratic_forms(exec, left, a, q);
  };
  refuse("q", "x", 15, [&](float* at) { bilinear(x(at), matrix(apart()), x(apart())); });
  refuse("q", "a", 9, [&](float* at) { bilinear(x(apart()), matrix(at), x(apart())); });
  refuse("q", "y", 15, [&](float* at) { bilinear(x(apart()), matrix(apart()), x(at)); });
  refuse("q", "x", 15, [&](float* at) { quadratic(x(at), matrix(apart())); });
  refuse("q", "a", 9, [&](float* at) { quadratic(x(apart()), matrix(at)); });
  for (const bool is_scale : {true, false}) {
    const auto scaled = [&](const sx::Operand& matrices, double* numbers) {
      const std::span<const double> each(numbers, static_cast<std::size_t>(matrices.columns()));
      return is_scale ? sx::scaled(matrices, each) : sx::scaled(matrices, 1, each);
    };
    const std::string part = is_scale ? "'s scales" : "'s offsets";
    refuse<double>("q", "x" + part, 3, [&](double* numbers) {
      bilinear(scaled(x(apart()), numbers), matrix(apart()), x(apart()));
    });
    refuse<double>("q", "a" + part, 3, [&](double* numbers) {
      bilinear(x(apart()), scaled(matrix(apart()), numbers), x(apart()));
    });
    refuse<double>("q", "y" + part, 3, [&](double* numbers) {
      bilinear(x(apart()), matrix(apart()), scaled(x(apart()), numbers));
    });
    refuse<double>("q", "x" + part, 3, [&](double* numbers) {
      quadratic(scaled(x(apart()), numbers), matrix(apart()));
    });
  }
}

TEST_F(Overlap, OfEveryArgumentOfAConvolutionIsRefused) {
  using Plan = sx::ConvolvePlan<float, Exec>;
  const Exec exec;
  const sx::FilterBank<float, Exec> bank(exec, sx::RaisedCosineLinear{.bases = 2}, {.window = 5});
  const sx::StridedOutput features(result(), {100, 3, 2});
  const auto series = [](float* data) { return sx::StridedSeries(sx::Strided(data, {100, 3})); };
  const sx::SeriesShape shape = series(apart()).shape();
  for (const sx::Method method : {sx::Method::direct, sx::Method::fft}) {
    SCOPED_TRACE(sx::name_of(method));
    const sx::ConvolveOptions options{.method = method, .budget = sx::mebibytes(1)};
    const auto size =
        static_cast<std::size_t>(sx::choose(exec, shape, bank, options).workspace_bytes);
    std::vector<std::byte> memory(size + result_at);
    const auto plan_in = [&](std::byte* workspace) {
      return Plan(exec, shape, bank, options, Plan::Workspace(workspace, size));
    };
    const Plan plan = plan_in(memory.data());
    const sx::Block all{{0, 100}, {0, 3}, {0, 2}};
    refuse("features", "series", 300, [&](float* data) { plan.run(exec, series(data), features); });
    refuse("features", "input", 300, [&](float* data) {
      plan.run_block(exec, all, sx::Strided(data, {100, 3}), 0, features);
    });
    refuse("features", "series", 300,
           [&](float* data) { sx::convolve(exec, series(data), bank, features, options); });
    // Features and samples over the workspace that the plan borrows.
    const auto last_of_workspace =
        reinterpret_cast<float*>(memory.data() + (size - 1) / sizeof(float) * sizeof(float));
    const sx::StridedOutput over_workspace(last_of_workspace, {100, 3, 2});
    const auto samples_over = series(last_of_workspace - 299);
    expect_refused([&] { plan.run(exec, series(apart()), over_workspace); }, "features",
                   "overlaps that of workspace", "apart");
    expect_refused([&] { plan.run(exec, samples_over, features); }, "workspace",
                   "overlaps that of series", "apart");
    expect_refused([&] { plan.run_block(exec, all, samples_over.data(), 0, features); },
                   "workspace", "overlaps that of input", "apart");
    expect_refused(
        [&] { plan.run_block(exec, all, sx::Strided(apart(), {100, 3}), 0, over_workspace); },
        "features", "overlaps that of workspace", "apart");
  }
  const sx::Events events(100, {{{3, 50}, {}}, {{4}, {}}, {{}, {}}});
  const auto size = static_cast<std::size_t>(
      sx::choose(exec, events.shape(), bank, sx::ConvolveOptions{}).workspace_bytes);
  std::vector<std::byte> memory(size + result_at);
  const Plan plan(exec, events, bank, {}, Plan::Workspace(memory.data(), size));
  expect_refused(
      [&] {
        plan.run(exec, events,
                 sx::StridedOutput(reinterpret_cast<float*>(memory.data()), {100, 3, 2}));
      },
      "features", "overlaps that of workspace", "apart");
}

TEST_F(Overlap, OfEveryArgumentOfStreamsAndDesignsIsRefused) {
  const Exec exec;
  const sx::FilterBank<float, Exec> bank(exec, sx::RaisedCosineLinear{.bases = 2}, {.window = 5});
  const sx::StridedSeries longest(sx::Strided(apart(), {100, 3}));
  refuse("features", "block", 300, [&](float* data) {
    sx::ConvolveStream<float, Exec> stream(exec, longest.shape(), bank,
                                           sx::choose_stream(exec, longest.shape(), bank));
    stream.push(exec, sx::Strided(data, {100, 3}), sx::StridedOutput(result(), {100, 3, 2}));
  });
  const sx::Expression terms =
      conv(sx::RaisedCosineLinear{.bases = 2}, {.window = 5}) + eval(sx::Identity{}, {});
  const std::vector<sx::InputShape> shapes(
      2, sx::AnySeries(sx::StridedSeries(sx::Strided(apart(), {100}))).shape());
  const sx::FeaturesPlan<float, Exec> plan(exec, terms, shapes);
  const sx::StridedOutput features(result(), {100, 3});
  for (const std::size_t i : {0U, 1U}) {
    const std::string number = "[" + std::to_string(i) + "]";
    refuse("features", "inputs" + number, 100, [&](float* data) {
      const std::array<sx::StridedSeries, 2> series{
          sx::StridedSeries(sx::Strided(i == 0 ? data : apart(), {100})),
          sx::StridedSeries(sx::Strided(i == 1 ? data : apart(), {100}))};
      const std::array<sx::AnySeries, 2> inputs{series[0], series[1]};
      plan.run(exec, inputs, features);
    });
    refuse("features", "blocks" + number, 100, [&](float* data) {
      const std::array<sx::InputBlock, 2> blocks{
          sx::InputBlock{sx::Strided(i == 0 ? data : apart(), {100, 1}), 0, nullptr},
          sx::InputBlock{sx::Strided(i == 1 ? data : apart(), {100, 1}), 0, nullptr}};
      plan.run_block(exec, {0, 100}, blocks, features);
    });
  }
}

}  // namespace
}  // namespace overlap_tests
