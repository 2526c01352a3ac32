// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A design matrix over sources has the bits of the one in memory.
#include <synelix/stream_design_matrix.hpp>
#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace stream_design_matrix_tests {
namespace {

namespace sx = synelix;
using Space = Kokkos::DefaultHostExecutionSpace;
using testing::HasSubstr;

/// Reads an array, and counts the reads.
class CountedSource final : public sx::Source {
 public:
  explicit CountedSource(const sx::StridedSeries& series) : m_memory(series) {}
  [[nodiscard]] const sx::SeriesShape& shape() const override { return m_memory.shape(); }
  void read(sx::Range samples, sx::Range channels, void* buffer) override {
    m_memory.read(samples, channels, buffer);
    read_samples += samples.size();
    most = std::max<std::int64_t>(most, samples.size());
  }
  std::atomic<std::int64_t> read_samples = 0;
  std::int64_t most = 0;

 private:
  sx::MemorySource m_memory;
};

struct Recording {
  static constexpr std::int64_t samples = 40'000;
  Kokkos::View<std::int16_t**, Kokkos::LayoutRight, Kokkos::HostSpace> field{"field", samples, 3};
  Kokkos::View<double*, Kokkos::HostSpace> position{"position", samples};
  std::vector<sx::Events::Train> trains{2};
  sx::Epochs epochs{{0, 15'000}, {15'100, samples}};

  Recording() {
    std::mt19937 random(2);
    for (std::int64_t t = 0; t < samples; ++t) {
      for (int c = 0; c < 3; ++c) {
        field(t, c) = static_cast<std::int16_t>(static_cast<int>(random() % 2000) - 1000);
      }
      position(t) = std::sin(static_cast<double>(t) * 0.01);
      for (auto& train : trains) {
        if (random() % 50 == 0) train.samples.push_back(t);
      }
    }
    position(77) = std::numeric_limits<double>::quiet_NaN();
  }
};

sx::Expression expression() {
  return sx::conv(sx::RaisedCosineLog{.bases = 4}, {.window = 60, .label = "field"}) +
         sx::conv(sx::History{},
                  {.window = 5, .causality = sx::Causality::acausal, .label = "spikes"}) +
         sx::eval(sx::BSpline{.bases = 6}, {.label = "place"});  // its range comes from the samples
}

TEST(StreamDesignMatrix, HasTheBitsOfMemoryForEveryBudget) {
  const Recording recording;
  const Space exec;
  const sx::Series field(recording.field, {.epochs = recording.epochs});
  const sx::Series position(recording.position, {.epochs = recording.epochs});
  const sx::Events events(Recording::samples, recording.trains, recording.epochs);
  const sx::DesignMatrix whole(exec, expression(), {field, events, position},
                               {.method = sx::Method::direct, .budget = sx::mebibytes(256)});
  const std::int64_t columns = whole.columns();
  const std::int64_t size = columns + 1;
  std::vector<double> expected_gram(static_cast<std::size_t>(size * size));
  whole.gram(sx::StridedOutput(expected_gram.data(), {size, size}));
  std::vector<double> coefficients(static_cast<std::size_t>(columns));
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    coefficients[j] = 0.01 * std::cos(static_cast<double>(j));
  }
  std::vector<double> expected(static_cast<std::size_t>(Recording::samples));
  whole.apply(sx::Strided(coefficients.data(), {columns}),
              sx::StridedOutput(expected.data(), {Recording::samples}));
  for (const std::int64_t mebibytes : {4, 16, 256}) {
    for (const sx::Keep keep : {sx::Keep::nothing, sx::Keep::automatic}) {
      SCOPED_TRACE(mebibytes);
      CountedSource field_source(field);
      CountedSource position_source(position);
      const sx::DesignMatrix streamed = sx::stream_design_matrix(
          exec, expression(), {field_source, events, position_source},
          {.keep = keep, .method = sx::Method::direct, .budget = sx::mebibytes(mebibytes)});
      EXPECT_EQ(streamed.rows(), whole.rows());
      ASSERT_EQ(streamed.columns(), columns);
      EXPECT_LE(streamed.choice().buffer_bytes, sx::mebibytes(mebibytes));
      EXPECT_EQ(streamed.valid_rows(), whole.valid_rows());
      std::vector<double> gram(expected_gram.size());
      streamed.gram(sx::StridedOutput(gram.data(), {size, size}));
      EXPECT_EQ(gram, expected_gram);
      std::vector<double> predictor(expected.size());
      streamed.apply(sx::Strided(coefficients.data(), {columns}),
                     sx::StridedOutput(predictor.data(), {Recording::samples}));
      EXPECT_EQ(std::memcmp(predictor.data(), expected.data(), expected.size() * sizeof(double)),
                0);
      if (keep == sx::Keep::nothing) {
        EXPECT_EQ(streamed.choice().source, sx::RowSource::streamed);
        const bool is_larger = field_source.most < Recording::samples - 1;
        EXPECT_EQ(is_larger, mebibytes == 4);
        if (is_larger) {
          EXPECT_GT(field_source.read_samples, 2 * Recording::samples) << "once in each walk";
        } else {
          EXPECT_LT(field_source.read_samples, Recording::samples) << "one panel has all of them";
        }
      }
    }
  }
}

