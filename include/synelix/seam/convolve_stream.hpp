// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/arguments.hpp>
#include <synelix/series.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// \file
/// What the templates of convolve_stream.hpp call. For the public headers, not for users.

namespace synelix::seam {

/// Whether a stream takes a block and its features.
template <class ExecutionSpace, class Scalar, class Block, class Features>
constexpr bool takes_block() {
  if constexpr (Kokkos::is_view_v<Block> || std::is_same_v<Block, Strided> ||
                std::is_same_v<Block, Events>) {
    return takes<ExecutionSpace, Reach::kernels, Scalar, Block, Features>();
  } else {
    static_assert(never<Block>,
                  "a block must be a Kokkos View whose first dimension is time, a synelix Strided "
                  "or Events: scale and epochs are the stream's");
    return false;
  }
}

/// A block without its View, for compiled functions.
template <class Block>
decltype(auto) without_view_of_block(const Block& block) {
  if constexpr (Kokkos::is_view_v<Block>) {
    return read_only(strided_of(block));
  } else {
    return (block);
  }
}

}  // namespace synelix::seam
