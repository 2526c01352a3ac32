// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tool/text/info_text.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>

// The output of `synelix info` for invented builds and machines.

namespace info_text_tests {
namespace {

using namespace synelix;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

tool::BuildReport on_a_device() {
  tool::BuildReport build;
  build.version = "1.2.3";
  build.revision = "abc";
  build.build_type = "Release";
  build.compiler = "GNU 14";
  build.components = {"hdf5", "tool"};
  build.kokkos_version = "5.2.2";
  build.backends = {"CUDA", "OPENMP"};
  build.execution_space = "Cuda";
  build.device_architecture = "sm_90";
  build.devices = {{.number = 0, .name = "H100", .architecture = "sm_90", .memory_bytes = 1 << 30}};
  build.concurrency = 270336;
  build.instruction_sets = {"plain", "avx2"};
  build.instruction_set = "plain";
  build.hdf5_version = "1.14.5";
  return build;
}

/// A node without a device, as the login nodes of clusters are.
tool::BuildReport without_a_device() {
  tool::BuildReport build = on_a_device();
  build.devices.clear();
  build.no_kokkos = "device: this machine has none. Valid is one that runs sm_90.";
  build.concurrency = 0;
  build.instruction_set = "";
  return build;
}

TEST(InfoText, OfADevice) {
  const std::string text = text_of(on_a_device());
  EXPECT_THAT(text, HasSubstr("runs on Cuda with a concurrency of 270336\n"));
  EXPECT_THAT(text, HasSubstr("compiled for sm_90; 0: H100 (sm_90, 1 GiB)\n"));
  EXPECT_THAT(text, HasSubstr("tiles     plain here; compiled for plain, avx2\n"));
  const Json json = Json::parse(json_of(on_a_device()));
  EXPECT_EQ(json["concurrency"], 270336);
  EXPECT_EQ(json["devices"].size(), 1);
  EXPECT_FALSE(json.contains("no_kokkos"));
}

TEST(InfoText, WithoutADeviceSaysWhatIsCompiledAndWhyItCannotRun) {
  const std::string text = text_of(without_a_device());
  EXPECT_THAT(text, HasSubstr("synelix   1.2.3 (hdf5, tool), Release, GNU 14, revision abc\n"));
  EXPECT_THAT(text, HasSubstr("CUDA, OPENMP; runs on Cuda, which cannot start here: "
                              "device: this machine has none. Valid is one that runs sm_90.\n"));
  EXPECT_THAT(text, HasSubstr("devices   compiled for sm_90; found none\n"));
  EXPECT_THAT(text, HasSubstr("tiles     compiled for plain, avx2\n"));
  EXPECT_THAT(text, HasSubstr("hdf5      1.14.5\n"));
  EXPECT_THAT(text, Not(HasSubstr("concurrency")));
  EXPECT_THAT(text, Not(HasSubstr("calibrate")));
}

TEST(InfoText, WithoutADeviceLeavesOutWhatIsNotKnown) {
  const Json json = Json::parse(json_of(without_a_device()));
  EXPECT_EQ(json["no_kokkos"], without_a_device().no_kokkos);
  EXPECT_EQ(json["device_architecture"], "sm_90");
  EXPECT_EQ(json["devices"], Json::array());
  EXPECT_EQ(json["instruction_sets"].size(), 2);
  EXPECT_EQ(json["hdf5_version"], "1.14.5");
  for (const char* name : {"concurrency", "instruction_set", "machine_file"}) {
    EXPECT_FALSE(json.contains(name)) << name;
  }
}

}  // namespace
}  // namespace info_text_tests
