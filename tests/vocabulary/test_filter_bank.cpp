// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/library.hpp"
#include "oracle/refusals.hpp"
#include "oracle/shared.hpp"

#include <synelix/filter_bank.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace filter_bank_tests {
namespace {

using namespace synelix;

template <class Types>
class FilterBanks : public testing::Test {
 public:
  FilterBanks() { this->RecordProperty("launches_nothing", "taps are copied to the device"); }
};
TYPED_TEST_SUITE(FilterBanks, oracle::AllSpaces);

TYPED_TEST(FilterBanks, HoldsTheTapsInTheWorkingType) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  const FilterBank<Scalar, typename TypeParam::space> bank(exec, RaisedCosineLog{.bases = 5},
                                                           {.window = 30});
  EXPECT_EQ(bank.window(), 30);
  EXPECT_EQ(bank.bases(), 5);
  EXPECT_EQ(bank.taps().basis, "RaisedCosineLog");
  ASSERT_EQ(bank.taps().support.size(), 5U);
  const auto view = oracle::on_host(bank.view());
  for (std::int64_t w = 0; w < 30; ++w) {
    for (std::int64_t b = 0; b < 5; ++b) {
      EXPECT_EQ(view(w, b), static_cast<Scalar>(bank.taps()(w, b)));
    }
  }
}

TYPED_TEST(FilterBanks, CopiesShareTheirTaps) {
  using Bank = FilterBank<typename TypeParam::scalar, typename TypeParam::space>;
  const Bank bank(CustomTaps{2, 1, {1, 2}}, {});
  const Bank copy = bank;
  EXPECT_EQ(copy.view().data(), bank.view().data());
  EXPECT_EQ(&copy.taps(), &bank.taps());
}

TYPED_TEST(FilterBanks, CountsTheFiltersThatThereAre) {
  using Bank = FilterBank<typename TypeParam::scalar, typename TypeParam::space>;
  const Bank bank(OrthExponential{.decay_rates = {1.0, 1.0 + 1e-15}}, {.window = 20});
  EXPECT_EQ(bank.bases(), bank.taps().bases);
  EXPECT_EQ(bank.view().extent(1), static_cast<std::size_t>(bank.taps().bases));
  EXPECT_EQ(bank.taps().requested_bases, 2);
}

TYPED_TEST(FilterBanks, RefusesABasisWithoutAWindow) {
  using Bank = FilterBank<typename TypeParam::scalar, typename TypeParam::space>;
  EXPECT_THROW(Bank(RaisedCosineLog{.bases = 5}, {}), Error);
  EXPECT_THROW(Bank(RaisedCosineLog{.bases = 5}, {.window = 0}), Error);
  EXPECT_THROW(Bank(CustomTaps{0, 0, {}}, {}), Error);
  EXPECT_THROW(Bank(CustomTaps{0, 1, {}}, {}), Error) << "case 9: a kernel of (0, 1)";
}

TYPED_TEST(FilterBanks, RefusesTapsThatDoNotFitTogether) {
  using Bank = FilterBank<typename TypeParam::scalar, typename TypeParam::space>;
  const typename TypeParam::space exec;
  const Taps good = evaluate_taps(RaisedCosineLog{.bases = 3}, 5);
  const auto changed = [&](auto change) {
    Taps taps = good;
    change(taps);
    return [taps, &exec] { Bank(exec, taps); };
  };
  EXPECT_NO_THROW(Bank(exec, good));
  oracle::expect_refused(changed([](Taps& taps) { taps.window = 6; }), "taps.values",
                         "15 values for 6 taps x 3 bases", "one value for each");
  oracle::expect_refused(changed([](Taps& taps) { taps.bases = 0; }), "taps", "5 taps x 0 bases",
                         "at least one");
  oracle::expect_refused(changed([](Taps& taps) { taps.support.clear(); }), "taps.support",
                         "0 ranges", "one range for each");
  oracle::expect_refused(changed([](Taps& taps) { taps.values[4] = HUGE_VAL; }), "taps.values[4]",
                         "inf", "finite");
}

}  // namespace
}  // namespace filter_bank_tests
