// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/machine.hpp"
#include "tool/text/json.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/calibrate.hpp>
#include <synelix/error.hpp>
#include <synelix/machine_file.hpp>
#include <synelix/types/stream.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

namespace synelix::tool {
namespace {

std::string calibration_json(const std::string& file, const Machine& machine) {
  Json steps;
  for (const NamedStep& step : all_steps) {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): measured
    steps[step.name] = machine.nanoseconds.value().*step.value;
  }
  Json bytes;
  for (const NamedBytes& size : all_work_bytes) bytes[size.name] = machine.bytes.*size.value;
  const Json json = {{"path", file},
                     {"processor", machine_name()},
                     {"instruction_set", name_of(machine.instruction_set)},
                     {"nanoseconds", steps},
                     {"bytes", bytes}};
  return indented(json);
}

std::string calibration_text(const std::string& file, const Machine& machine) {
  std::string text = machine_name() + ", " + name_of(machine.instruction_set) + ", to " + file +
                     "\nnanoseconds of each step on one core:\n";
  for (const NamedStep& step : all_steps) {
    std::array<char, 64> line{};
    std::snprintf(line.data(), line.size(), "  %-14s %8.3g\n", step.name,
                  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): measured
                  machine.nanoseconds.value().*step.value);
    text += line.data();
  }
  text += "bytes of work items:\n";
  for (const NamedBytes& size : all_work_bytes) {
    const std::int64_t bytes = machine.bytes.*size.value;
    const std::string number = bytes == 0 ? "the library's own" : std::to_string(bytes);
    std::array<char, 96> line{};
    std::snprintf(line.data(), line.size(), "  %-14s %s\n", size.name, number.c_str());
    text += line.data();
  }
  return text;
}

}  // namespace

void run_calibrate(const CalibrateRequest& request) {
  const std::string file = request.output.empty() ? default_machine_file() : request.output;
  if (file.empty()) {
    throw Error(
        "there is no folder for the user's configuration: neither XDG_CONFIG_HOME nor HOME is set. "
        "Set one of them, or give --output FILE.");
  }
  const Kokkos::DefaultExecutionSpace exec;
  require_machine_file(file);  // checked before measuring
  instruction_set_in_use(request.instruction_set);
  const Machine machine = calibrate(exec, request.instruction_set);
  if (stop_requested()) throw Cancelled("nothing was left behind");
  if (!machine.nanoseconds) throw StateError("calibrate", "it measured no step", "");
  write_machine(file, machine_name(), machine);
  if (request.messages.json) {
    std::cout << calibration_json(file, machine);
  } else if (!request.messages.quiet) {
    std::cout << terminal_text(calibration_text(file, machine));
  }
}

}  // namespace synelix::tool
