// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "machine/kokkos_start.hpp"

#include <synelix/devices.hpp>
#include <synelix/error.hpp>
#include <synelix/version.hpp>

#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

// Which devices there are, and which one a wish comes to: the choice on made-up machines.

namespace devices_tests {
namespace {

using namespace synelix;
using Variables = std::map<std::string, std::string>;

/// A machine with devices of these architectures, and these variables.
DeviceSurroundings machine_with(const std::vector<std::string>& architectures,
                                const std::string& compiled_for, const Variables& variables = {}) {
  DeviceSurroundings machine{
      .found = {}, .compiled_for = compiled_for, .backends = "SERIAL OPENMP", .variable = {}};
  for (const std::string& architecture : architectures) {
    const int number = static_cast<int>(machine.found.size());
    machine.found.push_back({.number = number,
                             .name = "Made Up " + std::to_string(number),
                             .architecture = architecture,
                             .memory_bytes = 1 << 30});
  }
  machine.variable = [variables](const std::string& name) -> std::optional<std::string> {
    const auto entry = variables.find(name);
    if (entry == variables.end()) return std::nullopt;
    return entry->second;
  };
  return machine;
}

std::optional<int> chosen(const DeviceWish& wish, const DeviceSurroundings& machine) {
  return chosen_device(wish, machine);
}

/// The choice is refused, and the error begins with this text.
void expect_refused(const DeviceWish& wish, const DeviceSurroundings& machine,
                    const std::string& text) {
  try {
    const auto device = chosen_device(wish, machine);
    ADD_FAILURE() << "not refused, but " << (device ? std::to_string(*device) : "nothing")
                  << "; expected " << text;
  } catch (const Error& error) {
    EXPECT_THAT(std::string(error.what()), testing::HasSubstr(text));
  }
}

const std::string h100 = "sm_90";

TEST(Devices, AreThoseOfTheBackend) {
  const std::string backends = SYNELIX_KOKKOS_BACKENDS;
  const bool has_backend =
      backends.find("CUDA") != std::string::npos || backends.find("HIP") != std::string::npos;
  EXPECT_EQ(device_architecture().empty(), !has_backend) << device_architecture();
  const std::vector<DeviceDescription> found = devices();
  EXPECT_TRUE(has_backend || found.empty());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].number, static_cast<int>(i));
    EXPECT_NE(found[i].name, "");
    EXPECT_NE(found[i].architecture, "");
    EXPECT_GT(found[i].memory_bytes, 0);
  }
}

TEST(Devices, RunWhatWasCompiledForThem) {
  EXPECT_TRUE(runs_on("sm_90", "sm_90"));
  EXPECT_TRUE(runs_on("sm_80", "sm_86"));
  EXPECT_TRUE(runs_on("sm_100", "sm_103"));
  EXPECT_FALSE(runs_on("sm_86", "sm_80")) << "an older one";
  EXPECT_TRUE(runs_on("sm_80", "sm_90")) << "a newer one";
  EXPECT_FALSE(runs_on("sm_90", "sm_80"));
  EXPECT_TRUE(runs_on("sm_100", "sm_120"));
  EXPECT_FALSE(runs_on("sm_90", "gfx942"));
  EXPECT_TRUE(runs_on("gfx90a", "gfx90a:sramecc+:xnack-"));
  EXPECT_TRUE(runs_on("gfx942", "gfx942"));
  EXPECT_FALSE(runs_on("gfx90a", "gfx908:xnack-"));
  EXPECT_FALSE(runs_on("gfx90", "gfx90a"));
}

TEST(DeviceChoice, OfABuildWithoutDevices) {
  const DeviceSurroundings host = machine_with({}, "");
  EXPECT_EQ(chosen({}, host), std::nullopt);
  expect_refused(0, host,
                 "device: 0 needs a device, but this build computes on the host (SERIAL OPENMP). "
                 "Leave it out, or build with");
  expect_refused(LocalRank(), host, "device: local-rank needs a device, but this build");
  EXPECT_EQ(chosen({}, machine_with({}, "", {{"KOKKOS_DEVICE_ID", "7"}})), std::nullopt)
      << "what Kokkos ignores is not a fault";
}

