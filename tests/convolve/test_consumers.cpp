// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/direct/direct.hpp"
#include "convolve/events/events.hpp"
#include "convolve/fft/fft.hpp"
#include "convolve/sweep/consumer.hpp"
#include "convolve/sweep_bench.hpp"
#include "convolve/transformed_bench.hpp"
#include "launch/launch.hpp"
#include "tile/select.hpp"

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// A second consumer of rows, besides the store: it multiplies each tile of features from both
// sides, as a fit does. Its sums have the same bits as those of features that are stored first and
// then multiplied.

namespace consumers_tests {
namespace {

using namespace synelix;
using ground::Bench;

/// Products of each tile X with vectors: X^T r, separately for each work item, and X c.
template <class Scalar>
struct TileProducts {
  static constexpr bool takes_tiles = true;

  Scalar* tiles;
  std::int64_t team_values;
  std::int64_t row_stride;
  const double* residuals;     ///< r, of each row
  const double* coefficients;  ///< c, of each (channel, basis)
  std::int64_t outputs;        ///< channels x bases of all features
  std::int64_t all_bases;
  std::int64_t groups;        ///< work items that share their rows
  double* column_sums;        ///< X^T r, (item, channel, basis)
  double* row_sums;           ///< X c, (row, item of its rows)
  std::int32_t* given;        ///< (row, item of its rows): how often it came
  std::int64_t* teams_tiles;  ///< item of the last tile of each team, which may not decrease

  [[nodiscard]] KOKKOS_FUNCTION sweep::TileMemory<Scalar> tile_memory(std::int64_t team) const {
    return {tiles + team * team_values, row_stride};
  }

  template <class Team>
  KOKKOS_FUNCTION void consume(const Team& team, const sweep::FeatureTile<Scalar>& tile) const {
    const std::int64_t bases = tile.bases.size();
    const std::int64_t columns = tile.channels.size() * bases;
    const auto place = [=, this](std::int64_t j) {
      return (tile.channels.begin + j / bases) * all_bases + tile.bases.begin + j % bases;
    };
    sweep::for_each_item(team, columns, [=, this](std::int64_t j) {
      double& sum = column_sums[tile.item * outputs + place(j)];
      for (std::int64_t r = tile.valued.begin; r < tile.valued.end; ++r) {
        sum += residuals[r] *
               static_cast<double>(tile.values[(r - tile.rows.begin) * tile.row_stride + j]);
      }
    });
    sweep::for_each_item(team, tile.rows.size(), [=, this](std::int64_t i) {
      const std::int64_t number = (tile.rows.begin + i) * groups + tile.item % groups;
      double sum = 0;
      for (std::int64_t j = 0; j < columns; ++j) {
        sum += coefficients[place(j)] * static_cast<double>(tile.values[i * tile.row_stride + j]);
      }
      row_sums[number] = sum;
      ++given[number];
    });
    std::int64_t* const last = teams_tiles + team.league_rank();
    sweep::for_each_item(team, 1, [=](std::int64_t) {
      *last = tile.item < *last ? std::int64_t{1} << 60 : tile.item;
    });
  }
};

/// The output of the products.
struct Found {
  std::vector<double> column_sums;
  std::vector<double> row_sums;
  std::vector<std::int32_t> given;
  std::vector<std::int64_t> teams_tiles;
};

/// Vectors whose bits are compared; every NaN is the same.
void expect_bits(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << "value " << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(found[i]), std::bit_cast<std::uint64_t>(expected[i]))
          << "value " << i << ": " << found[i] << " and not " << expected[i];
    }
  }
}

/// The division of features into work items.
struct Cut {
  std::int64_t strip_rows;
  std::int64_t strips;
  std::int64_t channels;
  std::int64_t bases;
  std::int64_t padding = 0;  ///< values between the rows of a tile
  std::int64_t window = 11;
};

