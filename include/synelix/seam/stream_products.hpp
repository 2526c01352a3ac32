// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/output.hpp>
#include <synelix/stream.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// \file
/// What the templates of stream_products.hpp call. For the public headers, not for users.

namespace synelix::seam {

template <class Result>
concept is_no_sink = !std::is_base_of_v<Sink, Result>;

/// Results on the host as rows of a matrix, also if it has one column.
template <class Result>
StridedOutput as_rows(const Result& results) {
  StridedOutput rows = output_on<Kokkos::DefaultHostExecutionSpace, 1, 2>(results);
  if (rows.rank != 1) return rows;
  rows.rank = 2;
  rows.extents[1] = 1;
  rows.strides[1] = 1;
  return rows;
}

}  // namespace synelix::seam
