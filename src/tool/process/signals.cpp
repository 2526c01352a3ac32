// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/process/signals.hpp"

#include "tool/options/values.hpp"

#include <synelix/error.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

namespace synelix::tool {
namespace {

/// A signal that ends a run.
struct StopSignal {
  int number;
  const char* name;
  bool is_caught;
};
std::array<StopSignal, 4> stop_signals{{{SIGINT, "SIGINT", false},
                                        {SIGTERM, "SIGTERM", false},
                                        {SIGHUP, "SIGHUP", false},
                                        {SIGUSR1, "SIGUSR1", false}}};

/// A file that is being written, in a form that a handler may read.
struct Part {
  std::string path;
  Rest rest = Rest::stays;
};

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set the flag");
std::atomic<bool> stop{false};
std::atomic<int> stop_signal{0};
std::atomic<const Part*> part{nullptr};
std::atomic<const std::string*> left{nullptr};
timer_t grace_timer{};
bool has_timer = false;
itimerspec grace{};

// The following functions run in handlers: they allocate nothing and call only functions that POSIX
// allows there.

void say(const char* text) {
  // If standard error does not accept it, the message is lost.
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

const char* note_of(Rest rest) {
  switch (rest) {
    case Rest::resumes:
      return " is kept, and the same command with --resume goes on with it";
    case Rest::shared:
      return " is kept, and the same command goes on with this part";
    case Rest::stays:
    case Rest::removed:
      break;
  }
  return " was left behind, and may be removed";
}

/// Ends a process that was asked to stop and is still running.
void end_now(int /*alarm*/) {
  const int number = stop_signal.load();
  if (number == 0) {  // an alarm that is not ours, for example one set before this program began
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGALRM, &usual, nullptr);
    raise(SIGALRM);
    return;
  }
  say("synelix: stopped by ");
  for (const StopSignal& signal : stop_signals) {
    if (signal.number == number) say(signal.name);
  }
  say(" in the middle of its work");
  const Part* const written = part.load();
  struct stat state = {};
  if (written != nullptr && stat(written->path.c_str(), &state) == 0) {
    const bool is_removed = written->rest == Rest::removed && unlink(written->path.c_str()) == 0;
    if (is_removed) {
      say("; nothing was left behind");
    } else {
      say("; ");
      say(written->path.c_str());
      say(note_of(written->rest));
    }
  }
  if (const std::string* const text = left.load(); text != nullptr) {
    say("; ");
    say(text->c_str());
  }
  say("\n");
  _exit(128 + number);
}

void request_stop(int number) {
  const int error = errno;
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  for (const StopSignal& signal : stop_signals) {
    if (signal.is_caught) sigaction(signal.number, &usual, nullptr);
  }
  int none = 0;
  if (!stop_signal.compare_exchange_strong(none, number)) raise(number);  // two at the same time
  stop.store(true);
  if (!has_timer || timer_settime(grace_timer, 0, &grace, nullptr) != 0) alarm(1);
  errno = error;
}

// End of the functions that run in handlers.

double grace_seconds() {
  constexpr double usual = 0.5;
  constexpr double most = 1e6;
  const char* const text = std::getenv("SYNELIX_GRACE_SECONDS");
  if (text == nullptr) return usual;
  double seconds = -1;
  try {
    seconds = parse_number(text);
  } catch (const Error&) {
    seconds = -1;
  }
  if (!(seconds >= 0) || seconds > most) {
    throw Error("SYNELIX_GRACE_SECONDS", "'" + std::string(text) + "' is not a time to wait",
                "Set a number of seconds, from 0 to 1000000");
  }
  return seconds;
}

}  // namespace

void catch_stop_signals() {
  const double seconds = grace_seconds();
  grace.it_value.tv_sec = static_cast<std::time_t>(seconds);
  // Zero would disable the timer.
  grace.it_value.tv_nsec =
      static_cast<long>(std::fmin((seconds - std::floor(seconds)) * 1e9 + 1, 999'999'999.0));
  struct sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  has_timer = timer_create(CLOCK_MONOTONIC, &event, &grace_timer) == 0;

  struct sigaction action = {};
  action.sa_flags = SA_RESTART;  // a pending write continues
  sigfillset(&action.sa_mask);
  action.sa_handler = end_now;
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = request_stop;
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGALRM);
  for (StopSignal& signal : stop_signals) {
    struct sigaction before = {};
    sigaction(signal.number, nullptr, &before);
    signal.is_caught = before.sa_handler != SIG_IGN;
    if (signal.is_caught) sigaction(signal.number, &action, nullptr);
    sigaddset(&mask, signal.number);
  }
  // The parent process may have blocked them.
  pthread_sigmask(SIG_UNBLOCK, &mask, nullptr);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

void leave_stop_signals() {
  for (const StopSignal& signal : stop_signals) {
    if (signal.is_caught) std::signal(signal.number, SIG_DFL);
  }
  std::signal(SIGALRM, SIG_IGN);
}

const std::atomic<bool>& stop_requested() { return stop; }

int stop_exit_code() { return 128 + stop_signal.load(); }

void note_part(const std::string& path, Rest rest) {
  static Part noted;
  part.store(nullptr);
  noted = {.path = path, .rest = rest};
  part.store(&noted);
}

void note_left(const std::string& text) {
  static std::string noted;
  left.store(nullptr);
  noted = text;
  if (!noted.empty()) left.store(&noted);
}

}  // namespace synelix::tool