/// The products of the tiles of a sweep, and those of features that are stored.
template <class Scalar>
class Products {
 public:
  Products(Bench<Scalar>& bench, const index::WorkGrid& grid, const Cut& cut, std::int64_t teams)
      : m_bench(bench), m_grid(grid), m_cut(cut), m_teams(teams) {
    for (std::int64_t r = 0; r < bench.rows.rows; ++r) {
      m_residuals.push_back(std::sin(static_cast<double>(r)));
    }
    for (std::int64_t j = 0; j < outputs(); ++j) {
      m_coefficients.push_back(std::cos(static_cast<double>(j)));
    }
    m_row_stride = cut.channels * cut.bases + cut.padding;
    m_team_values = sweep::tile_values(grid, cut.strip_rows, m_row_stride);
    m_tiles.assign(static_cast<std::size_t>(m_team_values * teams), Scalar(-7));
    clear();
  }

  [[nodiscard]] TileProducts<Scalar> consumer() {
    return {.tiles = m_tiles.data(),
            .team_values = m_team_values,
            .row_stride = m_row_stride,
            .residuals = m_residuals.data(),
            .coefficients = m_coefficients.data(),
            .outputs = outputs(),
            .all_bases = m_bench.problem.bases,
            .groups = groups(),
            .column_sums = m_found.column_sums.data(),
            .row_sums = m_found.row_sums.data(),
            .given = m_found.given.data(),
            .teams_tiles = m_found.teams_tiles.data()};
  }
  void clear() {
    m_found.column_sums.assign(static_cast<std::size_t>(m_grid.size() * outputs()), 0.0);
    m_found.row_sums.assign(static_cast<std::size_t>(m_bench.rows.rows * groups()), -7.0);
    m_found.given.assign(m_found.row_sums.size(), 0);
    m_found.teams_tiles.assign(static_cast<std::size_t>(m_teams), -1);
  }

  /// Compares the results of tiles with those of stored features, in the same order of additions.
  void expect_those_of(const std::vector<Scalar>& features) const {
    std::vector<double> column_sums(m_found.column_sums.size(), 0.0);
    std::vector<double> row_sums(m_found.row_sums.size(), 0.0);
    std::int64_t missing = 0;
    for (std::int64_t i = 0; i < m_grid.size(); ++i) {
      const index::WorkItem item = m_grid.item(i);
      for (std::int64_t r = 0; r < m_bench.rows.rows; ++r) {
        if (!has_row(item, r)) continue;
        double& row = row_sums[static_cast<std::size_t>(r * groups() + i % groups())];
        for (std::int64_t c = item.channels.begin; c < item.channels.end; ++c) {
          for (std::int64_t b = item.bases.begin; b < item.bases.end; ++b) {
            const std::int64_t j = c * m_bench.problem.bases + b;
            const auto value =
                static_cast<double>(features[static_cast<std::size_t>(r * outputs() + j)]);
            row += m_coefficients[static_cast<std::size_t>(j)] * value;
            if (std::isnan(value)) {
              ++missing;
              continue;
            }
            column_sums[static_cast<std::size_t>(i * outputs() + j)] +=
                m_residuals[static_cast<std::size_t>(r)] * value;
          }
        }
      }
    }
    EXPECT_GT(missing, 0) << "rows without a value are among them";
    expect_bits(m_found.column_sums, column_sums);
    expect_bits(m_found.row_sums, row_sums);
    EXPECT_TRUE(std::ranges::all_of(m_found.given, [](std::int32_t n) { return n == 1; }))
        << "each row comes once";
    EXPECT_TRUE(std::ranges::all_of(m_found.teams_tiles, [&](std::int64_t last) {
      return last < m_grid.size();
    })) << "each team takes its items in their order";
  }

