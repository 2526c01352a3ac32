// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/kokkos_start.hpp"

#include <synelix/error.hpp>
#include <synelix/kokkos_settings.hpp>
#include <synelix/version.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <thread>

namespace synelix {
namespace {

/// The entire text as a nonnegative number.
std::optional<int> number_from_zero(std::string_view text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// The number in a variable; the variable must have one if it is set.
std::optional<int> number_of(const DeviceSurroundings& surroundings, const std::string& name) {
  const auto text = surroundings.variable(name);
  if (!text) return std::nullopt;
  const auto number = number_from_zero(*text);
  if (!number) {
    throw Error(name, "'" + *text + "' is not a valid number", "Use a whole number, 0 or more");
  }
  return number;
}

/// The rank of this process on its machine, from the variables that Kokkos uses.
std::optional<int> local_rank(const DeviceSurroundings& surroundings) {
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
        "SLURM_LOCALID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"}) {
    if (const auto rank = number_of(surroundings, name)) return rank;
  }
  return std::nullopt;
}

/// The valid device numbers of the machine, as text.
std::string numbers_text(std::size_t count) {
  if (count == 1) return "0, this machine's device";
  const std::string last = std::to_string(count - 1);
  return (count == 2 ? "0 or " : "0 to ") + last + ", this machine's devices";
}

/// The devices that Kokkos numbers from 0: all, or those listed in KOKKOS_VISIBLE_DEVICES.
std::vector<DeviceDescription> visible_devices(const DeviceSurroundings& surroundings) {
  const std::string name = "KOKKOS_VISIBLE_DEVICES";
  const auto list = surroundings.variable(name);
  if (!list) return surroundings.found;
  std::vector<DeviceDescription> visible;
  for (std::size_t begin = 0; begin <= list->size();) {
    const std::size_t end = std::min(list->find(',', begin), list->size());
    const auto number = number_from_zero(std::string_view(*list).substr(begin, end - begin));
    const auto device =
        std::find_if(surroundings.found.begin(), surroundings.found.end(),
                     [&](const DeviceDescription& known) { return number == known.number; });
    if (device == surroundings.found.end()) {
      throw Error(
          name, "'" + *list + "' is not a list of this machine's devices",
          "Use a list such as 0,1 of the numbers " + numbers_text(surroundings.found.size()));
    }
    visible.push_back(*device);
    begin = end + 1;
  }
  return visible;
}

void check_architecture(const DeviceDescription& device, const std::string& compiled_for) {
  if (runs_on(compiled_for, device.architecture)) return;
  throw Error(
      "device",
      "number " + std::to_string(device.number) + ", " + device.name + ", is " +
          device.architecture + ", and this build was compiled for " + compiled_for,
      "Choose a device that runs " + compiled_for + ", or build for " + device.architecture);
}

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool has_openmp(const std::string& backends) {
  std::string upper = backends;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return upper.find("OPENMP") != std::string::npos;
}

/// Throws Error unless the text is a number of threads that Kokkos accepts.
void check_number(const std::string& name, const std::string& text, std::string_view number,
                  int most) {
  int value = 0;
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = fault == std::errc() && end == number.data() + number.size();
  if (is_number && value >= 1 && value <= most) return;
  throw Error(
      name, "'" + text + "' is not a valid number of threads",
      most == std::numeric_limits<int>::max()
          ? "Use 1 or more"
          : "Use 1 to " + std::to_string(most) + ", the most that Kokkos' OpenMP backend takes");
}

/// The value of the last word "NAME=VALUE"; empty if the name has no value.
std::optional<std::string> last_value_of(const std::string& flag,
                                         const std::vector<std::string>& words) {
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    if (*word == flag) return std::string();
    if (word->starts_with(flag + "=")) return word->substr(flag.size() + 1);
  }
  return std::nullopt;
}

/// Kokkos reads these variables also in a build without devices, and ends the program for invalid
/// values.
void check_device_variables(const KokkosSurroundings& surroundings) {
  if (const auto text = surroundings.variable("KOKKOS_DEVICE_ID")) {
    int value = 0;
    const char* const end = text->data() + text->size();
    const auto [rest, fault] = std::from_chars(text->data(), end, value);
    if (fault != std::errc() || rest != end || value < 0) {
      throw Error("KOKKOS_DEVICE_ID", "'" + *text + "' is not a valid number",
                  "Use a whole number, 0 or more");
    }
  }
  const auto text = surroundings.variable("KOKKOS_MAP_DEVICE_ID_BY");
  if (text && *text != "random" && *text != "mpi_rank") {
    throw Error("KOKKOS_MAP_DEVICE_ID_BY", "'" + *text + "' is not a known way",
                "Use random or mpi_rank");
  }
}

}  // namespace

