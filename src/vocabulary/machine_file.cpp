// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/machine_file.hpp>

#include "vocabulary/json.hpp"
#include "vocabulary/replaced_file.hpp"

#include <synelix/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace synelix {
namespace {

constexpr std::int64_t format_version = 1;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw FileError(file, problem + ", so it is not a calibration that this version reads",
                  "Move it away and run `synelix calibrate`");
}

/// A value for a message.
std::string said(const Json* value) { return value != nullptr ? json_text(*value, false) : "null"; }

Json nothing() {
  Json content = Json::object();
  content.add("format", Json::of_number(format_version));
  content.add("machines", Json::list());
  return content;
}

/// Whether a file holds nothing, as one does that was not on the disk when the machine stopped.
bool is_empty(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) &&
         std::filesystem::file_size(file, error) == 0 && !error;
}

/// The file's content; an empty one where there is no file.
Json read(const std::string& file) {
  std::error_code error;  // what cannot be reached is not there
  if (std::filesystem::is_directory(file, error)) refuse(file, "it is a folder");
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) {
    refuse(file, "it is not a regular file");
  }
  std::ifstream stream(file, std::ios::binary);
  const int reason = errno;
  if (!stream) {
    if (std::filesystem::exists(file, error)) {
      throw FileError(file + ": cannot be read: " + std::strerror(reason) + ".");
    }
    return nothing();
  }
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::optional<Json> content = parse_json(text);
  if (!content) refuse(file, "it holds no JSON");
  const Json* const machines = content->find("machines");
  if (machines == nullptr || machines->kind != Json::Kind::list) {
    refuse(file, "it holds no list of machines");
  }
  const Json* const format = content->find("format");
  if (format == nullptr || format->whole_number() != format_version) {
    refuse(file, "it has format " + said(format));
  }
  return std::move(*content);
}

bool is_of(const Json& entry, const std::string& processor, InstructionSet set) {
  const Json* const of_processor = entry.find("processor");
  const Json* const of_set = entry.find("instruction_set");
  return of_processor != nullptr && of_processor->is_text(processor) && of_set != nullptr &&
         of_set->is_text(name_of(set));
}

/// The number of a step. Throws Error where it is none that a step can take.
double step_of(const std::string& file, const Json* steps, std::string_view name) {
  const Json* number = steps != nullptr ? steps->find(name) : nullptr;
  // Of a calibration by a version that took both for one.
  if (number == nullptr && name == "fft_far") return step_of(file, steps, "fft_point");
  if (number == nullptr || number->kind != Json::Kind::number) {
    refuse(file, "it holds no nanoseconds of the step " + std::string(name));
  }
  const std::optional<double> value = number->number();
  if (!value || *value < 0) {
    refuse(file, "it holds " + said(number) + " nanoseconds of the step " + std::string(name));
  }
  return *value;
}

/// The bytes of work items of an entry. Throws Error for bytes that no call takes.
WorkBytes bytes_of(const std::string& file, const Json& entry) {
  WorkBytes bytes;
  const Json* const sizes = entry.find("bytes");
  if (sizes == nullptr) return bytes;
  for (const NamedBytes& size : all_work_bytes) {
    const bool is_object = sizes->kind == Json::Kind::object;
    const Json* const number = sizes->find(size.name);
    if (is_object && number == nullptr) continue;
    const std::optional<std::int64_t> value =
        is_object ? number->whole_number() : std::optional<std::int64_t>();
    if (!value || *value < 0 || *value > most_work_bytes) {
      refuse(file, "it holds " + said(number) + " as the bytes of " + size.name);
    }
    bytes.*size.value = *value;
  }
  return bytes;
}

Json entry_of(const std::string& processor, const Machine& machine) {
  Json steps = Json::object();
  for (const NamedStep& step : all_steps) {
    steps.add(step.name, Json::of_number(machine.nanoseconds.value().*step.value));
  }
  Json bytes = Json::object();
  for (const NamedBytes& size : all_work_bytes) {
    bytes.add(size.name, Json::of_number(machine.bytes.*size.value));
  }
  Json entry = Json::object();
  entry.add("processor", Json::of_text(processor));
  entry.add("instruction_set", Json::of_text(name_of(machine.instruction_set)));
  entry.add("nanoseconds", std::move(steps));
  entry.add("bytes", std::move(bytes));
  return entry;
}

}  // namespace

std::string default_machine_file() {
  const std::string home = environment("HOME");
  std::string folder = environment("XDG_CONFIG_HOME");
  if (folder.empty() && !home.empty()) folder = home + "/.config";
  return folder.empty() ? "" : folder + "/synelix/machine.json";
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::optional<Machine> read_machine(const std::string& file, const std::string& processor,
                                    InstructionSet set) {
  const Json content = read(file);
  for (const Json& entry : content.find("machines")->items) {
    if (!is_of(entry, processor, set)) continue;
    const Json* const nanoseconds = entry.find("nanoseconds");
    Steps steps;
    for (const NamedStep& step : all_steps) {
      steps.*step.value = step_of(file, nanoseconds, step.name);
    }
    return Machine{.instruction_set = set, .nanoseconds = steps, .bytes = bytes_of(file, entry)};
  }
  return {};
}

void require_machine_file(const std::string& file) {
  if (!is_empty(file)) read(file);
}

void write_machine(const std::string& file, const std::string& processor, const Machine& machine) {
  if (!machine.nanoseconds || machine.instruction_set == InstructionSet::automatic) {
    throw Error("machine", "it holds no calibration", "Give what calibrate returned");
  }
  Json content = is_empty(file) ? nothing() : read(file);
  Json entry = entry_of(processor, machine);
  bool is_new = true;
  std::vector<Json>& entries = content.find("machines")->items;
  for (Json& other : entries) {
    if (!is_of(other, processor, machine.instruction_set)) continue;
    other = entry;
    is_new = false;
  }
  if (is_new) entries.push_back(std::move(entry));

  const std::filesystem::path path(file);
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    throw FileError(path.parent_path().string(), error.message(),
                    "Give a file in a folder that can be written to");
  }
  replace_file(file, json_text(content) + "\n");
}

}  // namespace synelix
