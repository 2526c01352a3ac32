// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tool/text/report.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>

// The output of `synelix info` for invented builds and machines.

namespace info_text_tests {
namespace {

using synelix::tool::build_text;
using synelix::tool::Json;
using testing::HasSubstr;
using testing::Not;

Json on_a_device() {
  return {
      {"version", "1.2.3"},
      {"revision", "abc"},
      {"build_type", "Release"},
      {"compiler", "GNU 14"},
      {"components", {"hdf5", "tool"}},
      {"kokkos_version", "5.2.2"},
      {"backends", {"CUDA", "OPENMP"}},
      {"execution_space", "Cuda"},
      {"devices",
       {{{"number", 0}, {"name", "H100"}, {"architecture", "sm_90"}, {"memory_bytes", 1 << 30}}}},
      {"concurrency", 270336},
      {"instruction_sets", {"plain", "avx2", "avx512"}},
      {"instruction_set", "plain"},
      {"machine_file", ""},
      {"hdf5_version", "1.14.5"},
      {"device_architecture", "sm_90"}};
}

/// A node without a device, as the login nodes of clusters are.
Json without_a_device() {
  Json build = on_a_device();
  build["devices"].clear();
  build["no_kokkos"] = "device: this machine has none. Valid is one that runs sm_90.";
  for (const char* known : {"concurrency", "instruction_set", "machine_file"}) build.erase(known);
  return build;
}

TEST(InfoText, OfADevice) {
  const std::string text = build_text(on_a_device());
  EXPECT_THAT(text, HasSubstr("runs on Cuda with a concurrency of 270336\n"));
  EXPECT_THAT(text, HasSubstr("compiled for sm_90; 0: H100 (sm_90, 1 GiB)\n"));
  EXPECT_THAT(text, HasSubstr("tiles     plain here; compiled for plain, avx2, avx512\n"));
  EXPECT_THAT(text, HasSubstr("choice    by the library's constants; `synelix calibrate`"));
}

TEST(InfoText, OfTwoDevices) {
  Json build = on_a_device();
  build["devices"].push_back(build["devices"][0]);
  build["devices"][1]["number"] = 1;
  EXPECT_THAT(build_text(build), HasSubstr("sm_90; 0: H100 (sm_90, 1 GiB); 1: H100 (sm_90, 1 "
                                           "GiB)\n"));
}

TEST(InfoText, WithoutADeviceSaysWhatIsCompiledAndWhyItCannotRun) {
  const std::string text = build_text(without_a_device());
  EXPECT_THAT(text, HasSubstr("synelix   1.2.3 (hdf5, tool), Release, GNU 14, revision abc\n"));
  EXPECT_THAT(text, HasSubstr("CUDA, OPENMP; runs on Cuda, which cannot start here: "
                              "device: this machine has none. Valid is one that runs sm_90.\n"));
  EXPECT_THAT(text, HasSubstr("devices   compiled for sm_90; found none\n"));
  EXPECT_THAT(text, HasSubstr("tiles     compiled for plain, avx2, avx512\n"));
  EXPECT_THAT(text, HasSubstr("hdf5      1.14.5\n"));
  EXPECT_THAT(text, Not(HasSubstr("concurrency")));
  EXPECT_THAT(text, Not(HasSubstr("calibrate")));
}

}  // namespace
}  // namespace info_text_tests
