// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"

#include <synelix/hdf5.hpp>

#include <string>

/// \file
/// What is known of features, as attributes of their dataset.

namespace synelix::h5 {

/// Writes everything but the names of the datasets beside it.
void write_description(hid_t dataset, const FeaturesDescription& from,
                       const std::string& fingerprint, const Hdf5OutputOptions& options);

}  // namespace synelix::h5
