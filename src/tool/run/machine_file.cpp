// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/machine_file.hpp"

#include "tool/text/text_file.hpp"

#include <synelix/error.hpp>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace synelix::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw Error(file, problem + ", so it is not a calibration that this version reads",
              "Move it away and run `synelix calibrate`");
}

Json nothing() { return {{"format", format_version}, {"machines", Json::array()}}; }

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
  std::ifstream stream(file);
  const int reason = errno;
  if (!stream) {
    if (std::filesystem::exists(file, error)) {
      throw Error(file + ": cannot be read: " + std::strerror(reason) + ".");
    }
    return nothing();
  }
  Json content;
  try {
    content = Json::parse(stream);
  } catch (const Json::exception&) {
    refuse(file, "it holds no JSON");
  }
  if (!content.is_object() || !content.contains("machines") || !content["machines"].is_array()) {
    refuse(file, "it holds no list of machines");
  }
  if (content.value("format", Json()) != format_version) {
    refuse(file, "it has format " + content.value("format", Json()).dump());
  }
  return content;
}

bool is_of(const Json& entry, const std::string& processor, InstructionSet set) {
  return entry.is_object() && entry.value("processor", Json()) == processor &&
         entry.value("instruction_set", Json()) == name_of(set);
}

/// The number of a step. Throws Error where it is none that a step can take.
double step_of(const std::string& file, const Json& steps, const char* name) {
  const Json number = steps.is_object() ? steps.value(name, Json()) : Json();
  if (!number.is_number()) refuse(file, "it holds no nanoseconds of the step " + std::string(name));
  const auto value = number.get<double>();
  if (!std::isfinite(value) || value < 0) {
    refuse(file, "it holds " + number.dump() + " nanoseconds of the step " + name);
  }
  return value;
}

/// The bytes of work items of an entry. Throws Error for bytes that no call takes.
WorkBytes bytes_of(const std::string& file, const Json& entry) {
  WorkBytes bytes;
  const Json sizes = entry.value("bytes", Json::object());
  for (const NamedBytes& size : all_work_bytes) {
    const Json number = sizes.is_object() ? sizes.value(size.name, Json(0)) : Json();
    const bool is_whole = number.is_number_integer();
    if (!is_whole || number < 0 || number > most_work_bytes) {
      refuse(file, "it holds " + number.dump() + " as the bytes of " + size.name);
    }
    bytes.*size.value = number.get<std::int64_t>();
  }
  return bytes;
}

}  // namespace

std::string machine_file() {
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
  for (const Json& entry : content["machines"]) {
    if (!is_of(entry, processor, set)) continue;
    Steps steps;
    Json nanoseconds = entry.value("nanoseconds", Json());
    if (nanoseconds.is_object() && nanoseconds.contains("fft_point")) {
      // Of a calibration by a version that took both for one.
      if (!nanoseconds.contains("fft_far")) nanoseconds["fft_far"] = nanoseconds["fft_point"];
    }
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
  const InstructionSet set = machine.instruction_set;
  Json content = is_empty(file) ? nothing() : read(file);
  Json steps;
  for (const NamedStep& step : all_steps) {
    steps[step.name] = machine.nanoseconds.value().*step.value;
  }
  Json bytes;
  for (const NamedBytes& size : all_work_bytes) bytes[size.name] = machine.bytes.*size.value;
  const Json entry = {{"processor", processor},
                      {"instruction_set", name_of(set)},
                      {"nanoseconds", steps},
                      {"bytes", bytes}};
  bool is_new = true;
  for (Json& other : content["machines"]) {
    if (!is_of(other, processor, set)) continue;
    other = entry;
    is_new = false;
  }
  if (is_new) content["machines"].push_back(entry);

  const std::filesystem::path path(file);
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    throw Error(path.parent_path().string() + ": " + error.message() +
                ". Give --output FILE in a folder that can be written to.");
  }
  write_text_file(file, content.dump(2) + "\n");
}

}  // namespace synelix::tool
