// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/error.hpp>

/// \file
/// Checks for a list of epochs that exists but is empty, often after a selection.

namespace synelix {

/// \throw Error where no sample is selected
inline void refuse_no_epochs(const Epochs& epochs) {
  if (!epochs.is_nothing()) return;
  throw Error("epochs", "the list is empty, so no sample is selected",
              "Give at least one epoch, or none at all (Epochs()), which is one epoch of all "
              "samples");
}

}  // namespace synelix
