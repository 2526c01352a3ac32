// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace synelix::python {

/// Sets the BLAS and LAPACK of SciPy if the library was built without (SYNELIX_ENABLE_LAPACK=OFF).
/// The first call that needs them imports SciPy.
void borrow_linear_algebra();

}  // namespace synelix::python
