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
/// Lanes do not interact: each has the same bits for any contents of the others.

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

/// value times the twiddle factor (c + i s) at `turn`.
template <class Pack, class Scalar>
SYNELIX_INLINE Complex<Pack> times(const Complex<Pack>& value, const Scalar* turn) {
  return multiply(value, Pack::broadcast(turn[0]), Pack::broadcast(turn[1]));
}
/// value times the inverse factor (c - i s).
template <class Pack, class Scalar>
SYNELIX_INLINE Complex<Pack> times_back(const Complex<Pack>& value, const Scalar* turn) {
  return multiply_conjugate(value, Pack::broadcast(turn[0]), Pack::broadcast(turn[1]));
}

/// The first forward pass: rows j + q columns and, n further, their imaginary parts.
template <class Scalar, class Set, int radix, bool has_energy>
SYNELIX_INLINE void first_columns(const FirstPass<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  using Point = Complex<Pack>;
  const Transform<Scalar>& shape = *arguments.transform;
  const std::int64_t q_step = shape.columns[0] * arguments.row_step;
  const std::int64_t half = shape.points * arguments.row_step;
  const std::int64_t block_step = shape.step * 2 * Pack::lanes;
  Pack energy_re = Pack::zero();  // two chains, since a single chain has a longer latency
  Pack energy_im = Pack::zero();
  for (std::int64_t j = arguments.begin; j < arguments.end; ++j) {
    const Scalar* const row = arguments.samples + j * arguments.row_step;
    const Scalar* const turns = shape.turns[0] + j * 2 * radix;
    Scalar* const to = arguments.points + j * 2 * Pack::lanes;
    transform<radix, Direction::forward, Scalar>(
        [&](int q) __attribute__((always_inline)) {
          const Scalar* const sample = row + q * q_step;
          const Point point{lanes::load_unaligned<Scalar, Set>(sample),
                            lanes::load_unaligned<Scalar, Set>(sample + half)};
          if constexpr (has_energy) {
            energy_re = multiply_add(point.re, point.re, energy_re);
            energy_im = multiply_add(point.im, point.im, energy_im);
          }
          return q == 0 ? point : times(point, shape.weights + 2 * q);
        },
        [&](int k, const Point& value) __attribute__((always_inline)) {
          store_point(times(value, turns + 2 * k), to + k * block_step);
        });
  }
  if constexpr (has_energy) {
    (Pack::load(arguments.energy) + (energy_re + energy_im)).store(arguments.energy);
  }
}

