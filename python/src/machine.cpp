// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.hpp"
#include "options.hpp"

#include <synelix/basis.hpp>
#include <synelix/calibrate.hpp>
#include <synelix/convolve.hpp>
#include <synelix/machine_file.hpp>

#include <atomic>
#include <cmath>
#include <string>

namespace synelix::python {
namespace {

using namespace nb::literals;

/// Throws for a name that is not in `table`.
template <class Table>
void require_known(const char* argument, const nb::dict& values, const Table& table) {
  for (const auto& item : values) {
    const auto name = nb::cast<std::string>(nb::str(item.first));
    std::string known;
    bool is_known = false;
    for (const auto& each : table) {
      is_known = is_known || name == each.name;
      known.append(known.empty() ? "'" : ", '").append(each.name).append("'");
    }
    if (!is_known) throw Error(argument, "'" + name + "' is not known", "Use one of " + known);
  }
}

std::string member(const char* argument, const char* name) {
  return std::string(argument) + "['" + name + "']";
}

Machine machine_of(const std::string& set, const nb::dict& nanoseconds, const nb::dict& bytes) {
  Machine machine;
  machine.instruction_set = instruction_set_of(nb::str(set.c_str()));
  if (machine.instruction_set == InstructionSet::automatic) {
    throw Error("instruction_set", "'auto' names no set", "Give the set that was measured");
  }
  require_known("nanoseconds", nanoseconds, all_steps);
  require_known("bytes", bytes, all_work_bytes);
  Steps& steps = machine.nanoseconds.emplace();
  for (const NamedStep& step : all_steps) {
    if (!nanoseconds.contains(step.name)) continue;
    const std::string argument = member("nanoseconds", step.name);
    const double value = real(argument, nanoseconds[step.name]);
    if (!std::isfinite(value) || value < 0) {
      throw Error(argument, nb::cast<std::string>(nb::repr(nanoseconds[step.name])) + " is no time",
                  "Use 0 or more nanoseconds");
    }
    steps.*step.value = value;
  }
  for (const NamedBytes& size : all_work_bytes) {
    if (!bytes.contains(size.name)) continue;
    const std::string argument = member("bytes", size.name);
    const std::int64_t value = whole(argument, bytes[size.name]);
    if (value < 0 || value > most_work_bytes) {
      throw Error(argument, std::to_string(value) + " is out of range",
                  "Use 0 to " + std::to_string(most_work_bytes));
    }
    machine.bytes.*size.value = value;
  }
  return machine;
}

nb::dict nanoseconds_of(const Machine& machine) {
  nb::dict result;
  for (const NamedStep& step : all_steps) {
    result[step.name] = machine.nanoseconds.value().*step.value;
  }
  return result;
}

nb::dict bytes_of(const Machine& machine) {
  nb::dict result;
  for (const NamedBytes& size : all_work_bytes) result[size.name] = machine.bytes.*size.value;
  return result;
}

/// The set of convolutions if this one is requested. \throws Error if it is not available
InstructionSet set_in_use(InstructionSet wanted) {
  SeriesShape shape;
  shape.samples = 1000;
  shape.channels = 1;
  ConvolveOptions options;
  options.machine.instruction_set = wanted;
  InstructionSet found = wanted;
  compute(0, [&](const Exec& exec) {
    const FilterBank<float, Exec> bank(exec, evaluate_taps(History{}, 4));
    found = synelix::choose(exec, shape, bank, options).instruction_set;
  });
  return found;
}

/// Whether an instruction set can be used here. Checked once for each set, since the check starts
/// Kokkos and makes a bank.
bool is_here(InstructionSet set) {
  static std::atomic<unsigned> known = 0;
  const unsigned bit = 1U << static_cast<unsigned>(set);
  if ((known & bit) != 0) return true;
  try {
    set_in_use(set);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::argument) throw;
    return false;
  }
  known |= bit;
  return true;
}

Machine measure(const std::string& set, int threads) {
  const InstructionSet wanted = instruction_set_of(nb::str(set.c_str()));
  constexpr double some_seconds = 1e11;  // multiply-adds
  const Watch watch = watch_of(some_seconds);
  Machine machine;
  compute(threads, [&](const Exec& exec) { machine = synelix::calibrate(exec, wanted, watch); });
  return machine;
}

}  // namespace

Machine calibration_of(nb::handle value) {
  const auto machine = nb::cast<Machine>(value);
  if (!is_here(machine.instruction_set)) {
    throw Error("machine",
                "it was measured with " + std::string(name_of(machine.instruction_set)) +
                    ", which is not in this build or not on this processor",
                "Measure this machine: synelix.calibrate()");
  }
  return machine;
}

void bind_machine(nb::module_& module) {
  nb::class_<Machine>(module, "Machine", "What the cost model knows of a machine.")
      .def_static("of", &machine_of, "instruction_set"_a, "nanoseconds"_a, "bytes"_a)
      .def_prop_ro("instruction_set",
                   [](const Machine& machine) { return name_of(machine.instruction_set); })
      .def_prop_ro("nanoseconds", &nanoseconds_of)
      .def_prop_ro("bytes", &bytes_of);
  module.def("calibrate", &measure, "instruction_set"_a, "threads"_a);
  module.def(
      "set_in_use",
      [](const std::string& set) {
        return name_of(set_in_use(instruction_set_of(nb::str(set.c_str()))));
      },
      "instruction_set"_a);
  module.def("default_machine_file", &default_machine_file);
  module.def("processor_name", &processor_name);
  module.def(
      "read_machine",
      [](const std::string& file, const std::string& processor, const std::string& set) {
        return read_machine(file, processor, instruction_set_of(nb::str(set.c_str())));
      },
      "file"_a, "processor"_a, "instruction_set"_a);
  module.def("write_machine", &write_machine, "file"_a, "processor"_a, "machine"_a);
}

}  // namespace synelix::python
