// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/machine_file.hpp>

#include <synelix/error.hpp>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace synelix {
namespace {

using Json = nlohmann::ordered_json;  // other entries keep the order of their members

constexpr std::int64_t format_version = 1;
constexpr int most_levels = 64;  // writing a value recurses for each level

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw FileError(file, problem + ", so it is not a calibration that this version reads",
                  "Move it away and run `synelix calibrate`", Remedy::calibrate);
}

/// A JSON text. `indent`: blanks for each level, or -1 for one line. Never throws for damaged
/// UTF-8.
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// The characters of a text in the form of a file: JSON is UTF-8, so damaged bytes are replaced.
std::string as_kept(const std::string& text) {
  return Json::parse(json_text(text)).get<std::string>();
}

/// The member of an object; null if there is none, or the value is not an object.
const Json* find(const Json& value, const char* member) {
  const auto found = value.find(member);
  return found != value.end() ? &*found : nullptr;
}

bool is_text(const Json* value, const std::string& characters) {
  return value != nullptr && value->is_string() &&
         value->get_ref<const std::string&>() == characters;
}

/// The value of an integer without fraction and exponent; absent for anything else.
std::optional<std::int64_t> whole_number(const Json* value) {
  if (value == nullptr || !value->is_number_integer()) return {};
  if (value->is_number_unsigned() && !std::in_range<std::int64_t>(value->get<std::uint64_t>())) {
    return {};
  }
  return value->get<std::int64_t>();
}

bool is_nested_deeper(const Json& value, int levels) {
  if (levels < 0) return true;
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(),
                     [&](const Json& item) { return is_nested_deeper(item, levels - 1); });
}

/// A value for a message.
std::string said(const Json* value) { return value != nullptr ? json_text(*value) : "null"; }

Json nothing() { return {{"format", format_version}, {"machines", Json::array()}}; }

/// Whether a file is empty, for example because it was not on the disk when the machine stopped.
bool is_empty(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) &&
         std::filesystem::file_size(file, error) == 0 && !error;
}

/// The file's content; an empty one if there is no file.
Json read(const std::string& file) {
  std::error_code error;  // an inaccessible file counts as missing
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
  Json content = Json::parse(text, nullptr, false);
  // nlohmann's parser ends a text at a zero byte.
  if (content.is_discarded() || text.find('\0') != std::string::npos ||
      is_nested_deeper(content, most_levels)) {
    refuse(file, "it holds no JSON");
  }
  const Json* const machines = find(content, "machines");
  if (machines == nullptr || !machines->is_array()) refuse(file, "it holds no list of machines");
  const Json* const format = find(content, "format");
  if (whole_number(format) != format_version) refuse(file, "it has format " + said(format));
  return content;
}

/// Whether an entry is for a processor, whose name has the form of a file.
bool is_of(const Json& entry, const std::string& processor, InstructionSet set) {
  return is_text(find(entry, "processor"), processor) &&
         is_text(find(entry, "instruction_set"), name_of(set));
}

/// The number of a step. Throws Error if it is not valid for a step.
double step_of(const std::string& file, const Json* steps, const std::string& name) {
  const Json* const number = steps != nullptr ? find(*steps, name.c_str()) : nullptr;
  // An older calibration had one number for both.
  if (number == nullptr && name == "fft_far") return step_of(file, steps, "fft_point");
  if (number == nullptr || !number->is_number()) {
    refuse(file, "it holds no nanoseconds of the step " + name);
  }
  const auto value = number->get<double>();
  if (value < 0) {
    refuse(file, "it holds " + said(number) + " nanoseconds of the step " + name);
  }
  return value;
}

/// The bytes of work items of an entry. Throws Error for bytes that no call accepts.
WorkBytes bytes_of(const std::string& file, const Json& entry) {
  WorkBytes bytes;
  const Json* const sizes = find(entry, "bytes");
  if (sizes == nullptr) return bytes;
  for (const NamedBytes& size : all_work_bytes) {
    const Json* const number = find(*sizes, size.name);
    if (sizes->is_object() && number == nullptr) continue;
    const std::optional<std::int64_t> value = whole_number(number);
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
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): what is kept has it
    steps[step.name] = machine.nanoseconds.value().*step.value;
  }
  Json bytes = Json::object();
  for (const NamedBytes& size : all_work_bytes) bytes[size.name] = machine.bytes.*size.value;
  return {{"processor", processor},
          {"instruction_set", name_of(machine.instruction_set)},
          {"nanoseconds", std::move(steps)},
          {"bytes", std::move(bytes)}};
}

/// Writes a complete text to a new file and syncs it to the disk; false on failure (errno).
bool write_new(const std::string& file, const std::string& text, unsigned mode) {
  unlink(file.c_str());  // a killed process with the same number may have left one
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) return false;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  int synced = fsync(descriptor);
  while (synced != 0 && errno == EINTR) synced = fsync(descriptor);
  const bool is_whole = done == text.size() && synced == 0;
  const int reason = errno;
  const bool is_closed = close(descriptor) == 0;
  if (!is_whole) errno = reason;
  return is_whole && is_closed;
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

/// Writes or replaces a file atomically: at any time, even if the machine stops, it has either the
/// old text or the new one. A symbolic link stays, and its target is replaced.
/// \throws FileError
void replace_file(const std::string& file, const std::string& text) {
  std::error_code status;
  std::filesystem::path target = file;
  if (std::filesystem::is_symlink(target, status)) {
    target = std::filesystem::canonical(target, status);
    if (status) {
      throw FileError(file +
                      ": cannot be written: the link leads to no file. Mend the link, or give "
                      "another name.");
    }
  }
  struct stat replaced = {};
  const unsigned mode = stat(target.c_str(), &replaced) == 0 ? replaced.st_mode & 0666U : 0666U;
  const std::string part = target.string() + "." + std::to_string(::getpid()) + ".part";
  bool is_done = write_new(part, text, mode);
  is_done = is_done && std::rename(part.c_str(), target.c_str()) == 0;
  if (!is_done) {
    const std::string reason = std::strerror(errno);
    unlink(part.c_str());
    throw FileError(file + ": cannot be written: " + reason);
  }
  sync_folder(target.parent_path());
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
  const std::string kept = as_kept(processor);
  for (const Json& entry : content["machines"]) {
    if (!is_of(entry, kept, set)) continue;
    const Json* const nanoseconds = find(entry, "nanoseconds");
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
  const std::string kept = as_kept(processor);
  Json entry = entry_of(kept, machine);
  bool is_new = true;
  Json& entries = content["machines"];
  for (Json& other : entries) {
    if (!is_of(other, kept, machine.instruction_set)) continue;
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
  replace_file(file, json_text(content, 2) + "\n");
}

}  // namespace synelix
