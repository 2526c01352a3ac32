// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A stream that resumes where a sink reports that another one stopped.
#include <synelix/stream.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <vector>

namespace stream_unwritten_tests {
namespace {

namespace sx = synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t samples = 3000;
constexpr std::int64_t channels = 6;
constexpr std::int64_t bases = 4;
constexpr std::int64_t window = 9;

/// Features in memory, which accept the values of the unwritten boxes, and count the writes of each
/// value.
class PartialSink final : public sx::Sink {
 public:
  explicit PartialSink(std::optional<sx::Unwritten> unwritten = {})
      : m_unwritten(std::move(unwritten)) {}
  void begin(const sx::FeaturesDescription& description) override {
    rows = description.shape.rows;
    values.assign(static_cast<std::size_t>(rows * channels * bases), 0.0F);
    times.assign(values.size(), 0);
  }
  [[nodiscard]] std::optional<sx::Unwritten> unwritten() const override { return m_unwritten; }
  void write(const sx::Block& block, const void* from) override {
    const auto* next = static_cast<const float*>(from);
    for (std::int64_t r = block.rows.begin; r < block.rows.end; ++r) {
      for (std::int64_t c = block.channels.begin; c < block.channels.end; ++c) {
        for (std::int64_t b = block.bases.begin; b < block.bases.end; ++b) {
          const auto at = static_cast<std::size_t>((r * channels + c) * bases + b);
          values[at] = *next++;
          ++times[at];
        }
      }
    }
    ++blocks;
  }
  void finish() override {}
  void abandon() noexcept override {}

  std::int64_t rows = 0;
  std::int64_t blocks = 0;
  std::vector<float> values;
  std::vector<int> times;

 private:
  std::optional<sx::Unwritten> m_unwritten;
};

sx::StreamReport stream_into(PartialSink& sink, const sx::ConvolveOptions& options,
                             const sx::StreamOptions& stream = {}) {
  std::vector<float> series(static_cast<std::size_t>(samples * channels));
  for (std::size_t i = 0; i < series.size(); ++i) series[i] = static_cast<float>(i * i % 101);
  sx::CustomTaps taps{window, bases, {}};
  for (std::int64_t i = 0; i < window * bases; ++i) {
    taps.taps.push_back(1.0 / static_cast<double>(i + 1));
  }
  const sx::FilterBank<float, Space> bank(Space(), sx::evaluate_taps(taps));
  sx::MemorySource source(sx::StridedSeries(sx::Strided(series.data(), {samples, channels}),
                                            {.epochs = {{0, 1700}, {1750, 3000}}}));
  return sx::stream_convolve(Space(), source, bank, sink, options, stream);
}

TEST(Unwritten, OnlyTheBoxesAreComputedAndTheirBitsAreThoseOfTheWhole) {
  PartialSink whole;
  stream_into(whole, {.every = 2});
  const std::vector<sx::Block> boxes = {{{100, 117}, {0, 4}, {2, 4}},
                                        {{117, whole.rows}, {0, 4}, {0, 4}},
                                        {{0, whole.rows}, {4, 6}, {0, 4}}};
  for (const sx::Batch& batch : {sx::Batch{}, sx::Batch{.samples = 200, .channels = 3, .bases = 1},
                                 sx::Batch{.samples = 60, .channels = 1}}) {
    PartialSink rest(sx::Unwritten{.boxes = boxes, .blocks_before = 7});
    sx::StreamProgress last;
    const sx::StreamReport report =
        stream_into(rest, {.batch = batch, .every = 2},
                    {.progress = [&](const sx::StreamProgress& progress) { last = progress; }});
    EXPECT_EQ(report.blocks, rest.blocks);
    EXPECT_EQ(report.blocks_before, 7);
    EXPECT_EQ(last.values_written, last.values);
    EXPECT_EQ(last.blocks_written, last.blocks);
    EXPECT_EQ(last.blocks_written, rest.blocks + 7);
    for (std::int64_t r = 0; r < whole.rows; ++r) {
      for (std::int64_t c = 0; c < channels; ++c) {
        for (std::int64_t b = 0; b < bases; ++b) {
          const auto at = static_cast<std::size_t>((r * channels + c) * bases + b);
          const bool is_missing = c >= 4 || r >= 117 || (r >= 100 && b >= 2);
          ASSERT_EQ(rest.times[at], is_missing ? 1 : 0) << r << " " << c << " " << b;
          if (is_missing && whole.values[at] == whole.values[at]) {
            ASSERT_EQ(rest.values[at], whole.values[at]) << r << " " << c << " " << b;
          }
        }
      }
    }
  }
}

TEST(Unwritten, NothingIsReadWhereNothingIsMissing) {
  PartialSink sink(sx::Unwritten{.boxes = {}, .blocks_before = 3});
  const sx::StreamReport report = stream_into(sink, {});
  EXPECT_EQ(report.blocks, 0);
  EXPECT_EQ(report.bytes_read, 0);
}

TEST(Unwritten, CancellingWritesWhatIsComputed) {
  PartialSink sink;
  std::atomic<bool> cancel{false};
  try {
    stream_into(sink, {.batch = {.samples = 100}},
                {.progress = [&](const sx::StreamProgress&) { cancel = true; }, .cancel = &cancel});
    ADD_FAILURE() << "not cancelled";
  } catch (const sx::Cancelled& cancelled) {
    EXPECT_THAT(cancelled.what(), testing::HasSubstr("cancelled after 1 of "));
  }
  EXPECT_EQ(sink.blocks, 1);
}

}  // namespace
}  // namespace stream_unwritten_tests
