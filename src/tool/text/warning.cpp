// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/warning.hpp"

#include "tool/text/terminal_text.hpp"

#include <algorithm>
#include <iostream>
#include <mutex>
#include <set>

namespace synelix::tool {
namespace {

/// What was warned of, and where.
struct Warnings {
  std::mutex mutex;
  std::string place;
  std::set<std::string> printed;
};

Warnings& warnings() {
  static Warnings all;
  return all;
}

}  // namespace

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return terminal_text(text);
}

void set_warning_place(const std::string& place) {
  Warnings& all = warnings();
  const std::scoped_lock lock(all.mutex);
  all.place = place;
  all.printed.clear();
}

void print_warning(std::string_view message) {
  Warnings& all = warnings();
  const std::scoped_lock lock(all.mutex);
  const std::string text = one_line(all.place + std::string(message));
  if (all.printed.insert(text).second) std::cerr << "synelix: warning: " << text << "\n";
}

}  // namespace synelix::tool
