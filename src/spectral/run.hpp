// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/passes.hpp"

#include <cstdint>

/// \file
/// The passes for every shape: selects the compiled form.

namespace synelix::spectral {

/// Calls `run(Number<radix>{})` for a pass of a shape of the set (`shape_of`).
template <class Set, class Run>
SYNELIX_INLINE void with_radix(int radix, const Run& run) {
  constexpr int other = has_short_passes(Set::bytes) ? 4 : 16;
  if (radix == other) return run(Number<other>{});
  run(Number<8>{});
}
/// The same for the last pass, which is short only if all are.
template <class Set, class Run>
SYNELIX_INLINE void with_leaf_radix(int radix, const Run& run) {
  if constexpr (!has_short_passes(Set::bytes)) {
    if (radix == 16) return run(Number<16>{});
  }
  run(Number<8>{});
}

template <bool has_energy, class Scalar, class Set>
SYNELIX_INLINE void run_first_columns(const FirstPass<Scalar>& arguments) {
  with_radix<Set>(arguments.transform->radix[0], [&](auto radix) __attribute__((always_inline)) {
    first_columns<Scalar, Set, decltype(radix)::value, has_energy>(arguments);
  });
}
template <class Scalar, class Set>
SYNELIX_INLINE void run_first_pass(const FirstPass<Scalar>& arguments) {
  if (arguments.energy != nullptr) return run_first_columns<true, Scalar, Set>(arguments);
  run_first_columns<false, Scalar, Set>(arguments);
}

template <class Scalar, class Set, Direction direction>
SYNELIX_INLINE void run_middle_pass(const Transform<Scalar>& shape, int pass, Scalar* block,
                                    std::int64_t size) {
  with_radix<Set>(shape.radix[pass], [&](auto radix) __attribute__((always_inline)) {
    middle_pass<Scalar, Set, decltype(radix)::value, direction>(shape, pass, block, size);
  });
}

/// Number of points of a block of the first pass that go through all passes after the second one
/// together: a block of the second pass, if blocks of the first would not stay in the nearest
/// cache.
template <class Scalar>
SYNELIX_INLINE constexpr std::int64_t points_together(const Transform<Scalar>& shape) {
  return shape.passes >= 4 ? shape.columns[1] : shape.columns[0];
}

template <int lines_of_pack, class Scalar, class Set>
SYNELIX_INLINE void run_forward_leaves(const ForwardBlock<Scalar>& arguments, const Scalar* block,
                                       std::int64_t begin, std::int64_t end) {
  const Transform<Scalar>& shape = *arguments.transform;
  with_leaf_radix<Set>(shape.radix[shape.passes - 1],
                       [&](auto radix) __attribute__((always_inline)) {
                         forward_leaves<lines_of_pack, Scalar, Set, decltype(radix)::value>(
                             arguments, block, begin, end);
                       });
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_forward_block(const ForwardBlock<Scalar>& arguments) {
  const Transform<Scalar>& shape = *arguments.transform;
  constexpr int all = lanes::Pack<Scalar, Set>::lanes;
  Scalar* const block = arguments.points + arguments.block * shape.step * 2 * all;
  const std::int64_t whole = shape.columns[0];
  const std::int64_t together = points_together(shape);
  int first = 1;  // of the passes that a group of points takes together
  if (together < whole) {
    run_middle_pass<Scalar, Set, Direction::forward>(shape, first++, block, whole);
  }
  const int size = 2 * arguments.lines->width;
  for (std::int64_t begin = 0; begin < whole; begin += together) {
    const std::int64_t end = begin + together;
    for (int pass = first; pass + 1 < shape.passes; ++pass) {
      run_middle_pass<Scalar, Set, Direction::forward>(shape, pass, block + begin * 2 * all,
                                                       together);
    }
    if (arguments.lines->width == all) {
      run_forward_leaves<0, Scalar, Set>(arguments, block, begin, end);
    } else if (size == all) {
      run_forward_leaves<1, Scalar, Set>(arguments, block, begin, end);
    } else if constexpr (all >= 8) {
      if (size == all / 2) {
        run_forward_leaves<2, Scalar, Set>(arguments, block, begin, end);
      } else {
        run_forward_leaves<4, Scalar, Set>(arguments, block, begin, end);
      }
    }
  }
}

/// Calls `run(spectra period, kernel period)` with the numbers of these lines.
template <int all, class Scalar, class Run>
SYNELIX_INLINE void with_periods(const Lines<Scalar>& lines, const Run& run) {
  const int size = 2 * lines.width;
  if (lines.width == all) {
    run(Number<0>{}, Number<all>{});
  } else if constexpr (all >= 8) {
    if (size == all) {
      run(Number<all>{}, Number<all>{});
    } else if (size == all / 2 && lines.kernel_period == all) {
      run(Number<all / 2>{}, Number<all>{});
    } else if (size == all / 2) {
      run(Number<all / 2>{}, Number<all / 4>{});
    } else if (lines.kernel_period == all) {
      run(Number<all / 4>{}, Number<all>{});
    } else {
      run(Number<all / 4>{}, Number<all / 2>{});
    }
  } else {
    run(Number<all>{}, Number<all>{});
  }
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_inverse_leaves(const InverseBlock<Scalar>& arguments, Scalar* block,
                                       std::int64_t begin, std::int64_t end) {
  const Transform<Scalar>& shape = *arguments.transform;
  with_periods<lanes::Pack<Scalar, Set>::lanes>(
      *arguments.lines, [&](auto spectra, auto kernel) __attribute__((always_inline)) {
        constexpr int spectra_period = decltype(spectra)::value;
        constexpr int kernel_period = decltype(kernel)::value;
        with_leaf_radix<Set>(
            shape.radix[shape.passes - 1], [&](auto radix) __attribute__((always_inline)) {
              inverse_leaves<Scalar, Set, spectra_period, kernel_period, decltype(radix)::value>(
                  arguments, block, begin, end);
            });
      });
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_inverse_block(const InverseBlock<Scalar>& arguments) {
  const Transform<Scalar>& shape = *arguments.transform;
  constexpr int all = lanes::Pack<Scalar, Set>::lanes;
  Scalar* const block = arguments.points + arguments.block * shape.step * 2 * all;
  const std::int64_t whole = shape.columns[0];
  const std::int64_t together = points_together(shape);
  const int last = together < whole ? 2 : 1;  // of the passes that a group of points takes together
  for (std::int64_t begin = 0; begin < whole; begin += together) {
    run_inverse_leaves<Scalar, Set>(arguments, block, begin, begin + together);
    for (std::int64_t line = 0; line < arguments.line_count; ++line) {
      Scalar* const points = block + line * arguments.line_step + begin * 2 * all;
      for (int pass = shape.passes - 2; pass >= last; --pass) {
        run_middle_pass<Scalar, Set, Direction::inverse>(shape, pass, points, together);
      }
    }
  }
  if (last == 1) return;
  for (std::int64_t line = 0; line < arguments.line_count; ++line) {
    Scalar* const points = block + line * arguments.line_step;
    run_middle_pass<Scalar, Set, Direction::inverse>(shape, 1, points, whole);
  }
}

/// Whether lines of a shape can be streamed.
template <class Scalar>
SYNELIX_INLINE constexpr bool can_stream(const Transform<Scalar>& shape) {
  return shape.passes == 2 && shape.radix[0] == 16 && shape.radix[1] == 16;
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_streamed_lines(const StreamedLines<Scalar>& arguments) {
  with_periods<lanes::Pack<Scalar, Set>::lanes>(
      *arguments.lines, [&](auto spectra, auto kernel) __attribute__((always_inline)) {
        streamed_lines<Scalar, Set, decltype(spectra)::value, decltype(kernel)::value, 16>(
            arguments);
      });
}

template <bool has_probe, class Scalar, class Set>
SYNELIX_INLINE void run_last_columns(const LastPass<Scalar>& arguments) {
  with_radix<Set>(arguments.transform->radix[0], [&](auto radix) __attribute__((always_inline)) {
    last_columns<Scalar, Set, decltype(radix)::value, has_probe>(arguments);
  });
}
template <class Scalar, class Set>
SYNELIX_INLINE void run_last_pass(const LastPass<Scalar>& arguments) {
  if (arguments.probe != nullptr) return run_last_columns<true, Scalar, Set>(arguments);
  run_last_columns<false, Scalar, Set>(arguments);
}

}  // namespace synelix::spectral
