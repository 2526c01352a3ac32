// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/shared.hpp"

#include <synelix/convolve.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <sys/mman.h>

// More than 2^31 samples and offsets: index arithmetic in 64 bits. Memory that was never written
// reads as 0 and takes no space, so only a few samples are written.

namespace large_tests {
namespace {

using namespace synelix;
using Space = Kokkos::DefaultExecutionSpace;

/// Zeros that take memory only after they are written.
class Zeros {
 public:
  explicit Zeros(std::int64_t bytes)
      : m_bytes(static_cast<std::size_t>(bytes)),
        m_data(mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  ~Zeros() {
    if (is_there()) munmap(m_data, m_bytes);
  }

  [[nodiscard]] bool is_there() const { return m_data != MAP_FAILED; }
  template <class T>
  [[nodiscard]] T* data() const {
    return static_cast<T*>(m_data);
  }

 private:
  std::size_t m_bytes;
  void* m_data;
};

constexpr std::int64_t beyond = (std::int64_t{1} << 31) + 1000;

TEST(Large, MoreSamplesThan31Bits) {
  const Zeros memory(beyond);
  if (!memory.is_there()) GTEST_SKIP() << "no address space of 2 GiB";
  auto* const x = memory.data<std::int8_t>();
  constexpr std::int64_t every = 1'000'003;
  constexpr std::int64_t rows = (beyond + every - 1) / every;
  const std::int64_t last = (rows - 1) * every;
  x[last - 1] = 3;
  x[last - 2] = -5;
  x[every * 1000 - 1] = 7;
  const Space exec;
  const FilterBank<float, Space> bank(exec, CustomTaps{3, 2, {1, 10, 2, 20, 4, 40}}, {});
  const StridedSeries series(Strided(x, {beyond}));
  const ConvolveOptions options{.method = Method::direct, .every = every};
  ASSERT_EQ(feature_rows(series.shape(), 3, options), rows);
  std::vector<float> y(static_cast<std::size_t>(rows) * 2, -1.0F);
  convolve(exec, series, bank, StridedOutput(y.data(), {rows, 2}), options);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[2], 0.0F);
  EXPECT_EQ(y[2000], 7.0F);
  EXPECT_EQ(y[2001], 70.0F);
  EXPECT_EQ(y[static_cast<std::size_t>(rows - 1) * 2], 3.0F - 10.0F);
  EXPECT_EQ(y[static_cast<std::size_t>(rows - 1) * 2 + 1], 30.0F - 100.0F);
}

TEST(Large, StridesBeyond31Bits) {
  constexpr std::int64_t samples = 40;
  constexpr std::int64_t step = beyond / 8;  // 40 samples reach 10.7 GiB
  const Zeros memory(samples * step);
  if (!memory.is_there()) GTEST_SKIP() << "no address space of 11 GiB";
  auto* const x = memory.data<std::int8_t>();
  for (std::int64_t t = 0; t < samples; ++t) {
    for (std::int64_t c = 0; c < 3; ++c) x[t * step + c] = static_cast<std::int8_t>(t + 50 * c);
  }
  const Space exec;
  const FilterBank<double, Space> bank(exec, CustomTaps{2, 1, {1, 100}}, {});
  std::vector<double> y(samples * 3);
  convolve(exec, StridedSeries(Strided(x, {samples, 3}, {step, 1})), bank,
           StridedOutput(y.data(), {samples, 3, 1}));
  for (std::int64_t t = 2; t < samples; ++t) {
    for (std::int64_t c = 0; c < 3; ++c) {
      const auto value = [&](std::int64_t s) {
        return static_cast<double>(static_cast<std::int8_t>(s + 50 * c));
      };
      ASSERT_EQ(y[static_cast<std::size_t>(t * 3 + c)], value(t - 1) + 100 * value(t - 2));
    }
  }
}

TEST(Large, FeaturesBeyond31Bits) {
  constexpr std::int64_t samples = 50;
  constexpr std::int64_t step = beyond / 40;  // 50 rows of float reach 10.7 GiB
  const Zeros memory(samples * step * 4);
  if (!memory.is_there()) GTEST_SKIP() << "no address space of 11 GiB";
  auto* const y = memory.data<float>();
  std::vector<float> x(samples);
  for (std::int64_t t = 0; t < samples; ++t) x[static_cast<std::size_t>(t)] = float(t);
  const Space exec;
  const FilterBank<float, Space> bank(exec, CustomTaps{1, 2, {1, 2}}, {});
  convolve(exec, StridedSeries(Strided(x.data(), {samples})), bank,
           StridedOutput(y, {samples, 2}, {step, 1}), {.shift = Shift::off});
  for (std::int64_t t = 0; t < samples; ++t) {
    ASSERT_EQ(y[t * step], static_cast<float>(t));
    ASSERT_EQ(y[t * step + 1], static_cast<float>(2 * t));
  }
}

TEST(Large, EventsOfALongRecording) {
  constexpr std::int64_t samples = std::int64_t{1} << 40;
  constexpr std::int64_t every = std::int64_t{1} << 28;
  const Events events(samples, {{{0, every * 4000 - 2, every * 4000 - 1, samples - 1}, {}}});
  const Space exec;
  const FilterBank<double, Space> bank(exec, CustomTaps{3, 1, {1, 10, 100}}, {});
  for (const Method method : {Method::events, Method::direct}) {
    const ConvolveOptions options{.method = method, .every = every};
    const auto y = oracle::on_host(convolve<Kokkos::LayoutRight>(exec, events, bank, options));
    ASSERT_EQ(y.extent(0), 4096U);
    EXPECT_TRUE(std::isnan(y(0, 0, 0)));
    EXPECT_EQ(y(1, 0, 0), 0.0);
    EXPECT_EQ(y(4000, 0, 0), 11.0) << name_of(method);
  }
}

}  // namespace
}  // namespace large_tests
