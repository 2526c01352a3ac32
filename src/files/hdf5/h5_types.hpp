// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"

#include <synelix/strided.hpp>

#include <optional>
#include <string>

/// \file
/// Stored types of HDF5 and ours.

namespace synelix::h5 {

/// The type in memory of one of ours.
hid_t memory_type(StoredType type);
/// The type in files of one of ours: little endian.
hid_t file_type(StoredType type);

/// What of ours holds every value of a type in a file exactly; nothing where none does.
std::optional<StoredType> exact_type(hid_t type);

/// Whether a type is a boolean: an enumeration of FALSE and TRUE, as h5py writes it.
bool is_boolean(hid_t type);

/// A type in words: "int16", "float32 (big endian)", "boolean", "string", "compound".
std::string type_text(hid_t type);

}  // namespace synelix::h5
