// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/spectral_reference.hpp"
#include "oracle/sets.hpp"
#include "spectral/lines.hpp"
#include "spectral/select.hpp"
#include "spectral/table.hpp"
#include "spectral/transform.hpp"
#include "tile/select.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <vector>

// The passes of every instruction set that this processor has: spectra against a discrete Fourier
// transform in double, and complete convolutions against their sums.

namespace spectral_tests {
namespace {

using namespace synelix;

/// Values that begin at a cache line.
template <class Scalar>
class Aligned {
 public:
  explicit Aligned(std::int64_t count, Scalar value = Scalar(0))
      : m_values(static_cast<std::size_t>(count) + 64, value) {}
  Scalar* data() {
    const auto at = reinterpret_cast<std::uintptr_t>(m_values.data());
    return m_values.data() + (64 - at % 64) % 64 / sizeof(Scalar);
  }

 private:
  std::vector<Scalar> m_values;
};

/// A pack of blocks that is transformed, multiplied and transformed back.
template <class Scalar>
struct Convolver {
  Convolver(InstructionSet set, std::int64_t points, std::int64_t number_of_bases)
      : passes(spectral::passes_of<Scalar>(set)),
        lanes(passes.lanes),
        bases(number_of_bases),
        shape_memory(spectral::table_values(shape_on(set, points))),
        shape(spectral::bind(shape_on(set, points), shape_memory.data())),
        lines(spectral::lines_of<Scalar>(bases, lanes, points)),
        line_memory(spectral::line_numbers(lines, lanes)),
        points_memory(shape.stored_points() * 2 * lanes),
        spectra(std::max(spectral::spectra_values(lines, lanes, points), points * 2 * lanes)),
        kernels(spectral::kernel_values(lines, points)) {
    spectral::fill_tables(shape, shape_memory.data());
    spectral::fill_tables(lines, lanes, line_memory.data());
    lines = spectral::bind(lines, lanes, line_memory.data());
  }

  static spectral::Transform<Scalar> shape_on(InstructionSet set, std::int64_t points) {
    return spectral::shape_of<Scalar>(points, tile::register_bytes(set));
  }

  /// Samples (row, lane) to their spectra, in the given layout.
  void forward(const Scalar* samples, const spectral::Lines<Scalar>& layout, Scalar* to) {
    passes.first_pass({&shape, samples, lanes, points_memory.data(), 0, shape.columns[0]});
    for (int q = 0; q < shape.radix[0]; ++q) {
      passes.forward_block({&shape, &layout, points_memory.data(), to, q});
    }
  }

  /// Spectra that are kept once, (point, part, lane).
  std::vector<Scalar> whole_spectra(const Scalar* samples) {
    spectral::Lines<Scalar> whole;
    whole.bases = 1;
    whole.width = lanes;
    Aligned<Scalar> result(shape.points * 2 * lanes);
    forward(samples, whole, result.data());
    return {result.data(), result.data() + shape.points * 2 * lanes};
  }

  /// Taps (tap, basis) become the kernels.
  void set_taps(const std::vector<Scalar>& taps) {
    const auto window = static_cast<std::int64_t>(taps.size()) / bases;
    for (std::int64_t b = 0; b < bases; ++b) {
      Aligned<Scalar> samples(2 * shape.points * lanes);
      for (std::int64_t w = 0; w < window; ++w) {
        samples.data()[w * lanes] = taps[static_cast<std::size_t>(w * bases + b)];
      }
      const std::vector<Scalar> spectrum = whole_spectra(samples.data());
      for (std::int64_t p = 0; p < shape.points; ++p) {
        for (std::int64_t o = b; o < lines.kernel_row; o += bases) {
          for (int part = 0; part < 2; ++part) {
            kernels.data()[(2 * p + part) * lines.kernel_row + o] =
                spectrum[static_cast<std::size_t>((2 * p + part) * lanes)] /
                static_cast<Scalar>(shape.points);
          }
        }
      }
    }
  }

