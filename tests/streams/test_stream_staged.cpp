// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/bounded.hpp"
#include "oracle/shared.hpp"
#include "promises/kokkos_events.hpp"

#include <synelix/convolve.hpp>
#include <synelix/features.hpp>
#include <synelix/stream.hpp>
#include <synelix/stream_features.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Streams whose blocks go through a device, on a host that represents one: the bits of `convolve`,
// memory inside both budgets, copies and kernels of several blocks at a time.

namespace stream_staged_tests {
namespace {

namespace sx = synelix;
using promises::KokkosEvents;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Space = Kokkos::DefaultExecutionSpace;  // a device, if there is one

constexpr std::int64_t samples = 20'011;
constexpr std::int64_t channels = 6;
constexpr std::int64_t bases = 3;
constexpr std::int64_t window = 41;

std::vector<std::int16_t> some_samples() {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> uniform(-1000, 1000);
  std::vector<std::int16_t> values(samples * channels);
  for (auto& value : values) value = static_cast<std::int16_t>(uniform(random));
  return values;
}

sx::Events some_events(const sx::Epochs& epochs) {
  std::mt19937_64 random(5);
  std::vector<sx::Events::Train> trains(channels);
  for (auto& train : trains) {
    for (std::int64_t t = 0; t < samples; ++t) {
      if (random() % 30 == 0) {
        train.samples.push_back(t);
        train.counts.push_back(static_cast<float>(1 + random() % 3));
      }
    }
  }
  return {samples, trains, epochs};
}

/// What was allocated for the slots where they are computed, and of pinned memory.
std::pair<std::int64_t, std::int64_t> allocated(const KokkosEvents& events) {
  std::pair<std::int64_t, std::int64_t> bytes;
  for (const auto& allocation : events.allocations) {
    if (allocation.label.starts_with("Kokkos::")) continue;
    if (allocation.label == "synelix::stream::pinned") {
      bytes.second += allocation.bytes;
    } else if (allocation.space == Space::memory_space::name()) {
      bytes.first += allocation.bytes;
    }
  }
  return bytes;
}

std::int64_t least_of(const std::function<void()>& call, const std::string& argument) {
  try {
    call();
  } catch (const sx::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind(argument + ": 1 byte is not enough. ", 0), 0U) << text;
    return std::stoll(text.substr(text.find("at least ") + 9));
  }
  ADD_FAILURE() << argument << " was not refused";
  return 0;
}

class StagedStream : public testing::Test {
 protected:
  [[nodiscard]] sx::StridedSeries series() const {
    return sx::StridedSeries(sx::Strided(m_x.data(), {samples, channels}), {.epochs = m_epochs});
  }
  [[nodiscard]] sx::StridedOutput output(std::vector<float>& values, std::int64_t rows) const {
    values.assign(static_cast<std::size_t>(rows * channels * bases), -1.0F);
    return {values.data(), {rows, channels, bases}};
  }
  template <class Input>
  std::vector<float> in_memory(const Input& input, const sx::ConvolveOptions& options) const {
    std::vector<float> values;
    const std::int64_t rows = sx::feature_rows(input.shape(), window, options);
    sx::convolve(Space(), input, m_bank, output(values, rows), options);
    return values;
  }
  sx::StreamReport streamed(const sx::ConvolveOptions& options, std::vector<float>& values,
                            const sx::StreamOptions& stream = {}) const {
    sx::MemorySource source(series());
    sx::MemorySink sink(output(values, sx::feature_rows(series().shape(), window, options)));
    return sx::stream_convolve(Space(), source, m_bank, sink, options, stream);
  }
  sx::StreamReport streamed_events(const sx::ConvolveOptions& options,
                                   std::vector<float>& values) const {
    sx::MemorySink sink(output(values, sx::feature_rows(m_events.shape(), window, options)));
    return sx::stream_convolve(Space(), m_events, m_bank, sink, options);
  }

