// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/options/command_line.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/devices.hpp>
#include <synelix/error.hpp>
#include <synelix/kokkos_settings.hpp>
#include <synelix/types/session.hpp>
#include <synelix/types/stream.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

/// The words after the program's name: those for Kokkos, and the others.
struct Words {
  std::vector<char*> kokkos;
  std::vector<std::string> own;
};

Words sorted_words(int argc, char* argv[]) {
  Words words;
  for (int i = 0; i < argc; ++i) {
    const bool is_kokkos = std::string_view(argv[i]).starts_with("--kokkos-");
    if (i == 0 || is_kokkos) {
      words.kokkos.push_back(argv[i]);
    } else {
      words.own.emplace_back(argv[i]);
    }
  }
  words.kokkos.push_back(nullptr);
  return words;
}

/// The first word with this beginning; empty if there is none.
std::string first_word(const std::vector<char*>& words, std::string_view begin) {
  for (const char* word : words) {
    if (word != nullptr && std::string_view(word).starts_with(begin)) return word;
  }
  return {};
}

constexpr std::string_view device_flag = "--kokkos-device-id";
constexpr std::string_view threads_flag = "--kokkos-num-threads";

/// Throws if an option is combined with the Kokkos flag for the same setting.
void refuse_two(const std::string& option, const std::string& word) {
  throw UsageError(option + ": it is given beside '" + word + "'. Give one of the two.");
}

