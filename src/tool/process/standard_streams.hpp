// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// The descriptors of the standard streams, where the caller has closed them.

namespace synelix::tool {

/// Occupies each of the descriptors 0 to 2 that is closed, so that no file gets it: a message
/// would go into that file. The stream stays as good as closed: reads of 0 fail, and so do writes
/// to 1 and 2. To be called before anything is opened.
void occupy_closed_streams();

}  // namespace synelix::tool
