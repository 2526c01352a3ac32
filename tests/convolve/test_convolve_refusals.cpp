// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/refusals.hpp"

#include <synelix/convolve.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// Every wrong argument of a convolution, with its message; and the warnings.

namespace convolve_refusals_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;
using oracle::Warnings;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Space = Kokkos::DefaultExecutionSpace;
using Bank = FilterBank<float, Space>;
using Plan = ConvolvePlan<float, Space>;

constexpr std::int64_t samples = 50;
constexpr std::int64_t channels = 4;

class ConvolveRefusals : public testing::Test {
 public:
  ConvolveRefusals() : x(samples * channels, 1.0F), y(samples * channels * 3) {}

  [[nodiscard]] Bank bank(std::int64_t window, std::int64_t bases = 3) const {
    return {exec,
            CustomTaps{window, bases,
                       std::vector<double>(static_cast<std::size_t>(window * bases), 1.0)},
            {}};
  }
  [[nodiscard]] StridedSeries series(Epochs epochs = {}) const {
    return StridedSeries(Strided(x.data(), {samples, channels}),
                         {.sample_axis = 0, .epochs = std::move(epochs)});
  }
  [[nodiscard]] StridedOutput features() { return StridedOutput(y.data(), {samples, channels, 3}); }
  /// A plan of 4 taps x 3 bases with these options.
  Plan plan(const ConvolveOptions& options = {}) const {
    return Plan(exec, series(), bank(4), options);
  }

  Space exec;
  std::vector<float> x;
  std::vector<float> y;
};

TEST_F(ConvolveRefusals, OptionsOfAPlan) {
  const auto refused = [&](const ConvolveOptions& options, const std::string& argument,
                           const std::string& found, const std::string& allowed) {
    expect_refused([&] { plan(options); }, argument, found, allowed);
    expect_refused([&] { (void)choose(exec, series(), bank(4), options); }, argument, found,
                   allowed);
  };
  refused({.causality = Causality::acausal, .shift = Shift::on}, "shift", "acausal", "off");
  refused({.method = Method::events}, "method", "events", "direct");
  refused({.batch = {.samples = 0}}, "batch.samples", "0", "strictly positive");
  refused({.batch = {.samples = -1}}, "batch.samples", "-1", "strictly positive");
  refused({.batch = {.samples = 3}}, "batch.samples", "3 samples are fewer than the window of 4",
          "at least the window");
  refused({.batch = {.channels = 0}}, "batch.channels", "0", "strictly positive");
  refused({.batch = {.channels = -7}}, "batch.channels", "-7", "strictly positive");
  refused({.batch = {.bases = 0}}, "batch.bases", "0", "strictly positive");
  refused({.batch = {.bases = -1}}, "batch.bases", "-1", "strictly positive");
  refused({.budget = 0}, "budget", "0 bytes", "at least 1");
  refused({.budget = -5}, "budget", "-5 bytes", "at least 1");
  refused({.every = 0}, "every", "0", "at least 1");
  refused({.every = -2}, "every", "-2", "at least 1");
}

