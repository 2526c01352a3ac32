// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/shared_facts.hpp"

#include "tool/process/signals.hpp"
#include "tool/run/design_files.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"
#include "tool/text/terminal_text.hpp"
#include "tool/text/text_file.hpp"

#include <synelix/types/join_parts.hpp>
#include <synelix/version.hpp>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>
#include <utility>

namespace synelix::tool {
namespace {

bool exists(const std::string& file) {
  std::error_code status;
  return std::filesystem::exists(std::filesystem::symlink_status(file, status));
}

void add_epochs(Fingerprint& follows_from, const std::optional<DatasetPath>& epochs) {
  if (!epochs) return;
  follows_from.emplace_back("epochs", epochs->dataset);
  add_file(follows_from, "epochs", epochs->file);
}

void add_intervals(Fingerprint& follows_from, const std::optional<IntervalsSource>& intervals) {
  if (!intervals) return;
  follows_from.emplace_back("intervals", intervals->table.dataset + intervals_text(*intervals));
  if (!intervals->table.file.empty()) add_file(follows_from, "intervals", intervals->table.file);
}

/// Adds the requested calibration: a file by its content, since nodes may have it in different
/// places.
void add_machine(Fingerprint& follows_from, const std::string& machine) {
  if (machine.empty()) return;
  std::string value = machine;
  std::error_code status;
  if (machine != "default" && std::filesystem::is_regular_file(machine, status)) {
    value = fingerprint_of_text("machine", read_text_file(machine)).back().second;
  }
  follows_from.emplace_back("--machine", value);
}

}  // namespace

void add_file(Fingerprint& follows_from, const std::string& name, const std::string& file) {
  try {
    const Fingerprint now = fingerprint_of_file(file);
    const std::string of = name.empty() ? "" : " of " + name;
    for (const auto& [what, value] : now) follows_from.emplace_back(what + of, value);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): opening it reports the reason
  }
}

Fingerprint facts_follow_from(const ConvolveRequest& request) {
  Fingerprint result = {{"synelix", std::string(version())},
                        {"command", "convolve"},
                        {"dataset", (request.units ? "units" : "") + request.input.dataset}};
  if (request.time_axis) result.emplace_back("time axis", std::to_string(*request.time_axis));
  add_file(result, "", request.input.file);
  add_machine(result, request.machine);
  return result;
}

Fingerprint facts_follow_from(const FeaturesRequest& request, const DesignFile& design) {
  Fingerprint result = {{"synelix", std::string(version())}, {"command", "features"}};
  for (const auto& entry : fingerprint_of_text("design", design.text)) result.push_back(entry);
  for (const DesignInput& input : design.inputs) {
    add_file(result, input.name, file_of(input));
  }
  add_epochs(result, request.epochs);
  add_intervals(result, request.intervals);
  add_machine(result, request.machine);
  return result;
}

SharedFacts::SharedFacts(const OutputRequest& output, const Fingerprint& follows_from,
                         const Messages& messages)
    : m_output(output),
      m_part(part_of(output.path.file)),
      m_file(m_part + ".facts", std::string(facts_magic)),
      m_follows_from(printable(follows_from)) {
  if (may_share()) begin(messages);
}

SharedFacts::~SharedFacts() {
  if (m_has_kept && !is_part_there()) m_file.remove();
}

bool SharedFacts::may_share() const {
  return m_output.part && !m_output.dry_run && !m_output.path.file.empty();
}

bool SharedFacts::is_part_there() const {
  return exists(m_part) || (has_part_file(m_output) && !part_files(m_output.path.file).empty());
}

std::string SharedFacts::parts() const { return has_part_file(m_output) ? m_part + "-*" : m_part; }

void SharedFacts::refuse(const std::string& differs) const {
  throw FileError(
      m_file.name(),
      "other parts of this output have other inputs, options or programs: " + differs,
      "Give all parts the same; or remove " + parts() + " and " + m_file.name() + " to begin anew");
}

bool SharedFacts::take_known(bool is_part_there) {
  std::optional<std::string> text = m_file.read();
  if (!text) return false;
  PartFacts found = facts_from(std::move(*text), m_file.name());
  if (const auto differs = difference(found.follows_from, m_follows_from)) {
    // Without a part of the output, the file was left by an earlier run, unless its process is
    // still running.
    if (is_part_there || m_file.is_held()) refuse(*differs);
    return false;
  }
  m_known = std::move(found);
  return true;
}

void SharedFacts::begin(const Messages& messages) {
  constexpr std::chrono::milliseconds between_looks{20};
  bool has_said = messages.quiet;
  for (;;) {
    // Checked before the facts: the process that makes OUT.part has stored its facts before.
    const bool is_there = is_part_there();
    const bool is_in_the_way = m_output.existing != Existing::replace && exists(m_output.path.file);
    if (take_known(is_there) || is_there || is_in_the_way) return;
    if (m_file.take()) {
      const bool is_there_now = is_part_there();
      if (take_known(is_there_now) || is_there_now) return m_file.give_back();
      m_file.remove();  // left by an earlier run
      return;
    }
    if (stop_requested()) throw Cancelled("nothing was left behind");
    if (!has_said) {
      std::cerr << terminal_text("waiting for the part that finds what all parts share (" +
                                 m_file.name() + ".new)\n");
      has_said = true;
    }
    std::this_thread::sleep_for(between_looks);
  }
}

Machine SharedFacts::machine(const std::string& file, InstructionSet wanted) const {
  if (!m_known) return machine_of(file, wanted);
  Machine machine;
  machine.instruction_set =
      set_of_facts(m_known->instruction_set, usable_sets(), m_file.name(), parts());
  machine.nanoseconds = m_known->nanoseconds;
  if (wanted != InstructionSet::automatic &&
      instruction_set_in_use(wanted) != machine.instruction_set) {
    throw Error("--instruction-set " + std::string(name_of(wanted)),
                "the other parts of this output use " + m_known->instruction_set,
                "Give all parts the same instruction set; or remove " + parts() + " and " +
                    m_file.name() + " to begin anew");
  }
  return machine;
}

void SharedFacts::require_files(const Fingerprint& files) const {
  if (!m_known) return;
  if (const auto differs = difference(m_known->files, printable(files))) refuse(*differs);
}

void SharedFacts::keep(const PartFacts& found, const Machine& machine) {
  if (!is_finder()) return;
  PartFacts facts = found;
  facts.follows_from = m_follows_from;
  facts.instruction_set = name_of(instruction_set_in_use(machine.instruction_set));
  facts.nanoseconds = machine.nanoseconds;
  const std::string text = tool::text_of(facts);
  m_has_kept = m_file.make(text);
  if (m_has_kept) return;
  const bool is_same = m_file.read() == text;  // on a file system whose locks are not shared
  m_file.give_back();
  if (is_same) return;
  throw FileError(m_file.name(), "another part has kept other facts at the same time",
                  "Run this part again");
}

void SharedFacts::leave() const {
  if (m_output.path.file.empty() || m_output.dry_run || is_part_there()) return;
  m_file.remove();
  m_file.remove_unmade();
}

}  // namespace synelix::tool
