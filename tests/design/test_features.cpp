// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/random_design.hpp"
#include "oracle/refusals.hpp"
#include "oracle/shared.hpp"

#include <synelix/features.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

// Designs against the oracle: random expressions over random inputs, complete and in blocks; and
// the shapes, labels and parts of designs.

namespace features_tests {
namespace {

using namespace synelix;
using oracle::agree;
using oracle::on_host;
using oracle::RandomDesign;
using oracle::same_bits;
using testing::ElementsAre;

constexpr std::uint64_t first_seed = 20261121;

double largest(const std::vector<double>& values) {
  double result = 1.0;
  for (const double value : values) {
    if (std::isfinite(value)) result = std::max(result, std::abs(value));
  }
  return result;
}

template <class Types>
class Designs : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
  using Plan = FeaturesPlan<Scalar, Space>;

  [[nodiscard]] Plan plan_of(const RandomDesign& design, const FeaturesOptions& options) const {
    const std::vector<AnySeries> inputs = design.feature_inputs();
    return Plan(exec, *design.expression, design.shapes(), options,
                find_statistics(exec, *design.expression, std::span<const AnySeries>(inputs)));
  }

  [[nodiscard]] std::vector<Scalar> whole(const Plan& plan, const RandomDesign& design) const {
    std::vector<Scalar> values(static_cast<std::size_t>(plan.rows() * plan.columns()), Scalar(-77));
    plan.run(exec, design.near_inputs(),
             StridedOutput(values.data(), {plan.rows(), plan.columns()}));
    exec.fence();
    return values;
  }

  /// In blocks of random lengths, each with only the required samples, into a matrix with gaps
  /// between rows.
  [[nodiscard]] std::vector<Scalar> in_blocks(const Plan& plan, const RandomDesign& design,
                                              std::mt19937_64& random) const {
    const std::int64_t stride = plan.columns() + 3;
    std::vector<Scalar> matrix(static_cast<std::size_t>(plan.rows() * stride), Scalar(-77));
    for (std::int64_t first = 0; first < plan.rows();) {
      const auto length = static_cast<std::int64_t>(1 + random() % 23);
      const Range rows{first, std::min(plan.rows(), first + length)};
      std::vector<InputBlock> blocks;
      for (std::size_t i = 0; i < design.inputs.size(); ++i) {
        blocks.push_back(
            design.inputs[i]->block(plan.samples_for(static_cast<std::int64_t>(i), rows)));
      }
      plan.run_block(exec, rows, blocks,
                     StridedOutput(matrix.data() + first * stride, {rows.size(), plan.columns()},
                                   {stride, 1}));
      first = rows.end;
    }
    exec.fence();
    std::vector<Scalar> values;
    for (std::int64_t r = 0; r < plan.rows(); ++r) {
      const auto row = matrix.begin() + r * stride;
      values.insert(values.end(), row, row + plan.columns());
      for (std::int64_t k = plan.columns(); k < stride; ++k) {
        EXPECT_EQ(row[k], Scalar(-77)) << "written beside row " << r;
      }
    }
    return values;
  }

  Space exec;
};
TYPED_TEST_SUITE(Designs, oracle::AllSpaces);

TYPED_TEST(Designs, AgreeWithTheOracleInWholeAndInBlocks) {
  using Scalar = typename TypeParam::scalar;
  for (std::uint64_t seed = first_seed; seed < first_seed + oracle::drawn_cases(48); ++seed) {
    std::mt19937_64 random(seed);
    const auto border = static_cast<Border>(seed % 3);
    const RandomDesign design(seed, border);
    FeaturesOptions options;
    options.border = border;
    options.every = seed % 4 == 0 ? 3 : 1;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + design.expression->label());
    const auto plan = this->plan_of(design, options);
    const std::vector<std::int64_t> samples = design.samples(options.every);
    ASSERT_EQ(feature_samples(*design.expression, design.shapes(), options), samples);
    ASSERT_EQ(plan.rows(), static_cast<std::int64_t>(samples.size()));
    const std::vector<double> expected = design.matrix(samples);
    const std::vector<std::int64_t> extents{plan.rows(), plan.columns()};
    const std::vector<Scalar> found = this->whole(plan, design);
    const double relative = sizeof(Scalar) == 4 ? 2e-5 : 1e-11;
    ASSERT_TRUE(agree(found, expected, extents, relative * largest(expected)));
    ASSERT_TRUE(same_bits(this->in_blocks(plan, design, random), found, extents));
  }
}

