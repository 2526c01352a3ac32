// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/machine.hpp"

#include <synelix/convolve.hpp>
#include <synelix/error.hpp>
#include <synelix/machine_file.hpp>
#include <synelix/stream.hpp>

#include <Kokkos_Core.hpp>
#include <impl/Kokkos_ParseCommandLineArgumentsAndEnvironmentVariables.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <type_traits>

namespace synelix::tool {

namespace {

/// Whether a convolution on a space uses an instruction set; on a device it is always the same.
template <class Space>
InstructionSet chosen_set(InstructionSet wanted) {
  const Space exec;
  const FilterBank<float, Space> bank(exec, evaluate_taps(History{}, 4));
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
       {InstructionSet::plain, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon,
        InstructionSet::sve256}) {
    try {
      if (chosen_set<Kokkos::DefaultHostExecutionSpace>(set) == set) sets.push_back(set);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): then it is not available
    }
  }
  return sets;
}

InstructionSet instruction_set_in_use(InstructionSet wanted) {
  const std::vector<InstructionSet> sets =
      wanted == InstructionSet::automatic ? std::vector{wanted} : usable_sets();
  if (std::find(sets.begin(), sets.end(), wanted) == sets.end()) {
    std::string names;
    for (const InstructionSet set : sets) {
      names += (names.empty() ? "" : ", ") + std::string(name_of(set));
    }
    throw Error("--instruction-set " + std::string(name_of(wanted)),
                "this processor does not have it", "Give one of: " + names);
  }
  return chosen_set<Kokkos::DefaultExecutionSpace>(wanted);
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
  const std::string read = file.empty() ? default_machine_file() : file;
  if (file == "default" || read.empty()) return machine;
  std::error_code error;
  if (!file.empty() && !std::filesystem::exists(file, error)) {
    throw Error("--machine " + file +
                ": cannot be read: no such file. Make it by `synelix calibrate --output " + file +
                "`.");
  }
  try {
    if (const auto known = read_machine(read, machine_name(), set)) {
      machine.nanoseconds = known->nanoseconds;
      machine.bytes = known->bytes;
    }
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

std::string execution_space_name() { return Kokkos::DefaultExecutionSpace::name(); }

int execution_threads() { return Kokkos::DefaultExecutionSpace().concurrency(); }

bool streams_through_device(Staging staging) {
  return seam::goes_through_device(Kokkos::DefaultExecutionSpace(), staging);
}

void print_kokkos_help(char* program) {
  std::string help = "--kokkos-help";
  std::vector<char*> words{program, help.data(), nullptr};
  int count = 2;
  Kokkos::InitializationSettings settings;
  // Kokkos (4.6 to 5.2) prints its help only here, or when it starts. Replace this as soon as it
  // has a public function.
  Kokkos::Impl::parse_command_line_arguments(count, words.data(), settings);
}

}  // namespace synelix::tool
