// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/stream_features.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstring>
#include <random>

namespace stream_features_tests {
namespace {

namespace sx = synelix;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t samples = 3000;

std::vector<double> some_values(std::int64_t channels, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 10);
  std::vector<double> values(static_cast<std::size_t>(samples * channels));
  for (double& value : values) value = uniform(random);
  return values;
}

sx::Events some_events(const sx::Epochs& epochs) {
  std::mt19937_64 random(5);
  std::vector<sx::Events::Train> trains(2);
  for (auto& train : trains) {
    for (std::int64_t t = 0; t < samples; ++t) {
      if (random() % 20 == 0) train.samples.push_back(t);
    }
  }
  return {samples, trains, epochs};
}

/// Counts the reads of a series in memory.
class CountingSource final : public sx::Source {
 public:
  explicit CountingSource(sx::StridedSeries series) : m_inner(std::move(series)) {}
  [[nodiscard]] const sx::SeriesShape& shape() const override { return m_inner.shape(); }
  [[nodiscard]] std::vector<std::int64_t> channel_extents() const override {
    return m_inner.channel_extents();
  }
  void read(sx::Range range, sx::Range channels, void* buffer) override {
    read_samples += range.size();
    m_inner.read(range, channels, buffer);
  }
  std::int64_t read_samples = 0;

 private:
  sx::MemorySource m_inner;
};

/// Keeps its description, and everything that is written.
class KeepingSink final : public sx::Sink {
 public:
  void begin(const sx::FeaturesDescription& told) override {
    description = told;
    values.assign(static_cast<std::size_t>(told.shape.rows * told.shape.bases), -1);
  }
  void write(const sx::Block& block, const void* from) override {
    EXPECT_EQ(block.channels, (sx::Range{0, 1}));
    EXPECT_EQ(block.bases, (sx::Range{0, description.shape.bases}));
    std::memcpy(values.data() + block.rows.begin * description.shape.bases, from,
                static_cast<std::size_t>(block.rows.size() * block.bases.size()) * sizeof(float));
  }
  void finish() override {
    rows.resize(static_cast<std::size_t>(description.shape.rows));
    description.samples_of_rows({0, description.shape.rows}, rows.data());
    is_finished = true;
  }
  void abandon() noexcept override { is_abandoned = true; }

  sx::FeaturesDescription description;
  std::vector<float> values;
  std::vector<std::int64_t> rows;  // the sample of each
  bool is_finished = false;
  bool is_abandoned = false;
};

/// Spikes, position and speed; the position is seen twice.
struct Design {
  explicit Design(sx::Epochs used = {}) : epochs(std::move(used)) {}

  [[nodiscard]] sx::StridedSeries series(const std::vector<double>& values,
                                         std::int64_t channels) const {
    return sx::StridedSeries(sx::Strided(values.data(), {samples, channels}), {.epochs = epochs});
  }

  sx::Epochs epochs;
  std::vector<double> position_values = some_values(2, 1);
  std::vector<double> speed_values = some_values(2, 2);
  sx::Events spikes = some_events(epochs);
  CountingSource position{series(position_values, 2)};
  CountingSource speed{series(speed_values, 2)};
  sx::Expression expression =
      sx::conv(sx::RaisedCosineLog{.bases = 4}, {.window = 30}) +
      sx::eval(sx::BSpline{.bases = 5}) *
          sx::eval(sx::RaisedCosineLinear{.bases = 3}, {.bounds = {{0.0, 10.0}}}) +
      sx::conv(sx::History{},
               {.window = 7, .causality = sx::Causality::acausal, .label = "around"});

