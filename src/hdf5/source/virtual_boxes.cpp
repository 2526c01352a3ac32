// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/source_file.hpp"

#include "hdf5/objects/h5_file.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace synelix::h5 {
namespace {

/// The union is not formed for more pieces than this: only the sum of their sizes is checked.
constexpr double most_runs = 1e5;

/// A regular selection: `count` blocks of a size, with a stride, in each dimension.
struct Lattice {
  std::vector<hsize_t> start, stride, count, block;

  explicit Lattice(std::size_t rank) : start(rank), stride(rank), count(rank), block(rank) {}
  [[nodiscard]] std::size_t rank() const { return start.size(); }
  [[nodiscard]] bool is_unlimited(std::size_t i) const {
    return count[i] == H5S_UNLIMITED || block[i] == H5S_UNLIMITED;
  }
  /// Number of indices of a dimension below an extent.
  [[nodiscard]] hsize_t indices_below(std::size_t i, hsize_t extent) const {
    if (extent <= start[i]) return 0;
    const hsize_t length = extent - start[i];
    if (block[i] == H5S_UNLIMITED) return length;
    const hsize_t whole = length / stride[i];
    if (count[i] != H5S_UNLIMITED && whole >= count[i]) return count[i] * block[i];
    return whole * block[i] + std::min(length % stride[i], block[i]);
  }
  /// Number of blocks of a dimension that begin below an extent.
  [[nodiscard]] hsize_t blocks_below(std::size_t i, hsize_t extent) const {
    if (extent <= start[i]) return 0;
    if (block[i] == H5S_UNLIMITED) return 1;
    return std::min((extent - start[i] + stride[i] - 1) / stride[i], count[i]);
  }
};

std::optional<Lattice> lattice_of(const Space& selection) {
  if (H5Sget_select_type(selection.id()) != H5S_SEL_HYPERSLABS ||
      H5Sis_regular_hyperslab(selection.id()) <= 0) {
    return std::nullopt;
  }
  const int rank = H5Sget_simple_extent_ndims(selection.id());
  Lattice lattice(static_cast<std::size_t>(std::max(rank, 0)));
  check(H5Sget_regular_hyperslab(selection.id(), lattice.start.data(), lattice.stride.data(),
                                 lattice.count.data(), lattice.block.data()),
        "HDF5 selection");
  return lattice;
}

/// The dimension without an end, if there is one.
std::optional<std::size_t> unlimited_dimension(const Lattice& lattice) {
  for (std::size_t i = 0; i < lattice.rank(); ++i) {
    if (lattice.is_unlimited(i)) return i;
  }
  return std::nullopt;
}

/// Number of values of a lattice below some extents.
double values_below(const Lattice& lattice, const std::vector<std::int64_t>& extents) {
  double values = 1;
  for (std::size_t i = 0; i < lattice.rank() && i < extents.size(); ++i) {
    values *= static_cast<double>(lattice.indices_below(i, static_cast<hsize_t>(extents[i])));
  }
  return values;
}

}  // namespace

bool is_unlimited(const Space& selection) {
  const auto lattice = lattice_of(selection);
  return lattice && unlimited_dimension(*lattice).has_value();
}

std::vector<std::int64_t> sides_of(const Space& selection) {
  const auto lattice = lattice_of(selection);
  if (!lattice) return {static_cast<std::int64_t>(H5Sget_select_npoints(selection.id()))};
  std::vector<std::int64_t> sides;
  for (std::size_t i = 0; i < lattice->rank(); ++i) {
    const hsize_t blocks = lattice->count[i] == H5S_UNLIMITED ? 1 : lattice->count[i];
    sides.push_back(static_cast<std::int64_t>(blocks * lattice->block[i]));
  }
  return sides;
}

bool is_all(const Space& selection) { return H5Sget_select_type(selection.id()) == H5S_SEL_ALL; }

std::vector<std::int64_t> end_of_selection(const Space& selection) {
  const int rank = H5Sget_simple_extent_ndims(selection.id());
  const auto size = static_cast<std::size_t>(std::max(rank, 0));
  if (size == 0 || H5Sget_select_npoints(selection.id()) == 0) {
    return std::vector<std::int64_t>(size, 0);
  }
  std::vector<hsize_t> first(size);
  std::vector<hsize_t> last(size);
  check(H5Sget_select_bounds(selection.id(), first.data(), last.data()), "HDF5 selection");
  std::vector<std::int64_t> ends;
  ends.reserve(size);
  for (const hsize_t index : last) ends.push_back(static_cast<std::int64_t>(index) + 1);
  return ends;
}

