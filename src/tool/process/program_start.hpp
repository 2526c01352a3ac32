// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// What the program arranges before all else: standard streams that the caller has closed, and its
/// end where memory runs out in a function that may not throw.

namespace synelix::tool {

/// What is said of memory that ran out, with a new line.
inline constexpr char out_of_memory[] = "synelix: out of memory; a smaller --budget may help\n";

/// From now on an allocation that fails in a function that may not throw ends the program by exit
/// code 1 and a message. Kokkos allocates in its destructors, and CLI11 as it looks at options: the
/// standard library would abort.
void end_where_memory_ran_out();

/// Occupies each of the descriptors 0 to 2 that is closed, so that no file gets it: a message
/// would go into that file. The stream stays as good as closed: reads of 0 fail, and so do writes
/// to 1 and 2. To be called before anything is opened.
void occupy_closed_streams();

}  // namespace synelix::tool