TYPED_TEST(Designs, HaveTheSameBitsForEveryBatchAndBudget) {
  for (std::uint64_t seed = first_seed + 100; seed < first_seed + 100 + oracle::drawn_cases(8);
       ++seed) {
    const RandomDesign design(seed, Border::nan);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + design.expression->label());
    const auto plan = this->plan_of(design, {});
    const auto expected = this->whole(plan, design);
    const std::vector<std::int64_t> extents{plan.rows(), plan.columns()};
    FeaturesOptions small;
    small.batch = {.samples = 9, .channels = 1, .bases = 1};
    small.budget = 400'000;
    const auto tight = this->plan_of(design, small);
    EXPECT_LE(tight.choice().workspace_bytes, 400'000);
    EXPECT_TRUE(same_bits(this->whole(tight, design), expected, extents));
  }
}

TYPED_TEST(Designs, ASmallBudgetMeansFewRowsOfFactors) {
  using Space = typename TypeParam::space;
  using Scalar = typename TypeParam::scalar;
  const std::int64_t samples = 3000;
  std::vector<float> x(static_cast<std::size_t>(samples));
  for (std::size_t t = 0; t < x.size(); ++t) x[t] = static_cast<float>(t % 17) / 16;
  const StridedSeries series(Strided(x.data(), {samples}));
  const Expression product = power(eval(BSpline{.bases = 8}, {.bounds = {{0.0, 1.0}}}), 2);
  const std::vector<InputShape> shapes(2, AnySeries(series).shape());
  const FeaturesPlan<Scalar, Space> large(this->exec, product, shapes);
  // A row of factors is of the stored type, and a device computes many at a time.
  const std::int64_t budget = oracle::has_device ? 70'000 : 40'000;
  const FeaturesPlan<Scalar, Space> small(this->exec, product, shapes, {.budget = budget});
  EXPECT_LT(small.choice().product_rows, large.choice().product_rows);
  EXPECT_LE(small.choice().workspace_bytes, budget);
  std::vector<Scalar> a(static_cast<std::size_t>(samples * 64));
  std::vector<Scalar> b(a.size(), Scalar(-1));
  large.run(this->exec, {series, series}, StridedOutput(a.data(), {samples, 64}));
  small.run(this->exec, {series, series}, StridedOutput(b.data(), {samples, 64}));
  this->exec.fence();
  EXPECT_TRUE(same_bits(b, a, {samples, 64}));
}

using Space = Kokkos::DefaultExecutionSpace;

/// 24 samples of 2 x 3 channels, and of one.
struct Small {
  Kokkos::View<float***, Kokkos::LayoutLeft, oracle::SharedWith<Space>> wide{"wide", 24, 2, 3};
  Kokkos::View<double*, oracle::SharedWith<Space>> narrow{"narrow", 24};
  Small() {
    for (std::size_t t = 0; t < 24; ++t) {
      narrow(t) = static_cast<double>(t * t % 23) / 23;
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          wide(t, i, j) = static_cast<float>((t * 7 + i * 3 + j) % 19) - 8;
        }
      }
    }
  }
};

TEST(Features, OfViewsInAnyLayoutAndTheirParts) {
  const Small data;
  const Space exec;
  const Expression wide = conv(BSpline{.bases = 5}, {.window = 6});
  const Expression narrow = eval(RaisedCosineLinear{.bases = 3});
  const auto right = compute_features<double>(exec, wide + narrow, {data.wide, data.narrow});
  ASSERT_EQ(right.values.extent(0), 24U);
  ASSERT_EQ(right.values.extent(1), 33U);
  const auto left =
      compute_features<double, Kokkos::LayoutLeft>(exec, wide + narrow, {data.wide, data.narrow});
  const FilterBank<double, Space> bank(exec, BSpline{.bases = 5}, {.window = 6});
  const auto features = on_host(convolve<Kokkos::LayoutRight>(exec, data.wide, bank));
  const auto part = right.part("BSpline");
  ASSERT_EQ(part.extent(1), 6U);
  EXPECT_EQ(part.data(), right.values.data()) << "a part is not a copy";
  EXPECT_EQ(part.stride(0), 33U);
  EXPECT_EQ(part.stride(1), 5U);
  EXPECT_EQ(part.stride(2), 1U);
  const auto by_rows = on_host(right.values);
  const auto by_columns = on_host(left.values);
  for (std::size_t t = 0; t < 24; ++t) {
    for (std::size_t k = 0; k < 33; ++k) {
      EXPECT_TRUE(by_rows(t, k) == by_columns(t, k) || std::isnan(by_columns(t, k)));
    }
    for (std::size_t c = 0; c < 6; ++c) {
      for (std::size_t b = 0; b < 5; ++b) {
        const double expected = features(t, c / 3, c % 3, b);
        const double found = by_rows(t, c * 5 + b);
        EXPECT_TRUE(found == expected || (t < 6 && std::isnan(found)));
      }
    }
  }
  EXPECT_EQ(split(right.values, right.terms).size(), 2U);
}