 private:
  [[nodiscard]] std::int64_t outputs() const {
    return m_bench.problem.channels * m_bench.problem.bases;
  }
  [[nodiscard]] std::int64_t groups() const {
    return index::ceil_divide(m_grid.channels.size(), m_grid.channel_step) *
           index::ceil_divide(m_grid.bases.size(), m_grid.basis_step);
  }
  [[nodiscard]] bool has_row(const index::WorkItem& item, std::int64_t row) const {
    const auto& segments = m_bench.rows.segments;
    const index::Segment& segment = segments[static_cast<std::size_t>(
        index::last_at_or_before(segments.data(), static_cast<std::int64_t>(segments.size()),
                                 &index::Segment::row_begin, row))];
    const std::int64_t strip = segment.strip_begin + (row - segment.row_begin) / m_cut.strip_rows;
    return item.strips.begin <= strip && strip < item.strips.end;
  }

  const Bench<Scalar>& m_bench;
  index::WorkGrid m_grid;
  Cut m_cut;
  std::int64_t m_teams;
  std::int64_t m_row_stride;
  std::int64_t m_team_values;
  std::vector<double> m_residuals;
  std::vector<double> m_coefficients;
  std::vector<Scalar> m_tiles;
  Found m_found;
};

/// Runs a sweep with its consumer on the mock team, in a few orders, and, for a host sweep, on the
/// threads of a host.
template <class Scalar, class Functor>
void expect_products_of(Bench<Scalar>& bench, Functor functor, const Cut& cut,
                        const std::vector<Scalar>& stored, bool is_of_host) {
  Products<Scalar> products(bench, functor.grid, cut, functor.workspace.teams);
  functor.consumer = products.consumer();
  for (const std::uint64_t seed : {1, 2, 3}) {
    products.clear();
    const std::vector<Scalar> features = bench.run(functor, seed);
    EXPECT_TRUE(std::ranges::all_of(features, [](Scalar value) { return value == Scalar(-1); }))
        << "nothing is stored";
    products.expect_those_of(stored);
    if (testing::Test::HasFailure()) return;
  }
  if (!is_of_host) return;
  products.clear();
  const Kokkos::DefaultHostExecutionSpace exec;
  const std::string label = "synelix::test::consumer";
  sweep::launch(label, exec, static_cast<int>(functor.workspace.teams), 1, functor);
  exec.fence();
  products.expect_those_of(stored);
}

/// Both sweeps, of one shape: one that stores rows, and one whose consumer multiplies them.
template <class Storing, class Consuming, class Scalar, class Prepare>
void expect_products(Bench<Scalar>& bench, const tune::Mapping& mapping, const Cut& cut,
                     const Prepare& prepare) {
  SCOPED_TRACE(testing::Message() << cut.strip_rows << " rows, " << cut.strips << " strips, "
                                  << cut.channels << " channels, " << cut.bases << " bases, window "
                                  << cut.window << ", padding " << cut.padding);
  auto storing = bench.template functor<Storing>(mapping, 2, cut.strips, cut.channels, cut.bases);
  prepare(storing);
  const std::vector<Scalar> stored = bench.run(storing, 7);
  auto consuming =
      bench.template functor<Consuming>(mapping, 3, cut.strips, cut.channels, cut.bases);
  prepare(consuming);
  expect_products_of(bench, consuming, cut, stored, !mapping.is_device);
}

// Each sweep for one type: the tiles of a consumer do not depend on it, and sweeps compile slowly.

/// Lines, rows that are put together first, flat tiles, and packs that leave in every form.
TEST(Consumers, GetTheRowsOfDirectSums) {
  using Scalar = float;
  using Tiles = sweep::HostTiles<Scalar>;
  using Storing = sweep::DirectSweep<Scalar, Tiles, pack::ArraySource>;
  using Consuming = sweep::DirectSweep<Scalar, Tiles, pack::ArraySource, TileProducts<Scalar>>;
  for (const Cut& cut : {Cut{.strip_rows = 9, .strips = 3, .channels = 4, .bases = 5},
                         Cut{.strip_rows = 9, .strips = 5, .channels = 1, .bases = 5},
                         Cut{.strip_rows = 118, .strips = 3, .channels = 7, .bases = 5},
                         Cut{118, 2, 7, 5, 3}, Cut{118, 2, 4, 5, 12}, Cut{118, 1, 3, 2, 0},
                         Cut{118, 2, 7, 5, 0, 40}, Cut{33, 3, 4, 4, 0, 40}}) {
    Bench<Scalar> bench(cut.strip_rows, cut.window);
    expect_products<Storing, Consuming>(bench, tune::host, cut, [&](auto& functor) {
      functor.source = bench.array();
      functor.tiles.table = &tile::table_of<Scalar>(tile::select_set(InstructionSet::automatic));
    });
  }
}

