// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// The end of a program whose memory ran out in a function that may not throw.

namespace synelix::tool {

/// What is said of memory that ran out, with a new line.
inline constexpr char out_of_memory[] = "synelix: out of memory; a smaller --budget may help\n";

/// From now on an allocation that fails in a function that may not throw ends the program by exit
/// code 1 and a message. Kokkos allocates in its destructors, and CLI11 as it looks at options: the
/// standard library would abort.
void end_where_memory_ran_out();

}  // namespace synelix::tool
