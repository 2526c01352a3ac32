// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In builds for a device, a typed test of the device has to launch a kernel there. One that does
// not, such as a test of refusals, says so:
//
//     RecordProperty("launches_nothing", "bad arguments are refused before");
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace tests {
namespace {

namespace tools = Kokkos::Tools::Experimental;

std::atomic<std::int64_t> launches{0};

void count(const char*, std::uint32_t device, std::uint64_t*) {
  const auto type = tools::identifier_from_devid(device).type;
  if (type == tools::DeviceType::Cuda || type == tools::DeviceType::HIP) ++launches;
}

class LaunchesOfTests : public testing::EmptyTestEventListener {
  void OnTestProgramStart(const testing::UnitTest&) override {
    tools::set_begin_parallel_for_callback(count);
    tools::set_begin_parallel_reduce_callback(count);
    tools::set_begin_parallel_scan_callback(count);
  }
  void OnTestStart(const testing::TestInfo&) override { launches = 0; }
  void OnTestEnd(const testing::TestInfo& test) override {
    const std::string_view type = test.type_param() != nullptr ? test.type_param() : "";
    const bool is_of_device = type.find(Kokkos::DefaultExecutionSpace().name()) != type.npos;
    const testing::TestResult& result = *test.result();
    if (!is_of_device || result.Skipped() || launches > 0) return;
    for (int i = 0; i < result.test_property_count(); ++i) {
      if (result.GetTestProperty(i).key() == std::string("launches_nothing")) return;
    }
    ADD_FAILURE() << "no kernel was launched on " << Kokkos::DefaultExecutionSpace().name();
  }
};

// Kokkos waits for the entire device around each launch that a tool observes, unless the tool
// declares before Kokkos begins that it needs no such fence. Such fences would hide missing ones.
const bool is_listening = [] {
  tools::set_request_tool_settings_callback([](std::uint32_t, Kokkos_Tools_ToolSettings* settings) {
    settings->requires_global_fencing = false;
  });
  testing::UnitTest::GetInstance()->listeners().Append(new LaunchesOfTests);
  return true;
}();

}  // namespace
}  // namespace tests
