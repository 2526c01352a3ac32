// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

/// \file
/// Converts warnings of the library to Python warnings. Each belongs to the call that caused it.

namespace synelix::python {

/// Keeps warnings of the library until their call passes them to Python.
void collect_warnings();
/// Drops the warnings of this thread's call, which failed.
void drop_warnings();
/// Drops those warnings of this thread's call that its result contains, since Python shows them
/// from there.
void forget_warnings(const std::vector<std::string>& texts);
/// Passes the warnings of this thread's call to Python's `warnings`. Their location is the first
/// line outside of the package. Needs the GIL.
void pass_warnings();
/// For its lifetime, the warnings of this thread's call are set aside: a nested call, in a progress
/// function, neither shows nor drops them.
class WarningsApart {
 public:
  WarningsApart();
  WarningsApart(const WarningsApart&) = delete;
  WarningsApart& operator=(const WarningsApart&) = delete;
  ~WarningsApart();

 private:
  std::vector<std::string> m_texts;
};
/// The folder of the package; warnings never name its lines.
void set_package_folder(const std::string& folder);

/// For a fork, which copies the warnings: the first function locks them, the second unlocks them.
void lock_warnings();
void unlock_warnings();

}  // namespace synelix::python