  /// All rows of all lines, (row, lane, basis), staged.
  std::vector<Scalar> convolve(const Scalar* samples) {
    forward(samples, lines, spectra.data());
    const std::int64_t rows = 2 * shape.points;
    const std::int64_t row = lanes * bases;
    std::vector<Scalar> result(static_cast<std::size_t>(rows * row), Scalar(-77));
    for (std::int64_t line = 0; line < bases; ++line) {
      for (int q = 0; q < shape.radix[0]; ++q) {
        passes.inverse_block({&shape,
                              &lines,
                              1,
                              {spectra.data()},
                              kernels.data(),
                              0,
                              points_memory.data(),
                              line,
                              q});
      }
      // In two pieces, so that parts of packs are stored too.
      const int split = static_cast<int>(line % lanes);
      const spectral::Piece pieces[2] = {{0, split, line * lanes, row},
                                         {split, lanes - split, line * lanes, row}};
      const std::int64_t columns = shape.columns[0];
      passes.last_pass({&shape, points_memory.data(), 0, columns, 0, rows, result.data(),
                        columns * row, split == 0 ? pieces + 1 : pieces, split == 0 ? 1 : 2,
                        nullptr});
    }
    return result;
  }

  const spectral::PassTable<Scalar>& passes;
  int lanes;
  std::int64_t bases;
  Aligned<Scalar> shape_memory;
  spectral::Transform<Scalar> shape;
  spectral::Lines<Scalar> lines;
  Aligned<lanes::LaneNumberOf<Scalar>> line_memory;
  Aligned<Scalar> points_memory;
  Aligned<Scalar> spectra;
  Aligned<Scalar> kernels;
};

template <class Scalar>
class Spectral : public testing::Test {
 public:
  std::mt19937_64 random{29};

  std::vector<Scalar> noise(std::int64_t count) {
    std::normal_distribution<double> normal;
    std::vector<Scalar> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<Scalar>(normal(random)));
    return values;
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Spectral, Scalars);

TYPED_TEST(Spectral, SpectraAreThoseOfASlowTransform) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (std::int64_t points = spectral::fewest_points; points <= 4096; points *= 2) {
      Convolver<TypeParam> convolver(set, points, 1);
      const std::vector<TypeParam> samples = this->noise(2 * points * convolver.lanes);
      const std::vector<TypeParam> spectra = convolver.whole_spectra(samples.data());
      const int lane = static_cast<int>(points / 64) % convolver.lanes;
      std::vector<double> block;
      for (std::int64_t r = 0; r < 2 * points; ++r) {
        block.push_back(
            static_cast<double>(samples[static_cast<std::size_t>(r * convolver.lanes + lane)]));
      }
      const double bound =
          std::numeric_limits<TypeParam>::epsilon() * 32.0 * std::sqrt(static_cast<double>(points));
      const ground::SlowTransform<TypeParam> slow(convolver.shape);
      // All points of small transforms, a few of the large ones.
      for (std::int64_t p = 0; p < points; p += std::max<std::int64_t>(1, points / 128)) {
        const auto expected = slow.point(block, p);
        const auto at = static_cast<std::size_t>(2 * p * convolver.lanes + lane);
        ASSERT_NEAR(static_cast<double>(spectra[at]), expected.real(), bound)
            << name_of(set) << ", " << points << " points, point " << p;
        ASSERT_NEAR(static_cast<double>(spectra[at + static_cast<std::size_t>(convolver.lanes)]),
                    expected.imag(), bound)
            << name_of(set) << ", " << points << " points, point " << p;
      }
    }
  }
}

