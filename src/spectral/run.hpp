// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/passes.hpp"

#include <cstdint>

/// \file
/// The passes for every shape: which of the compiled forms serves.

namespace synelix::spectral {

template <class Scalar, class Set>
SYNELIX_INLINE void run_first_pass(const FirstPass<Scalar>& arguments) {
  if (arguments.transform->radix[0] == 16) {
    first_columns<Scalar, Set, 16>(arguments);
  } else {
    first_columns<Scalar, Set, 8>(arguments);
  }
}

template <class Scalar, class Set, Direction direction>
SYNELIX_INLINE void run_middle_pass(const Transform<Scalar>& shape, int pass, Scalar* block) {
  if (shape.radix[pass] == 16) {
    middle_pass<Scalar, Set, 16, direction>(shape, pass, block);
  } else {
    middle_pass<Scalar, Set, 8, direction>(shape, pass, block);
  }
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_forward_block(const ForwardBlock<Scalar>& arguments) {
  const Transform<Scalar>& shape = *arguments.transform;
  constexpr std::int64_t point_values = 2 * lanes::Pack<Scalar, Set>::lanes;
  Scalar* const block = arguments.points + arguments.block * shape.step * point_values;
  for (int pass = 1; pass + 1 < shape.passes; ++pass) {
    run_middle_pass<Scalar, Set, Direction::forward>(shape, pass, block);
  }
  if (shape.radix[shape.passes - 1] == 16) {
    forward_leaves<Scalar, Set, 16>(arguments, block);
  } else {
    forward_leaves<Scalar, Set, 8>(arguments, block);
  }
}

template <class Scalar, class Set, int spectra_period, int kernel_period>
SYNELIX_INLINE void run_inverse_leaves(const InverseBlock<Scalar>& arguments, Scalar* block) {
  const Transform<Scalar>& shape = *arguments.transform;
  if (shape.radix[shape.passes - 1] == 16) {
    inverse_leaves<Scalar, Set, spectra_period, kernel_period, 16>(arguments, block);
  } else {
    inverse_leaves<Scalar, Set, spectra_period, kernel_period, 8>(arguments, block);
  }
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_inverse_block(const InverseBlock<Scalar>& arguments) {
  const Transform<Scalar>& shape = *arguments.transform;
  const Lines<Scalar>& lines = *arguments.lines;
  constexpr int all = lanes::Pack<Scalar, Set>::lanes;
  Scalar* const block = arguments.points + arguments.block * shape.step * 2 * all;
  const int size = 2 * lines.width;
  if (lines.width == all) {
    run_inverse_leaves<Scalar, Set, 0, all>(arguments, block);
  } else if constexpr (all >= 8) {
    if (size == all) {
      run_inverse_leaves<Scalar, Set, all, all>(arguments, block);
    } else if (size == all / 2 && lines.kernel_period == all) {
      run_inverse_leaves<Scalar, Set, all / 2, all>(arguments, block);
    } else if (size == all / 2) {
      run_inverse_leaves<Scalar, Set, all / 2, all / 4>(arguments, block);
    } else if (lines.kernel_period == all) {
      run_inverse_leaves<Scalar, Set, all / 4, all>(arguments, block);
    } else {
      run_inverse_leaves<Scalar, Set, all / 4, all / 2>(arguments, block);
    }
  } else {
    run_inverse_leaves<Scalar, Set, all, all>(arguments, block);
  }
  for (int pass = shape.passes - 2; pass > 0; --pass) {
    run_middle_pass<Scalar, Set, Direction::inverse>(shape, pass, block);
  }
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_last_pass(const LastPass<Scalar>& arguments) {
  if (arguments.transform->radix[0] == 16) {
    last_columns<Scalar, Set, 16>(arguments);
  } else {
    last_columns<Scalar, Set, 8>(arguments);
  }
}

/// Copies `count` values to where they will not be read soon: whole cache lines past the caches.
template <class Scalar, class Set>
SYNELIX_INLINE void copy_past_caches(Scalar* to, const Scalar* from, std::int64_t count) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(Scalar));
  std::int64_t i = 0;
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % 64) /
                          static_cast<std::int64_t>(sizeof(Scalar));
  const std::int64_t ahead = (line - misaligned) % line;
  for (; i < ahead && i < count; ++i) to[i] = from[i];
  for (; i + line <= count; i += line) {
    SYNELIX_UNROLL(16)
    for (std::int64_t k = 0; k < line; k += Pack::lanes) {
      store_past_caches(lanes::load_unaligned<Scalar, Set>(from + i + k), to + i + k);
    }
  }
  for (; i < count; ++i) to[i] = from[i];
}

}  // namespace synelix::spectral
