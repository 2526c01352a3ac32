// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/hdf5/h5_handles.hpp"

#include <synelix/error.hpp>

#include <string>

namespace synelix::h5 {
namespace {

std::recursive_mutex& mutex() {
  static std::recursive_mutex instance;
  return instance;
}

/// The outermost error of a stack is the failed operation, and the innermost is the reason.
struct Stack {
  std::string outermost;
  std::string innermost;
};

herr_t collect(unsigned depth, const H5E_error2_t* error, void* data) {
  auto& stack = *static_cast<Stack*>(data);
  const std::string text = error->desc != nullptr ? error->desc : "";
  if (depth == 0) stack.innermost = text;
  stack.outermost = text;
  return 0;
}

/// The message of the operating system if HDF5 quotes it: "error message = '...'".
std::string quoted_message(const std::string& text) {
  const std::string key = "error message = '";
  const auto begin = text.find(key);
  if (begin == std::string::npos) return {};
  const auto end = text.find('\'', begin + key.size());
  return text.substr(begin + key.size(), end - begin - key.size());
}

}  // namespace

Call::Call() : m_lock(mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &m_handler, &m_data);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Call::~Call() { H5Eset_auto2(H5E_DEFAULT, m_handler, m_data); }

std::string failure_text() {
  Stack stack;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &stack);
  const std::string system = quoted_message(stack.innermost);
  if (!system.empty()) return system + " (HDF5: " + stack.outermost + ")";
  if (stack.innermost.empty()) return "HDF5 gives no reason";
  if (stack.innermost == stack.outermost) return "HDF5: " + stack.innermost;
  return "HDF5: " + stack.outermost + ": " + stack.innermost;
}

bool is_lock_failure() {
  const auto look = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
    const std::string text = error->desc != nullptr ? error->desc : "";
    if (text.find("unable to lock") != std::string::npos) *static_cast<bool*>(data) = true;
    return 0;
  };
  bool is_one = false;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &is_one);
  return is_one;
}

void fail(const std::string& what) { throw FileError(what + ": " + failure_text()); }

}  // namespace synelix::h5
