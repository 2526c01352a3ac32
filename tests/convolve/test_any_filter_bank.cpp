// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/any_filter_bank.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

namespace any_filter_bank_tests {
namespace {

using namespace synelix;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t samples = 200;

/// The features of a series and of spikes, by the bank of either kind.
template <class Scalar, class Bank>
std::vector<Scalar> features_by(const Space& exec, const Bank& bank) {
  std::vector<float> x(samples);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * i % 17);
  std::vector<Scalar> y(2 * samples * 4);
  convolve(exec, StridedSeries(Strided(x.data(), {samples, 1})), bank,
           StridedOutput(y.data(), {samples, 1, 4}));
  convolve(exec, Events(samples, {{{3, 90}, {}}}), bank,
           StridedOutput(y.data() + samples * 4, {samples, 1, 4}));
  return y;
}

template <class Scalar>
void expect_same(const Space& exec, const AnyFilterBank<Space>& any) {
  const FilterBank<Scalar, Space> bank(exec, any.taps());
  const auto wanted = features_by<Scalar>(exec, bank);
  const auto found = features_by<Scalar>(exec, any);
  EXPECT_EQ(std::memcmp(found.data(), wanted.data(), wanted.size() * sizeof(Scalar)), 0);
}

TEST(AnyFilterBank, HasTheTypeOfTheOutput) {
  const Space exec;
  const AnyFilterBank bank(exec, RaisedCosineLog{.bases = 4}, {.window = 30});
  EXPECT_EQ(bank.window(), 30);
  EXPECT_EQ(bank.bases(), 4);
  expect_same<float>(exec, bank);
  expect_same<double>(exec, bank);
  const AnyFilterBank copy = bank;
  EXPECT_EQ(copy.in<float>().view().data(), bank.in<float>().view().data()) << "copies share";
}

TEST(AnyFilterBank, RefusesAnOutputOfAnotherType) {
  const Space exec;
  const AnyFilterBank bank(exec, RaisedCosineLog{.bases = 4}, {.window = 30});
  std::vector<std::int16_t> y(samples * 4);
  const Events events(samples, {{{3}, {}}});
  EXPECT_THAT(
      [&] { convolve(exec, events, bank, StridedOutput(y.data(), {samples, 1, 4})); },
      ThrowsMessage<Error>(HasSubstr("features: int16 is not supported. Use float32 or float64")));
}

}  // namespace
}  // namespace any_filter_bank_tests