TEST(DeviceChoice, ByNumber) {
  EXPECT_EQ(chosen(1, machine_with({h100, h100}, h100)), 1);
  expect_refused(3, machine_with({h100, h100}, h100),
                 "device: 3 is not a device of this machine. Use 0 or 1, this machine's devices.");
  expect_refused(-1, machine_with({h100, h100, h100, h100}, h100),
                 "device: -1 is not a device of this machine. Use 0 to 3, this machine's devices.");
  expect_refused(1, machine_with({h100}, h100),
                 "device: 1 is not a device of this machine. Use 0, this machine's device.");
  expect_refused(0, machine_with({}, h100),
                 "device: none was found on this machine. Check the driver of a device that");
}

TEST(DeviceChoice, NeedsTheArchitecture) {
  const DeviceSurroundings mixed = machine_with({"sm_80", h100}, h100);
  EXPECT_EQ(chosen(1, mixed), 1);
  expect_refused(0, mixed,
                 "device: number 0, Made Up 0, is sm_80, and this build was compiled for sm_90. "
                 "Choose a device that runs sm_90, or build for sm_80.");
  expect_refused({}, mixed, "number 0, Made Up 0, is sm_80");
  EXPECT_EQ(chosen({}, machine_with({h100, "sm_80"}, h100)), std::nullopt)
      << "without a wish only the device that Kokkos takes is looked at";
  const DeviceSurroundings amd =
      machine_with({"gfx90a:sramecc+:xnack-", "gfx942:xnack-"}, "gfx942");
  EXPECT_EQ(chosen(1, amd), 1);
  expect_refused(0, amd, "is gfx90a:sramecc+:xnack-, and this build was compiled for gfx942");
}

TEST(DeviceChoice, ByLocalRank) {
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
        "SLURM_LOCALID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"}) {
    EXPECT_EQ(chosen(LocalRank(), machine_with({h100, h100}, h100, {{name, "3"}})), 1) << name;
  }
  expect_refused(LocalRank(), machine_with({h100, h100}, h100), "under mpirun or srun");
  EXPECT_EQ(chosen(LocalRank(), machine_with({h100, h100}, h100,
                                             {{"SLURM_LOCALID", "1"}, {"KOKKOS_DEVICE_ID", "0"}})),
            1)
      << "the program's wish goes before the environment's";
  expect_refused(LocalRank(), machine_with({h100}, h100, {{"SLURM_LOCALID", "first"}}),
                 "SLURM_LOCALID: 'first' is not a valid number. Use a whole number, 0 or more.");
}

TEST(DeviceChoice, WithoutAWishIsKokkosOwnAndChecked) {
  const std::vector<std::string> mixed{h100, "sm_80"};
  EXPECT_EQ(chosen({}, machine_with(mixed, h100)), std::nullopt);
  expect_refused({}, machine_with(mixed, h100, {{"KOKKOS_DEVICE_ID", "1"}}),
                 " is sm_80, and this build was compiled for");
  expect_refused({}, machine_with(mixed, h100, {{"SLURM_LOCALID", "1"}}),
                 " is sm_80, and this build was compiled for");
  expect_refused({}, machine_with(mixed, h100, {{"KOKKOS_MAP_DEVICE_ID_BY", "random"}}),
                 " is sm_80, and this build was compiled for");
  expect_refused({}, machine_with(mixed, h100, {{"KOKKOS_DEVICE_ID", "2"}}),
                 "2 is not a device of this machine. Use 0 or 1");
  EXPECT_EQ(chosen({}, machine_with({h100, h100}, h100, {{"KOKKOS_MAP_DEVICE_ID_BY", "random"}})),
            std::nullopt);
}

TEST(DeviceChoice, CountsTheVisibleDevices) {
  const std::vector<std::string> mixed{"sm_80", h100, h100};
  const auto showing = [&](const std::string& list) {
    return machine_with(mixed, h100, {{"KOKKOS_VISIBLE_DEVICES", list}});
  };
  EXPECT_EQ(chosen(1, showing("2,1")), 1) << "Kokkos counts among the visible ones too";
  EXPECT_EQ(chosen({}, showing("1")), std::nullopt);
  expect_refused(0, showing("0,2"), "number 0, Made Up 0, is sm_80");
  expect_refused(1, showing("2"),
                 "1 is not a device of this machine. Use 0, this machine's device.");
  for (const char* wrong : {"3", "", "1,", "-1", "a", "1;2"}) {
    expect_refused({}, showing(wrong), "KOKKOS_VISIBLE_DEVICES: '");
  }
}

