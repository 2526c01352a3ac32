// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace synelix::python {

/// Gives the library the BLAS and LAPACK of SciPy, where it was built without
/// (SYNELIX_ENABLE_LAPACK=OFF). SciPy is imported by the first call that needs them.
void borrow_linear_algebra();

}  // namespace synelix::python
