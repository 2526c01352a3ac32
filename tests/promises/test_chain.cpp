// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"
#include "promises/kokkos_events.hpp"

#include <synelix/conv.hpp>
#include <synelix/matmul.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

// A chain of operators, forwards, gradients and the update of weights: data are not moved. With
// plans there are no copies between memories, allocations or waits; calls, which return when the
// result is complete, copy no array.

namespace chain_tests {
namespace {

using namespace synelix;
using promises::CountAllocations;
using promises::KokkosEvents;
using testing::Contains;
using testing::IsEmpty;

using Space = Kokkos::DefaultExecutionSpace;
template <class Data>
using Array = Kokkos::View<Data, Kokkos::LayoutRight, Space>;

constexpr int batch = 4;
constexpr int results = 6;
constexpr int side = 10;
constexpr int features = results * side * side;
constexpr int classes = 3;
const ConvOptions same_size{.padding_size = PaddingSize::same};
const MatmulOptions descent{.alpha = -0.125, .beta = 1};

template <class View>
StridedOutput output(const View& view) {
  std::vector<std::int64_t> extents;
  extents.reserve(View::rank());
  for (std::size_t i = 0; i < View::rank(); ++i) {
    extents.push_back(static_cast<std::int64_t>(view.extent(i)));
  }
  return {view.data(), extents};
}

/// Arrays of two convolutions and a following product.
struct Arrays {
  Array<std::int8_t****> x{"x", batch, 2, side, side};
  Array<float****> w1{"w1", results, 2, 3, 3};
  Array<float*> bias{"bias", results};
  Array<float****> y1{"y1", batch, results, side, side};
  Array<float****> w2{"w2", results, results, 3, 3};
  Array<float****> y2{"y2", batch, results, side, side};
  Array<float**> w3{"w3", features, classes};
  Array<float**> scores{"scores", batch, classes};
  Array<float****> grad_y2{"grad_y2", batch, results, side, side};
  Array<float****> grad_w2{"grad_w2", results, results, 3, 3};
  Array<float****> grad_y1{"grad_y1", batch, results, side, side};
  Array<float****> grad_w1{"grad_w1", results, 2, 3, 3};
  Array<float*> grad_bias{"grad_bias", results};
  Array<float**> hidden{y2.data(), batch, features};
  Array<float**> grad_hidden{grad_y2.data(), batch, features};

  Arrays() {
    Kokkos::deep_copy(x, std::int8_t{3});
    Kokkos::deep_copy(w1, 0.25F);
    Kokkos::deep_copy(bias, 0.5F);
    Kokkos::deep_copy(w2, 0.125F);
    Kokkos::deep_copy(w3, 0.5F);
  }
  [[nodiscard]] Operand image() const { return scaled(x, 1.0 / 128, -0.5); }
};

/// w -= grad / 8, by a loop of the user's.
void update(const Space& exec, const Array<float****>& w, const Array<float****>& grad) {
  float* const values = w.data();
  const float* const by = grad.data();
  static const std::string label = "update";
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Space>(exec, 0, static_cast<int>(w.size())),
      KOKKOS_LAMBDA(const int i) { values[i] -= by[i] / 8; });
}

ConvArrays arrays_of(ConvOperator op, const Operand& first, const Operand& second,
                     const Operand& bias, const StridedOutput& result) {
  return {op, 2, first, second, bias, result};
}

/// The chain with plans.
class Chain {
 public:
  explicit Chain(const Space& exec)
      : m_products{MatmulPlan<float, Space>(exec, a.hidden, a.w3, a.scores),
                   MatmulPlan<float, Space>(exec, a.scores, transposed(a.w3), a.grad_hidden),
                   MatmulPlan<float, Space>(exec, transposed(a.hidden), a.scores, a.w3, descent)} {
    const auto add = [&](const ConvArrays& arrays) {
      m_convolutions.emplace_back(exec, arrays, same_size);
    };
    using enum ConvOperator;
    add(arrays_of(forward, a.image(), a.w1, a.bias, output(a.y1)));
    add(arrays_of(forward, a.y1, a.w2, a.bias, output(a.y2)));
    add(arrays_of(grad_weights, a.y1, a.grad_y2, {}, output(a.grad_w2)));
    add(arrays_of(grad_bias, a.grad_y2, {}, {}, output(a.grad_bias)));
    add(arrays_of(grad_input, a.grad_y2, a.w2, {}, output(a.grad_y1)));
    add(arrays_of(grad_weights, a.image(), a.grad_y1, {}, output(a.grad_w1)));
  }

