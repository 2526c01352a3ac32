// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// Setup at the start of the program: standard streams that the caller has closed, and the exit of
/// the program if memory runs out in a function that may not throw.

namespace synelix::tool {

/// The message for exhausted memory, with a newline.
inline constexpr char out_of_memory[] = "synelix: out of memory; a smaller --budget may help\n";

/// After this call, a failed allocation in a function that may not throw ends the program with exit
/// code 1 and a message. Kokkos allocates in its destructors, and CLI11 while it reads options; the
/// standard library would abort.
void end_where_memory_ran_out();

/// Occupies each of the descriptors 0 to 2 that is closed, so that no opened file gets it and
/// messages are not written into that file. The stream behaves like a closed one: reads of 0 fail,
/// and so do writes to 1 and 2. Call it before anything is opened.
void occupy_closed_streams();

}  // namespace synelix::tool