TEST(Features, OfASeriesWithTimeLast) {
  const Small data;
  const Space exec;
  std::vector<double> turned(48);  // (channel, sample)
  for (std::size_t t = 0; t < 24; ++t) {
    turned[t] = data.narrow(t);
    turned[24 + t] = 2 * data.narrow(t);
  }
  const StridedSeries series(Strided(turned.data(), {2, 24}), {.sample_axis = 1});
  const Expression product = conv(History{}, {.window = 2}) * eval(Identity{});
  const auto design = compute_features<double>(exec, product, {series, series});
  ASSERT_EQ(design.terms[0].channel_extents, std::vector<std::int64_t>{2});
  const auto part = on_host(design.part("(History * Identity)"));
  for (std::size_t t = 2; t < 24; ++t) {
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t b = 0; b < 2; ++b) {
        EXPECT_EQ(part(t, c, b), turned[c * 24 + t - 1 - b] * turned[c * 24 + t]);
      }
    }
  }
}

TEST(Features, SplitsKeepTheChannelsDimensions) {
  const Small data;
  const std::vector<InputShape> inputs{AnySeries(data.wide).shape(),
                                       AnySeries(data.narrow).shape()};
  const Expression sum = conv(BSpline{.bases = 5}, {.window = 6}) + eval(BSpline{.bases = 4});
  const FeaturesChoice choice = choose_features<float>(Space(), sum, inputs);
  ASSERT_EQ(choice.columns, 34);
  std::vector<float> matrix(24 * 34);
  const Strided features(matrix.data(), {24, 34});
  for (const int axis : {1, -1}) {
    const std::vector<Strided> parts = split(features, choice.terms, axis);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].rank, 4);
    EXPECT_THAT(std::vector(parts[0].extents.begin(), parts[0].extents.begin() + 4),
                ElementsAre(24, 2, 3, 5));
    EXPECT_THAT(std::vector(parts[0].strides.begin(), parts[0].strides.begin() + 4),
                ElementsAre(34, 15, 5, 1));
    EXPECT_EQ(parts[1].rank, 2);
    EXPECT_EQ(static_cast<const float*>(parts[1].data), matrix.data() + 30);
  }
  const std::vector<Strided> weights = split(Strided(matrix.data(), {34, 3}), choice.terms, 0);
  EXPECT_THAT(std::vector(weights[0].extents.begin(), weights[0].extents.begin() + 4),
              ElementsAre(2, 3, 5, 3));
  oracle::expect_refused([&] { split(features, choice.terms, 0); }, "features", "24 columns", "34");
  oracle::expect_refused([&] { split(features, choice.terms, 2); }, "axis", "2", "-2 to 1");
  oracle::expect_refused([&] { term_of(choice.terms, "Fourier"); }, "term", "Fourier",
                         "BSpline, BSpline_1");
}

TEST(Features, LabelsAreNumberedFromLeftToRight) {
  const auto a = [] { return eval(BSpline{.bases = 4}); };
  const Expression sum = a() + a() * eval(Identity{}) + 2 * a() + eval(MSpline{.bases = 4});
  EXPECT_EQ(sum.inputs(), 6);
  std::vector<std::string> labels;
  for (const InputUse& use : input_uses(sum)) labels.push_back(use.label);
  EXPECT_THAT(labels,
              ElementsAre("BSpline", "BSpline_1", "Identity", "BSpline_2", "BSpline_3", "MSpline"));
  const Expression named =
      eval(BSpline{.bases = 4}, {.label = "BSpline_1"}) + a() + a() + (a() * a()).labelled("map");
  labels.clear();
  const InputShape shape{{.samples = 9, .channels = 1, .type = StoredType::float32, .epochs = {}}};
  const auto choice = choose_features<float>(Space(), named, std::vector<InputShape>(5, shape));
  for (const Term& term : choice.terms) labels.push_back(term.label);
  EXPECT_THAT(labels, ElementsAre("BSpline_1", "BSpline", "BSpline_2", "map"));
  EXPECT_THAT(term_of(choice.terms, "map").inputs, (Range{3, 5}));
}

TEST(Features, WidthsAddAndMultiply) {
  const InputShape one{{.samples = 20, .channels = 1, .type = StoredType::float32, .epochs = {}}};
  const InputShape two{{.samples = 20, .channels = 2, .type = StoredType::float32, .epochs = {}}};
  const Expression five = conv(BSpline{.bases = 5}, {.window = 6});
  const Expression six = conv(BSpline{.bases = 6}, {.window = 6});
  const auto columns = [](const Expression& expression, const std::vector<InputShape>& inputs) {
    return choose_features<float>(Space(), expression, inputs).columns;
  };
  EXPECT_EQ(columns(five + six, {one, two}), 17);
  EXPECT_EQ(columns(five * six, {two, two}), 60);
  EXPECT_EQ(columns(five + eval(Zero{}), {one, one}), 5);
  EXPECT_EQ(columns(five * eval(Zero{}), {one, one}), 0);
  EXPECT_EQ(columns(power(five, 3), {one, one, one}), 125);
  EXPECT_EQ(columns(five * 3, {one, two, one}), 20);
}

