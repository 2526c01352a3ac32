// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

/// \file
/// Warnings of the library become those of Python. Each belongs to the call that caused it.

namespace synelix::python {

/// Keeps warnings of the library until the call that caused them hands them to Python.
void collect_warnings();
/// Forgets the warnings of this thread's call, which failed.
void drop_warnings();
/// Forgets those warnings of this thread's call that its result holds, and Python shows from there.
void forget_warnings(const std::vector<std::string>& texts);
/// Gives the warnings of this thread's call to Python's `warnings`. They name the first line
/// outside of the package. Needs the GIL.
void pass_warnings();
/// For its lifetime, the warnings of this thread's call are aside: a call inside of it, in a
/// progress function, neither shows nor drops them.
class WarningsApart {
 public:
  WarningsApart();
  WarningsApart(const WarningsApart&) = delete;
  WarningsApart& operator=(const WarningsApart&) = delete;
  ~WarningsApart();

 private:
  std::vector<std::string> m_texts;
};
/// The folder of the package, whose lines no warning names.
void set_package_folder(const std::string& folder);

/// A fork copies the warnings as they are: the first locks them, the second unlocks them.
void lock_warnings();
void unlock_warnings();

}  // namespace synelix::python
