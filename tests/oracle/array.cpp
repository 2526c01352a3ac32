// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/array.hpp"

namespace oracle {

template class Array<float>;
template class Array<double>;

}  // namespace oracle
