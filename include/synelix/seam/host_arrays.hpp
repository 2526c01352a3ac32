// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/strided.hpp>
#include <synelix/strided.hpp>

/// \file
/// Arrays of calls that work on the host, which may be Views: host_views.hpp defines the functions.
/// For the public headers, not for users.

namespace synelix::seam {

/// An array on the host that is written: a View, or a `StridedOutput` already.
template <int least, int most, class Output>
StridedOutput host_output(const Output& output);

/// An array on the host that is read: a View, or a `Strided` already.
template <class Array>
Strided host_input(const Array& array);

/// Whether a call has a View that is to become a `Strided`.
template <class... Arrays>
concept has_view = (is_view<Arrays> || ...);

}  // namespace synelix::seam