bool runs_on(const std::string& compiled_for, const std::string& architecture) {
  const std::string_view cuda = "sm_";
  if (!compiled_for.starts_with(cuda)) {
    return compiled_for == architecture.substr(0, architecture.find(':'));
  }
  if (!architecture.starts_with(cuda)) return false;
  const auto compiled = number_from_zero(std::string_view(compiled_for).substr(cuda.size()));
  const auto found = number_from_zero(std::string_view(architecture).substr(cuda.size()));
  // A build contains code that the driver translates for newer devices.
  return compiled && found && *compiled <= *found;
}

std::optional<int> chosen_device(const DeviceWish& wish, const DeviceSurroundings& surroundings) {
  const bool is_wished = !std::holds_alternative<std::monostate>(wish);
  const int* const number = std::get_if<int>(&wish);
  if (surroundings.compiled_for.empty()) {
    if (!is_wished) return std::nullopt;
    throw Error("device",
                std::string(number != nullptr ? std::to_string(*number) : "local-rank") +
                    " needs a device, but this build computes on the host (" +
                    surroundings.backends + ")",
                "Leave it out, or build with Kokkos' CUDA or HIP backend");
  }
  if (surroundings.found.empty()) {
    throw Error("device", "none was found on this machine",
                "Check the driver of a device that runs " + surroundings.compiled_for +
                    ", or use a build without a device backend");
  }
  const std::vector<DeviceDescription> visible = visible_devices(surroundings);
  const auto count = static_cast<int>(visible.size());
  int taken = 0;
  if (number != nullptr) {
    taken = *number;
  } else {
    // The order is that of Kokkos, with one exception: no variable overrides a requested rank.
    const auto by_variable = is_wished ? std::nullopt : number_of(surroundings, "KOKKOS_DEVICE_ID");
    const auto rank = local_rank(surroundings);
    if (is_wished && !rank) {
      throw Error("device", "local-rank needs a variable of mpirun or srun, and none is set",
                  "Start the program under mpirun or srun, or use " + numbers_text(visible.size()));
    }
    if (!by_variable && !is_wished &&
        surroundings.variable("KOKKOS_MAP_DEVICE_ID_BY") == "random") {
      for (const DeviceDescription& device : visible) {
        check_architecture(device, surroundings.compiled_for);
      }
      return std::nullopt;
    }
    taken = by_variable.value_or(rank.value_or(0) % count);
  }
  if (taken < 0 || taken >= count) {
    throw Error("device", std::to_string(taken) + " is not a device of this machine",
                "Use " + numbers_text(visible.size()));
  }
  check_architecture(visible[static_cast<std::size_t>(taken)], surroundings.compiled_for);
  return is_wished ? std::optional(taken) : std::nullopt;
}

int most_threads_of(const std::string& backends) {
  return has_openmp(backends) ? most_openmp_threads : std::numeric_limits<int>::max();
}

std::optional<int> checked_threads(const KokkosSurroundings& surroundings) {
  const bool is_openmp = has_openmp(surroundings.backends);
  const int most = most_threads_of(surroundings.backends);
  check_device_variables(surroundings);
  const std::string flag = "--kokkos-num-threads";
  const std::string variable = "KOKKOS_NUM_THREADS";
  const auto by_flag = last_value_of(flag, surroundings.words);
  const auto by_variable = surroundings.variable(variable);
  if (by_flag) check_number(flag, *by_flag, *by_flag, most);
  if (by_variable) check_number(variable, *by_variable, *by_variable, most);
  if (!is_openmp) return std::nullopt;
  const std::string openmp = "OMP_NUM_THREADS";
  if (const auto text = surroundings.variable(openmp)) {  // a number for each level of nesting
    for (std::size_t begin = 0; begin <= text->size();) {
      const std::size_t end = std::min(text->find(',', begin), text->size());
      check_number(openmp, *text, trimmed(std::string_view(*text).substr(begin, end - begin)),
                   most);
      begin = end + 1;
    }
    return std::nullopt;
  }
  if (by_flag || by_variable || surroundings.processors <= unsigned{most_openmp_threads}) {
    return std::nullopt;
  }
  return most_openmp_threads;
}

void check_kokkos_settings(const std::vector<std::string>& words) {
  checked_threads({.backends = SYNELIX_KOKKOS_BACKENDS,
                   .processors = std::thread::hardware_concurrency(),
                   .words = words,
                   .variable = [](const std::string& name) -> std::optional<std::string> {
                     const char* const value = std::getenv(name.c_str());
                     return value == nullptr ? std::nullopt : std::optional<std::string>(value);
                   }});
}

}  // namespace synelix
