// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/stream.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>

namespace stream_tests {
namespace {

namespace sx = synelix;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t window = 23;
constexpr std::int64_t channels = 5;
constexpr std::int64_t bases = 4;

sx::Taps some_taps() {
  sx::CustomTaps taps{window, bases, {}};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::int64_t i = 0; i < window * bases; ++i) taps.taps.push_back(uniform(random));
  return sx::evaluate_taps(taps);
}

template <class Value>
std::vector<Value> some_samples(std::int64_t samples) {
  std::vector<Value> values(static_cast<std::size_t>(samples * channels));
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-100, 100);
  for (Value& value : values) value = static_cast<Value>(uniform(random));
  return values;
}

/// Everything at once in memory, compared with the output of a stream, bit by bit.
template <class Value>
struct Case {
  std::int64_t samples;
  sx::Epochs epochs;
  sx::ConvolveOptions options;
  std::vector<Value> values = some_samples<Value>(samples);
  sx::FilterBank<float, Space> bank{Space(), some_taps()};

  [[nodiscard]] sx::StridedSeries series() const {
    return sx::StridedSeries(sx::Strided(values.data(), {samples, channels}), {.epochs = epochs});
  }
  [[nodiscard]] std::vector<float> in_memory() const {
    const sx::StridedSeries input = series();
    const std::int64_t rows = sx::feature_rows(input.shape(), window, options);
    std::vector<float> features(static_cast<std::size_t>(rows * channels * bases));
    sx::convolve(Space(), input, bank, sx::StridedOutput(features.data(), {rows, channels, bases}),
                 options);
    return features;
  }
  std::vector<float> streamed(sx::ConvolveOptions streaming, sx::StreamReport* report = nullptr,
                              const sx::StreamOptions& stream = {}) const {
    sx::MemorySource source(series());
    std::vector<float> features(in_memory().size(), -1.0F);
    const std::int64_t rows = static_cast<std::int64_t>(features.size()) / (channels * bases);
    sx::MemorySink sink(sx::StridedOutput(features.data(), {rows, channels, bases}));
    const sx::StreamReport done =
        sx::stream_convolve(Space(), source, bank, sink, streaming, stream);
    if (report != nullptr) *report = done;
    return features;
  }
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::int64_t smallest_budget_in(const std::string& message) {
  const std::string key = "at least ";
  return std::stoll(message.substr(message.find(key) + key.size()));
}

TEST(Stream, SameBitsForEveryBatchBorderAndEpochs) {
  int compared = 0;
  for (const auto border : {sx::Border::nan, sx::Border::zero, sx::Border::valid}) {
    for (const auto causality :
         {sx::Causality::causal, sx::Causality::acausal, sx::Causality::anti_causal}) {
      for (const std::int64_t every : {1, 3}) {
        for (const auto& epochs : {sx::Epochs{}, {{0, 151}, {160, 161}, {200, 499}, {499, 750}}}) {
          const Case<std::int16_t> problem{
              901, epochs, {.causality = causality, .border = border, .every = every}};
          const std::vector<float> expected = problem.in_memory();
          for (const sx::Batch& batch :
               {sx::Batch{}, sx::Batch{.samples = 23}, sx::Batch{.samples = 101, .channels = 2},
                sx::Batch{.samples = 769, .channels = 3, .bases = 3},
                sx::Batch{.samples = 5000, .channels = 9, .bases = 1}}) {
            // one row at a time takes long: once is enough for each border
            if (batch.samples == window && (every > 1 || causality != sx::Causality::causal))
              continue;
            sx::ConvolveOptions options = problem.options;
            options.batch = batch;
            EXPECT_TRUE(same_bits(expected, problem.streamed(options)))
                << "border " << static_cast<int>(border) << " causality "
                << static_cast<int>(causality) << " every " << every << " epochs " << epochs.size()
                << " batch samples " << batch.samples.value_or(0);
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_EQ(compared, 150);
}

TEST(Stream, BytesThatNobodyCanHoldAreRefused) {
  const Case<float> problem{300, {}, {}};
  const std::int64_t most = std::int64_t{1} << 56;
  sx::StreamOptions stream;
  for (const std::int64_t held : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                  most + 1, std::numeric_limits<std::int64_t>::max()}) {
    stream.held_bytes = held;
    EXPECT_THAT([&] { problem.streamed({}, nullptr, stream); },
                testing::ThrowsMessage<sx::Error>(
                    HasSubstr(std::to_string(held) + " bytes are not a part of a budget")));
  }
  stream.held_bytes = most;
  EXPECT_THAT([&] { problem.streamed({}, nullptr, stream); },
              testing::ThrowsMessage<sx::Error>(HasSubstr("beside the " + std::to_string(most))));
}

TEST(Stream, SameBitsForEveryBudgetAndTheSmallestNamedWorks) {
  const Case<float> problem{30011, {}, {}};
  const std::vector<float> expected = problem.in_memory();
  std::int64_t smallest = 0;
  try {
    sx::ConvolveOptions options;
    options.budget = 1;
    problem.streamed(options);
    FAIL() << "a budget of 1 byte was taken";
  } catch (const sx::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("budget: 1 byte is not enough. Give at least "));
    smallest = smallest_budget_in(error.what());
  }
  for (const std::int64_t more : {std::int64_t{0}, std::int64_t{4099}, std::int64_t{50'021},
                                  std::int64_t{1'000'003}, sx::mebibytes(64)}) {
    sx::ConvolveOptions options;
    options.budget = smallest + more;
    sx::StreamReport report;
    EXPECT_TRUE(same_bits(expected, problem.streamed(options, &report))) << smallest << "+" << more;
    EXPECT_LE(report.plan.total_bytes, *options.budget);
    EXPECT_EQ(report.plan.total_bytes, report.plan.input_bytes + report.plan.output_bytes +
                                           report.plan.workspace_bytes + report.plan.source_bytes +
                                           report.plan.sink_bytes);
  }
  sx::ConvolveOptions options;
  options.budget = smallest - 1;
  EXPECT_THAT([&] { problem.streamed(options); },
              ThrowsMessage<sx::Error>(HasSubstr("at least " + std::to_string(smallest))));
}

TEST(Stream, BatchesBoundTheResidentBlock) {
  const Case<double> problem{5000, {}, {}};
  sx::ConvolveOptions options;
  options.batch = {.samples = 523, .channels = 2, .bases = 3};
  sx::StreamReport report;
  problem.streamed(options, &report);
  EXPECT_LE(report.plan.block_samples, 523);
  EXPECT_LE(report.plan.block.channels, 2);
  EXPECT_LE(report.plan.block.bases, 3);
  EXPECT_EQ(report.plan.block.rows, 501);
  EXPECT_EQ(report.blocks, report.plan.blocks);
  EXPECT_EQ(report.bytes_written, 5000 * channels * bases * 4);
  EXPECT_GT(report.bytes_read, 5000 * channels * 8);

  options.batch = {.samples = 22};
  EXPECT_THAT([&] { problem.streamed(options); },
              ThrowsMessage<sx::Error>(AllOf(HasSubstr("batch"), HasSubstr("22"))));
}

TEST(Stream, EventsStreamLikeTheSameEventsInMemory) {
  std::vector<sx::Events::Train> trains(channels);
  std::mt19937_64 random(5);
  for (auto& train : trains) {
    for (std::int64_t t = 0; t < 9001; ++t) {
      if (random() % 17 != 0) continue;
      train.samples.push_back(t);
      train.counts.push_back(static_cast<float>(1 + random() % 3));
    }
  }
  const sx::Events events(9001, trains, {{0, 4000}, {4001, 9001}});
  const sx::FilterBank<double, Space> bank(Space(), some_taps());
  std::vector<double> expected(9001 * channels * bases);
  std::vector<double> features(expected.size(), -1.0);
  const sx::StridedOutput whole(expected.data(), {9001, channels, bases});
  sx::convolve(Space(), events, bank, whole, {.method = sx::Method::events});
  for (const std::int64_t batch : {97, 5003, 9001}) {
    sx::MemorySink sink(sx::StridedOutput(features.data(), {9001, channels, bases}));
    sx::ConvolveOptions options;
    options.method = sx::Method::events;
    options.batch = {.samples = batch, .channels = 2};
    const sx::StreamReport report = sx::stream_convolve(Space(), events, bank, sink, options);
    EXPECT_EQ(report.plan.choice.method, sx::Method::events);
    EXPECT_EQ(std::memcmp(expected.data(), features.data(), expected.size() * sizeof(double)), 0)
        << "batch " << batch;
    EXPECT_EQ(report.plan.input_bytes, 0);
  }
}

TEST(Stream, ASampleRangeGivesTheSameRowsAsTheWhole) {
  const Case<float> problem{3000, {{0, 1100}, {1200, 3000}}, {.every = 2}};
  const std::vector<float> whole = problem.in_memory();
  const auto samples = sx::feature_samples(problem.series().shape(), window, problem.options);
  const sx::Range range{555, 2221};
  const auto first = std::lower_bound(samples.begin(), samples.end(), range.begin);
  const auto last = std::lower_bound(samples.begin(), samples.end(), range.end);
  std::vector<float> part(static_cast<std::size_t>((last - first) * channels * bases), -1.0F);
  sx::MemorySource source(problem.series());
  sx::MemorySink sink(
      sx::StridedOutput(part.data(), {static_cast<std::int64_t>(last - first), channels, bases}));
  sx::stream_convolve(Space(), source, problem.bank, sink, problem.options, {.samples = range});
  EXPECT_EQ(std::memcmp(part.data(), whole.data() + (first - samples.begin()) * channels * bases,
                        part.size() * sizeof(float)),
            0);
  EXPECT_THAT(
      [&] {
        sx::stream_convolve(Space(), source, problem.bank, sink, problem.options,
                            {.samples = sx::Range{0, 3001}});
      },
      ThrowsMessage<sx::Error>(
          HasSubstr("stream.samples: [0, 3001) is not a range within the samples of the series. "
                    "Give a half-open range of samples from 0 "
                    "to 3000")));
}

TEST(Stream, TheDryRunNamesWhatTheRunDoes) {
  const Case<float> problem{20000, {}, {.budget = sx::mebibytes(1)}};
  sx::MemorySource source(problem.series());
  std::vector<float> features(20000 * channels * bases);
  sx::MemorySink sink(sx::StridedOutput(features.data(), {20000, channels, bases}));
  const sx::StreamPlan plan = sx::plan_stream(Space(), source, problem.bank, sink, problem.options);
  sx::StreamReport report;
  problem.streamed(problem.options, &report);
  EXPECT_EQ(plan.block, report.plan.block);
  EXPECT_EQ(plan.total_bytes, report.plan.total_bytes);
  EXPECT_EQ(plan.blocks, report.blocks);
  EXPECT_EQ(plan.features.bytes(), 20000 * channels * bases * 4);
}

TEST(Stream, ProgressIsReportedOnTheCallersThread) {
  const Case<float> problem{5000, {}, {.batch = {.samples = 1000}}};
  std::vector<sx::StreamProgress> seen;
  const auto caller = std::this_thread::get_id();
  problem.streamed(problem.options, nullptr, {.progress = [&](const sx::StreamProgress& progress) {
                     EXPECT_EQ(std::this_thread::get_id(), caller);
                     seen.push_back(progress);
                   }});
  ASSERT_GT(seen.size(), 4U);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    EXPECT_GE(seen[i].values_written, seen[i - 1].values_written);
  }
  EXPECT_EQ(seen.back().values_written, 5000 * channels * bases);
  EXPECT_EQ(seen.back().values, 5000 * channels * bases);
  EXPECT_EQ(seen.back().blocks_written, seen.back().blocks);
  EXPECT_EQ(seen.back().bytes_written, 5000 * channels * bases * 4);
}

/// A source and a sink that fail on demand, and tell how they were left.
class FailingSource final : public sx::Source {
 public:
  explicit FailingSource(std::int64_t first_bad) : m_first_bad(first_bad) {
    m_shape.samples = 100'000;
    m_shape.channels = channels;
  }
  const sx::SeriesShape& shape() const override { return m_shape; }
  void read(sx::Range samples, sx::Range range, void* buffer) override {
    if (samples.end > m_first_bad) throw sx::Error("the source broke");
    std::memset(buffer, 0, static_cast<std::size_t>(samples.size() * range.size()) * 4);
  }

 private:
  sx::SeriesShape m_shape;
  std::int64_t m_first_bad;
};

class WatchedSink final : public sx::Sink {
 public:
  void begin(const sx::FeaturesDescription& description) override {
    begun = true;
    if (fails_at == -1) throw sx::Error("the sink did not open");
    described = description;
  }
  void write(const sx::Block& block, const void*) override {
    if (fails_at > 0 && block.rows.end > fails_at) throw std::runtime_error("the sink broke");
    values += block.rows.size() * block.channels.size() * block.bases.size();
  }
  void finish() override { finished = true; }
  void abandon() noexcept override { abandoned = true; }

  std::int64_t fails_at = 0;
  std::int64_t values = 0;
  bool begun = false;
  bool finished = false;
  bool abandoned = false;
  sx::FeaturesDescription described;
};

constexpr std::int64_t never = 1'000'000;

void stream_between(FailingSource& source, WatchedSink& sink,
                    const sx::StreamOptions& stream = {}) {
  const sx::FilterBank<float, Space> bank(Space(), some_taps());
  sx::ConvolveOptions options;
  options.batch = {.samples = 1000};
  sx::stream_convolve(Space(), source, bank, sink, options, stream);
}

TEST(Stream, WhatASourceThrowsReachesTheCallerAndTheSinkAbandons) {
  FailingSource source(50'000);
  WatchedSink sink;
  EXPECT_THAT([&] { stream_between(source, sink); },
              ThrowsMessage<sx::Error>(HasSubstr("the source broke")));
  EXPECT_TRUE(sink.abandoned);
  EXPECT_FALSE(sink.finished);
}

TEST(Stream, WhatASinkThrowsReachesTheCallerAndTheSinkAbandons) {
  for (const std::int64_t fails_at :
       {std::int64_t{1}, std::int64_t{33'333}, std::int64_t{99'999}}) {
    FailingSource source(never);
    WatchedSink sink;
    sink.fails_at = fails_at;
    EXPECT_THAT([&] { stream_between(source, sink); },
                ThrowsMessage<std::runtime_error>(HasSubstr("the sink broke")));
    EXPECT_TRUE(sink.abandoned);
    EXPECT_FALSE(sink.finished);
  }
  FailingSource source(never);
  WatchedSink sink;
  sink.fails_at = -1;
  EXPECT_THAT([&] { stream_between(source, sink); },
              ThrowsMessage<sx::Error>(HasSubstr("the sink did not open")));
  EXPECT_TRUE(sink.abandoned);
}

TEST(Stream, WhatTheProgressCallbackThrowsEndsTheStream) {
  FailingSource source(never);
  WatchedSink sink;
  EXPECT_THAT(
      [&] {
        stream_between(source, sink, {.progress = [](const sx::StreamProgress& progress) {
                         if (progress.blocks_written > 3) throw std::runtime_error("enough");
                       }});
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("enough")));
  EXPECT_TRUE(sink.abandoned);
}

TEST(Stream, CancellingEndsBetweenBlocks) {
  FailingSource source(never);
  WatchedSink sink;
  std::atomic<bool> cancel{false};
  EXPECT_THROW(stream_between(source, sink,
                              {.progress =
                                   [&](const sx::StreamProgress& progress) {
                                     cancel = progress.blocks_written >= 5;
                                   },
                               .cancel = &cancel}),
               sx::Cancelled);
  EXPECT_TRUE(sink.abandoned);
  EXPECT_FALSE(sink.finished);
  EXPECT_LT(sink.values, 100'000 * channels * bases);
}

TEST(Stream, ASinkIsToldWhatComes) {
  FailingSource source(never);
  WatchedSink sink;
  stream_between(source, sink,
                 {.samples = sx::Range{10, 20}, .series = {.rate_hz = 30000.0, .name = "a name"}});
  EXPECT_TRUE(sink.finished);
  EXPECT_FALSE(sink.abandoned);
  EXPECT_EQ(sink.values, 10 * channels * bases);
  const sx::FeaturesDescription& described = sink.described;
  EXPECT_EQ(described.shape.rows, 10);
  EXPECT_EQ(described.shape.channel_extents, std::vector<std::int64_t>{channels});
  EXPECT_EQ(described.window, window);
  EXPECT_EQ(described.basis, "CustomTaps");
  EXPECT_EQ(described.series.rate_hz, 30000.0);
  EXPECT_EQ(described.series.name, "a name");
}

TEST(Stream, TheMemorySinkChecksItsArray) {
  const Case<float> problem{100, {}, {}};
  sx::MemorySource source(problem.series());
  std::vector<double> doubles(100 * channels * bases);
  std::vector<float> floats(doubles.size());
  sx::MemorySink wrong_type(sx::StridedOutput(doubles.data(), {100, channels, bases}));
  EXPECT_THAT([&] { sx::stream_convolve(Space(), source, problem.bank, wrong_type); },
              ThrowsMessage<sx::Error>(HasSubstr(
                  "MemorySink: the array holds float64, but the filter bank makes float32. ")));
  sx::MemorySink wrong_shape(sx::StridedOutput(floats.data(), {channels, 100, bases}));
  EXPECT_THAT(
      [&] { sx::stream_convolve(Space(), source, problem.bank, wrong_shape); },
      ThrowsMessage<sx::Error>(AllOf(HasSubstr("MemorySink: the array has the extents (5, 100, 4)"),
                                     HasSubstr("Give an array of extents (100, 5, 4)"))));
}

TEST(Stream, ASinkOverTheMemoryOfItsSourceIsRefused) {
  std::vector<float> values(100 * bases, 1.0F);
  const sx::FilterBank<float, Space> bank(Space(), some_taps());
  sx::MemorySource source{sx::StridedSeries(sx::Strided(values.data() + 99, {100}))};
  sx::MemorySink sink(sx::StridedOutput(values.data(), {100, 1, bases}));
  EXPECT_THAT(
      [&] { sx::stream_convolve(Space(), source, bank, sink); },
      ThrowsMessage<sx::Error>(AllOf(HasSubstr("sink: its memory overlaps that of the source"),
                                     HasSubstr("Use memory apart"))));
  EXPECT_THAT(values, testing::Each(1.0F));
}

TEST(Stream, MemoryOfAnyLayoutAndSampleAxisIsRead) {
  // (2, samples, 3), samples in the middle and backwards in memory
  std::vector<float> values(2 * 300 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 71);
  const sx::Strided data(values.data() + 299 * 3, {2, 300, 3}, {900, -3, 1});
  const sx::StridedSeries series(data, {.sample_axis = 1});
  const sx::FilterBank<float, Space> bank(Space(), some_taps());
  std::vector<float> expected(2 * 300 * 3 * bases);
  std::vector<float> features(expected.size(), -1.0F);
  // in memory the sample axis keeps its place; in a stream it is the first
  sx::convolve(Space(), series, bank, sx::StridedOutput(expected.data(), {2, 300, 3, bases}));
  sx::MemorySource source(series);
  EXPECT_EQ(source.channel_extents(), (std::vector<std::int64_t>{2, 3}));
  sx::MemorySink sink(
      sx::StridedOutput(features.data(), {300, 2, 3, bases}, {3 * bases, 900 * bases, bases, 1}));
  sx::ConvolveOptions options;
  options.batch = {.samples = 101, .channels = 4};
  sx::stream_convolve(Space(), source, bank, sink, options);
  EXPECT_EQ(std::memcmp(expected.data(), features.data(), expected.size() * sizeof(float)), 0);
}

}  // namespace
}  // namespace stream_tests