TEST_F(ConvolveRefusals, ABudgetTooSmallNamesTheSmallestWhichWorks) {
  for (const std::int64_t window : {1, 4, 40, 400}) {
    const Bank filters = bank(window);
    std::string text;
    try {
      Plan(exec, series(), filters, {.budget = 1});
      FAIL() << "a budget of one byte was not refused";
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_THAT(text, HasSubstr("budget: 1 byte is not enough. Give at least "));
    const std::int64_t smallest = std::stoll(text.substr(text.find("at least ") + 9));
    const Plan works(exec, series(), filters, {.budget = smallest});
    EXPECT_LE(works.choice().workspace_bytes, smallest);
    EXPECT_THROW(Plan(exec, series(), filters, {.budget = smallest - 1}), Error);
  }
}

TEST_F(ConvolveRefusals, ABatchLargerThanTheSeriesIsClamped) {
  const Choice choice =
      choose(exec, series(), bank(4), {.batch = {.samples = 1000, .channels = 99, .bases = 99}});
  EXPECT_LE(choice.batch_samples, samples);
  EXPECT_LE(choice.batch_channels, channels);
  EXPECT_LE(choice.batch_bases, 3);
  // NeMoS fails here: the batch holds the window, and the series is shorter than both
  EXPECT_NO_THROW(Plan(exec, series(), bank(60), {.batch = {.samples = 60}}));
}

TEST_F(ConvolveRefusals, AnInstructionSetThatIsNotThere) {
  Machine machine;
  machine.instruction_set = static_cast<InstructionSet>(77);
  expect_refused([&] { plan({.machine = machine}); }, "machine.instruction_set", "value 77",
                 "automatic");
}

TEST_F(ConvolveRefusals, Features) {
  const Plan bound = plan();
  const auto refused = [&](StridedOutput output, const std::string& found,
                           const std::string& allowed) {
    expect_refused([&] { bound.run(exec, series(), output); }, "features", found, allowed);
  };
  refused(StridedOutput(y.data(), {samples, channels}), "(50, 4)", "(50, 4, 3) of float32");
  refused(StridedOutput(y.data(), {samples - 1, channels, 3}), "(49, 4, 3)", "(50, 4, 3)");
  refused(StridedOutput(y.data(), {channels, samples, 3}), "(4, 50, 3)", "(50, 4, 3)");
  refused(StridedOutput(y.data(), {samples, channels, 2}), "(50, 4, 2)", "(50, 4, 3)");
  std::vector<double> wide(y.size());
  refused(StridedOutput(wide.data(), {samples, channels, 3}), "float64", "float32");
  refused(StridedOutput(static_cast<float*>(nullptr), {samples, channels, 3}), "a null pointer",
          "memory for (50, 4, 3)");
  refused(StridedOutput(y.data(), {samples, channels, 3}, {3, 3, 1}), "overlap", "of its own");
  refused(StridedOutput(y.data(), {samples, channels, 3}, {12, 3, 0}), "overlap", "of its own");
  refused(StridedOutput(y.data() + 2, {samples, channels, 3}, {12, 3, -1}),
          "a stride of -1 along dimension 2", "above 0");
  refused(StridedOutput(x.data(), {samples, channels, 3}), "overlaps that of series", "apart");
  EXPECT_NO_THROW(bound.run(exec, series(), features()));
  exec.fence();
}

TEST_F(ConvolveRefusals, FeaturesThatAreViews) {
  const Kokkos::View<float**, Space> input("input", samples, channels);
  const Kokkos::View<float***, Space> output("output", samples, channels, 2);
  expect_refused([&] { convolve(exec, input, bank(4), output); }, "features", "(50, 4, 2)",
                 "(50, 4, 3)");
  const StridedOutput deep(y.data(), {samples, channels, 3, 1});
  expect_refused([&] { convolve(exec, input, bank(4), deep); }, "features", "(50, 4, 3, 1)",
                 "(50, 4, 3)");
}

TEST_F(ConvolveRefusals, ASeriesThatThePlanWasNotMadeFor) {
  const Plan bound = plan();
  const auto refused = [&](const StridedSeries& other, const std::string& found,
                           const std::string& allowed) {
    expect_refused([&] { bound.run(exec, other, features()); }, "series", found, allowed);
  };
  refused(StridedSeries(Strided(x.data(), {samples - 1, channels})), "49 samples x 4 channels",
          "50 samples x 4 channels of float32");
  refused(StridedSeries(Strided(x.data(), {samples, channels - 1})), "50 samples x 3 channels",
          "50 samples x 4 channels");
  const std::vector<std::int16_t> integers(samples * channels);
  refused(StridedSeries(Strided(integers.data(), {samples, channels})), "int16", "float32");
  refused(series({{0, 20}}), "1 epochs differ", "the 0 epochs");
  refused(StridedSeries(scaled(Strided(x.data(), {samples, channels}), 2)), "the scaling differs",
          "the plan was made for");
  const Events events = copy_events(exec, Events(samples, std::vector<Events::Train>(channels)));
  expect_refused([&] { bound.run(exec, events, features()); }, "series", "events", "float32");
}

TEST_F(ConvolveRefusals, Blocks) {
  const Plan bound = plan();
  const auto refused = [&](const Block& block, const Strided& input, std::int64_t first,
                           const std::string& argument, const std::string& found,
                           const std::string& allowed) {
    std::vector<float> memory(600);
    const StridedOutput output(memory.data(),
                               {block.rows.size(), block.channels.size(), block.bases.size()});
    expect_refused([&] { bound.run_block(exec, block, input, first, output); }, argument, found,
                   allowed);
  };
  const Strided whole(x.data(), {samples, channels});
  const Range rows{10, 20};
  refused({{-1, 5}, {0, 4}, {0, 3}}, whole, 0, "block.rows", "[-1, 5)", "[0, 50)");
  refused({{0, 51}, {0, 4}, {0, 3}}, whole, 0, "block.rows", "[0, 51)", "[0, 50)");
  refused({{9, 5}, {0, 4}, {0, 3}}, whole, 0, "block.rows", "[9, 5)", "[0, 50)");
  refused({rows, {0, 5}, {0, 3}}, whole, 0, "block.channels", "[0, 5)", "[0, 4)");
  refused({rows, {0, 4}, {1, 4}}, whole, 0, "block.bases", "[1, 4)", "[0, 3)");
  refused({rows, {0, 2}, {0, 3}}, whole, 0, "input", "(50, 4)", "2 channels");
  refused({rows, {0, 4}, {0, 3}}, whole, 7, "input", "from sample 7", "[6, 19)");
  refused({rows, {0, 4}, {0, 3}}, Strided(x.data(), {12, channels}), 6, "input", "(12, 4)",
          "[6, 19)");
  refused({rows, {0, 4}, {0, 3}}, Strided(x.data(), {samples * channels}), 0, "input", "(200,)",
          "(samples, 4 channels)");
  refused({rows, {0, 4}, {0, 3}}, Strided(static_cast<float*>(nullptr), {samples, channels}), 0,
          "input", "(50, 4)", "[6, 19)");
  std::vector<float> out(10 * 4 * 3);
  EXPECT_NO_THROW(bound.run_block(exec, {rows, {0, 4}, {0, 3}}, Strided(x.data(), {13, channels}),
                                  6, StridedOutput(out.data(), {10, 4, 3})));
  exec.fence();
}

TEST_F(ConvolveRefusals, ABankOfAnotherShape) {
  Plan bound = plan();
  expect_refused([&] { bound.update(exec, bank(5)); }, "bank", "5 taps x 3 bases",
                 "4 taps x 3 bases");
  expect_refused([&] { bound.update(exec, bank(4, 2)); }, "bank", "4 taps x 2 bases",
                 "4 taps x 3 bases");
}

TEST_F(ConvolveRefusals, ShapesAndWindowsOfRows) {
  SeriesShape shape = series().shape();
  expect_refused([&] { (void)feature_rows(shape, 0, {}); }, "window", "0", "at least 1");
  expect_refused([&] { (void)feature_rows(shape, 3, {.every = 0}); }, "every", "0", "at least 1");
  shape.samples = 0;
  expect_refused([&] { (void)feature_samples(shape, 3, {}); }, "series", "0 samples",
                 "at least one");
}

TEST_F(ConvolveRefusals, ShapesFilledInByHand) {
  const auto refused = [&](auto change, const std::string& argument, const std::string& found) {
    SeriesShape shape = series().shape();
    change(shape);
    expect_refused([&] { ConvolvePlan<float, Space>(exec, shape, bank(4)); }, argument, found, "");
    expect_refused([&] { (void)choose(exec, shape, bank(4)); }, argument, found, "");
    expect_refused([&] { (void)valid_rows(shape, 4, {}); }, argument, found, "");
  };
  refused([](SeriesShape& shape) { shape.channels = 0; }, "series", "x 0 channels");
  refused([](SeriesShape& shape) { shape.epochs = {{0, shape.samples + 1}}; }, "epochs[0]", "[0, ");
  refused([](SeriesShape& shape) { shape.epochs = {{2, 4}, {3, 5}}; }, "epochs[1]", "[3, 5)");
  refused(
      [](SeriesShape& shape) {
        shape.scaling.channel_scale.assign(static_cast<std::size_t>(shape.channels + 1), 2.0);
      },
      "scaling.channel_scale", "values");
  refused([](SeriesShape& shape) { shape.scaling.offset = NAN; }, "scaling.offset", "nan");
}

TEST_F(ConvolveRefusals, WarnsOfAnEvenAcausalWindow) {
  const Warnings warnings;
  plan({.causality = Causality::acausal});
  ASSERT_EQ(warnings.texts().size(), 1U);
  EXPECT_THAT(warnings.texts()[0], HasSubstr("should probably be odd"));
  EXPECT_THAT(warnings.texts()[0], HasSubstr("4 samples"));
}

TEST_F(ConvolveRefusals, WarnsOnceOfShortEpochs) {
  {
    const Warnings warnings;
    Plan(exec, series({{0, 3}, {3, 5}, {10, 50}}), bank(4));
    ASSERT_EQ(warnings.texts().size(), 1U);
    EXPECT_THAT(warnings.texts()[0], HasSubstr("epochs are shorter than the window of 4 samples"));
    EXPECT_THAT(warnings.texts()[0], HasSubstr("NaN"));
  }
  const Warnings warnings;
  Plan(exec, series({{0, 4}, {4, 4}, {10, 50}}), bank(4));          // n == W, and an empty epoch
  Plan(exec, series({{0, 3}}), bank(4), {.border = Border::zero});  // every row has a value
  plan({.causality = Causality::acausal, .shift = Shift::off, .border = Border::nan, .every = 1});
  EXPECT_EQ(warnings.texts().size(), 1U) << "only the even acausal window";
  Plan(exec, series(), bank(51));
  ASSERT_EQ(warnings.texts().size(), 2U) << "a whole series shorter than the window";
  EXPECT_THAT(warnings.texts()[1], HasSubstr("the series is shorter than the window of 51"));
  (void)choose(exec, series(), bank(51));
  EXPECT_EQ(warnings.texts().size(), 2U) << "choose computes nothing, and warns of nothing";
}

TEST_F(ConvolveRefusals, NothingIsWrittenByARefusedCall) {
  std::vector<float> out(y.size(), 7.0F);
  const Plan bound = plan();
  EXPECT_THROW(bound.run(exec, series({{0, 20}}), StridedOutput(out.data(), {50, 4, 3})), Error);
  exec.fence();
  EXPECT_THAT(out, testing::Each(7.0F));
}

}  // namespace
}  // namespace convolve_refusals_tests
