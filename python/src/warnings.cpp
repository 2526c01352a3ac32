// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "warnings.hpp"

#include "runtime.hpp"

#include <synelix/error.hpp>

#include <nanobind/stl/string.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string_view>
#include <vector>

namespace synelix::python {
namespace {

using namespace nb::literals;

/// Warnings of threads of the library that read ahead for a call. It is not known for which call,
/// so the next one that ends shows them. Never destroyed, like the rest of the runtime.
struct Strays {
  std::mutex mutex;  ///< locked last: the library may warn while it holds others
  std::vector<std::string> texts;
  std::string folder;  ///< of the package, with a separator at its end
};

Strays& strays() {
  static auto* const all = new Strays;
  return *all;
}

/// Warnings of the current call of this thread.
std::vector<std::string>& own_texts() {
  thread_local std::vector<std::string> texts;
  return texts;
}

bool is_thread_of_python() { return PyGILState_GetThisThreadState() != nullptr; }

void keep_warning(std::string_view text) {
  if (is_thread_of_python()) {
    own_texts().emplace_back(text);
  } else {
    const std::lock_guard lock(strays().mutex);
    strays().texts.emplace_back(text);
  }
}

}  // namespace

void collect_warnings() { set_warning_handler(keep_warning); }

void drop_warnings() {
  own_texts().clear();
  if (calls() > 0) return;  // the others may be of a call that is still running
  const std::lock_guard lock(strays().mutex);
  strays().texts.clear();
}

void forget_warnings(const std::vector<std::string>& texts) {
  std::erase_if(own_texts(), [&](const std::string& own) {
    return std::find(texts.begin(), texts.end(), own) != texts.end();
  });
}

void pass_warnings() {
  std::vector<std::string> texts;
  texts.swap(own_texts());
  {
    const std::lock_guard lock(strays().mutex);
    if (texts.empty() && strays().texts.empty()) return;
    std::move(strays().texts.begin(), strays().texts.end(), std::back_inserter(texts));
    strays().texts.clear();
  }
  const nb::object warn =
      in_python([] { return nb::object(nb::module_::import_("warnings").attr("warn")); });
  const nb::object category = nb::borrow(PyExc_UserWarning);
  const std::string& folder = strays().folder;
  const nb::tuple skipped = folder.empty() ? nb::tuple() : nb::make_tuple(folder);
  for (const std::string& text : texts) {
    in_python([&] { warn(text, category, "skip_file_prefixes"_a = skipped); });
  }
}

WarningsApart::WarningsApart() { m_texts.swap(own_texts()); }
WarningsApart::~WarningsApart() { own_texts().swap(m_texts); }

void set_package_folder(const std::string& folder) { strays().folder = folder; }

void lock_warnings() { strays().mutex.lock(); }
void unlock_warnings() { strays().mutex.unlock(); }

}  // namespace synelix::python
