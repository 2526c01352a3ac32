// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Kernels that nvcc compiled (kernels/basics.cu), against the host, in each order of threads.
#include "device_array.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>

namespace test_programs {
namespace {

using namespace emulator;
__extension__ typedef unsigned __int128 u128;

std::string text_of_file(const std::string& name) {
  const std::ifstream file(std::string(EMULATOR_KERNELS) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Module& basics() {
  static const auto module = load(text_of_file("basics.ptx"));
  return *module;
}

/// How threads take turns.
struct Turns {
  const char* name;
  Order order;
  bool apart;
  std::uint64_t slice;
};

class Programs : public testing::TestWithParam<Turns> {
 protected:
  Programs() {
    settings().order = GetParam().order;
    settings().apart = GetParam().apart;
    settings().slice = GetParam().slice;
  }
  void TearDown() override { EXPECT_EQ(fault_lines(), ""); }

  static void run(const std::string& kernel, unsigned teams, unsigned threads,
                  const Arguments& arguments) {
    Function* found = find_kernel(basics(), kernel);
    ASSERT_NE(found, nullptr) << kernel;
    launch(*found, {teams, 1, 1}, {threads, 1, 1}, 0, arguments.bytes());
  }

  QuietMachine m_machine;
};

INSTANTIATE_TEST_SUITE_P(Orders, Programs,
                         testing::Values(Turns{"Forward", Order::forward, false, 1U << 16},
                                         Turns{"Reverse", Order::reverse, false, 1U << 16},
                                         Turns{"Random", Order::random, false, 37},
                                         Turns{"ForwardApart", Order::forward, true, 1U << 16},
                                         Turns{"ReverseApart", Order::reverse, true, 500},
                                         Turns{"RandomApart", Order::random, true, 7}),
                         [](const auto& of) { return of.param.name; });

TEST_P(Programs, FunctionsOfDoubles) {
  constexpr int n = 1000;
  std::vector<double> x(n);
  for (int i = 0; i < n; ++i) x[i] = (i - 500) * 0.037;
  const DeviceArray<double> in(x), out(n);
  run("functions_double", 4, 256, Arguments(in, out, n));
  const int table[] = {3, 1, 4, 1};
  const auto y = out.values();
  for (int i = 0; i < n; ++i) {
    const double size = std::fabs(x[i]);
    const double expected = std::sqrt(size) + std::exp(-x[i] * x[i]) + std::log1p(size) +
                            std::sin(x[i]) + std::pow(size, 0.3) + (x[i] * 2 + 1) + table[i & 3];
    ASSERT_NEAR(y[i], expected, 1e-14 * (1 + std::fabs(expected))) << i;
  }
}

TEST_P(Programs, FunctionsOfFloats) {
  constexpr int n = 1000;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i - 500) * 0.037F;
  const DeviceArray<float> in(x), out(n);
  run("functions_float", 4, 256, Arguments(in, out, n));
  const auto y = out.values();
  for (int i = 0; i < n; ++i) {
    const double v = x[i], size = std::fabs(v);
    const double expected =
        (std::sqrt(size) + std::exp(-v * v) + std::log1p(size) + std::tanh(v)) * 2 + 3;
    ASSERT_NEAR(y[i], expected, 5e-7 * (1 + std::fabs(expected))) << i;
  }
}

/// The same as the kernel, with functions of the host.
long long expected_integer(long long a, long long b, int i) {
  using Bits = unsigned long long;
  Bits r = static_cast<Bits>(a / b) * 3 + static_cast<Bits>(a % b);
  r ^= static_cast<Bits>(a) / 7 + static_cast<unsigned>(a) % 11U;
  r += static_cast<Bits>(__builtin_popcountll(static_cast<Bits>(a)));
  r += a != 0 ? static_cast<Bits>(__builtin_clzll(static_cast<Bits>(a))) : 64;
  r += static_cast<Bits>(a >> 5) + (static_cast<Bits>(a) >> 3) + (static_cast<Bits>(a) << 7);
  r += static_cast<Bits>(static_cast<short>(a)) + static_cast<Bits>(static_cast<signed char>(b));
  r += static_cast<Bits>((u128{static_cast<Bits>(a)} * static_cast<Bits>(b)) >> 64);
  r += static_cast<Bits>(static_cast<long long>(static_cast<double>(a)));
  r += static_cast<Bits>(static_cast<long long>(static_cast<float>(b)));
  r += (i & 1) != 0 ? 2147483647 : 0;
  return static_cast<long long>(r);
}

TEST_P(Programs, Integers) {
  constexpr int n = 1000;
  std::vector<long long> x(n);
  unsigned long long s = 88172645463325252ULL;
  for (auto& v : x) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    v = static_cast<long long>(s >> (s & 31)) >> 1;
  }
  const DeviceArray<long long> in(x), out(n);
  run("integers", 4, 256, Arguments(in, out, n));
  const auto y = out.values();
  for (int i = 0; i < n; ++i) ASSERT_EQ(y[i], expected_integer(x[i], x[(i + 1) % n] | 1, i)) << i;
}

TEST_P(Programs, SumsOfTeams) {
  constexpr int n = 1000;
  const DeviceArray<float> in(std::vector<float>(n, 1.0F)), sum(std::vector<float>(1, 0.0F));
  run("total", 3, 256, Arguments(in, sum, n));
  EXPECT_EQ(sum.values()[0], 1000.0F);
}

TEST_P(Programs, Shuffles) {
  std::vector<int> x(32);
  for (int i = 0; i < 32; ++i) x[i] = i;
  const DeviceArray<int> in(x), out(32);
  run("shuffled", 1, 32, Arguments(in, out));
  EXPECT_EQ(out.values(), std::vector<int>(32, 496 * 100 + 26));
}

TEST_P(Programs, CallsAndLocalMemory) {
  const DeviceArray<double> out(64);
  run("called", 1, 64, Arguments(out));
  std::vector<double> expected(64);
  for (int i = 0; i < 64; ++i) expected[i] = i / 32.0 + 5 + (i & 7) * i;
  EXPECT_EQ(out.values(), expected);
}

TEST_P(Programs, LocksWithinAWarp) {
  const DeviceArray<int> lock(std::vector<int>{0}), count(std::vector<int>{0});
  settings().slice = std::min<std::uint64_t>(settings().slice, 100);
  run("locked", 2, 64, Arguments(lock, count));
  EXPECT_EQ(count.values()[0], 128);
}

int expected_steps(int x) {
  int steps = 0;
  for (unsigned v = static_cast<unsigned>(x); v != 1; v = v % 2 != 0 ? 3 * v + 1 : v / 2) ++steps;
  switch (x % 7) {
    case 0:
      return steps + 10;
    case 1:
      return steps * 3;
    case 2:
      return steps - x;
    case 3:
      return steps ^ 5;
    case 4:
      return -steps;
    case 5:
      return steps << 2;
    default:
      return ~steps;
  }
}

TEST_P(Programs, LanesThatComeApart) {
  constexpr int n = 300;
  std::vector<int> x(n), expected(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i * 37 % 1000 + 1;
    expected[i] = expected_steps(x[i]);
  }
  const DeviceArray<int> in(x), out(n);
  run("diverging", 3, 128, Arguments(in, out, n));
  EXPECT_EQ(out.values(), expected);
}

TEST_P(Programs, ProductsOfMatrices) {
  constexpr int n = 64;
  std::vector<float> a(n * n), b(n * n), expected(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 7 - 3);
    b[i] = static_cast<float>(i % 5 - 2);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) expected[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  const DeviceArray<float> left(a), right(b), out(n * n);
  run("product", 1, 256, Arguments(left, right, out, n));
  EXPECT_EQ(out.values(), expected);
}

TEST(ProgramCounts, OfAProductOfMatrices) {
  const QuietMachine machine;
  settings().counts = true;
  constexpr int n = 64;
  const DeviceArray<float> in(std::vector<float>(n * n, 1)), out(n * n);
  all_counts().clear();
  launch(*find_kernel(basics(), "product"), {1, 1, 1}, {256, 1, 1}, 0,
         Arguments(in, in, out, n).bytes());
  const Counts& counts = all_counts().at("product");
  EXPECT_EQ(counts.launches, 1);
  EXPECT_EQ(counts.teams, 1);
  EXPECT_EQ(counts.threads, 256);
  EXPECT_EQ(counts.multiply_adds, n * n * n);
  EXPECT_EQ(counts.barriers, 2 * n / 16);
  // Each tile of 16 columns of a, and of 64 of b, once: 32 bytes are 8 floats.
  EXPECT_EQ(counts.sectors_read, 2 * n * n / 8);
  EXPECT_EQ(counts.sectors_written, n * n / 8);
  EXPECT_EQ(counts.different_read.size(), n * n / 8);  // both operands are one array
  EXPECT_EQ(counts.different_written.size(), n * n / 8);
  // Stores to `left` have rows of 64 floats, so all lanes of a warp store to two banks.
  EXPECT_GT(counts.bank_conflicts, 0);
  EXPECT_GT(counts.shared_accesses, 8 * n * n * n / 32 / 16);
  all_counts().clear();
}

TEST(ProgramCounts, AProfileHasEachInstructionOfALaunch) {
  const QuietMachine machine;
  settings().counts = true;
  settings().profile = 5;
  constexpr int n = 64;
  const DeviceArray<float> in(std::vector<float>(n * n, 1)), out(n * n);
  all_counts().clear();
  Function& product = *find_kernel(basics(), "product");
  product.is_laid_out = false;
  launch(product, {1, 1, 1}, {256, 1, 1}, 0, Arguments(in, in, out, n).bytes());
  const std::vector<std::uint64_t>& executed = product.executed;
  ASSERT_EQ(executed.size(), product.code.size());
  EXPECT_EQ(std::accumulate(executed.begin(), executed.end(), std::uint64_t{0}),
            all_counts().at("product").instructions);
  product.executed.clear();
  all_counts().clear();
}

}  // namespace
}  // namespace test_programs