  void step(const Space& exec) const {
    m_convolutions[0].run(exec);
    m_convolutions[1].run(exec);
    for (const auto& product : m_products) product.run(exec);
    for (std::size_t i = 2; i < m_convolutions.size(); ++i) m_convolutions[i].run(exec);
    update(exec, a.w2, a.grad_w2);
    update(exec, a.w1, a.grad_w1);
  }

  Arrays a;

 private:
  std::vector<ConvPlan<float, Space>> m_convolutions;
  std::array<MatmulPlan<float, Space>, 3> m_products;
};

/// The same by calls.
void step(const Space& exec, const Arrays& a) {
  conv2d(exec, a.image(), a.w1, a.bias, a.y1, same_size);
  conv2d(exec, a.y1, a.w2, a.bias, a.y2, same_size);
  matmul(exec, a.hidden, a.w3, a.scores);
  matmul(exec, a.scores, transposed(a.w3), a.grad_hidden);
  matmul(exec, transposed(a.hidden), a.scores, a.w3, descent);
  conv2d_grad_weights(exec, a.y1, a.grad_y2, a.grad_w2, same_size);
  conv2d_grad_bias(exec, a.grad_y2, a.grad_bias, same_size);
  conv2d_grad_input(exec, a.grad_y2, a.w2, a.grad_y1, same_size);
  conv2d_grad_weights(exec, a.image(), a.grad_y1, a.grad_w1, same_size);
  update(exec, a.w2, a.grad_w2);
  update(exec, a.w1, a.grad_w1);
}

std::vector<float> values_of(const Array<float****>& array) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
  return {host.data(), host.data() + host.size()};
}

TEST(Chain, EventsSeeACopy) {
  const Space exec;
  const Array<float*> from("from", 10), to("to", 10);
  const KokkosEvents events;
  Kokkos::deep_copy(exec, to, from);
  exec.fence("synelix::test: copied");
  EXPECT_THAT(events.copies, Contains("to")) << "or nothing below means anything";
  EXPECT_THAT(events.fences, Contains("synelix::test: copied"));
}

TEST(Chain, OfPlansCopiesAllocatesAndFencesNothing) {
  const Space exec;
  const Chain chain(exec);
  const std::vector<float> before = values_of(chain.a.w1);
  for (int round = 0; round < 3; ++round) {
    const KokkosEvents events;
    chain.step(exec);
    EXPECT_THAT(events.copies, IsEmpty());
    EXPECT_THAT(events.fences, IsEmpty());
    EXPECT_THAT(events.allocations, IsEmpty());
    EXPECT_GE(events.launches.size(), 11U) << "one for each operator and update, or more";
  }
  EXPECT_NE(values_of(chain.a.w1), before) << "the last of the chain";
}

TEST(Chain, OfPlansCallsNoAllocator) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const Space exec;
  const Chain chain(exec);
  update(exec, chain.a.w1, chain.a.grad_w1);  // the user's loop: Kokkos' first launch of it
  // LLVM's OpenMP allocates in each loop of Kokkos with a range, and a step has two of the user's.
  CountAllocations of_loop;
  update(exec, chain.a.w1, chain.a.grad_w1);
  const std::int64_t of_user = 2 * of_loop.stop().calls;
  for (int round = 0; round < 3; ++round) {
    CountAllocations counter;
    chain.step(exec);
    const auto counted = counter.stop();
    EXPECT_EQ(counted.calls, of_user) << "round " << round << ": " << counted.bytes << " bytes";
  }
}

TEST(Chain, OfCallsCopiesNoArray) {
  const Space exec;
  const Arrays arrays;
  const Chain chain(exec);
  chain.step(exec);
  const KokkosEvents events;
  step(exec, arrays);
  if (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible) {
    EXPECT_THAT(events.copies, IsEmpty());
  } else {  // a device's plans upload tables of their own
    EXPECT_THAT(events.copies, testing::Each(testing::StartsWith("synelix::")));
    EXPECT_THAT(events.copied, testing::Not(Contains(testing::MatchesRegex("x|w[123]|[xy][12]|"
                                                                           "scores|grad_.*"))));
  }
  EXPECT_EQ(values_of(arrays.w1), values_of(chain.a.w1)) << "calls have the bits of plans";
  EXPECT_EQ(values_of(arrays.w2), values_of(chain.a.w2));
}

}  // namespace
}  // namespace chain_tests