TYPED_TEST(Spectral, AnImpulseGivesTheTaps) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (std::int64_t points = spectral::fewest_points; points <= 2048; points *= 2) {
      constexpr std::int64_t bases = 3;
      const std::int64_t window = points / 2 + 3;
      Convolver<TypeParam> convolver(set, points, bases);
      const std::vector<TypeParam> taps = this->noise(window * bases);
      convolver.set_taps(taps);
      const std::int64_t lanes = convolver.lanes;
      Aligned<TypeParam> samples(2 * points * lanes);
      for (std::int64_t lane = 0; lane < lanes; ++lane) {  // each lane has its own
        samples.data()[lane * lanes + lane] = TypeParam(1);
      }
      const std::vector<TypeParam> result = convolver.convolve(samples.data());
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        for (std::int64_t r = 0; r < 2 * points; ++r) {
          for (std::int64_t b = 0; b < bases; ++b) {
            const std::int64_t w = r - lane;
            const double expected =
                w >= 0 && w < window
                    ? static_cast<double>(taps[static_cast<std::size_t>(w * bases + b)])
                    : 0.0;
            ASSERT_NEAR(static_cast<double>(
                            result[static_cast<std::size_t>((r * lanes + lane) * bases + b)]),
                        expected, 16.0 * std::numeric_limits<TypeParam>::epsilon())
                << name_of(set) << ", " << points << " points, row " << r;
          }
        }
      }
    }
  }
}

TYPED_TEST(Spectral, ConvolvesLikeTheSumForEveryNumberOfBases) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (std::int64_t bases = 1; bases <= 18; ++bases) {
      for (const std::int64_t points : {std::int64_t{64}, std::int64_t{256}, std::int64_t{512}}) {
        const std::int64_t window = 50;
        Convolver<TypeParam> convolver(set, points, bases);
        const std::int64_t lanes = convolver.lanes;
        const std::vector<TypeParam> taps = this->noise(window * bases);
        const std::vector<TypeParam> samples = this->noise(2 * points * lanes);
        convolver.set_taps(taps);
        const std::vector<TypeParam> result = convolver.convolve(samples.data());
        std::uniform_int_distribution<std::int64_t> any_row(window - 1, 2 * points - 1);
        for (int i = 0; i < 300; ++i) {
          const std::int64_t r = any_row(this->random);
          const std::int64_t e = i % (lanes * bases);
          double expected = 0.0;
          for (std::int64_t w = 0; w < window; ++w) {
            expected += static_cast<double>(
                            samples[static_cast<std::size_t>((r - w) * lanes + e / bases)]) *
                        static_cast<double>(taps[static_cast<std::size_t>(w * bases + e % bases)]);
          }
          ASSERT_NEAR(static_cast<double>(result[static_cast<std::size_t>(r * lanes * bases + e)]),
                      expected, 256.0 * std::numeric_limits<TypeParam>::epsilon())
              << name_of(set) << ", " << points << " points, " << bases << " bases, element " << e;
        }
      }
    }
  }
}

TYPED_TEST(Spectral, LanesNeverMeet) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    Convolver<TypeParam> convolver(set, 256, 5);
    const std::int64_t lanes = convolver.lanes;
    convolver.set_taps(this->noise(70 * 5));
    std::vector<TypeParam> samples = this->noise(512 * lanes);
    const std::vector<TypeParam> before = convolver.convolve(samples.data());
    for (std::int64_t r = 0; r < 512; ++r) {
      samples[static_cast<std::size_t>(r * lanes)] = std::numeric_limits<TypeParam>::quiet_NaN();
    }
    const std::vector<TypeParam> after = convolver.convolve(samples.data());
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (static_cast<std::int64_t>(i) % (lanes * 5) < 5) {
        ASSERT_TRUE(std::isnan(after[i]));
      } else {
        ASSERT_EQ(after[i], before[i]);
      }
    }
  }
}

TYPED_TEST(Spectral, CopiesPastCachesAtEveryAlignment) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    const auto& passes = spectral::passes_of<TypeParam>(set);
    for (std::int64_t offset = 0; offset < 17; ++offset) {
      for (const std::int64_t count : {0, 1, 5, 16, 31, 64, 100}) {
        const std::vector<TypeParam> from = this->noise(count + 3);
        Aligned<TypeParam> to(200, TypeParam(-77));
        passes.copy(to.data() + offset, from.data() + 3, count);
        passes.end_copies();
        for (std::int64_t i = 0; i < 200; ++i) {
          const bool is_copied = i >= offset && i < offset + count;
          ASSERT_EQ(to.data()[i],
                    is_copied ? from[static_cast<std::size_t>(i - offset + 3)] : TypeParam(-77));
        }
      }
    }
  }
}

}  // namespace
}  // namespace spectral_tests