TEST(Consumers, GetTheRowsOfDirectSumsOnADevice) {
  using Scalar = double;
  using Tiles = sweep::DeviceTiles<Scalar>;
  using Storing = sweep::DirectSweep<Scalar, Tiles, pack::ArraySource>;
  using Consuming = sweep::DirectSweep<Scalar, Tiles, pack::ArraySource, TileProducts<Scalar>>;
  for (const Cut& cut : {Cut{9, 4, 3, 5}, Cut{118, 2, 7, 2, 3}}) {
    Bench<Scalar> bench(cut.strip_rows);
    expect_products<Storing, Consuming>(bench, tune::device, cut,
                                        [&](auto& functor) { functor.source = bench.array(); });
  }
}

TEST(Consumers, GetTheRowsOfEventSums) {
  using Scalar = float;
  using Tiles = sweep::HostTiles<Scalar>;
  using Device = sweep::DeviceTiles<Scalar>;
  using Products = TileProducts<Scalar>;
  for (const Cut& cut : {Cut{9, 5, 7, 3}, Cut{118, 2, 4, 5, 5}}) {
    Bench<Scalar> bench(cut.strip_rows);
    expect_products<sweep::EventSweep<Scalar, Tiles>, sweep::EventSweep<Scalar, Tiles, Products>>(
        bench, tune::host, cut, [&](auto& functor) {
          functor.events = bench.events();
          functor.tiles.table =
              &tile::table_of<Scalar>(tile::select_set(InstructionSet::automatic));
        });
  }
  const Cut cut{9, 8, 7, 4};
  Bench<Scalar> bench(cut.strip_rows);
  expect_products<sweep::EventSweep<Scalar, Device>, sweep::EventSweep<Scalar, Device, Products>>(
      bench, tune::device, cut, [&](auto& functor) { functor.events = bench.events(); });
}

/// Blocks with the complete window, and strips of blocks with a part of it.
TEST(Consumers, GetTheRowsOfTransforms) {
  using Scalar = double;
  using Passes = sweep::HostPasses<Scalar>;
  using Storing = sweep::FftSweep<Scalar, Passes, pack::ArraySource>;
  using Consuming = sweep::FftSweep<Scalar, Passes, pack::ArraySource, TileProducts<Scalar>>;
  const Passes passes = ground::passes_of<Scalar>(tile::select_set(InstructionSet::automatic));
  for (const std::int64_t parts : {1, 3}) {
    for (const std::int64_t padding : {0, 13}) {
      for (const std::int64_t channels : {3, 7}) {
        const Cut cut{parts > 1 ? 20 : 118, 2, channels, 5, padding};
        SCOPED_TRACE(testing::Message() << parts << " parts, " << channels << " channels");
        Bench<Scalar> bench(cut.strip_rows);
        const ground::FftCut of_sweep{
            .teams = 3, .strips = cut.strips, .channels = channels, .parts = parts};
        const std::vector<Scalar> stored =
            ground::TransformedBench<Storing, Scalar>(bench, tune::host, passes, of_sweep, 1)
                .run(7);
        ground::TransformedBench<Consuming, Scalar> consuming(bench, tune::host, passes, of_sweep,
                                                              1);
        expect_products_of(bench, consuming.functor(), cut, stored, true);
      }
    }
  }
}

}  // namespace
}  // namespace consumers_tests
