// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/warning.hpp"

#include "tool/text/terminal_text.hpp"

#include <algorithm>
#include <iostream>
#include <mutex>
#include <set>

namespace synelix::tool {

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return terminal_text(text);
}

void print_warning(std::string_view message) {
  static std::mutex mutex;
  static std::set<std::string> printed;
  const std::string text = one_line(std::string(message));
  const std::scoped_lock lock(mutex);
  if (printed.insert(text).second) std::cerr << "synelix: warning: " << text << "\n";
}

}  // namespace synelix::tool
