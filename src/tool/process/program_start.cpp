// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/process/signals.hpp"

#include "tool/options/command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>

namespace synelix::tool {
namespace {

std::terminate_handler handler_before = nullptr;

/// Prints the reason without an allocation.
[[noreturn]] void end_program() {
  bool is_memory = false;
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    is_memory = true;
  } catch (...) {  // the exception is handled by the previous handler
    is_memory = false;
  }
  if (is_memory) {
    // If the message cannot be written, the exit code still reports the failure.
    [[maybe_unused]] const ssize_t written =
        ::write(STDERR_FILENO, out_of_memory, sizeof(out_of_memory) - 1);
    std::_Exit(exit_failure);
  }
  if (handler_before != nullptr) handler_before();
  std::abort();
}

}  // namespace

void end_where_memory_ran_out() { handler_before = std::set_terminate(end_program); }

void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free descriptor is this one. A folder that is open for reading accepts no write
    // and gives no byte. "/" exists in every environment, whereas /dev/null may be missing.
    if (open("/", O_RDONLY | O_DIRECTORY) != stream) return;
  }
}

}  // namespace synelix::tool
