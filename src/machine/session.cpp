// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/session.hpp>

#include "machine/kokkos_start.hpp"
#include "machine/lost_threads.hpp"
#include "machine/spaces.hpp"

#include <synelix/error.hpp>
#include <synelix/version.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace synelix {
namespace {

/// Flags of Kokkos and the environment variables with the same meaning.
struct FlagOfVariable {
  std::string_view variable;
  std::string_view flag;
};
constexpr FlagOfVariable device_flag{"KOKKOS_DEVICE_ID", "--kokkos-device-id="};
constexpr FlagOfVariable threads_flag{"KOKKOS_NUM_THREADS", "--kokkos-num-threads="};
constexpr FlagOfVariable map_flag{"KOKKOS_MAP_DEVICE_ID_BY", "--kokkos-map-device-id-by="};

/// The value of the last occurrence of the flag in the words.
std::optional<std::string> value_of(const FlagOfVariable& named, const std::vector<char*>& words) {
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    const std::string_view text(*word);
    if (text.starts_with(named.flag)) return std::string(text.substr(named.flag.size()));
  }
  return std::nullopt;
}

std::atomic<bool> has_lost_threads{false};

/// This build and machine; Kokkos' flags precede its variables.
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

/// Whether this code runs inside an OpenMP kernel, or one of the caller: a launch from there would
/// wait for itself. Other backends cannot report this.
bool is_in_parallel_region() {
#ifdef KOKKOS_ENABLE_OPENMP
  return omp_get_level() > 0;
#else
  return false;
#endif
}

/// The number of threads to request from Kokkos: the caller's, or one if Kokkos' default would be
/// too large. Throws Error if Kokkos does not accept the number of the caller, a flag or a
/// variable.
std::optional<int> threads_with(const SessionOptions& options, const std::vector<char*>& words) {
  if (options.threads) {
    const int most = most_threads_of(SYNELIX_KOKKOS_BACKENDS);
    if (*options.threads < 1 || *options.threads > most) {
      throw Error("threads", std::to_string(*options.threads) + " is not a number of threads",
                  "Use 1 to " + std::to_string(most));
    }
    if (const auto flag = value_of(threads_flag, words)) {
      throw Error("threads", std::string(threads_flag.flag) + *flag + " beside it sets them too",
                  "Give one of the two");
    }
  }
  const auto by_kokkos = checked_threads({.backends = SYNELIX_KOKKOS_BACKENDS,
                                          .processors = std::thread::hardware_concurrency(),
                                          .words = {words.begin(), words.end()},
                                          .variable = surroundings_with({}).variable});
  return options.threads ? options.threads : by_kokkos;
}

/// Whether this session starts Kokkos. Throws Error if Kokkos has ended.
bool is_to_start() {
  if (Kokkos::is_finalized()) {
    throw StateError("Session", "Kokkos is finalized already and cannot start again",
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
  if (const auto threads = threads_with(options, {})) settings.set_num_threads(*threads);
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
  const auto threads = threads_with(options, words);
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

void note_lost_threads() noexcept { has_lost_threads = true; }

void require_running(const char* call) {
  if (!Kokkos::is_initialized()) {
    throw StateError(call, "Kokkos is not running",
                     "Call it between Kokkos::initialize and Kokkos::finalize, or while a "
                     "synelix::Session lives");
  }
  if (has_lost_threads) {
    throw StateError(call,
                     "an earlier call ran out of memory while Kokkos made room for its threads, "
                     "which Kokkos does not survive",
                     "Start the process again, with a smaller budget");
  }
  if (is_in_parallel_region()) {
    throw StateError(
        call,
        "it was called inside a parallel region, whose kernel holds the threads that the "
        "call needs",
        "Call it outside of parallel regions, on any thread");
  }
}

template <class ExecutionSpace>
ExecutionSpace instance_with_threads(int threads) {
  require_running("synelix::instance_with_threads");
  const int most = ExecutionSpace().concurrency();
  if constexpr (!std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>) {
    throw Error("exec", std::string(ExecutionSpace::name()) + " has no threads of the host",
                "Use an instance of the device, which has all its threads");
  } else if (threads < 1 || threads > most) {
    throw Error("threads", std::to_string(threads) + " is out of range",
                "Use 1 to " + std::to_string(most) + ", the threads that Kokkos was started with");
  }
  if constexpr (std::is_constructible_v<ExecutionSpace, int>) {
    return ExecutionSpace(threads);  // Kokkos::OpenMP: a pool with this number of threads
  } else {
    return Kokkos::Experimental::partition_space(ExecutionSpace(), 1)[0];
  }
}

#define SYNELIX_INSTANTIATE(SPACE) template SPACE instance_with_threads<SPACE>(int);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
