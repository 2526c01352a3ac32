// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/signals.hpp"

#include <csignal>
#include <initializer_list>

namespace synelix::tool {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set the flag");
std::atomic<bool> stop{false};
std::atomic<int> stop_signal{0};

void request_stop(int signal) {
  stop_signal.store(signal);
  stop.store(true);
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action = {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;  // a write that is under way goes on
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

const std::atomic<bool>& stop_requested() { return stop; }

int stop_exit_code() { return 128 + (stop_signal.load() == SIGINT ? SIGINT : SIGTERM); }

}  // namespace synelix::tool