/// The environment of Kokkos on a machine with a number of processors.
KokkosSurroundings kokkos_with(Variables variables, std::vector<std::string> words = {},
                               unsigned processors = 8, std::string backends = "SERIAL;OPENMP") {
  return {.backends = std::move(backends),
          .processors = processors,
          .words = std::move(words),
          .variable = [variables = std::move(variables)](
                          const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
          }};
}

void expect_refused_threads(const KokkosSurroundings& surroundings, const std::string& says) {
  try {
    checked_threads(surroundings);
    ADD_FAILURE() << "not refused: " << says;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(says));
  }
}

TEST(Threads, OfKokkosAreFrom1To512WithOpenMP) {
  for (const char* number : {"1", "2", "512"}) {
    EXPECT_EQ(checked_threads(kokkos_with({{"KOKKOS_NUM_THREADS", number}})), std::nullopt);
    EXPECT_EQ(checked_threads(kokkos_with({{"OMP_NUM_THREADS", number}})), std::nullopt);
    const std::string word = std::string("--kokkos-num-threads=") + number;
    EXPECT_EQ(checked_threads(kokkos_with({}, {"program", word})), std::nullopt);
  }
  for (const char* number : {"0", "-3", "513", "100000", "abc", "", "1e2", "99999999999"}) {
    const std::string found =
        std::string(": '") + number + "' is not a valid number of threads. Use ";
    expect_refused_threads(kokkos_with({{"KOKKOS_NUM_THREADS", number}}),
                           "KOKKOS_NUM_THREADS" + found);
    expect_refused_threads(kokkos_with({{"OMP_NUM_THREADS", number}}), "OMP_NUM_THREADS" + found);
    expect_refused_threads(kokkos_with({}, {std::string("--kokkos-num-threads=") + number}),
                           "--kokkos-num-threads" + found);
  }
  expect_refused_threads(kokkos_with({}, {"--kokkos-num-threads"}), "--kokkos-num-threads: ''");
}

TEST(Threads, OfOpenMPAreAListOfNumbers) {
  EXPECT_EQ(checked_threads(kokkos_with({{"OMP_NUM_THREADS", " 4 , 2"}})), std::nullopt);
  for (const char* list : {"4,", ",4", "4,x", "4,600"}) {
    expect_refused_threads(kokkos_with({{"OMP_NUM_THREADS", list}}), "OMP_NUM_THREADS: '");
  }
}

TEST(Threads, OfALargeMachineAreCapped) {
  EXPECT_EQ(checked_threads(kokkos_with({}, {}, 512)), std::nullopt);
  EXPECT_EQ(checked_threads(kokkos_with({}, {}, 513)), 512);
  EXPECT_EQ(checked_threads(kokkos_with({{"OMP_NUM_THREADS", "16"}}, {}, 1024)), std::nullopt);
  EXPECT_EQ(checked_threads(kokkos_with({}, {"--kokkos-num-threads=16"}, 1024)), std::nullopt);
}

TEST(Threads, WithoutOpenMPHaveNoSuchLimit) {
  const std::string serial = "SERIAL";
  EXPECT_EQ(checked_threads(kokkos_with({}, {}, 1024, serial)), std::nullopt);
  EXPECT_EQ(checked_threads(kokkos_with({{"KOKKOS_NUM_THREADS", "600"}}, {}, 8, serial)),
            std::nullopt);
  EXPECT_EQ(checked_threads(kokkos_with({{"OMP_NUM_THREADS", "x"}}, {}, 8, serial)), std::nullopt);
  expect_refused_threads(kokkos_with({{"KOKKOS_NUM_THREADS", "x"}}, {}, 8, serial),
                         "KOKKOS_NUM_THREADS: 'x'");
}

TEST(Threads, VariablesOfDevicesAreReadEverywhere) {
  EXPECT_EQ(checked_threads(kokkos_with({{"KOKKOS_MAP_DEVICE_ID_BY", "random"}})), std::nullopt);
  expect_refused_threads(kokkos_with({{"KOKKOS_MAP_DEVICE_ID_BY", "chance"}}),
                         "KOKKOS_MAP_DEVICE_ID_BY: 'chance'");
  expect_refused_threads(kokkos_with({{"KOKKOS_DEVICE_ID", "x"}}), "KOKKOS_DEVICE_ID: 'x'");
}

}  // namespace
}  // namespace devices_tests
