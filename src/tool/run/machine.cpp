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

namespace {

InstructionSet chosen_set(InstructionSet wanted) {
  const Kokkos::DefaultExecutionSpace exec;
  const FilterBank<float> bank(exec, evaluate_taps(History{}, 4));
  SeriesShape shape;
  shape.samples = 1000;
  shape.channels = 8;
  ConvolveOptions options;
  options.machine.instruction_set = wanted;
  return choose(exec, shape, bank, options).instruction_set;
}

}  // namespace

std::vector<InstructionSet> usable_sets() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set :
       {InstructionSet::plain, InstructionSet::avx2, InstructionSet::avx512}) {
    try {
      if (chosen_set(set) == set) sets.push_back(set);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the answer is that it is not there
    }
  }
  return sets;
}

InstructionSet instruction_set_in_use(InstructionSet wanted) {
  if (wanted == InstructionSet::automatic) return chosen_set(wanted);
  std::string names;
  for (const InstructionSet set : usable_sets()) {
    if (set == wanted) return set;
    names += (names.empty() ? "" : ", ") + std::string(name_of(set));
  }
  throw Error("--instruction-set " + std::string(name_of(wanted)),
              "this processor does not have it", "Give one of: " + names);
}

std::string machine_name() {
  using Space = Kokkos::DefaultExecutionSpace;
  constexpr bool is_on_host = std::is_same_v<Space::memory_space, Kokkos::HostSpace>;
  return processor_name() + (is_on_host ? "" : std::string(", ") + Space::name());
}

Machine machine_of(const std::string& file, InstructionSet wanted) {
  Machine machine;
  machine.instruction_set = wanted;
  const InstructionSet set = instruction_set_in_use(wanted);
  const std::string read = file.empty() ? machine_file() : file;
  if (file == "default" || read.empty()) return machine;
  std::error_code error;
  if (!file.empty() && !std::filesystem::exists(file, error)) {
    throw Error("--machine " + file +
                ": cannot be read: no such file. Make it by `synelix calibrate --output " + file +
                "`.");
  }
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
