// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// One program holds the tests of several names of CTest. `--only=FILE,...` selects the tests of
/// some source files.

namespace tests {

/// Runs the tests of the files in `--only=FILE,...` (names without folder and without .cpp), or all
/// tests without that argument. A filter of GoogleTest selects among them. Returns the exit status:
/// 1 with a message if a file has no test in this program. Call it after InitGoogleMock.
int run_selected(int argc, char** argv);

}  // namespace tests