TEST(StreamDesignMatrix, RefusesWhatAStreamCannotDo) {
  const Recording recording;
  const Space exec;
  CountedSource source{sx::Series(recording.field)};
  const auto refusal = [&](const sx::Expression& wanted, const sx::DesignMatrixOptions& options) {
    try {
      sx::stream_design_matrix(exec, wanted, {source}, options);
    } catch (const sx::Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  const sx::Expression filters = sx::conv(sx::History{}, {.window = 9});
  EXPECT_THAT(refusal(filters, {.budget = 1000}), HasSubstr("Give at least"));
  EXPECT_THAT(refusal(filters, {.method = sx::Method::events}), HasSubstr("events is asked for"));
  EXPECT_THAT(refusal(sx::eval(sx::OrthExponential{.decay_rates = {1, 2}}), {}),
              HasSubstr("needs all samples at once"));
}

TEST(StreamDesignMatrix, RefusesResultsOverTheMemoryOfASource) {
  std::vector<double> samples(300, 1.0);
  sx::MemorySource source{sx::StridedSeries(sx::Strided(samples.data(), {300}))};
  const Space exec;
  const sx::DesignMatrix design =
      sx::stream_design_matrix(exec, sx::conv(sx::History{}, {.window = 9}), {source});
  const std::vector<double> coefficients(9, 1.0);
  EXPECT_THAT(
      [&] {
        design.apply(sx::Strided(coefficients.data(), {9}),
                     sx::StridedOutput(samples.data(), {300}));
      },
      testing::ThrowsMessage<sx::Error>(
          HasSubstr("result: its memory overlaps that of the design")));
  EXPECT_THAT(samples, testing::Each(1.0));
}

TEST(StreamDesignMatrix, IsCancelledInAWalk) {
  const Recording recording;
  const Space exec;
  CountedSource source{sx::Series(recording.field)};
  std::atomic<bool> cancel = false;
  const sx::DesignMatrix design =
      sx::stream_design_matrix(exec, sx::conv(sx::History{}, {.window = 9}), {source},
                               {.keep = sx::Keep::nothing}, {.cancel = &cancel});
  EXPECT_EQ(design.valid_rows().front().begin, 9);
  cancel = true;
  std::vector<double> gram(static_cast<std::size_t>(28 * 28));
  EXPECT_THROW(design.gram(sx::StridedOutput(gram.data(), {28, 28})), sx::Cancelled);
}

}  // namespace
}  // namespace stream_design_matrix_tests
