// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/run.hpp"

#include <cstdint>

/// \file
/// Sums of products of spectra, with any number of terms, and their inverse transform: the analogue
/// of `inverse_block` for lines. In registers: the sums of one point for a few results, which read
/// each spectrum once. Terms are added in their order.

namespace synelix::spectral {

/// A number of a kernel: for all lanes, or a pack.
template <KernelKind kind, class Scalar, class Set>
SYNELIX_INLINE lanes::Pack<Scalar, Set> load_kernel(const Scalar* kernel) {
  using Pack = lanes::Pack<Scalar, Set>;
  if constexpr (kind == KernelKind::numbers) return Pack::broadcast(*kernel);
  return Pack::load(kernel);
}

/// The sums of point p.
template <int results, KernelKind kind, class Scalar, class Set>
SYNELIX_INLINE void sum_products(const SumsBlock<Scalar>& arguments, std::int64_t p,
                                 Complex<lanes::Pack<Scalar, Set>> (&sums)[results]) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr bool is_packed = kind == KernelKind::packs;
  const std::int64_t imaginary = is_packed ? Pack::lanes : results;
  const std::int64_t next = is_packed ? arguments.kernel_result : 1;
  const Scalar* spectrum = arguments.spectra + p * 2 * Pack::lanes;
  const Scalar* kernel = arguments.kernels + p * arguments.kernel_point;
  SYNELIX_UNROLL(4)
  for (int r = 0; r < results; ++r) sums[r] = {Pack::zero(), Pack::zero()};
  SYNELIX_UNROLL(1)
  for (std::int64_t term = 0; term < arguments.terms; ++term) {
    const auto x = load_point<Scalar, Set>(spectrum);
    SYNELIX_UNROLL(4)
    for (int r = 0; r < results; ++r) {
      const Pack c = load_kernel<kind, Scalar, Set>(kernel + r * next);
      const Pack s = load_kernel<kind, Scalar, Set>(kernel + r * next + imaginary);
      sums[r].re = subtract_product(multiply_add(c, x.re, sums[r].re), s, x.im);
      sums[r].im = multiply_add(s, x.re, multiply_add(c, x.im, sums[r].im));
    }
    spectrum += arguments.spectra_term;
    kernel += arguments.kernel_term;
  }
}

/// Sums and the first inverse pass of points [begin, end) of one block of the first pass: leaf by
/// leaf, in place.
template <int results, KernelKind kind, class Scalar, class Set, int radix>
SYNELIX_INLINE void sums_leaves(const SumsBlock<Scalar>& arguments, Scalar* block,
                                std::int64_t begin, std::int64_t end) {
  using Point = Complex<lanes::Pack<Scalar, Set>>;
  constexpr int point = 2 * lanes::Pack<Scalar, Set>::lanes;
  const std::int64_t first = arguments.block * arguments.transform->columns[0];
  for (std::int64_t i = begin; i < end; i += radix) {
    Scalar* const leaf = block + i * point;
    SYNELIX_UNROLL(1)
    for (int q = 0; q < radix; ++q) {
      Point sums[results];
      sum_products<results, kind, Scalar, Set>(arguments, first + i + q, sums);
      SYNELIX_UNROLL(4)
      for (int r = 0; r < results; ++r) {
        store_point(sums[r], leaf + r * arguments.result_step + q * point);
      }
    }
    SYNELIX_UNROLL(1)
    for (int r = 0; r < results; ++r) {
      Scalar* const points = leaf + r * arguments.result_step;
      transform<radix, Direction::inverse, Scalar>(
          [&](int q) __attribute__((always_inline)) {
            return load_point<Scalar, Set>(points + q * point);
          },
          [&](int k, const Point& value)
              __attribute__((always_inline)) { store_point(value, points + k * point); });
    }
  }
}

template <int results, KernelKind kind, class Scalar, class Set>
SYNELIX_INLINE void run_sums(const SumsBlock<Scalar>& arguments) {
  const Transform<Scalar>& shape = *arguments.transform;
  constexpr int all = lanes::Pack<Scalar, Set>::lanes;
  Scalar* const block = arguments.points + arguments.block * shape.step * 2 * all;
  const std::int64_t whole = shape.columns[0];
  const std::int64_t together = points_together(shape);
  const int last = together < whole ? 2 : 1;  // of the passes that some points take together
  for (std::int64_t begin = 0; begin < whole; begin += together) {
    with_leaf_radix<Set>(shape.radix[shape.passes - 1],
                         [&](auto radix) __attribute__((always_inline)) {
                           sums_leaves<results, kind, Scalar, Set, decltype(radix)::value>(
                               arguments, block, begin, begin + together);
                         });
    for (int r = 0; r < results; ++r) {
      Scalar* const points = block + r * arguments.result_step + begin * 2 * all;
      for (int pass = shape.passes - 2; pass >= last; --pass) {
        run_middle_pass<Scalar, Set, Direction::inverse>(shape, pass, points, together);
      }
    }
  }
  if (last == 1) return;
  for (int r = 0; r < results; ++r) {
    run_middle_pass<Scalar, Set, Direction::inverse>(shape, 1, block + r * arguments.result_step,
                                                     whole);
  }
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_sums_block(const SumsBlock<Scalar>& arguments) {
  if (arguments.kind == KernelKind::packs) {
    if (arguments.results == most_results_together) {
      run_sums<most_results_together, KernelKind::packs, Scalar, Set>(arguments);
    } else {
      run_sums<1, KernelKind::packs, Scalar, Set>(arguments);
    }
  } else if (arguments.results == most_results_together) {
    run_sums<most_results_together, KernelKind::numbers, Scalar, Set>(arguments);
  } else {
    run_sums<1, KernelKind::numbers, Scalar, Set>(arguments);
  }
}

}  // namespace synelix::spectral
