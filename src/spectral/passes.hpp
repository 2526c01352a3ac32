// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "spectral/arguments.hpp"
#include "spectral/butterfly.hpp"

#include <cstdint>

/// \file
/// The passes of a transform on packs. In registers: the 8 or 16 points of one butterfly; in memory
/// the points of a block. Each pass reads and writes every point once, in place.
///
/// Lanes never meet: each has the bits that it would have alone, whatever the other lanes hold.

namespace synelix::spectral {

template <class Scalar, class Set>
SYNELIX_INLINE Complex<lanes::Pack<Scalar, Set>> load_point(const Scalar* point) {
  using Pack = lanes::Pack<Scalar, Set>;
  return {Pack::load(point), Pack::load(point + Pack::lanes)};
}

template <class Pack, class Scalar>
SYNELIX_INLINE void store_point(const Complex<Pack>& value, Scalar* point) {
  value.re.store(point);
  value.im.store(point + Pack::lanes);
}

/// value times the turn (c + i s) at `turn`.
template <class Pack, class Scalar>
SYNELIX_INLINE Complex<Pack> times(const Complex<Pack>& value, const Scalar* turn) {
  return multiply(value, Pack::broadcast(turn[0]), Pack::broadcast(turn[1]));
}
/// value times the turn back (c - i s).
template <class Pack, class Scalar>
SYNELIX_INLINE Complex<Pack> times_back(const Complex<Pack>& value, const Scalar* turn) {
  return multiply_conjugate(value, Pack::broadcast(turn[0]), Pack::broadcast(turn[1]));
}

/// The first pass forward: rows j + q columns and, n further, their imaginary parts.
template <class Scalar, class Set, int radix>
SYNELIX_INLINE void first_columns(const FirstPass<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  using Point = Complex<Pack>;
  const Transform<Scalar>& shape = *arguments.transform;
  const std::int64_t q_step = shape.columns[0] * arguments.row_step;
  const std::int64_t half = shape.points * arguments.row_step;
  const std::int64_t block_step = shape.step * 2 * Pack::lanes;
  for (std::int64_t j = arguments.begin; j < arguments.end; ++j) {
    const Scalar* const row = arguments.samples + j * arguments.row_step;
    const Scalar* const turns = shape.turns[0] + j * 2 * radix;
    Scalar* const to = arguments.points + j * 2 * Pack::lanes;
    transform<radix, Direction::forward, Scalar>(
        [&](int q) __attribute__((always_inline)) {
          const Scalar* const sample = row + q * q_step;
          const Point point{lanes::load_unaligned<Scalar, Set>(sample),
                            lanes::load_unaligned<Scalar, Set>(sample + half)};
          return q == 0 ? point : times(point, shape.weights + 2 * q);
        },
        [&](int k, const Point& value) __attribute__((always_inline)) {
          store_point(times(value, turns + 2 * k), to + k * block_step);
        });
  }
}

/// A pass in the middle, of one block of the first pass.
template <class Scalar, class Set, int radix, Direction direction>
SYNELIX_INLINE void middle_pass(const Transform<Scalar>& shape, int pass, Scalar* block) {
  using Pack = lanes::Pack<Scalar, Set>;
  using Point = Complex<Pack>;
  const std::int64_t columns = shape.columns[pass];
  const std::int64_t step = columns * 2 * Pack::lanes;
  const std::int64_t blocks = shape.columns[0] / (radix * columns);
  for (std::int64_t i = 0; i < blocks; ++i) {
    const Scalar* turns = shape.turns[pass];
    for (std::int64_t j = 0; j < columns; ++j, turns += 2 * radix) {
      Scalar* const points = block + (i * radix * columns + j) * 2 * Pack::lanes;
      transform<radix, direction, Scalar>(
          [&](int q) __attribute__((always_inline)) {
            const Point point = load_point<Scalar, Set>(points + q * step);
            if constexpr (direction == Direction::inverse) {
              return q == 0 ? point : times_back(point, turns + 2 * q);
            } else {
              return point;
            }
          },
          [&](int k, const Point& value) __attribute__((always_inline)) {
            if (direction == Direction::forward && k != 0) {
              store_point(times(value, turns + 2 * k), points + k * step);
            } else {
              store_point(value, points + k * step);
            }
          });
    }
  }
}

/// Stores the spectrum of one point of a pack of channels: as it is, or for each line its own.
template <class Scalar, class Set>
SYNELIX_INLINE void store_spectrum(const Complex<lanes::Pack<Scalar, Set>>& value,
                                   const Lines<Scalar>& lines, Scalar* spectra,
                                   std::int64_t point) {
  using Pack = lanes::Pack<Scalar, Set>;
  if (lines.width == Pack::lanes) {
    store_point(value, spectra + point * 2 * Pack::lanes);
    return;
  }
  const int size = 2 * lines.width;
  const std::int64_t lines_of_pack = Pack::lanes / size;
  Scalar* to = spectra + point * size;
  const lanes::LaneNumberOf<Scalar>* order = lines.compact;
  for (std::int64_t line = 0; line < lines.bases; line += lines_of_pack, order += Pack::lanes) {
    const Pack mixed = permute(value.re, value.im, lanes::Permutation<Scalar, Set>(order));
    for (std::int64_t k = 0; k < lines_of_pack; ++k, to += lines.line_step) {
      lanes::store_part(mixed, to - k * size, static_cast<int>(k) * size, size);
    }
  }
}

/// The last pass forward, of one block of the first pass.
template <class Scalar, class Set, int radix>
SYNELIX_INLINE void forward_leaves(const ForwardBlock<Scalar>& arguments, const Scalar* block) {
  using Pack = lanes::Pack<Scalar, Set>;
  using Point = Complex<Pack>;
  const Transform<Scalar>& shape = *arguments.transform;
  const std::int64_t first = arguments.block * shape.columns[0];
  for (std::int64_t i = 0; i < shape.columns[0]; i += radix) {
    const Scalar* const points = block + i * 2 * Pack::lanes;
    transform<radix, Direction::forward, Scalar>(
        [&](int q) __attribute__((always_inline)) {
          return load_point<Scalar, Set>(points + q * 2 * Pack::lanes);
        },
        [&](int k, const Point& value) __attribute__((always_inline)) {
          store_spectrum<Scalar, Set>(value, *arguments.lines, arguments.spectra, first + i + k);
        });
  }
}

/// How the product of one line reads spectra and kernels: `spectra_period` values of a point are
/// repeated through the pack (0: whole packs), and `kernel_period` values of a kernel.
template <class Scalar, class Set, int spectra_period, int kernel_period, int radix>
SYNELIX_INLINE void inverse_leaves(const InverseBlock<Scalar>& arguments, Scalar* block) {
  using Pack = lanes::Pack<Scalar, Set>;
  using Point = Complex<Pack>;
  using Permutation = lanes::Permutation<Scalar, Set>;
  const Transform<Scalar>& shape = *arguments.transform;
  const Lines<Scalar>& lines = *arguments.lines;
  const Permutation of_re(lines.expand + 2 * arguments.line * Pack::lanes);
  const Permutation of_im(lines.expand + (2 * arguments.line + 1) * Pack::lanes);
  constexpr std::int64_t point_values = spectra_period == 0 ? 2 * Pack::lanes : spectra_period;
  const std::int64_t kernel_row = lines.kernel_row;
  const std::int64_t first = arguments.block * shape.columns[0];
  const std::int64_t spectra_offset =
      first * point_values + (spectra_period == 0 ? 0 : arguments.line * lines.line_step);
  const Scalar* kernels =
      arguments.kernels + first * 2 * kernel_row + lines.kernel_offset(arguments.line, Pack::lanes);
  const auto spectrum = [&](const Scalar* from) __attribute__((always_inline)) {
    if constexpr (spectra_period == 0) {
      const Point point = load_point<Scalar, Set>(from);
      return Point{permute(point.re, of_re), permute(point.im, of_re)};
    } else {
      const Pack point = lanes::load_repeated<spectra_period, Scalar, Set>(from);
      return Point{permute(point, of_re), permute(point, of_im)};
    }
  };
  for (std::int64_t i = 0; i < shape.columns[0]; i += radix) {
    const Scalar* const spectra = arguments.spectra[0] + spectra_offset + i * point_values;
    const Scalar* const kernel = kernels + i * 2 * kernel_row;
    Scalar* const to = block + i * 2 * Pack::lanes;
    transform<radix, Direction::inverse, Scalar>(
        [&](int q) __attribute__((always_inline)) {
          const Scalar* k = kernel + q * 2 * kernel_row;
          Point sum = multiply(spectrum(spectra + q * point_values),
                               lanes::load_repeated<kernel_period, Scalar, Set>(k),
                               lanes::load_repeated<kernel_period, Scalar, Set>(k + kernel_row));
          if constexpr (spectra_period == 0) {
            for (int part = 1; part < arguments.parts; ++part) {
              k += arguments.kernel_step;
              const Point x =
                  spectrum(arguments.spectra[part] + spectra_offset + (i + q) * point_values);
              const Pack c = lanes::load_repeated<kernel_period, Scalar, Set>(k);
              const Pack s = lanes::load_repeated<kernel_period, Scalar, Set>(k + kernel_row);
              sum.re = subtract_product(multiply_add(c, x.re, sum.re), s, x.im);
              sum.im = multiply_add(s, x.re, multiply_add(c, x.im, sum.im));
            }
          }
          return sum;
        },
        [&](int k, const Point& value)
            __attribute__((always_inline)) { store_point(value, to + k * 2 * Pack::lanes); });
  }
}

/// The last pass backwards. `take(k, row, value)` gets the rows of column j.
template <class Scalar, class Set, int radix, class Take>
SYNELIX_INLINE void last_column(const LastPass<Scalar>& arguments, std::int64_t j,
                                const Take& take) {
  using Pack = lanes::Pack<Scalar, Set>;
  using Point = Complex<Pack>;
  const Transform<Scalar>& shape = *arguments.transform;
  const Scalar* const turns = shape.turns[0] + j * 2 * radix;
  const Scalar* const points = arguments.points + j * 2 * Pack::lanes;
  const std::int64_t block_step = shape.step * 2 * Pack::lanes;
  transform<radix, Direction::inverse, Scalar>(
      [&](int q) __attribute__((always_inline)) {
        return times_back(load_point<Scalar, Set>(points + q * block_step), turns + 2 * q);
      },
      [&](int k, const Point& value) __attribute__((always_inline)) {
        const Point turned = k == 0 ? value : times_back(value, shape.weights + 2 * k);
        take(k, turned.re);
        take(k + radix, turned.im);
      });
}

template <class Scalar, class Set, int radix>
SYNELIX_INLINE void last_columns(const LastPass<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  const std::int64_t columns = arguments.transform->columns[0];
  const Pack zero = Pack::zero();
  for (std::int64_t j = arguments.begin; j < arguments.end; ++j) {
    const bool is_probed = j == 0 && arguments.probe != nullptr;
    const auto take = [&](int k, const Pack& value) __attribute__((always_inline)) {
      const std::int64_t row = j + k * columns;
      if (k == 2 * radix - 1 && is_probed) value.store(arguments.probe);
      if (row < arguments.first_row || row >= arguments.end_row) return;
      const Pack result = value + zero;  // so that no zero has a sign
      if (arguments.pieces == nullptr) {
        store_past_caches(result, arguments.to + (row - arguments.first_row) * arguments.row_step);
        return;
      }
      Scalar* const to = arguments.to + k * arguments.row_step;
      for (int i = 0; i < arguments.piece_count; ++i) {
        const Piece& piece = arguments.pieces[i];
        lanes::store_part(result, to + (j - arguments.begin) * piece.step + piece.offset,
                          piece.first, piece.count);
      }
    };
    last_column<Scalar, Set, radix>(arguments, j, take);
  }
}

}  // namespace synelix::spectral
