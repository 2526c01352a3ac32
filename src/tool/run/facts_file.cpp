// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The files of --save and --facts, and what their facts depend on.
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"
#include "tool/run/part_facts.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/error.hpp>
#include <synelix/version.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace synelix::tool {
namespace {

/// Whether a file begins like one of facts.
bool holds_facts(const std::string& file) {
  std::error_code status;
  if (!std::filesystem::is_regular_file(file, status)) return false;
  std::ifstream stream(file, std::ios::binary);
  std::string begin(facts_magic.size(), '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return stream && begin == facts_magic;
}

/// OUT.part.facts, where parts find facts without an option.
std::string facts_of_parts(const std::string& output) { return part_of(output) + ".facts"; }

[[noreturn]] void refuse_other(const std::string& file, const std::string& differs) {
  throw FileError(
      file, "its facts are of other inputs, options or programs: " + differs,
      "Save it again by a dry run with --save and the options of the parts, or remove it");
}

/// Adds the file of an input, on which facts depend. Adds nothing if it is missing: opening it
/// reports the error.
void add_file(Fingerprint& follows_from, const std::string& name, const std::string& file) {
  try {
    const Fingerprint now = fingerprint_of_file(file);
    const std::string of = name.empty() ? "" : " of " + name;
    for (const auto& [what, value] : now) follows_from.emplace_back(what + of, value);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): opening it reports the reason
  }
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
  for (const DesignInput& input : design.inputs) add_file(result, input.name, input.file());
  if (request.epochs) {
    result.emplace_back("epochs", request.epochs->dataset);
    add_file(result, "epochs", request.epochs->file);
  }
  if (request.intervals) {
    const IntervalsSource& intervals = *request.intervals;
    result.emplace_back("intervals", intervals.table.dataset + intervals_text(intervals));
    if (!intervals.table.file.empty()) add_file(result, "intervals", intervals.table.file);
  }
  if (request.from_seconds) {
    char exact[40] = {};
    std::snprintf(exact, sizeof(exact), "%.17g", *request.from_seconds);
    result.emplace_back("--from", exact);
  }
  add_machine(result, request.machine);
  return result;
}

void save_facts(const std::string& file, PartFacts facts, const Fingerprint& follows_from,
                const Machine& machine) {
  facts.follows_from = follows_from;
  facts.instruction_set = name_of(instruction_set_in_use(machine.instruction_set));
  facts.nanoseconds = machine.nanoseconds;
  std::error_code status;
  if (std::filesystem::exists(file, status) && !holds_facts(file)) {
    throw FileError(file, "this is a file of something else", "Give --save another name");
  }
  // Beside the file, under a name that no other file and no other run has.
  const std::string made = file + "." + std::to_string(::getpid()) + ".new";
  if (std::filesystem::symlink_status(made, status).type() !=
      std::filesystem::file_type::not_found) {
    throw FileError(made, "this name is taken, and facts are written under it first",
                    "Remove it, or give --save another name");
  }
  errno = 0;
  std::ofstream stream(made, std::ios::binary | std::ios::trunc);
  stream << facts_text(facts);
  stream.close();
  const std::string reason = std::strerror(errno);
  status.clear();
  if (stream) std::filesystem::rename(made, file, status);
  if (stream && !status) return;
  const std::string problem = status ? status.message() : reason;
  std::filesystem::remove(made, status);
  throw FileError(file + ": cannot be written: " + problem + ".");
}

std::optional<PartFacts> facts_for(const std::string& file, const OutputRequest& output,
                                   const Fingerprint& follows_from) {
  const bool is_given = !file.empty();
  if (!is_given && !output.part) return std::nullopt;
  const std::string name = is_given ? file : facts_of_parts(output.path.file);
  const bool is_ours = holds_facts(name);
  std::error_code status;
  // The last part of another run may just remove the file.
  if (!is_given && !std::filesystem::exists(name, status)) return std::nullopt;
  if (!is_ours) {
    const bool is_missing = !std::filesystem::exists(name, status);
    throw FileError(name, is_missing ? "there is no such file" : "this is not a file of facts",
                    is_given ? "Give --facts a file that a dry run with --save has written"
                             : "Parts read it as their facts: remove it, or save it again");
  }
  std::ifstream stream(name, std::ios::binary);
  if (!is_given && !stream.is_open()) return std::nullopt;
  PartFacts facts = facts_from({std::istreambuf_iterator<char>(stream), {}}, name);
  facts.file = name;
  if (const auto differs = difference(facts.follows_from, follows_from)) {
    refuse_other(name, *differs);
  }
  return facts;
}

void remove_facts(const std::string& output) {
  const std::string file = facts_of_parts(output);
  std::error_code status;
  if (holds_facts(file)) std::filesystem::remove(file, status);
}

Machine machine_for(const std::optional<PartFacts>& facts, const std::string& file,
                    InstructionSet wanted) {
  if (!facts) return machine_of(file, wanted);
  Machine machine;
  machine.instruction_set = set_of_facts(facts->instruction_set, usable_sets(), facts->file);
  machine.nanoseconds = facts->nanoseconds;
  if (wanted != InstructionSet::automatic &&
      instruction_set_in_use(wanted) != machine.instruction_set) {
    throw Error("--instruction-set " + std::string(name_of(wanted)),
                "the facts of " + facts->file + " are for " + facts->instruction_set,
                "Leave the option out, or save the facts again with it");
  }
  return machine;
}

void require_files(const std::optional<PartFacts>& facts, const Fingerprint& files) {
  if (!facts) return;
  if (const auto differs = difference(facts->files, files)) refuse_other(facts->file, *differs);
}

}  // namespace synelix::tool
