// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/convolve.hpp>
#include <synelix/features.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// Fresh features page by page would take longer than the convolution.

namespace large_pages_tests {
namespace {

using namespace synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

/// The flags of the system for the memory at an address: "hg" if large pages were requested.
std::string memory_flags(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool is_there = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      is_there = begin <= place && place < end;
    } else if (is_there && line.starts_with("VmFlags:")) {
      return line + ' ';
    }
  }
  return "";
}

class LargePages : public testing::Test {
 public:
  void SetUp() override {
    const std::vector<char> memory(1);
    if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled") ||
        memory_flags(memory.data()).empty()) {
      GTEST_SKIP() << "a system without large pages, or that does not tell";
    }
  }

  template <class Features>
  static void expect_large_pages(const Features& features) {
    EXPECT_THAT(memory_flags(features.data() + features.size() / 2), testing::HasSubstr(" hg "));
  }

  Space exec;
  Kokkos::View<float**, Kokkos::LayoutRight, Space::memory_space> samples{"samples", 200'000, 4};
};

TEST_F(LargePages, AreAskedForByConvolve) {
  const FilterBank<float, Space> bank(exec, CustomTaps{2, 4, std::vector<double>(8, 1.0)}, {});
  expect_large_pages(convolve<Kokkos::LayoutRight>(exec, samples, bank));
  expect_large_pages(convolve<Kokkos::LayoutLeft>(exec, samples, bank));
}

TEST_F(LargePages, AreAskedForByFeatures) {
  const Expression expression = eval(BSpline{.bases = 5}, {.bounds = {{-1.0, 1.0}}});
  expect_large_pages(compute_features(exec, expression, {samples}).values);
}

}  // namespace
}  // namespace large_pages_tests