Coverage::Coverage(std::vector<std::int64_t> extents, std::string name)
    : m_extents(std::move(extents)), m_name(std::move(name)) {
  const std::vector<hsize_t> sizes(m_extents.begin(), m_extents.end());
  m_covered =
      sizes.empty()
          ? Space(H5Screate(H5S_SCALAR), m_name)
          : Space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), m_name);
  if (!sizes.empty()) check(H5Sselect_none(m_covered.id()), m_name);
}

void Coverage::require_blocks(const Space& to, hsize_t blocks, const std::string& missing) const {
  const auto lattice = lattice_of(to);
  const auto dimension = lattice ? unlimited_dimension(*lattice) : std::nullopt;
  if (!dimension || *dimension >= m_extents.size()) return;
  const hsize_t wanted =
      lattice->blocks_below(*dimension, static_cast<hsize_t>(m_extents[*dimension]));
  if (wanted <= blocks) return;
  throw FileError(
      m_name, "there is no source " + missing + ", and HDF5 would read fill values in its place",
      "Give sources of all its " + std::to_string(wanted) + " blocks");
}

void Coverage::require_length(const Space& to, const Space& from,
                              const std::vector<std::int64_t>& source_extents,
                              const std::string& source) const {
  const auto there = lattice_of(from);
  const auto here = lattice_of(to);
  if (!here || !there || here->rank() != m_extents.size() ||
      there->rank() != source_extents.size()) {
    throw FileError(m_name,
                    "its source " + source + " has " + std::to_string(source_extents.size()) +
                        " dimensions, but another number of them is selected in it",
                    "Give a source with as many as are selected");
  }
  const double wanted = values_below(*here, m_extents);
  const double found = values_below(*there, source_extents);
  if (found >= wanted) return;
  throw FileError(m_name,
                  "its source " + source + " has " + number_text(found) + " of the " +
                      number_text(wanted) +
                      " values that it is used for, and HDF5 would read fill values for the rest",
                  "Give a source that has all of them");
}

void Coverage::add(const Space& to) {
  if (m_extents.empty()) {
    m_sum += 1;
    return;
  }
  const auto lattice = lattice_of(to);
  if (!lattice) {
    m_sum += static_cast<double>(std::max<hssize_t>(H5Sget_select_npoints(to.id()), 0));
    m_runs = 2 * most_runs;  // ALL, points, or boxes of several sizes: only the sum is checked
    return;
  }
  std::vector<hsize_t> count = lattice->count;
  std::vector<hsize_t> block = lattice->block;
  double runs = 1;
  for (std::size_t i = 0; i < lattice->rank(); ++i) {
    const auto extent = static_cast<hsize_t>(m_extents[i]);
    if (block[i] == H5S_UNLIMITED) {
      count[i] = 1;
      block[i] = extent > lattice->start[i] ? extent - lattice->start[i] : 0;
    }
    count[i] = std::min(count[i], lattice->blocks_below(i, extent));
    runs *= static_cast<double>(std::max<hsize_t>(count[i], 1));
    if (count[i] == 0 || block[i] == 0) return;
  }
  m_sum += values_below(*lattice, m_extents);
  m_runs += runs;
  if (m_runs > most_runs) return;
  check(H5Sselect_hyperslab(m_covered.id(), H5S_SELECT_OR, lattice->start.data(),
                            lattice->stride.data(), count.data(), block.data()),
        m_name);
}

void Coverage::require_all(const Properties& creation) const {
  double all = 1;
  for (const std::int64_t extent : m_extents) all *= static_cast<double>(extent);
  double covered = m_sum;
  if (m_runs <= most_runs && !m_extents.empty()) {
    // The last block of a selection without an end may exceed the dataset.
    const Space inside(H5Scopy(m_covered.id()), m_name);
    const std::vector<hsize_t> zeros(m_extents.size(), 0);
    const std::vector<hsize_t> ones(m_extents.size(), 1);
    const std::vector<hsize_t> sizes(m_extents.begin(), m_extents.end());
    check(H5Sselect_hyperslab(inside.id(), H5S_SELECT_AND, zeros.data(), nullptr, ones.data(),
                              sizes.data()),
          m_name);
    covered = static_cast<double>(H5Sget_select_npoints(inside.id()));
  }
  if (covered >= all) return;
  const std::string share = number_text(all - covered) + " of its " + number_text(all) +
                            " values (" + number_text(std::ceil(1000 * (1 - covered / all)) / 10) +
                            " %)";
  H5D_fill_value_t fill = H5D_FILL_VALUE_UNDEFINED;
  check(H5Pfill_value_defined(creation.id(), &fill), m_name);
  if (fill != H5D_FILL_VALUE_USER_DEFINED) {
    throw FileError(m_name, share + " have no source, and it has no fill value",
                    "Give sources of all values, or set a fill value");
  }
  warn(m_name + ": " + share + " have no source and are read as the fill value of the file");
}

}  // namespace synelix::h5
