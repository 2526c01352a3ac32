// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/machine.hpp"

#include "tool/run/machine_file.hpp"

#include <synelix/convolve.hpp>
#include <synelix/error.hpp>

#include <Kokkos_Core.hpp>

#include <filesystem>
#include <system_error>
#include <type_traits>

namespace synelix::tool {

InstructionSet instruction_set_in_use() {
  const Kokkos::DefaultExecutionSpace exec;
  const FilterBank<float> bank(exec, evaluate_taps(History{}, 4));
  SeriesShape shape;
  shape.samples = 1000;
  shape.channels = 8;
  return choose(exec, shape, bank).instruction_set;
}

std::string machine_name() {
  using Space = Kokkos::DefaultExecutionSpace;
  constexpr bool is_on_host = std::is_same_v<Space::memory_space, Kokkos::HostSpace>;
  return processor_name() + (is_on_host ? "" : std::string(", ") + Space::name());
}

Machine machine_of(const std::string& file) {
  const std::string read = file.empty() ? machine_file() : file;
  if (file == "default" || read.empty()) return {};
  std::error_code error;
  if (!file.empty() && !std::filesystem::exists(file, error)) {
    throw Error("--machine " + file +
                ": cannot be read: no such file. Make it by `synelix calibrate --output " + file +
                "`.");
  }
  Machine machine;
  const InstructionSet set = instruction_set_in_use();
  try {
    machine.nanoseconds = read_machine(read, machine_name(), set);
  } catch (const Error& damaged) {
    if (!file.empty()) throw;
    warn(std::string(damaged.what()) +
         " Methods are chosen by the constants of the build, as without a calibration; "
         "--machine default does so without this warning");
  }
  if (!file.empty() && !machine.nanoseconds) {
    throw Error("--machine " + file,
                "the file holds nothing for " + machine_name() + " with " + name_of(set),
                "Give 'default', or a file of `synelix calibrate --output` from this machine");
  }
  return machine;
}

}  // namespace synelix::tool
