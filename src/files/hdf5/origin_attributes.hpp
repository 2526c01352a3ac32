// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"

/// \file
/// Which build of this library wrote an object, as attributes of it.

namespace synelix::h5 {

/// Writes synelix_version, synelix_revision and synelix_build. Nothing that reads the object for
/// its values asks for them: a run may go on where another revision began it.
void write_origin(hid_t object);

}  // namespace synelix::h5
