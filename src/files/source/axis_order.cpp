// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/source/axis_order.hpp"

#include "files/hdf5/h5_attributes.hpp"
#include "files/source/foreign_marks.hpp"
#include "vocabulary/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

namespace synelix::h5 {
namespace {

using Extents = std::vector<std::int64_t>;

/// The number of entries of a list beside a dataset; nothing if there is none, or it is not a list.
std::optional<std::int64_t> length_beside(const SourceFile& file, const FilePath& path,
                                          const char* name) {
  const FilePath place = beside(path, name);
  try {
    if (!exists(file, place.dataset)) return std::nullopt;
    if (H5Iget_type(open_object(file, place.dataset).id()) != H5I_DATASET) return std::nullopt;
    const Extents extents = extents_of(open_dataset(file, place));
    const auto dimension = vector_dimension(extents);
    return dimension ? std::optional(extents[*dimension]) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // the code that needs the list reports its fault
  }
}

[[noreturn]] void refuse(const FilePath& path, const Extents& extents, const std::string& reason,
                         std::size_t axis) {
  throw FileError(to_string(path), "its extents are " + extents_text(extents) + ", and " + reason,
                  "Give --time-axis " + std::to_string(axis) + " (time_axis) if dimension " +
                      std::to_string(axis) + " is time, or --time-axis 0 if the first one is");
}

/// Throws if the file says that time is not the first dimension: it is not known which of both is
/// right.
void require_time_first(const SourceFile& file, const FilePath& path, const Dataset& dataset,
                        const Extents& extents) {
  const std::vector<DimensionName> names = dimension_names(dataset, extents.size());
  const auto is_time = [](const DimensionName& one) {
    return one.name == "time" || !one.times.empty();
  };
  if (const auto found = std::find_if(names.begin() + 1, names.end(), is_time);
      found != names.end() && !is_time(names.front())) {
    const auto axis = static_cast<std::size_t>(found - names.begin());
    refuse(path, extents,
           "dimension " + std::to_string(axis) + " is " +
               (found->name == "time" ? "named time" : "time (" + found->times + ")"),
           axis);
  }
  const auto grown = readable_number(dataset.id(), "EXTDIM").value_or(0);
  if (grown > 0 && grown < static_cast<double>(extents.size())) {
    const auto axis = static_cast<std::size_t>(grown);
    refuse(path, extents, "dimension " + std::to_string(axis) + " grows (attribute EXTDIM)", axis);
  }
  if (!names.front().times.empty()) {
    warn(to_string(path) + ": the times in " + names.front().times +
         " are not read: samples follow each other without gaps");
  }
  if (!path.dataset.ends_with("/data")) return;
  const auto other_of = [&](std::int64_t length) -> std::optional<std::size_t> {
    const auto found = std::find(extents.begin() + 1, extents.end(), length);
    if (extents[0] == length || found == extents.end()) return std::nullopt;
    return static_cast<std::size_t>(found - extents.begin());
  };
  if (const auto times = length_beside(file, path, "timestamps")) {
    if (const auto axis = other_of(*times)) {
      refuse(path, extents, "there are " + std::to_string(*times) + " timestamps beside it", *axis);
    }
  }
  for (const char* const list : {"electrodes", "rois"}) {
    const auto length = length_beside(file, path, list);
    if (!length || extents.size() != 2 || extents[1] == *length) continue;
    const std::string found = "there are " + std::to_string(*length) + " " + list + " beside it";
    if (extents[0] == *length) refuse(path, extents, found, 1);
    warn(to_string(path) + ": its extents are " + extents_text(extents) + ", but " + found +
         "; the first dimension is read as time");
  }
}

}  // namespace

bool is_column_major(const SourceFile& file, const FilePath& path, const Dataset& dataset) {
  if (has_attribute(dataset.id(), "MATLAB_class")) return true;
  return has_attribute(open_object(file, group_of(path.dataset)).id(), "OCTAVE_NEW_FORMAT");
}

bool AxisOrder::is_turned() const {
  for (std::size_t i = 0; i < in_file.size(); ++i) {
    if (in_file[i] != i) return true;
  }
  return false;
}

AxisOrder axis_order(const SourceFile& file, const FilePath& path, const Dataset& dataset,
                     const Hdf5SourceOptions& options) {
  require_plain_numbers(file, path, dataset);
  const Extents extents = extents_of(dataset);
  const Extents chunk = chunk_of(dataset);
  const std::size_t rank = extents.size();
  if (rank < 1 || rank > 7) {
    throw FileError(to_string(path), "it has " + std::to_string(rank) + " dimensions",
                    "Valid are 1 to 7");
  }
  AxisOrder order;
  order.in_file.resize(rank);
  std::iota(order.in_file.begin(), order.in_file.end(), std::size_t{0});
  const bool is_reversed = is_column_major(file, path, dataset);
  if (is_reversed) std::reverse(order.in_file.begin(), order.in_file.end());
  Extents shown;
  for (const std::size_t i : order.in_file) shown.push_back(extents[i]);
  std::size_t time = 0;
  if (options.time_axis) {
    if (*options.time_axis < 0 || *options.time_axis >= static_cast<std::int64_t>(rank)) {
      throw FileError("time_axis",
                      std::to_string(*options.time_axis) + " is no dimension of " +
                          to_string(path) + ", whose extents are " + extents_text(shown),
                      "Valid are 0 to " + std::to_string(rank - 1));
    }
    time = static_cast<std::size_t>(*options.time_axis);
  } else if (is_reversed) {
    // Vectors of MATLAB have two dimensions.
    time = vector_dimension(shown).value_or(0);
    const auto longest = std::max_element(shown.begin(), shown.end());
    if (time == 0 && rank > 1 && shown[0] < *longest) {
      const std::string axis = std::to_string(longest - shown.begin());
      warn(to_string(path) + ": its extents are " + extents_text(shown) +
           " as MATLAB shows it, and its " + std::to_string(shown[0]) +
           " rows are read as samples; if dimension " + axis + " is time, give --time-axis " +
           axis);
    }
  } else if (options.timestamps == Timestamps::use) {
    require_time_first(file, path, dataset, extents);
  }
  std::rotate(order.in_file.begin(), order.in_file.begin() + static_cast<std::ptrdiff_t>(time),
              order.in_file.begin() + static_cast<std::ptrdiff_t>(time) + 1);
  for (const std::size_t i : order.in_file) {
    order.extents.push_back(extents[i]);
    if (!chunk.empty()) order.chunk.push_back(chunk[i]);
  }
  return order;
}

}  // namespace synelix::h5