TEST(Features, ValidRowsAreThoseWithEveryWindow) {
  InputShape shape{{.samples = 40, .channels = 1, .type = StoredType::float32, .epochs = {}}};
  shape.series.epochs = {{0, 15}, {15, 20}, {22, 40}};
  const Expression sum =
      conv(History{}, {.window = 6}) + eval(Identity{}) +
      conv(History{}, {.window = 3, .causality = Causality::anti_causal, .shift = Shift::off});
  const std::vector<InputShape> inputs(3, shape);
  EXPECT_THAT(valid_rows(sum, inputs), ElementsAre(Range{6, 13}, Range{28, 38}));
  EXPECT_THAT(valid_rows(sum, inputs, {.border = Border::zero}),
              ElementsAre(Range{0, 20}, Range{22, 40}));
  EXPECT_THAT(valid_rows(sum, inputs, {.border = Border::valid}), ElementsAre(Range{0, 17}));
  EXPECT_EQ(choose_features<float>(Space(), sum, inputs, {.border = Border::valid}).rows, 17);
}

TEST(Features, ChoicesSayWhatIsMovedAndByWhich) {
  const InputShape shape{
      {.samples = 1000, .channels = 2, .type = StoredType::float32, .epochs = {}}};
  const Expression spline = eval(BSpline{.bases = 5}, {.bounds = {{0.0, 1.0}}});
  const Expression product = spline * conv(History{}, {.window = 8});
  const auto choice = choose_features<float>(Space(), spline + product, {shape, shape, shape});
  const std::int64_t columns = 2 * 5 + 2 * 40;
  ASSERT_EQ(choice.columns, columns);
  EXPECT_DOUBLE_EQ(choice.bytes, 4.0 * 1000 * (3 * 2 + columns));
  EXPECT_DOUBLE_EQ(choice.choices[0].bytes, 4.0 * 1000 * (2 + 2 * 5));
  EXPECT_DOUBLE_EQ(choice.choices[2].bytes, 4.0 * 1000 * (2 + 2 * 8));
  EXPECT_NE(choice.choices[2].instruction_set, InstructionSet::automatic);
  EXPECT_EQ(choice.choices[0].instruction_set, choice.choices[2].instruction_set);
}

TEST(Features, ChoicesOfManyRowsAreCounted) {
  const InputShape shape{{.samples = std::int64_t{1} << 61, .channels = 1000, .epochs = {}}};
  const auto choice = choose_features<float>(Space(), eval(Identity{}), {shape});
  EXPECT_GT(choice.seconds, 1e9);
}

TEST(Features, EpochsOfUnequalLengthsAreCutAsByConvolve) {
  InputShape shape{{.samples = 0, .channels = 4, .type = StoredType::float32, .epochs = {}}};
  for (int k = 0; k < 400; ++k) {
    const std::int64_t length = k % 100 == 0 ? 2000 : 5;
    shape.series.epochs.push_back({shape.series.samples, shape.series.samples + length});
    shape.series.samples += length;
  }
  const Space exec;
  const FilterBank<float, Space> bank(exec, History{}, {.window = 20});
  for (const Border border : {Border::nan, Border::zero, Border::valid}) {
    ConvolveOptions options;
    options.border = border;
    const Choice alone = choose(exec, shape.series, bank, options);
    const auto design =
        choose_features<float>(exec, conv(History{}, {.window = 20}), {shape}, {.border = border});
    EXPECT_EQ(design.choices[0].rows, alone.rows);
    EXPECT_EQ(design.choices[0].strip_rows, alone.strip_rows);
    EXPECT_EQ(design.choices[0].strips, alone.strips);
  }
}

TEST(Features, OfNoColumns) {
  const Small data;
  const auto design = compute_features(Space(), eval(Zero{}), {data.narrow});
  EXPECT_EQ(design.values.extent(0), 24U);
  EXPECT_EQ(design.values.extent(1), 0U);
}

TEST(Features, WarnOnceForEachWindow) {
  const Small data;
  const Expression longer = conv(History{}, {.window = 30});
  const oracle::Warnings warnings;
  compute_features(Space(), longer + longer + eval(Identity{}),
                   {data.narrow, data.narrow, data.narrow});
  EXPECT_THAT(warnings.texts(),
              ElementsAre(testing::HasSubstr("compute_features: the series is shorter than the "
                                             "window of 30 samples")));
}

}  // namespace
}  // namespace features_tests
