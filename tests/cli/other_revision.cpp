// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In place of the library's: the program of another revision.
#include <synelix/version.hpp>

std::string_view synelix::revision() noexcept { return "0123456789ab"; }
