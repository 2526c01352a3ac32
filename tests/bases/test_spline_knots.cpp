// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/families.hpp"

#include <synelix/features.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// Splines of order 1 jump at their knots. Taps and samples on a knot belong to the interval that
// NumPy, and so NeMoS, finds: golden/spline_knots.csv, made by golden/make_spline_knots.py.

namespace spline_knots_tests {
namespace {

using namespace synelix;

/// The functions that are not zero at a tap on a knot.
struct KnotTap {
  std::size_t tap = 0;
  std::size_t conv = 0;
  std::size_t eval = 0;
};
using Case = std::pair<std::int64_t, std::int64_t>;  ///< bases, window

std::map<Case, std::vector<KnotTap>> read_table() {
  std::map<Case, std::vector<KnotTap>> table;
  std::ifstream file(SPLINE_KNOTS_FILE);
  std::string line;
  std::getline(file, line);  // names of the columns
  while (std::getline(file, line)) {
    std::istringstream numbers(line);
    Case key;
    KnotTap row;
    char comma = 0;
    numbers >> key.first >> comma >> key.second >> comma >> row.tap >> comma >> row.conv >> comma >>
        row.eval;
    table[key].push_back(row);
  }
  return table;
}

/// The function of `bases` that is not zero in a row; `bases` if there is not exactly one.
std::size_t only_function(const double* row, std::size_t bases) {
  std::size_t found = bases;
  for (std::size_t b = 0; b < bases; ++b) {
    if (row[b] != 0.0) {
      if (found != bases) return bases;
      found = b;
    }
  }
  return found;
}

TEST(SplineKnots, TapsOnAKnotAreOnTheSideThatNumPyFinds) {
  const auto table = read_table();
  ASSERT_GT(table.size(), 300U) << SPLINE_KNOTS_FILE;
  for (const auto& [key, rows] : table) {
    const auto& [bases, window] = key;
    const Taps b_splines = evaluate_taps(BSpline{.bases = bases, .order = 1}, window);
    const Taps m_splines = evaluate_taps(MSpline{.bases = bases, .order = 1}, window);
    const auto columns = static_cast<std::size_t>(bases);
    for (const KnotTap& row : rows) {
      EXPECT_EQ(only_function(&b_splines.values[row.tap * columns], columns), row.conv)
          << "BSpline, " << bases << " bases, window " << window << ", tap " << row.tap;
      EXPECT_EQ(only_function(&m_splines.values[row.tap * columns], columns), row.conv)
          << "MSpline, " << bases << " bases, window " << window << ", tap " << row.tap;
    }
  }
}

TEST(SplineKnots, SamplesOnAKnotAreOnTheSideThatNumPyFinds) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  for (const auto& [key, rows] : read_table()) {
    const auto& [bases, window] = key;
    std::vector<double> x;
    for (std::int64_t w = 0; w < window; ++w) x.push_back(static_cast<double>(w));
    const StridedSeries series(Strided(x.data(), {window}));
    const auto columns = static_cast<std::size_t>(bases);
    for (const EvalBasis& basis : {EvalBasis(BSpline{.bases = bases, .order = 1}),
                                   EvalBasis(MSpline{.bases = bases, .order = 1})}) {
      const auto design = compute_features<double>(Space(), eval(basis), {series});
      for (const KnotTap& row : rows) {
        EXPECT_EQ(only_function(design.values.data() + row.tap * columns, columns), row.eval)
            << eval_basis_name(basis) << ", " << bases << " bases, sample " << row.tap << " of "
            << window;
      }
    }
  }
}

/// As numpy.linspace: 49 times the step of a window of 50 is less than 1.
TEST(SplineKnots, TheGridEndsAtOne) {
  for (std::int64_t window = 2; window <= 200; ++window) {
    EXPECT_EQ(bases::window_grid(window - 1, window), 1.0) << window;
  }
}

TEST(SplineKnots, NineSplinesOverAHundredTaps) {
  const Taps taps = evaluate_taps(MSpline{.bases = 9, .order = 1}, 100);
  EXPECT_EQ(taps(33, 2), 0.0);
  EXPECT_NEAR(taps(33, 3), 9.0, 1e-13);
}

}  // namespace
}  // namespace spline_knots_tests
