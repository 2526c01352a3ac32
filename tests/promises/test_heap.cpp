// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "promises/allocations.hpp"

#include "oracle/library.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/conv.hpp>
#include <synelix/convolve.hpp>
#include <synelix/matmul.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// A budget counts the entire heap: tables of the host and numbers of each channel, too, not only
// Kokkos' allocations.

namespace heap_tests {
namespace {

namespace sx = synelix;
using Exec = Kokkos::DefaultHostExecutionSpace;

/// Labels, names and Kokkos' records of its allocations, for any call.
constexpr std::int64_t fixed_bytes = 16 * 1024;

std::int64_t least_of(const std::function<void(std::int64_t)>& use) {
  try {
    use(1);
  } catch (const sx::Error& error) {
    const std::string text = error.what();
    return std::stoll(text.substr(text.find("at least ") + 9));
  }
  return 0;
}

/// Runs `use` with the least budget that it names, and with `more`.
void expect_in_budget(const std::string& what, std::int64_t more,
                      const std::function<void(std::int64_t)>& use) {
  SCOPED_TRACE(what);
  const std::int64_t least = least_of(use);
  ASSERT_GT(least, 0);
  use(least);  // now Kokkos has allocated what it keeps after a first call
  for (const std::int64_t budget : {least, least + more}) {
    promises::PeakHeap heap;
    use(budget);
    EXPECT_LE(heap.stop(), budget + fixed_bytes) << "with a budget of " << budget;
  }
}

class Heap : public testing::Test {
 protected:
  void SetUp() override {
    if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  }
  Exec m_exec;
};

TEST_F(Heap, IsWeighed) {
  promises::PeakHeap heap;
  for (int i = 0; i < 3; ++i) {
    void* volatile one = std::malloc(100'000);  // volatile: no compiler leaves it out
    void* volatile two = std::malloc(100'000);
    std::free(one);
    std::free(two);
  }
  const std::int64_t peak = heap.stop();
  EXPECT_GE(peak, 200'000);
  EXPECT_LE(peak, 210'000);
}

TEST_F(Heap, OfAListOfProductsIsInTheBudget) {
  constexpr std::int64_t count = 20'000;
  const std::vector<float> a(6, 1.0F);
  std::vector<float> c(static_cast<std::size_t>(4 * count));
  std::vector<sx::Product> products;
  for (std::int64_t i = 0; i < count; ++i) {
    products.push_back({sx::Strided(a.data(), {2, 3}), sx::Strided(a.data(), {3, 2}),
                        sx::StridedOutput(c.data() + 4 * i, {2, 2})});
  }
  const std::span<const sx::Product> list(products);
  expect_in_budget("matmul", 100'000,
                   [&](std::int64_t budget) { sx::matmul(m_exec, list, {.budget = budget}); });
  expect_in_budget("MatmulPlan", 100'000, [&](std::int64_t budget) {
    const sx::MatmulPlan<float, Exec> plan(m_exec, list, {.budget = budget});
    EXPECT_LE(plan.choice().workspace_bytes, budget);
    plan.run(m_exec);
    m_exec.fence();
  });
  EXPECT_EQ(c.back(), 3.0F);
  // Tables that do not fit are rejected before they are allocated: a search for overlapping results
  // takes 32 bytes for each entry of the list, of the 232 of its table.
  promises::PeakHeap heap;
  EXPECT_THROW(sx::matmul(m_exec, list, {.budget = 1}), sx::Error);
  EXPECT_LE(heap.stop(), 40 * count);
}

TEST_F(Heap, OfProductsAndFormsIsInTheBudget) {
  const std::vector<std::int8_t> a(200 * 300, 1);
  std::vector<float> c(200 * 200);
  const sx::Operand left(sx::Strided(a.data(), {200, 300}));
  expect_in_budget("matmul", 1'000'000, [&](std::int64_t budget) {
    sx::matmul(m_exec, left, transposed(left), sx::StridedOutput(c.data(), {200, 200}),
               {.multiplier = sx::Multiplier::tiles, .budget = budget});
  });
  const sx::Operand square(sx::Strided(a.data(), {200, 200}));
  expect_in_budget("quadratic_forms", 1'000'000, [&](std::int64_t budget) {
    sx::quadratic_forms(m_exec, square, square, sx::StridedOutput(c.data(), {200}),
                        {.budget = budget});
  });
}

TEST_F(Heap, OfConvolutionOperatorsIsInTheBudget) {
  constexpr std::int64_t taps = 20'000;
  constexpr std::int64_t length = 50'000;
  const std::vector<float> x(length, 1.0F);
  const std::vector<float> w(taps, 1.0F);
  std::vector<float> y(length);
  const std::int64_t out = length - taps + 1;
  const sx::Strided image(x.data(), {1, 1, length});
  const sx::Strided weights(w.data(), {1, 1, taps});
  for (const std::int64_t stride : {std::int64_t{1}, std::int64_t{1000}}) {
    const std::int64_t seen = (out - 1) / stride + 1;
    for (const auto method : {sx::ConvMethod::direct, sx::ConvMethod::fft}) {
      if (stride > 1 && method == sx::ConvMethod::fft) continue;
      const std::string how = std::string(sx::name_of(method)) + " " + std::to_string(stride);
      expect_in_budget("forward " + how, 1'000'000, [&](std::int64_t budget) {
        const sx::ConvPlan<float, Exec> plan(
            m_exec,
            {sx::ConvOperator::forward,
             1,
             image,
             weights,
             {},
             sx::StridedOutput(y.data(), {1, 1, seen})},
            {.stride = stride, .method = method, .budget = budget});
      });
      expect_in_budget("grad_input " + how, 1'000'000, [&](std::int64_t budget) {
        const sx::ConvPlan<float, Exec> plan(
            m_exec,
            {sx::ConvOperator::grad_input,
             1,
             sx::Strided(x.data(), {1, 1, seen}),
             weights,
             {},
             sx::StridedOutput(y.data(), {1, 1, length})},
            {.stride = stride, .method = method, .budget = budget});
      });
    }
  }
}

TEST_F(Heap, OfNumbersOfEachChannelIsInTheBudget) {
  constexpr std::int64_t channels = 50'000;
  const sx::FilterBank<float, Exec> bank(m_exec, sx::RaisedCosineLinear{.bases = 2}, {.window = 5});
  sx::SeriesShape shape;
  shape.samples = 100;
  shape.channels = channels;
  shape.scaling.channel_scale.assign(channels, 2.0);
  shape.scaling.channel_offset.assign(channels, 1.0);
  for (const sx::Method method : {sx::Method::direct, sx::Method::fft}) {
    expect_in_budget(sx::name_of(method), 1'000'000, [&](std::int64_t budget) {
      const sx::ConvolvePlan<float, Exec> plan(m_exec, shape, bank,
                                               {.method = method, .budget = budget});
    });
  }
}

/// Lists of events are filled in place: no second copy is held.
TEST_F(Heap, OfEventsIsTheirListsAlone) {
  constexpr std::int64_t spikes = 100'000;
  std::vector<std::vector<std::int64_t>> samples(3);
  std::vector<sx::Events::Train> trains(3);
  for (std::int64_t i = 0; i < spikes; ++i) {
    for (std::size_t c = 0; c < samples.size(); ++c) {
      samples[c].push_back((spikes - i) / 2);
      trains[c].samples.push_back(i);
    }
  }
  promises::PeakHeap sorted;
  const sx::Events events = sx::Events::from_unsorted(spikes, std::move(samples));
  const std::int64_t sorted_peak = sorted.stop();
  EXPECT_EQ(events.shape().events, 3 * (spikes / 2 + 1));
  EXPECT_LE(sorted_peak, events.bytes() + fixed_bytes);
  promises::PeakHeap copied;
  const sx::Events of_trains(spikes, trains);
  EXPECT_LE(copied.stop(), of_trains.bytes() + fixed_bytes);
  promises::PeakHeap cut;
  const sx::Events with_epochs = events.with_epochs({{0, spikes}});
  EXPECT_LE(cut.stop(), fixed_bytes);
}

}  // namespace
}  // namespace heap_tests
