// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/session.hpp>

#include "vocabulary/device_choice.hpp"
#include "vocabulary/kokkos_choice.hpp"

#include <synelix/error.hpp>
#include <synelix/version.hpp>

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace synelix {
namespace {

/// Flags of Kokkos and the variables of the environment that have the same meaning.
struct FlagOfVariable {
  std::string_view variable;
  std::string_view flag;
};
constexpr FlagOfVariable device_flag{"KOKKOS_DEVICE_ID", "--kokkos-device-id="};
constexpr FlagOfVariable map_flag{"KOKKOS_MAP_DEVICE_ID_BY", "--kokkos-map-device-id-by="};

/// The value of the last such flag among the words.
std::optional<std::string> value_of(const FlagOfVariable& named, const std::vector<char*>& words) {
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    const std::string_view text(*word);
    if (text.starts_with(named.flag)) return std::string(text.substr(named.flag.size()));
  }
  return std::nullopt;
}

/// This build and machine; Kokkos' flags go before its variables.
DeviceSurroundings surroundings_with(const std::vector<char*>& words) {
  return {.found = devices(),
          .compiled_for = device_architecture(),
          .backends = SYNELIX_KOKKOS_BACKENDS,
          .variable = [words](const std::string& name) -> std::optional<std::string> {
            for (const FlagOfVariable& named : {device_flag, map_flag}) {
              if (name != named.variable) continue;
              if (const auto value = value_of(named, words)) return value;
            }
            const char* const value = std::getenv(name.c_str());
            return value == nullptr ? std::nullopt : std::optional<std::string>(value);
          }};
}

/// Whether a kernel of OpenMP, or of the caller's own, runs this code: a launch from there waits
/// for itself. Other backends cannot tell.
bool is_in_parallel_region() {
#ifdef KOKKOS_ENABLE_OPENMP
  return omp_get_level() > 0;
#else
  return false;
#endif
}

/// The number of threads to ask Kokkos for, where its own number would be too large. Throws Error
/// where Kokkos does not take the number of a flag or a variable.
std::optional<int> threads_with(const std::vector<char*>& words) {
  return checked_threads({.backends = SYNELIX_KOKKOS_BACKENDS,
                          .processors = std::thread::hardware_concurrency(),
                          .words = {words.begin(), words.end()},
                          .variable = surroundings_with({}).variable});
}

/// Whether this session is to start Kokkos. Throws Error where Kokkos has ended.
bool is_to_start() {
  if (Kokkos::is_finalized()) {
    throw Error("Session", "Kokkos is finalized already and cannot start again",
                "Keep one Session until the program ends");
  }
  return !Kokkos::is_initialized();
}

}  // namespace

Session::Session() : Session(SessionOptions()) {}

Session::Session(const SessionOptions& options) : m_owns(is_to_start()) {
  if (!m_owns) return;
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (const auto device = chosen_device(options.device, surroundings_with({}))) {
    settings.set_device_id(*device);
  }
  if (const auto threads = threads_with({})) settings.set_num_threads(*threads);
  Kokkos::initialize(settings);
}

Session::Session(int& argc, char* argv[]) : Session(argc, argv, SessionOptions()) {}

Session::Session(int& argc, char* argv[], const SessionOptions& options) : m_owns(is_to_start()) {
  if (!m_owns) return;
  std::vector<char*> words(argv, argv + argc);
  const auto flag = value_of(device_flag, words);
  if (flag && !std::holds_alternative<std::monostate>(options.device)) {
    throw Error("device", std::string(device_flag.flag) + *flag + " beside it chooses a device too",
                "Give one of the two");
  }
  const auto device = chosen_device(options.device, surroundings_with(words));
  const auto threads = threads_with(words);
  std::string quiet = "--kokkos-disable-warnings";
  words.push_back(quiet.data());
  std::string number = std::string(device_flag.flag) + std::to_string(device.value_or(0));
  if (device) words.push_back(number.data());
  std::string capped = "--kokkos-num-threads=" + std::to_string(threads.value_or(1));
  if (threads) words.push_back(capped.data());
  int count = static_cast<int>(words.size());
  words.push_back(nullptr);
  Kokkos::initialize(count, words.data());
  std::copy_n(words.begin(), count, argv);
  argc = count;
}

Session::~Session() {
  if (m_owns && Kokkos::is_initialized()) Kokkos::finalize();
}

void require_running(const char* call) {
  if (!Kokkos::is_initialized()) {
    throw Error(call, "Kokkos is not running",
                "Call it between Kokkos::initialize and Kokkos::finalize, or while a "
                "synelix::Session lives");
  }
  if (is_in_parallel_region()) {
    throw Error(call,
                "it was called inside a parallel region, whose kernel holds the threads that the "
                "call needs",
                "Call it outside of parallel regions, on any thread");
  }
}

}  // namespace synelix
