// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/error.hpp>

#include "types/without_warnings.hpp"

#include <mutex>
#include <utility>

namespace synelix {
namespace {

struct Warnings {
  std::mutex mutex;
  WarningHandler handler;
};

Warnings& warnings() {
  static Warnings instance;
  return instance;
}

thread_local int dropping = 0;

}  // namespace

WithoutWarnings::WithoutWarnings() { ++dropping; }
WithoutWarnings::~WithoutWarnings() { --dropping; }

WarningHandler set_warning_handler(WarningHandler handler) {
  Warnings& current = warnings();
  const std::scoped_lock lock(current.mutex);
  return std::exchange(current.handler, std::move(handler));
}

void warn(std::string_view message) {
  if (dropping > 0) return;
  WarningHandler handler;
  {
    Warnings& current = warnings();
    const std::scoped_lock lock(current.mutex);
    handler = current.handler;
  }
  if (handler) handler(message);
}

}  // namespace synelix