  sx::Epochs m_epochs{{0, 9000}, {9003, 9020}, {9500, 20'000}};
  std::vector<std::int16_t> m_x = some_samples();
  sx::Events m_events = some_events(m_epochs);
  sx::FilterBank<float, Space> m_bank{
      Space(), sx::RaisedCosineLog{.bases = bases}, {.window = window}};
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_F(StagedStream, SameBitsForEveryMethodBorderBatchAndBudget) {
  oracle::OneIn taken(5);
  for (const sx::Method method : {sx::Method::direct, sx::Method::fft}) {
    for (const sx::Border border : {sx::Border::nan, sx::Border::valid}) {
      for (const std::int64_t budget : {sx::mebibytes(1), sx::mebibytes(20)}) {
        for (const sx::Batch& batch :
             {sx::Batch{}, sx::Batch{.samples = 900, .channels = 4, .bases = 2}}) {
          if (!taken.is_next()) continue;
          sx::ConvolveOptions options{.border = border, .method = method, .every = 2};
          const std::vector<float> expected = in_memory(series(), options);
          options.batch = batch;
          options.budget = budget;
          options.staging = sx::Staging::always;
          options.host_budget = sx::mebibytes(2);
          SCOPED_TRACE(std::string(name_of(method)) + ", budget " + std::to_string(budget));
          std::vector<float> found;
          const KokkosEvents events;
          const sx::StreamReport report = streamed(options, found);
          EXPECT_TRUE(same_bits(found, expected));
          const sx::StagedBlocks& blocks = report.plan.choice.staging;
          EXPECT_EQ(blocks.reason, sx::StagingReason::asked_for);
          EXPECT_GT(report.blocks, 1);
          const auto [device, pinned] = allocated(events);
          EXPECT_EQ(pinned, blocks.host_bytes);
          EXPECT_LE(report.plan.total_bytes, sx::mebibytes(2));
          EXPECT_LE(device, blocks.device_bytes);
          EXPECT_LE(blocks.device_bytes, budget);
          EXPECT_EQ(report.plan.device_budget, budget);
        }
      }
    }
  }
}

TEST_F(StagedStream, TheLeastThatIsNamedWorks) {
  sx::ConvolveOptions options;
  options.staging = sx::Staging::always;
  const std::vector<float> expected = in_memory(series(), {});
  std::vector<float> found;
  options.host_budget = 1;
  options.host_budget = least_of([&] { streamed(options, found); }, "host_budget");
  options.budget = 1;
  options.budget = least_of([&] { streamed(options, found); }, "budget");
  const sx::StreamReport report = streamed(options, found);
  EXPECT_TRUE(same_bits(found, expected));
  EXPECT_EQ(report.plan.choice.staging.slots, 1) << "more have no room";
  --*options.budget;
  EXPECT_THAT([&] { streamed(options, found); },
              ThrowsMessage<sx::Error>(HasSubstr(" bytes are not enough. Give at least ")));
}

TEST_F(StagedStream, EventsCrossOnceAndAsEvents) {
  sx::ConvolveOptions options;
  const std::vector<float> expected = in_memory(m_events, options);
  options.staging = sx::Staging::always;
  options.budget = sx::mebibytes(1);
  options.host_budget = sx::mebibytes(1);
  std::vector<float> found;
  const KokkosEvents events;
  const sx::StreamReport report = streamed_events(options, found);
  EXPECT_TRUE(same_bits(found, expected));
  EXPECT_TRUE(report.plan.choice.staging.whole_events);
  EXPECT_GT(report.blocks, 3);
  std::int64_t brought = 0;
  for (const auto& step : events.steps) {
    if (step.label == "synelix::events::copied_lists") brought += step.bytes;
    EXPECT_NE(step.label, "synelix::stream::slot_input");
  }
  EXPECT_EQ(brought, m_events.bytes());
  EXPECT_LE(allocated(events).first, *options.budget);
  options.budget = m_events.bytes();
  EXPECT_THAT([&] { streamed_events(options, found); },
              ThrowsMessage<sx::Error>(HasSubstr("beside all events")));
}

TEST_F(StagedStream, CopiesOfTheNextBlockAreAskedForBeforeTheLastIsWaitedFor) {
  sx::ConvolveOptions options{.method = sx::Method::direct};
  options.staging = sx::Staging::always;
  options.budget = sx::mebibytes(1);
  options.host_budget = sx::mebibytes(1);
  std::vector<float> found;
  const KokkosEvents events;
  const sx::StreamReport report = streamed(options, found);
  const std::int64_t slots = report.plan.choice.staging.slots;
  ASSERT_EQ(slots, 3);
  std::int64_t brought = 0;
  std::int64_t computed = 0;
  std::int64_t fetched = 0;
  std::int64_t waited_for = 0;
  std::int64_t most_in_flight = 0;
  for (const auto& step : events.steps) {
    if (step.label == "synelix::stream::slot_input") {
      EXPECT_LT(brought - waited_for, slots) << "a slot that is still in flight";
      ++brought;
    } else if (step.label == "synelix::convolve::direct") {
      if (brought > computed) ++computed;  // the others warm the instances up
    } else if (step.kind == KokkosEvents::Kind::copy && brought > 0) {
      EXPECT_EQ(++fetched, computed) << step.label;
    } else if (step.label == "synelix::stream: the block is there") {
      ++waited_for;
    } else if (brought > 0 && waited_for < report.blocks) {
      EXPECT_FALSE(step.kind == KokkosEvents::Kind::fence)
          << step.label << " holds up what could overlap";
    }
    most_in_flight = std::max(most_in_flight, brought - waited_for);
  }
  EXPECT_EQ(most_in_flight, slots);
  EXPECT_EQ(brought, report.blocks);
  EXPECT_EQ(fetched, report.blocks);
  EXPECT_EQ(waited_for, report.blocks);
  EXPECT_GT(report.blocks, 6) << "or the test shows nothing";
}

/// Fails at its n-th block.
class FailingSink final : public sx::Sink {
 public:
  void begin(const sx::FeaturesDescription&) override {}
  void write(const sx::Block&, const void*) override {
    if (++written == 3) throw sx::Error("the disk is full");
  }
  void finish() override {}
  void abandon() noexcept override { is_abandoned = true; }
  int written = 0;
  bool is_abandoned = false;
};

/// The number of blocks that were copied to the device, and the number of waits.
std::pair<std::int64_t, std::int64_t> brought_and_waited_for(const KokkosEvents& events) {
  std::pair<std::int64_t, std::int64_t> counts;
  for (const auto& step : events.steps) {
    if (step.label == "synelix::stream::slot_input") ++counts.first;
    if (counts.first > 0 && step.label == "synelix::stream: the block is there") ++counts.second;
  }
  return counts;
}

TEST_F(StagedStream, WhatFailsEndsItWithBlocksInFlight) {
  const KokkosEvents events;
  sx::ConvolveOptions options;
  options.staging = sx::Staging::always;
  options.budget = sx::mebibytes(1);
  options.host_budget = sx::mebibytes(1);
  sx::MemorySource source(series());
  FailingSink sink;
  EXPECT_THAT([&] { sx::stream_convolve(Space(), source, m_bank, sink, options); },
              ThrowsMessage<sx::Error>(HasSubstr("the disk is full")));
  EXPECT_TRUE(sink.is_abandoned);
  const auto [brought, waited_for] = brought_and_waited_for(events);
  EXPECT_GT(brought, 3);
  EXPECT_GE(waited_for, brought) << "a block in flight uses buffers that are gone";
  std::vector<float> found;
  sx::StreamOptions stream;
  stream.progress = [](const sx::StreamProgress& progress) {
    if (progress.blocks_written > 1) throw sx::Error("the caller has seen enough");
  };
  EXPECT_THAT([&] { streamed(options, found, stream); },
              ThrowsMessage<sx::Error>(HasSubstr("seen enough")));
}

TEST_F(StagedStream, CancelledAfterWhatWasBegunIsWritten) {
  sx::ConvolveOptions options;
  options.staging = sx::Staging::always;
  options.budget = sx::mebibytes(1);
  options.host_budget = sx::mebibytes(1);
  std::atomic<bool> cancel{false};
  std::int64_t written = 0;
  sx::StreamOptions stream;
  stream.cancel = &cancel;
  stream.progress = [&](const sx::StreamProgress& progress) {
    cancel = true;
    written = progress.blocks_written;
  };
  std::vector<float> found;
  sx::MemorySource source(series());
  sx::MemorySink sink(output(found, samples));
  const sx::StreamPlan plan = sx::plan_stream(Space(), source, m_bank, sink, options);
  ASSERT_EQ(plan.choice.staging.slots, 3);
  ASSERT_EQ(plan.block.channels * plan.block.bases, channels * bases);
  // The first block is complete after three blocks were begun; no other block is begun after that.
  EXPECT_THAT([&] { sx::stream_convolve(Space(), source, m_bank, sink, options, stream); },
              ThrowsMessage<sx::Cancelled>(HasSubstr("cancelled after 3 of ")));
  EXPECT_LE(written, 3);
  const std::vector<float> expected = in_memory(series(), {});
  const auto done = static_cast<std::size_t>(3 * plan.block.rows * channels * bases);
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), done * sizeof(float)), 0);
  EXPECT_THAT(std::vector<float>(found.begin() + static_cast<std::ptrdiff_t>(done), found.end()),
              testing::Each(-1.0F));
}

TEST_F(StagedStream, ThreeSlotsOfTheLeastWorkspaceWhereAShareIsLess) {
  sx::ConvolveOptions options{.method = sx::Method::fft};
  options.staging = sx::Staging::always;
  options.host_budget = sx::mebibytes(4);
  std::int64_t least = 0;
  for (std::int64_t tried = 1000; least == 0; tried += tried / 20) {
    sx::ConvolveOptions small{.method = sx::Method::fft};
    small.budget = tried;
    try {
      least = sx::choose(Space(), series(), m_bank, small).workspace_bytes;
    } catch (const sx::Error&) {
      ASSERT_LT(tried, sx::mebibytes(64));
    }
  }
  for (const std::int64_t times : {6, 8, 11}) {
    options.budget = times * least;
    std::vector<float> found;
    const sx::StreamReport report = streamed(options, found);
    // Beside a workspace as small as a device's, blocks decide over the slots.
    if (least > 100'000) {
      EXPECT_EQ(report.plan.choice.staging.slots, 3) << times;
    }
    EXPECT_TRUE(same_bits(found, in_memory(series(), {.method = sx::Method::fft})));
  }
}

TEST_F(StagedStream, SomeSamplesOnlyAndBlocksOfBasesThatShareAnInput) {
  sx::ConvolveOptions options;
  const std::vector<float> expected = in_memory(series(), options);
  options.batch = {.samples = 700, .channels = 2, .bases = 1};
  options.staging = sx::Staging::always;
  sx::StreamOptions stream;
  stream.samples = sx::Range{4000, 15'500};
  sx::MemorySource source(series());
  std::vector<float> found;
  sx::MemorySink sink(output(found, 11'500));
  sx::stream_convolve(Space(), source, m_bank, sink, options, stream);
  EXPECT_EQ(std::memcmp(found.data(), expected.data() + 4000 * channels * bases,
                        found.size() * sizeof(float)),
            0);
}

TEST_F(StagedStream, WhatIsLeftOfARunWithOtherBudgets) {
  sx::ConvolveOptions options;
  const std::vector<float> expected = in_memory(series(), options);
  options.staging = sx::Staging::always;
  options.budget = sx::mebibytes(1);
  options.host_budget = sx::mebibytes(1);
  /// Lacks two boxes.
  class Rest final : public sx::Sink {
   public:
    explicit Rest(sx::StridedOutput features) : m_inner(features) {}
    void begin(const sx::FeaturesDescription& told) override { m_inner.begin(told); }
    [[nodiscard]] std::optional<sx::Unwritten> unwritten() const override {
      return sx::Unwritten{.boxes = {{{100, 9000}, {0, 3}, {0, bases}},
                                     {{12'000, samples}, {1, channels}, {0, bases}}},
                           .blocks_before = 2};
    }
    void write(const sx::Block& block, const void* values) override {
      m_inner.write(block, values);
    }
    void finish() override {}
    void abandon() noexcept override {}

   private:
    sx::MemorySink m_inner;
  };
  std::vector<float> found;
  Rest sink(output(found, samples));
  sx::MemorySource source(series());
  EXPECT_GT(sx::stream_convolve(Space(), source, m_bank, sink, options).blocks, 3);
  std::int64_t wrong = 0;
  for (std::int64_t t = 0; t < samples; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const bool is_asked_for = (t >= 100 && t < 9000 && c < 3) || (t >= 12'000 && c >= 1);
      const auto at = static_cast<std::size_t>((t * channels + c) * bases);
      const float untouched[bases] = {-1.0F, -1.0F, -1.0F};
      const float* const wanted = is_asked_for ? expected.data() + at : untouched;
      wrong += std::memcmp(found.data() + at, wanted, sizeof(untouched)) != 0 ? 1 : 0;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(StagedStream, WarnsOnceWhateverTheSlots) {
  int warnings = 0;
  const auto before = sx::set_warning_handler([&](std::string_view) { ++warnings; });
  sx::ConvolveOptions options;
  options.staging = sx::Staging::always;
  options.budget = sx::mebibytes(1);
  std::vector<float> found;
  const std::int64_t slots = streamed(options, found).plan.choice.staging.slots;
  sx::set_warning_handler(before);
  EXPECT_GT(slots, 1);
  EXPECT_EQ(warnings, 1) << "one epoch is shorter than the window";
}

TEST_F(StagedStream, DesignsOfSourcesAndEvents) {
  const sx::Expression expression =
      sx::conv(sx::RaisedCosineLog{.bases = bases}, {.window = window}) +
      sx::eval(sx::BSpline{.bases = 5}) * sx::eval(sx::RaisedCosineLinear{.bases = 3});
  std::vector<double> position(samples);
  for (std::size_t t = 0; t < position.size(); ++t) {
    position[t] = static_cast<double>(t % 997) / 10.0;
  }
  const sx::StridedSeries speed(sx::Strided(position.data(), {samples}), {.epochs = m_epochs});
  sx::MemorySource of_speed(speed);
  const sx::StreamInput inputs[] = {m_events, of_speed, of_speed};
  const auto run = [&](const sx::FeaturesOptions& options, std::vector<float>& values) {
    const std::int64_t columns = channels * bases + 15;
    values.assign(static_cast<std::size_t>(samples * columns), -1.0F);
    sx::MemorySink sink(sx::StridedOutput(values.data(), {samples, std::int64_t{1}, columns}));
    return sx::stream_features<float>(Space(), expression, inputs, sink, options);
  };
  std::vector<float> expected;
  std::vector<float> found;
  run({}, expected);
  for (const std::int64_t budget : {sx::mebibytes(2), sx::mebibytes(64)}) {
    sx::FeaturesOptions options;
    options.budget = budget;
    options.staging = sx::Staging::always;
    options.host_budget = sx::mebibytes(3);
    const KokkosEvents events;
    const sx::StreamReport report = run(options, found);
    EXPECT_TRUE(same_bits(found, expected)) << budget;
    EXPECT_GT(report.blocks, 2);
    EXPECT_GT(report.plan.choice.staging.slots, 1);
    const auto [device, pinned] = allocated(events);
    EXPECT_LE(device, budget + budget / 4) << "and the pass for ranges before";
    EXPECT_LE(pinned, sx::mebibytes(3) + sx::mebibytes(1)) << "and a buffer for ranges before";
    EXPECT_EQ(report.plan.device_budget, budget);
  }
}

TEST_F(StagedStream, OneShotDesignsCopyEventsOnly) {
  const sx::Expression expression =
      sx::conv(sx::RaisedCosineLog{.bases = bases}, {.window = window});
  const auto near = sx::compute_features<float>(Space(), expression, {m_events});
  sx::FeaturesOptions options;
  options.staging = sx::Staging::always;
  const KokkosEvents events;
  const auto staged = sx::compute_features<float>(Space(), expression, {m_events}, options);
  EXPECT_THAT(events.copies, testing::Contains("synelix::events::copied_lists"));
  ASSERT_EQ(near.values.size(), staged.values.size());
  const auto expected = oracle::on_host(near.values);
  const auto found = oracle::on_host(staged.values);
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
}

}  // namespace
}  // namespace stream_staged_tests
