// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/axis_order.hpp"

#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/source/foreign_marks.hpp"
#include "types/number_text.hpp"

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

namespace {

/// The extents of the parts of a box: full chunks if they fit, the last dimensions first.
Extents steps_of(const Extents& count, const Extents& chunk, std::int64_t most_values,
                 std::int64_t most_chunks) {
  Extents steps(count.size(), 1);
  for (std::size_t i = 0; i < chunk.size(); ++i) steps[i] = chunk[i];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t product = stream::product_of(steps);
    if (product <= most_values) break;
    steps[i] = std::max<std::int64_t>(most_values / (product / steps[i]), 1);
  }
  std::int64_t chunks = 1;
  for (std::size_t i = steps.size(); i > 0; --i) {
    std::int64_t& step = steps[i - 1];
    std::int64_t factor = most_values / stream::product_of(steps);
    if (!chunk.empty()) factor = std::min(factor, most_chunks / chunks);
    factor = std::clamp<std::int64_t>(factor, 1, (count[i - 1] + step - 1) / step);
    step *= factor;
    chunks *= factor;
  }
  return steps;
}

/// Copies dense values of extents `count` to places with these strides. It copies tiles of two
/// dimensions: the last one, and the one whose values are closest in memory. So each cache line is
/// used while it is in the cache.
template <class Value>
void scatter(const Value* from, const Extents& count, const Extents& strides, Value* to) {
  constexpr std::int64_t tile = 32;
  const std::size_t rank = count.size();
  const std::size_t last = rank - 1;
  std::size_t close = last;
  for (std::size_t i = 0; i < rank; ++i) {
    if (count[i] > 1 && (count[close] <= 1 || strides[i] < strides[close])) close = i;
  }
  Extents dense(rank, 1);
  for (std::size_t i = last; i > 0; --i) dense[i - 1] = dense[i] * count[i];
  const std::int64_t columns = count[last];
  const std::int64_t rows = close == last ? 1 : count[close];
  const std::int64_t from_row = close == last ? 0 : dense[close];
  const std::int64_t to_row = close == last ? 0 : strides[close];
  const std::int64_t to_column = strides[last];
  Extents at(rank, 0);
  for (;;) {
    std::int64_t from_begin = 0;
    std::int64_t to_begin = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      from_begin += at[i] * dense[i];
      to_begin += at[i] * strides[i];
    }
    for (std::int64_t c = 0; c < columns; c += tile) {
      const std::int64_t end = std::min(c + tile, columns);
      for (std::int64_t r = 0; r < rows; ++r) {
        const Value* const source = from + from_begin + r * from_row;
        Value* const target = to + to_begin + r * to_row;
        for (std::int64_t k = c; k < end; ++k) target[k * to_column] = source[k];
      }
    }
    std::size_t moved = rank;
    for (; moved > 0; --moved) {
      const std::size_t i = moved - 1;
      if (i == last || i == close) continue;
      if (++at[i] < count[i]) break;
      at[i] = 0;
    }
    if (moved == 0) return;
  }
}

void scatter_bytes(std::size_t size, const std::byte* from, const Extents& count,
                   const Extents& strides, std::byte* to) {
  const auto scatter_as = [&]<class Value>(Value*) {
    scatter(reinterpret_cast<const Value*>(from), count, strides, reinterpret_cast<Value*>(to));
  };
  if (size == 1) return scatter_as(static_cast<std::uint8_t*>(nullptr));
  if (size == 2) return scatter_as(static_cast<std::uint16_t*>(nullptr));
  if (size == 4) return scatter_as(static_cast<float*>(nullptr));
  scatter_as(static_cast<double*>(nullptr));
}

}  // namespace

void read_turned(const Dataset& dataset, hid_t memory_type, const AxisOrder& axes,
                 const TurnedBox& box, std::vector<std::byte>& scratch, std::byte* to,
                 const std::string& failing) {
  const std::size_t size = H5Tget_size(memory_type);
  const stream::DatasetBox in_order{axes.to_file(box.start), axes.to_file(box.count)};
  Extents of_series(box.count.size(), 1);
  for (std::size_t i = of_series.size() - 1; i > 0; --i) {
    of_series[i - 1] = i > 1 ? of_series[i] * box.count[i] : box.row;
  }
  if (of_series.size() == 1) of_series[0] = box.row;
  const Extents strides = axes.to_file(of_series);
  const Extents chunk = axes.chunk.empty() ? axes.chunk : axes.to_file(axes.chunk);
  const auto most = static_cast<std::int64_t>(scratch.size() / size);
  const Extents steps = steps_of(in_order.count, chunk, most, box.chunks);
  const Space in_file(H5Dget_space(dataset.id()), failing);
  stream::for_each_step(in_order, steps, [&](const stream::DatasetBox& part) {
    const std::vector<hsize_t> extents = sizes_from(part.count);
    const Space in_memory = space_of(extents, failing);
    select_box(in_file, sizes_from(part.start), extents, failing);
    check(H5Dread(dataset.id(), memory_type, in_memory.id(), in_file.id(), H5P_DEFAULT,
                  scratch.data()),
          failing);
    std::int64_t place = 0;
    for (std::size_t i = 0; i < strides.size(); ++i) {
      place += (part.start[i] - in_order.start[i]) * strides[i];
    }
    scatter_bytes(size, scratch.data(), part.count, strides,
                  to + static_cast<std::size_t>(place) * size);
  });
}

}  // namespace synelix::h5
