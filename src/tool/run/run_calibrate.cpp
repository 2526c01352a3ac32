// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/machine.hpp"
#include "tool/text/report.hpp"

#include <synelix/calibrate.hpp>
#include <synelix/error.hpp>
#include <synelix/machine_file.hpp>
#include <synelix/types/stream.hpp>

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <string>

namespace synelix::tool {
namespace {

Json calibration_tree(const std::string& file, const Machine& machine) {
  Json tree = {{"path", file},
               {"processor", machine_name()},
               {"instruction_set", name_of(machine.instruction_set)}};
  for (const NamedStep& step : all_steps) {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): measured
    tree["nanoseconds"][step.name] = machine.nanoseconds.value().*step.value;
  }
  for (const NamedBytes& size : all_work_bytes)
    tree["bytes"][size.name] = machine.bytes.*size.value;
  return tree;
}

std::string calibration_text(const Json& calibration) {
  std::string text = sentence_of(
      "{processor}, {instruction_set}, to {path}\nnanoseconds of each step on one core:\n",
      calibration);
  const auto add = [&](const std::string& name, const std::string& value) {
    text += "  " + name + std::string(name.size() < 14 ? 15 - name.size() : 1, ' ') + value + "\n";
  };
  for (const auto& [name, value] : calibration["nanoseconds"].items()) {
    add(name, sentence_of("{/%8.3g}", value));
  }
  text += "bytes of work items:\n";
  for (const auto& [name, value] : calibration["bytes"].items()) {
    add(name, sentence_of("[{!}the library's own][{?}{/plain}]", value));
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
  const Json calibration = calibration_tree(file, machine);
  if (request.messages.json) {
    std::cout << indented(calibration);
  } else if (!request.messages.quiet) {
    std::cout << calibration_text(calibration);
  }
}

}  // namespace synelix::tool
