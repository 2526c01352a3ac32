// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/problem/conv_transform_cut.hpp"
#include "oracle/library.hpp"
#include "oracle/sets.hpp"
#include "spectral/arguments.hpp"
#include "tile/select.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

// Transforms of convolution operators on every instruction set: the layout of a team's memory, and
// blocks of every length.

namespace conv_transforms_tests {
namespace {

namespace sx = synelix;
using Op = sx::ConvOperator;

template <class T>
class ConvTransformMemory : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ConvTransformMemory, Scalars);

/// Each part has room for the data of the sweeps before the next one begins, and the last part ends
/// with the memory.
TYPED_TEST(ConvTransformMemory, HasRoomForWhatIsWritten) {
  using Scalar = TypeParam;
  for (const auto set : oracle::sets_at_hand()) {
    const std::int64_t lanes = sx::tile::table_of<Scalar>(set).lanes;
    for (std::int64_t points = sx::spectral::fewest_points; points <= 65536; points *= 2) {
      const auto transform = sx::spectral::shape_of<Scalar>(points, sx::tile::register_bytes(set));
      const auto how = sx::sweep::ConvTransformSizes::of(transform, lanes);
      for (const std::int64_t results : {1, sx::spectral::most_results_together}) {
        const std::int64_t spectra = 3;
        using Memory = sx::sweep::ConvTransformTeamMemory<Scalar>;
        std::vector<std::byte> bytes(
            static_cast<std::size_t>(Memory::bytes(how, results, spectra)));
        const Memory room(bytes.data(), how, results);
        const auto text = testing::Message() << "set " << static_cast<int>(set) << ", " << points
                                             << " points, " << results << " results";
        EXPECT_GE(how.points_values(), 2 * transform.stored_points() * lanes) << text;
        EXPECT_GE(room.packed - room.points, results * how.points_values()) << text;
        EXPECT_GE(room.packed - room.points, (lanes - 1) * how.line_step() + how.length()) << text;
        EXPECT_GE(room.lines - room.packed, how.length() * lanes) << text;
        EXPECT_GE(room.spectra - room.lines, 2 * how.length()) << text;
        EXPECT_EQ(
            reinterpret_cast<const std::byte*>(room.spectra + spectra * how.spectrum_values()),
            bytes.data() + bytes.size())
            << text;
      }
    }
  }
}

/// A line whose blocks have this many samples, since all of its positions fit in one.
template <class Scalar>
struct Line {
  static constexpr std::int64_t batch = 3, inputs = 3, outputs = 5, positions = 41;
  std::int64_t taps;
  std::int64_t in;
  std::vector<Scalar> x, w, y;

  Line(std::int64_t length, std::mt19937_64& random)
      : taps(length - positions + 1),
        in(length),
        x(batch * inputs * in),
        w(outputs * inputs * taps),
        y(batch * outputs * positions) {
    std::uniform_int_distribution<int> eighths(-8, 8);
    for (std::vector<Scalar>* values : {&x, &w, &y}) {
      for (Scalar& value : *values) value = static_cast<Scalar>(eighths(random)) / Scalar(8);
    }
  }

  template <class Space>
  std::vector<Scalar> compute(const Space& exec, Op op, sx::ConvOptions options,
                              std::int64_t fft_length) const {
    const sx::Strided x_array(x.data(), {batch, inputs, in});
    const sx::Strided w_array(w.data(), {outputs, inputs, taps});
    const sx::Strided y_array(y.data(), {batch, outputs, positions});
    sx::ConvArrays arrays{op, 1, {}, {}, {}, {}};
    arrays.first = op == Op::grad_input ? y_array : x_array;
    arrays.second = op == Op::grad_weights ? y_array : w_array;
    std::vector<Scalar> result(op == Op::forward        ? y.size()
                               : op == Op::grad_weights ? w.size()
                                                        : x.size());
    arrays.result =
        op == Op::forward        ? sx::StridedOutput(result.data(), {batch, outputs, positions})
        : op == Op::grad_weights ? sx::StridedOutput(result.data(), {outputs, inputs, taps})
                                 : sx::StridedOutput(result.data(), {batch, inputs, in});
    if (fft_length > 0) {
      EXPECT_EQ(sx::choose_conv(exec, arrays, options).fft_length, fft_length);
    }
    sx::convolve_arrays(exec, arrays, options);
    return result;
  }
};

template <class Types>
class ConvTransforms : public testing::Test {};
TYPED_TEST_SUITE(ConvTransforms, oracle::AllSpaces);

TYPED_TEST(ConvTransforms, BlocksOfEveryLengthAreDirectSumsOnEverySet) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  if constexpr (!std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>) {
    GTEST_SKIP() << "instruction sets are those of hosts";
  } else {
    const Space exec;
    std::mt19937_64 random(71);
    for (std::int64_t length = 128; length <= 8192; length *= 2) {
      const Line<Scalar> line(length, random);
      for (const Op op : {Op::forward, Op::grad_weights}) {
        const auto direct = line.compute(exec, op, {.method = sx::ConvMethod::direct}, 0);
        for (const auto set : oracle::sets_at_hand()) {
          sx::ConvOptions options{.method = sx::ConvMethod::fft};
          options.machine.instruction_set = set;
          const auto found = line.compute(exec, op, options, length);
          // Sums of products of eighths are exact by direct sums.
          const double most = std::sqrt(static_cast<double>(length * Line<Scalar>::inputs)) * 8;
          double worst = 0;
          for (std::size_t i = 0; i < found.size(); ++i) {
            worst = std::max(worst, static_cast<double>(std::fabs(found[i] - direct[i])));
          }
          EXPECT_LE(worst, std::numeric_limits<Scalar>::epsilon() * most)
              << "operator " << static_cast<int>(op) << ", set " << static_cast<int>(set)
              << ", blocks of " << length;
        }
      }
    }
  }
}

}  // namespace
}  // namespace conv_transforms_tests
