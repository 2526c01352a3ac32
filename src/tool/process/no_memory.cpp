// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/process/no_memory.hpp"

#include "tool/options/command_line.hpp"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>

namespace synelix::tool {
namespace {

std::terminate_handler handler_before = nullptr;

/// Says what happened without an allocation.
[[noreturn]] void end_program() {
  bool is_memory = false;
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    is_memory = true;
  } catch (...) {  // what the handler before says
    is_memory = false;
  }
  if (is_memory) {
    // Where it cannot be said, the exit code says it.
    [[maybe_unused]] const ssize_t written =
        ::write(STDERR_FILENO, out_of_memory, sizeof(out_of_memory) - 1);
    std::_Exit(exit_failure);
  }
  if (handler_before != nullptr) handler_before();
  std::abort();
}

}  // namespace

void end_where_memory_ran_out() { handler_before = std::set_terminate(end_program); }

}  // namespace synelix::tool
