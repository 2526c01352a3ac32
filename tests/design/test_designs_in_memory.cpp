// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

// Designs into memory of the caller, whose scalar type is known at run time; and their extents.

namespace designs_in_memory_tests {
namespace {

using namespace synelix;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t samples = 3'000;

class DesignsInMemory : public testing::Test {
 protected:
  DesignsInMemory() {
    for (std::size_t i = 0; i < m_x.size(); ++i) {
      m_x[i] = std::sin(static_cast<double>(i % 517) * 0.11);
    }
  }

  const Space m_exec;
  std::vector<double> m_x = std::vector<double>(samples * 2);
  const StridedSeries m_series{Strided(m_x.data(), {samples, 2})};
  const Events m_events{samples, {{{3, 700, 1200}, {}}}};
  const AnySeries m_inputs[3] = {m_series, m_events, m_series};
  const Expression m_expression = conv(RaisedCosineLog{.bases = 4}, {.window = 60}) +
                                  conv(BSpline{.bases = 5}, {.window = 30}) +
                                  eval(MSpline{.bases = 3, .order = 3});
  std::vector<InputShape> m_shapes{m_inputs[0].shape(), m_inputs[1].shape(), m_inputs[2].shape()};
};

template <class Scalar>
void expect_same_as_a_plan(const Space& exec, const Expression& expression,
                           std::span<const AnySeries> inputs, const std::vector<InputShape>& shapes,
                           const FeaturesOptions& options) {
  const DesignExtents extents = feature_extents(expression, shapes, options);
  std::vector<Scalar> values(static_cast<std::size_t>(extents.rows * extents.columns), -1);
  const std::vector<Term> terms =
      compute_features(exec, expression, inputs,
                       StridedOutput(values.data(), {extents.rows, extents.columns}), options);
  const auto wanted = compute_features<Scalar>(exec, expression, inputs, options);
  ASSERT_EQ(static_cast<std::int64_t>(wanted.values.extent(0)), extents.rows);
  ASSERT_EQ(static_cast<std::int64_t>(wanted.values.extent(1)), extents.columns);
  EXPECT_EQ(std::memcmp(values.data(), wanted.values.data(), values.size() * sizeof(Scalar)), 0);
  ASSERT_EQ(terms.size(), wanted.terms.size());
  ASSERT_EQ(extents.terms.size(), terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    EXPECT_EQ(terms[i].label, wanted.terms[i].label);
    EXPECT_EQ(extents.terms[i].columns, terms[i].columns);
  }
}

TEST_F(DesignsInMemory, TheTypeOfTheOutputDecides) {
  for (const std::int64_t every : {1, 3}) {
    const FeaturesOptions options{.border = Border::valid, .every = every};
    expect_same_as_a_plan<float>(m_exec, m_expression, m_inputs, m_shapes, options);
    expect_same_as_a_plan<double>(m_exec, m_expression, m_inputs, m_shapes, options);
  }
  std::vector<std::int16_t> values(samples);
  EXPECT_THAT(
      [&] {
        (void)compute_features(m_exec, m_expression, m_inputs,
                               StridedOutput(values.data(), {samples, 1}));
      },
      ThrowsMessage<Error>(HasSubstr("features: int16 is not supported")));
}

TEST_F(DesignsInMemory, AreWatchedInParts) {
  const Expression one = conv(RaisedCosineLog{.bases = 4}, {.window = 60}) *
                         eval(BSpline{.bases = 4}, {.bounds = {{-1.0, 1.0}}});
  const AnySeries two[] = {m_series, m_series};
  const std::vector<InputShape> shapes{m_shapes[0], m_shapes[0]};
  std::vector<CallProgress> seen;
  const auto whole = compute_features<double>(m_exec, one, two);
  const auto parts = compute_features<double>(
      m_exec, one, two,
      {.watch = {.progress = [&](const CallProgress& progress) { seen.push_back(progress); }}});
  EXPECT_EQ(
      std::memcmp(whole.values.data(), parts.values.data(), whole.values.size() * sizeof(double)),
      0);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().rows_done, samples);
  std::atomic<bool> cancel = true;
  EXPECT_THROW((void)compute_features<double>(m_exec, one, two, {.watch = {.cancel = &cancel}}),
               Cancelled);
  expect_same_as_a_plan<double>(m_exec, one, two, shapes, {.watch = {.progress = [](auto&) {}}});
}

}  // namespace
}  // namespace designs_in_memory_tests