  [[nodiscard]] std::vector<sx::StreamInput> inputs() {
    return {spikes, position, speed, position};
  }
  [[nodiscard]] std::vector<float> in_memory(const sx::FeaturesOptions& options) const {
    const sx::StridedSeries positions = series(position_values, 2);
    const sx::StridedSeries speeds = series(speed_values, 2);
    const auto features = sx::compute_features<float>(
        Space(), expression, {spikes, positions, speeds, positions}, options);
    const std::size_t count = features.values.size();
    return {features.values.data(), features.values.data() + count};
  }
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(StreamFeatures, HasTheBitsOfMemory) {
  for (const auto& epochs : {sx::Epochs{}, {{3, 900}, {900, 901}, {1200, 2990}}}) {
    for (const auto border : {sx::Border::nan, sx::Border::zero, sx::Border::valid}) {
      for (const std::int64_t every : {1, 7}) {
        Design design(epochs);
        sx::FeaturesOptions options{.border = border, .every = every};
        const std::vector<float> expected = design.in_memory(options);
        for (const std::int64_t batch : {100, 777, 100'000}) {
          options.batch.samples = batch;
          KeepingSink sink;
          const auto report = sx::stream_features<float>(Space(), design.expression,
                                                         design.inputs(), sink, options);
          EXPECT_TRUE(sink.is_finished);
          EXPECT_TRUE(same_bits(sink.values, expected))
              << "border " << static_cast<int>(border) << " every " << every << " batch " << batch
              << " epochs " << epochs.size();
          EXPECT_GE(report.blocks, batch < 1000 ? 2 : 1);
          EXPECT_EQ(sink.rows, sx::feature_samples(design.expression,
                                                   {sx::StreamInput(design.spikes).shape(),
                                                    sx::StreamInput(design.position).shape(),
                                                    sx::StreamInput(design.speed).shape(),
                                                    sx::StreamInput(design.position).shape()},
                                                   options));
        }
      }
    }
  }
}

TEST(StreamFeatures, ReadsASourceOnceAndOnceForItsRange) {
  Design design;
  KeepingSink sink;
  sx::stream_features<float>(Space(), design.expression, design.inputs(), sink,
                             {.batch = {.samples = 500}});
  EXPECT_GE(design.position.read_samples, 2 * samples);
  EXPECT_LT(design.position.read_samples, 2 * samples + 10 * 7);
  EXPECT_EQ(design.speed.read_samples, samples);
}

TEST(StreamFeatures, TakesRangesThatAreKnown) {
  Design design;
  KeepingSink alone;
  sx::FeaturesOptions options{.batch = {.samples = 500}};
  sx::StreamOptions stream;
  stream.series.fingerprint = {{"design", "x"}};
  sx::stream_features<float>(Space(), design.expression, design.inputs(), alone, options, stream);
  const std::int64_t read = design.position.read_samples;
  const auto plan = sx::plan_features_stream<float>(Space(), design.expression, design.inputs(),
                                                    alone, options, stream);
  const std::vector<sx::StreamInput> inputs = design.inputs();
  const std::vector<sx::InputStatistics> known =
      sx::find_statistics(Space(), design.expression, inputs, plan, stream);
  EXPECT_EQ(design.position.read_samples, read + samples);
  ASSERT_THAT(known, SizeIs(4));
  EXPECT_THAT(known[1].ranges, SizeIs(2));
  EXPECT_TRUE(known[0].ranges.empty() && known[2].ranges.empty() && known[3].ranges.empty());

  design.position.read_samples = 0;
  KeepingSink sink;
  sx::stream_features<float>(Space(), design.expression, inputs, sink, options, stream, known);
  EXPECT_EQ(design.position.read_samples, read - samples) << "no pass for ranges";
  EXPECT_TRUE(same_bits(sink.values, alone.values));
  EXPECT_EQ(sink.description.fingerprint, alone.description.fingerprint);

  std::vector<sx::InputStatistics> others = known;
  others[1].ranges[0].upper = 11;
  sx::stream_features<float>(Space(), design.expression, inputs, sink, options, stream, others);
  EXPECT_FALSE(same_bits(sink.values, alone.values));
  EXPECT_NE(sink.description.fingerprint, alone.description.fingerprint);

  others.pop_back();
  EXPECT_THAT(
      [&] {
        sx::stream_features<float>(Space(), design.expression, inputs, sink, options, stream,
                                   others);
      },
      ThrowsMessage<sx::Error>(HasSubstr("statistics: there are 3 entries for 4 inputs")));
  others = known;
  others[1].ranges.pop_back();
  EXPECT_THAT(
      [&] {
        sx::stream_features<float>(Space(), design.expression, inputs, sink, options, stream,
                                   others);
      },
      ThrowsMessage<sx::Error>(HasSubstr("statistics[1].ranges")));
}

TEST(StreamFeatures, TellsTheSinkItsTerms) {
  Design design;
  KeepingSink sink;
  const auto plan =
      sx::plan_features_stream<float>(Space(), design.expression, design.inputs(), sink);
  EXPECT_EQ(design.position.read_samples, 0) << "a plan reads nothing";
  sx::stream_features<float>(Space(), design.expression, design.inputs(), sink);
  std::vector<std::int64_t> first;
  for (const sx::Term& term : sink.description.terms) first.push_back(term.columns.begin);
  EXPECT_THAT(first, ElementsAre(0, 8, 38));
  EXPECT_EQ(sink.description.terms.back().label, "around");
  EXPECT_EQ(sink.description.shape.bases, 52);
  EXPECT_TRUE(sink.description.shape.channel_extents.empty());
  EXPECT_THAT(plan.inputs, SizeIs(2)) << "the position stands twice and is one source";
  EXPECT_EQ(plan.features.bases, 52);
  EXPECT_THAT(plan.terms, SizeIs(3));
}

TEST(StreamFeatures, StaysInsideTheBudgetAndNamesTheSmallest) {
  Design design;
  KeepingSink sink;
  for (const std::int64_t budget : {sx::mebibytes(1) / 2, sx::mebibytes(1), sx::mebibytes(64)}) {
    const auto plan = sx::plan_features_stream<float>(Space(), design.expression, design.inputs(),
                                                      sink, {.budget = budget});
    EXPECT_LE(plan.total_bytes, budget);
    std::int64_t parts = 0;
    for (const auto& input : plan.inputs) parts += input.input_bytes;
    EXPECT_EQ(parts, plan.input_bytes);
  }
  EXPECT_THAT(
      [&] {
        sx::plan_features_stream<float>(Space(), design.expression, design.inputs(), sink,
                                        {.budget = 1000});
      },
      ThrowsMessage<sx::Error>(HasSubstr("all columns")));
}

TEST(StreamFeatures, OnlyRowsOfSomeSamples) {
  Design design;
  const std::vector<float> whole = design.in_memory({});
  KeepingSink sink;
  sx::stream_features<float>(Space(), design.expression, design.inputs(), sink, {},
                             {.samples = sx::Range{1000, 1400}});
  EXPECT_TRUE(same_bits(sink.values, {whole.begin() + 1000 * 52, whole.begin() + 1400 * 52}));
}

TEST(StreamFeatures, Refusals) {
  Design design;
  KeepingSink sink;
  const auto streamed = [&](const sx::Expression& expression, std::vector<sx::StreamInput> inputs) {
    return [&sink, expression, inputs = std::move(inputs)] {
      sx::stream_features<float>(Space(), expression, inputs, sink);
    };
  };
  EXPECT_THAT(streamed(design.expression, {}), ThrowsMessage<sx::Error>(HasSubstr("inputs")));
  EXPECT_THAT(streamed(design.expression, {design.spikes}),
              ThrowsMessage<sx::Error>(HasSubstr("inputs")));
  EXPECT_THAT(streamed(sx::eval(sx::Zero{}), {design.position}),
              ThrowsMessage<sx::Error>(HasSubstr("no column")));
  EXPECT_THAT(streamed(sx::eval(sx::OrthExponential{{1.0, 2.0}}), {design.position}),
              ThrowsMessage<sx::Error>(HasSubstr("all samples at once")));
  EXPECT_FALSE(sink.is_finished);
}

}  // namespace
}  // namespace stream_features_tests
