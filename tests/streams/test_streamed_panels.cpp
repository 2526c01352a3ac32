// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "streams/streamed_panels.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

namespace streamed_panels_tests {
namespace {

namespace sx = synelix;
using sx::stream::PanelReader;

/// Sample t of channel c is 10 t + c. Counts the reads, and fails on request.
class CountingSource final : public sx::Source {
 public:
  CountingSource(std::int64_t samples, std::int64_t channels) {
    m_shape.samples = samples;
    m_shape.channels = channels;
    m_shape.type = sx::StoredType::float64;
  }
  [[nodiscard]] const sx::SeriesShape& shape() const override { return m_shape; }
  void read(sx::Range samples, sx::Range channels, void* buffer) override {
    if (const std::int64_t at = fails_at; samples.begin <= at && at < samples.end)
      throw std::runtime_error("no disk");
    auto* to = static_cast<double*>(buffer);
    for (std::int64_t t = samples.begin; t < samples.end; ++t) {
      for (std::int64_t c = channels.begin; c < channels.end; ++c) {
        *to++ = static_cast<double>(10 * t + c);
      }
    }
    read_samples += samples.size();
  }

  std::int64_t read_samples = 0;
  std::atomic<std::int64_t> fails_at = -1;

 private:
  sx::SeriesShape m_shape;
};

constexpr std::int64_t rows = 1000;
constexpr std::int64_t window = 7;

/// Windows contain the samples before their rows.
sx::Range seen_by(sx::Range asked) {
  return {std::max<std::int64_t>(asked.begin - window, 0), asked.end - 1};
}

PanelReader reader_of(std::vector<sx::Source*> sources, std::int64_t panel_rows) {
  const std::vector<std::int64_t> most(sources.size(), panel_rows - 1 + window);
  return {std::move(sources), rows, panel_rows,
          [](std::size_t /*source*/, sx::Range asked) { return seen_by(asked); }, most};
}

/// Expects that the loaded samples contain all samples in the window of a row.
void expect_samples(const PanelReader& reader, std::size_t source, std::int64_t channels,
                    std::int64_t row) {
  const sx::stream::PanelSamples& panel = reader.samples()[source];
  const sx::Range seen = seen_by({row, row + 1});
  ASSERT_LE(panel.samples.begin, seen.begin);
  ASSERT_GE(panel.samples.end, seen.end);
  for (std::int64_t t = seen.begin; t < seen.end; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) {
      double value = 0;
      std::memcpy(&value,
                  panel.data + ((t - panel.samples.begin) * channels + c) *
                                   static_cast<std::int64_t>(sizeof(double)),
                  sizeof(value));
      ASSERT_EQ(value, static_cast<double>(10 * t + c)) << "row " << row;
    }
  }
}

TEST(PanelReader, WalksInOrderReadEachSampleOnceAWalk) {
  CountingSource one(rows, 2);
  CountingSource other(rows, 3);
  constexpr std::int64_t panel_rows = 64;
  {
    PanelReader reader = reader_of({&one, &other}, panel_rows);
    for (int walk = 0; walk < 3; ++walk) {
      for (std::int64_t row = 0; row < rows;) {
        const sx::Range there = reader.bring(row);
        ASSERT_EQ(there.begin, row);
        for (std::int64_t t = row; t < there.end; ++t) {
          expect_samples(reader, 0, 2, t);
          expect_samples(reader, 1, 3, t);
        }
        row = there.end;
      }
    }
  }
  // Three walks, and the panel that was read ahead for a fourth.
  const std::int64_t panels = (rows + panel_rows - 1) / panel_rows;
  const std::int64_t of_walk = rows - 1 + (panels - 1) * (window - 1);
  EXPECT_LE(one.read_samples, 3 * of_walk + panel_rows + window);
  EXPECT_GE(one.read_samples, 3 * of_walk - 3 * window);
  EXPECT_EQ(one.read_samples, other.read_samples);
}

TEST(PanelReader, AnyOrderOfRowsHasTheRightSamples) {
  CountingSource source(rows, 2);
  std::mt19937 random(1);
  for (const std::int64_t panel_rows : {1, 13, 999, 1000}) {
    PanelReader reader = reader_of({&source}, panel_rows);
    for (int i = 0; i < 300; ++i) {
      const auto row = static_cast<std::int64_t>(random() % rows);
      const sx::Range there = reader.bring(row);
      ASSERT_LE(there.begin, row);
      ASSERT_GT(there.end, row);
      ASSERT_LE(there.size(), panel_rows);
      expect_samples(reader, 0, 2, row);
    }
  }
}

TEST(PanelReader, AFailureComesWithItsRowsAndIsGoneBehindThem) {
  CountingSource source(rows, 2);
  source.fails_at = 500;
  PanelReader reader = reader_of({&source}, 100);
  std::int64_t row = 0;
  const auto walk = [&] {
    for (row = 0; row < rows;) row = reader.bring(row).end;
  };
  EXPECT_THROW(walk(), std::runtime_error);
  EXPECT_EQ(row, 500) << "what is read ahead may fail, but not before its rows are wanted";
  EXPECT_THROW(static_cast<void>(reader.bring(500)), std::runtime_error) << "it is tried again";
  EXPECT_EQ(reader.bring(700).begin, 700);
  expect_samples(reader, 0, 2, 700);
  static_cast<void>(reader.bring(0));  // the thread is idle, or reads later rows
  source.fails_at = -1;
  walk();
  EXPECT_EQ(row, rows);
}

}  // namespace
}  // namespace streamed_panels_tests
