// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/comparison.hpp"
#include "golden/golden_file.hpp"

#include <string>

namespace golden {

/// Compares a case with the library. `root` is the file that it is in.
using Check = Outcome (*)(const Group& item, const Group& root);

/// How the cases of a section are compared; null if they cannot be compared yet.
using CheckOf = Check (*)(const std::string& section);

/// What a program PROGRAM FILE [CASE] does, which compares the library with numbers that were
/// derived without it. A case is a group of a section (/basis/NAME, /conv/NAME, ...), or a section
/// that holds datasets itself. Prints a line for each case, then how many of the file's cases were
/// checked. CASE, the path of one, checks that one alone.
///
/// Returns the exit status: 0 everything that was checked agrees, 1 something differs, 2 the file
/// cannot be read, or usage.
int run_checks(int argc, char* argv[], const char* program, CheckOf check_of);

}  // namespace golden