/// A middle pass, of `size` points of one block of the first pass, a multiple of blocks of the
/// previous pass.
template <class Scalar, class Set, int radix, Direction direction>
SYNELIX_INLINE void middle_pass(const Transform<Scalar>& shape, int pass, Scalar* block,
                                std::int64_t size) {
  using Pack = lanes::Pack<Scalar, Set>;
  using Point = Complex<Pack>;
  const std::int64_t columns = shape.columns[pass];
  const std::int64_t step = columns * 2 * Pack::lanes;
  const std::int64_t blocks = size / (radix * columns);
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

/// Stores the spectrum of one point of a pack of channels: unchanged, or a separate copy for each
/// line, with `lines_of_pack` lines in a pack.
template <int lines_of_pack, class Scalar, class Set>
SYNELIX_INLINE void store_spectrum(const Complex<lanes::Pack<Scalar, Set>>& value,
                                   const Lines<Scalar>& lines, Scalar* spectra,
                                   std::int64_t point) {
  using Pack = lanes::Pack<Scalar, Set>;
  if constexpr (lines_of_pack == 0) {
    store_point(value, spectra + point * 2 * Pack::lanes);
  } else {
    Scalar* to = spectra + point * (Pack::lanes / lines_of_pack);
    const lanes::LaneNumberOf<Scalar>* order = lines.compact;
    for (std::int64_t line = 0; line < lines.bases; line += lines_of_pack) {
      const Pack mixed = permute(value.re, value.im, lanes::Permutation<Scalar, Set>(order));
      lanes::store_apart<lines_of_pack>(mixed, to, lines.line_step);
      to += lines_of_pack * lines.line_step;
      order += Pack::lanes;
    }
  }
}

/// The last forward pass, of points [begin, end) of one block of the first pass.
template <int lines_of_pack, class Scalar, class Set, int radix>
SYNELIX_INLINE void forward_leaves(const ForwardBlock<Scalar>& arguments, const Scalar* block,
                                   std::int64_t begin, std::int64_t end) {
  using Pack = lanes::Pack<Scalar, Set>;
  using Point = Complex<Pack>;
  const Transform<Scalar>& shape = *arguments.transform;
  const std::int64_t first = arguments.block * shape.columns[0];
  for (std::int64_t i = begin; i < end; i += radix) {
    const Scalar* const points = block + i * 2 * Pack::lanes;
    transform<radix, Direction::forward, Scalar>(
        [&](int q) __attribute__((always_inline)) {
          return load_point<Scalar, Set>(points + q * 2 * Pack::lanes);
        },
        [&](int k, const Point& value) __attribute__((always_inline)) {
          store_spectrum<lines_of_pack, Scalar, Set>(value, *arguments.lines, arguments.spectra,
                                                     first + i + k);
        });
  }
}

/// The products of one line, and how it reads spectra and kernels. `spectra_period` values of a
/// point are repeated through the pack (0: full packs), and `kernel_period` values of a kernel.
template <class Scalar, class Set, int spectra_period, int kernel_period>
struct LineProduct {
  using Pack = lanes::Pack<Scalar, Set>;
  using Point = Complex<Pack>;
  using Permutation = lanes::Permutation<Scalar, Set>;
  static constexpr std::int64_t point_values =
      spectra_period == 0 ? 2 * Pack::lanes : spectra_period;

  std::int64_t kernel_row;
  std::int64_t kernel_offset;
  std::int64_t spectra_offset;
  Permutation of_re;
  Permutation of_im;

  SYNELIX_INLINE LineProduct(const Lines<Scalar>& lines, std::int64_t line)
      : LineProduct(lines, line, lines.kernel_offset(line, Pack::lanes)) {}
  SYNELIX_INLINE LineProduct(const Lines<Scalar>& lines, std::int64_t line, std::int64_t offset)
      : kernel_row(lines.kernel_row),
        kernel_offset(offset),
        spectra_offset(spectra_period == 0 ? 0 : line * lines.line_step),
        of_re(lines.expand + 2 * line * Pack::lanes),
        of_im(lines.expand + (2 * line + 1) * Pack::lanes) {}

  SYNELIX_INLINE Point spectrum(const Scalar* from) const {
    if constexpr (spectra_period == 0) {
      const Point point = load_point<Scalar, Set>(from);
      return Point{permute(point.re, of_re), permute(point.im, of_re)};
    } else {
      const Pack point = lanes::load_repeated<spectra_period, Scalar, Set>(from);
      return Point{permute(point, of_re), permute(point, of_im)};
    }
  }
  /// Point p.
  SYNELIX_INLINE Point operator()(const Scalar* spectra, const Scalar* kernels,
                                  std::int64_t p) const {
    const Scalar* const kernel = kernels + kernel_offset + p * 2 * kernel_row;
    return multiply(spectrum(spectra + spectra_offset + p * point_values),
                    lanes::load_repeated<kernel_period, Scalar, Set>(kernel),
                    lanes::load_repeated<kernel_period, Scalar, Set>(kernel + kernel_row));
  }
  /// Prefetches the data of points [p, p + count).
  template <int count>
  SYNELIX_INLINE void prefetch(const Scalar* spectra, const Scalar* kernels, std::int64_t p) const {
    constexpr int line = 64 / static_cast<int>(sizeof(Scalar));
    const Scalar* const from = spectra + spectra_offset + p * point_values;
    SYNELIX_UNROLL(32)
    for (int i = 0; i < count * point_values; i += line) lanes::prefetch(from + i);
    const Scalar* const kernel = kernels + p * 2 * kernel_row;
    if constexpr (kernel_period < Pack::lanes) {
      SYNELIX_UNROLL(32)
      for (int i = 0; i < count * 2 * kernel_period; i += line) lanes::prefetch(kernel + i);
    } else {
      for (std::int64_t i = 0; i < std::int64_t{2} * count * kernel_row; i += line)
        lanes::prefetch(kernel + i);
    }
  }
  /// sum + point p.
  SYNELIX_INLINE Point add(Point sum, const Scalar* spectra, const Scalar* kernels,
                           std::int64_t p) const {
    const Scalar* const kernel = kernels + kernel_offset + p * 2 * kernel_row;
    const Point x = spectrum(spectra + spectra_offset + p * point_values);
    const Pack c = lanes::load_repeated<kernel_period, Scalar, Set>(kernel);
    const Pack s = lanes::load_repeated<kernel_period, Scalar, Set>(kernel + kernel_row);
    sum.re = subtract_product(multiply_add(c, x.re, sum.re), s, x.im);
    sum.im = multiply_add(s, x.re, multiply_add(c, x.im, sum.im));
    return sum;
  }
};

/// The products and the first inverse pass, of points [begin, end) of one block of the first pass.
/// Leaf by leaf, it processes the lines in turn, so that all of them find spectra and kernels in
/// the nearest cache.
template <class Scalar, class Set, int spectra_period, int kernel_period, int radix>
SYNELIX_INLINE void inverse_leaves(const InverseBlock<Scalar>& arguments, Scalar* block,
                                   std::int64_t begin, std::int64_t end) {
  using Product = LineProduct<Scalar, Set, spectra_period, kernel_period>;
  using Point = typename Product::Point;
  constexpr int lanes = Product::Pack::lanes;
  const Transform<Scalar>& shape = *arguments.transform;
  const Lines<Scalar>& lines = *arguments.lines;
  const std::int64_t first = arguments.block * shape.columns[0];
  const std::int64_t first_offset = lines.kernel_offset(arguments.line, lanes);
  const std::int64_t next_offset = lines.kernel_offset(1, lanes);
  const auto step_of_parts = static_cast<int>(arguments.line_count);
  for (std::int64_t i = begin; i < end; i += radix) {
    std::int64_t offset = first_offset;
    for (std::int64_t line = 0; line < arguments.line_count; ++line) {
      const Product product(lines, arguments.line + line, offset);
      offset += next_offset;
      if (offset >= lines.bases) offset -= lines.bases;
      Scalar* const to = block + line * arguments.line_step + i * 2 * lanes;
      for (int part = static_cast<int>(line); part < arguments.parts; part += step_of_parts) {
        product.template prefetch<radix>(arguments.spectra[part],
                                         arguments.kernels + part * arguments.kernel_step,
                                         first + i + radix);
      }
      transform<radix, Direction::inverse, Scalar>(
          [&](int q) __attribute__((always_inline)) {
            const std::int64_t p = first + i + q;
            Point sum = product(arguments.spectra[0], arguments.kernels, p);
            if constexpr (spectra_period == 0) {
              for (int part = 1; part < arguments.parts; ++part) {
                sum = product.add(sum, arguments.spectra[part],
                                  arguments.kernels + part * arguments.kernel_step, p);
              }
            }
            return sum;
          },
          [&](int k, const Point& value)
              __attribute__((always_inline)) { store_point(value, to + k * 2 * lanes); });
    }
  }
}

/// Lines of a transform of two passes of `radix` points, with full cache lines stored past the
/// caches. While the columns of one line are stored, the leaves of the next one replace them in
/// memory. So the points of a column become those of a leaf, the layout is transposed from line to
/// line, and stores have the time of a leaf to drain.
template <class Scalar, class Set, int spectra_period, int kernel_period, int radix>
SYNELIX_INLINE void streamed_lines(const StreamedLines<Scalar>& arguments) {
  using Product = LineProduct<Scalar, Set, spectra_period, kernel_period>;
  using Pack = typename Product::Pack;
  using Point = typename Product::Point;
  const Transform<Scalar>& shape = *arguments.transform;
  constexpr std::int64_t point = 2 * Pack::lanes;
  const Pack zero = Pack::zero();
  std::int64_t leaf_step = point;  // from one result of a leaf to the next
  std::int64_t column_step = shape.step * point;
  for (std::int64_t line = arguments.begin; line <= arguments.end; ++line) {
    const bool has_columns = line > arguments.begin;
    const bool has_leaves = line < arguments.end;
    const Product product(*arguments.lines, has_leaves ? line : arguments.begin);
    Scalar* const to = has_columns ? arguments.to[line - 1] : nullptr;
    for (std::int64_t j = 0; j < radix; ++j) {
      product.template prefetch<radix>(arguments.spectra, arguments.kernels, j * radix);
      if (has_columns) {  // leaves of this line have replaced columns of the previous one
        Scalar* const points = arguments.points + j * leaf_step;
        const Scalar* const turns = shape.turns[0] + j * 2 * radix;
        const std::int64_t before = arguments.first_row - j;
        const auto take = [&](int k, const Pack& value) __attribute__((always_inline)) {
          const std::int64_t row = std::int64_t{k} * radix;
          if (row < before || row + j >= arguments.end_row) return;
          store_past_caches(value + zero, to + (row - before) * arguments.row_step);
        };
        transform<radix, Direction::inverse, Scalar>(
            [&](int q) __attribute__((always_inline)) {
              return times_back(load_point<Scalar, Set>(points + q * column_step), turns + 2 * q);
            },
            [&](int k, const Point& value) __attribute__((always_inline)) {
              const Point turned = k == 0 ? value : times_back(value, shape.weights + 2 * k);
              take(k, turned.re);
              take(k + radix, turned.im);
            });
      }
      if (!has_leaves) continue;
      // The leaf replaces the column: the strides of the two are exchanged.
      Scalar* const leaf = arguments.points + j * leaf_step;
      transform<radix, Direction::inverse, Scalar>(
          [&](int q) __attribute__((always_inline)) {
            return product(arguments.spectra, arguments.kernels, j * radix + q);
          },
          [&](int k, const Point& value)
              __attribute__((always_inline)) { store_point(value, leaf + k * column_step); });
    }
    const std::int64_t turned = leaf_step;
    leaf_step = column_step;
    column_step = turned;
  }
}

/// Whether all rows of a line are finite, lane by lane. An addition of the last butterfly may
/// overflow in a single row, so all rows are tested: only NaN and Inf times zero are not zero.
template <class Scalar, class Set>
class FiniteRows {
 public:
  using Pack = lanes::Pack<Scalar, Set>;

  SYNELIX_INLINE void look_at(const Pack& row) { m_sum = multiply_add(row, Pack::zero(), m_sum); }
  /// Adds 0 to the lanes of a probe whose rows are finite, NaN to all others.
  SYNELIX_INLINE void add_to(Scalar* probe) const { (Pack::load(probe) + m_sum).store(probe); }

 private:
  Pack m_sum = Pack::zero();
};

/// The last inverse pass. `take(k, value)` gets the rows of column j.
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

template <class Scalar, class Set, int radix, bool has_probe>
SYNELIX_INLINE void last_columns(const LastPass<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  const std::int64_t columns = arguments.transform->columns[0];
  const Pack zero = Pack::zero();
  FiniteRows<Scalar, Set> finite;
  for (std::int64_t j = arguments.begin; j < arguments.end; ++j) {
    const auto take = [&](int k, const Pack& value) __attribute__((always_inline)) {
      const std::int64_t row = j + k * columns;
      if constexpr (has_probe) finite.look_at(value);
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
  if constexpr (has_probe) finite.add_to(arguments.probe);
}

}  // namespace synelix::spectral
