// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nwb/survey.hpp"

#include "files/hdf5/chunk_pieces.hpp"
#include "files/hdf5/h5_attributes.hpp"
#include "files/source/signal_attributes.hpp"
#include "vocabulary/number_text.hpp"
#include "vocabulary/times.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

namespace synelix::nwb {
namespace {

/// Visits the numbers of a dataset. They are read in parts, because a file may claim any number.
template <class Visit>
void for_each_number(const h5::Dataset& dataset, const std::string& name, const Visit& visit) {
  constexpr std::int64_t together = std::int64_t{1} << 16;
  const std::vector<std::int64_t> extents = h5::extents_of(dataset);
  if (h5::count_of(dataset, most_together) == 0) return;
  const std::vector<std::int64_t> chunk = h5::chunk_of(dataset);
  const std::int64_t across =
      h5::count_of(dataset, most_together) / (extents.empty() ? 1 : extents[0]);
  std::int64_t rows = std::max<std::int64_t>(together / across, 1);
  if (!chunk.empty()) rows = std::min(rows, chunk[0] * stream::chunks_together);
  std::vector<hsize_t> start(extents.size(), 0);
  std::vector<hsize_t> count(extents.begin(), extents.end());
  std::vector<double> values;
  const std::int64_t all = extents.empty() ? 1 : extents[0];
  for (std::int64_t at = 0; at < all; at += rows) {
    const std::int64_t number = std::min(rows, all - at);
    const h5::Space in_file(H5Dget_space(dataset.id()), name);
    if (!extents.empty()) {
      start[0] = static_cast<hsize_t>(at);
      count[0] = static_cast<hsize_t>(number);
      h5::check(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start.data(), nullptr,
                                    count.data(), nullptr),
                name);
    }
    values.resize(static_cast<std::size_t>(number * across));
    const hsize_t length = values.size();
    const h5::Space in_memory(H5Screate_simple(1, &length, nullptr), name);
    h5::check(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, in_memory.id(), in_file.id(), H5P_DEFAULT,
                      values.data()),
              name);
    for (const double value : values) visit(value);
  }
}

/// The first and the last of some times.
struct Extent {
  double first = std::numeric_limits<double>::infinity();
  double last = -std::numeric_limits<double>::infinity();

  void take(double time) {
    first = std::min(first, time);
    last = std::max(last, time);
  }
  [[nodiscard]] bool is_known() const { return first <= last; }
};

/// The finite values of a dataset of floats, if it is there.
Extent extent_of(const TrainTables& table, const std::string& dataset) {
  Extent extent;
  if (!h5::exists(table.file, dataset)) return extent;
  const h5::Dataset opened = h5::open_dataset(table.file, {table.file_name, dataset});
  const h5::Type type = h5::type_of(opened);
  if (H5Tget_class(type.id()) != H5T_FLOAT) {
    throw FileError(table.file_name + ":" + dataset, "it holds " + h5::type_text(type.id()),
                    "Valid are floating-point seconds");
  }
  const std::string name = table.file_name + ":" + dataset;
  require_seconds(opened, name);
  for_each_number(opened, name, [&](double value) {
    if (!std::isfinite(value)) return;
    if (!is_time(value)) {
      throw FileError(name, number_text(value) + " is not a time",
                      "Valid are " + std::string(valid_times));
    }
    extent.take(value);
  });
  return extent;
}

}  // namespace

Survey survey_of(const TrainTables& tables, const SpikeTimes& spikes) {
  Survey survey{.order = {}};
  Extent observed;
  Extent spiking;
  // Events may end long before the recording, but use its bins.
  if (!tables.are_units()) spiking = extent_of(tables, "/units/spike_times");
  for (const Table& table : tables.tables) {
    const Extent one =
        extent_of(tables, table.path + (tables.are_units() ? "/obs_intervals" : "/stop_time"));
    if (one.is_known() && tables.are_units()) {
      observed.take(one.first);
      observed.take(one.last);
    } else if (one.is_known()) {
      spiking.take(one.last);
    }
  }
  for (std::size_t i = 0; i < tables.ids.size(); ++i) {
    double before = -std::numeric_limits<double>::infinity();
    bool in_order = true;
    spikes.for_each_part(i, [&](std::span<const double> times) {
      for (const double time : times) {
        in_order = in_order && time >= before;
        before = time;
        spiking.take(time);
      }
    });
    survey.order.push_back(in_order ? 1 : 0);
  }
  const Extent epochs = extent_of(tables, "/intervals/epochs/stop_time");
  survey.end = std::max({0.0, epochs.last, observed.last, spiking.last});
  survey.is_observed = observed.is_known();
  if (observed.is_known() || spiking.is_known()) {
    survey.start = observed.is_known() ? observed.first : spiking.first;
  }
  return survey;
}

}  // namespace synelix::nwb
