// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/error.hpp>

/// \file
/// A list of epochs that is there and holds none, often one that a selection left empty.

namespace synelix {

/// \throw Error where no sample is selected
inline void refuse_no_epochs(const Epochs& epochs) {
  if (!epochs.is_nothing()) return;
  throw Error("epochs", "the list is empty, so no sample is selected",
              "Give at least one epoch, or none at all (Epochs()), which is one epoch of all "
              "samples");
}

}  // namespace synelix