/// Checks the numbers in Kokkos' words and variables, because Kokkos ends the program for invalid
/// ones.
void check_kokkos_words(const std::vector<char*>& words, const Processors& processors) {
  const std::string name(device_flag);
  for (const char* text : words) {
    const std::string word = text == nullptr ? "" : text;
    if (!word.starts_with(name)) continue;
    if (!std::holds_alternative<std::monostate>(processors.device)) refuse_two("--device", word);
    std::int64_t number = -1;
    try {
      if (word.starts_with(name + "=")) number = parse_integer(word.substr(name.size() + 1));
    } catch (const Error&) {
      number = -1;
    }
    if (number < 0 || number > std::numeric_limits<int>::max()) {
      throw UsageError("'" + word + "' names no device. Give " + name + "=N with N at least 0.");
    }
  }
  const std::string threads = first_word(words, threads_flag);
  if (!threads.empty() && processors.threads) refuse_two("--threads", threads);
  std::vector<std::string> texts;
  for (const char* text : words) {
    if (text != nullptr) texts.emplace_back(text);
  }
  try {
    check_kokkos_settings(texts);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

/// Starts Kokkos with its words. An unset OMP_PROC_BIND means "false", and Kokkos warns that it is
/// not set, so it is set to "false".
void start(std::optional<Session>& session, Words& words, const Processors& processors) {
  ::setenv("OMP_PROC_BIND", "false", 0);
  int count = static_cast<int>(words.kokkos.size()) - 1;
  std::optional<int> threads = processors.threads;
  if (!threads && first_word(words.kokkos, threads_flag).empty()) {
    try {
      threads = allotted_threads();
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  }
  session.emplace(count, words.kokkos.data(),
                  SessionOptions{.device = processors.device, .threads = threads});
}

/// The command line in the form in which it would be typed, for the history of files.
std::string command_line_of(int argc, char* argv[]) {
  std::string line = "synelix";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool is_plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$*?;&|<>()") == std::string::npos;
    line += is_plain ? " " + word : " '" + word + "'";
  }
  return line;
}

/// The exit code.
int run_request(const Request& request, const std::string& command_line,
                const std::string& no_kokkos) {
  return std::visit(
      [&](const auto& wanted) -> int {
        using Wanted = std::decay_t<decltype(wanted)>;
        if constexpr (requires { wanted.trust; }) apply(wanted.trust);
        if constexpr (std::is_same_v<Wanted, ConvolveRequest>) {
          return run_convolve(wanted, command_line);
        } else if constexpr (std::is_same_v<Wanted, CountsRequest>) {
          run_counts(wanted, command_line);
        } else if constexpr (std::is_same_v<Wanted, FeaturesRequest>) {
          return run_features(wanted, command_line);
        } else if constexpr (std::is_same_v<Wanted, FitRequest>) {
          run_fit(wanted, command_line);
        } else if constexpr (std::is_same_v<Wanted, PredictRequest>) {
          run_predict(wanted, command_line);
        } else if constexpr (std::is_same_v<Wanted, ScoreRequest>) {
          run_score(wanted);
        } else if constexpr (std::is_same_v<Wanted, BasisRequest>) {
          run_basis(wanted, command_line);
        } else if constexpr (std::is_same_v<Wanted, SimulateRequest>) {
          run_simulate(wanted, command_line);
        } else if constexpr (std::is_same_v<Wanted, JoinRequest>) {
          run_join(wanted);
        } else if constexpr (std::is_same_v<Wanted, CalibrateRequest>) {
          run_calibrate(wanted);
        } else {
          run_info(wanted, no_kokkos);
        }
        return exit_success;
      },
      request);
}

bool is_quiet(const Request& request) {
  return std::visit([](const auto& wanted) { return wanted.messages.quiet; }, request);
}

int run_guarded(int argc, char* argv[]) {
  catch_stop_signals();
  Words words = sorted_words(argc, argv);
  std::optional<Session> session;
  if (words.own.empty() && words.kokkos.size() > 2) {  // for example --kokkos-print-configuration
    const auto last = words.kokkos.end() - 1;
    if (std::find(words.kokkos.begin() + 1, last, std::string_view("--kokkos-help")) != last) {
      print_kokkos_help(argv[0]);
      return exit_success;
    }
    check_kokkos_words(words.kokkos, {});
    start(session, words, {});
    return exit_success;
  }
  const Parsed parsed = parse_command_line(std::move(words.own));
  if (!parsed.request) return parsed.exit_code;
  const Processors processors = processors_of(*parsed.request);
  if (needs_kokkos(*parsed.request) || words.kokkos.size() > 2) {
    check_kokkos_words(words.kokkos, processors);
  }
  if (!is_quiet(*parsed.request)) {
    set_warning_handler(print_warning);
  }
  std::string no_kokkos;
  try {
    if (needs_kokkos(*parsed.request)) start(session, words, processors);
  } catch (const Error& error) {  // for example of a build for devices, on a node without devices
    const bool is_info = std::holds_alternative<InfoRequest>(*parsed.request);
    if (!is_info || device_architecture().empty()) throw;
    no_kokkos = one_line(error.what());
  }
  return run_request(*parsed.request, command_line_of(argc, argv), no_kokkos);
}

/// Runs the program. Returns its exit code, and prints one line on stderr for an error.
int run_program(int argc, char* argv[]) {
  end_where_memory_ran_out();
  try {
    const int code = run_guarded(argc, argv);
    std::cout.flush();
    if (std::cout.fail()) {
      throw Error("stdout: cannot be written to. Check where the output of the command goes.");
    }
    leave_stop_signals();
    return code;
  } catch (const Cancelled& stopped) {
    std::cerr << "synelix: stopped by a signal; " << one_line(stopped.what()) << "\n";
    return stop_exit_code();
  } catch (const UsageError& error) {
    std::cerr << "synelix: " << one_line(error.what()) << "\nsee: synelix --help\n";
    return exit_usage;
  } catch (const std::bad_alloc&) {
    std::cerr << out_of_memory;
  } catch (const std::exception& error) {
    std::cerr << "synelix: " << one_line(error.what()) << "\n";
  }
  return exit_failure;
}

}  // namespace
}  // namespace synelix::tool

int main(int argc, char* argv[]) {
  synelix::tool::occupy_closed_streams();
  return synelix::tool::run_program(argc, argv);
}
