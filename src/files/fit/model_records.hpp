// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/part/output_file.hpp"

#include <synelix/fit_file.hpp>

/// \file
/// A model as datasets and attributes.

namespace synelix::h5 {

/// Writes all of a model into a file that holds nothing else.
/// \throws Error where the sizes of the model do not agree with each other
void write_model(const OutputFile& file, const FitFile& model, const FitProvenance& provenance,
                 const FitOutputOptions& options);

}  // namespace synelix::h5
