// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names of datasets, filters as text, and small matrices.
#include "hdf5/objects/feature_datasets.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "hdf5/objects/known_options.hpp"
#include "hdf5/objects/output_file.hpp"
#include "hdf5/source/axis_order.hpp"
#include "hdf5/source/foreign_marks.hpp"
#include "streams/input_files.hpp"
#include "types/number_text.hpp"

#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace synelix {
namespace {

constexpr std::int64_t most_matrix_values = std::int64_t{1} << 27;

struct OpenedMatrix {
  h5::SourceFile file;
  h5::Dataset dataset;
  h5::Type type;
  std::vector<std::int64_t> extents;  ///< in the order of the program that wrote the file
  bool is_turned = false;             ///< whether the file has the reverse order

  [[nodiscard]] std::string text() const {
    return h5::type_text(type.id()) + " of extents " + extents_text(extents);
  }
};

OpenedMatrix open_matrix(const FilePath& path) {
  OpenedMatrix matrix;
  matrix.file = h5::open_file(path.file, path.links);
  matrix.dataset = h5::open_dataset(matrix.file, path);
  h5::require_plain_numbers(matrix.file, path, matrix.dataset);
  matrix.type = h5::type_of(matrix.dataset);
  matrix.extents = h5::extents_of(matrix.dataset);
  matrix.is_turned =
      matrix.extents.size() == 2 && h5::is_column_major(matrix.file, path, matrix.dataset);
  if (matrix.is_turned) std::swap(matrix.extents[0], matrix.extents[1]);
  return matrix;
}

template <class Value>
void read_matrix_values(const OpenedMatrix& matrix, const FilePath& path, hid_t memory_type,
                        std::vector<Value>& values) {
  h5::read_all(matrix.dataset, memory_type, values.data(), to_string(path) + ": cannot be read");
  stream::require_same_content(matrix.file.behind().files());
  if (!matrix.is_turned) return;
  const auto rows = static_cast<std::size_t>(matrix.extents[0]);
  const auto columns = static_cast<std::size_t>(matrix.extents[1]);
  const std::vector<Value> stored = values;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) values[r * columns + c] = stored[c * rows + r];
  }
}

/// Applies netCDF's attributes to the values. \throws FileError if one is missing
void apply_attributes(const OpenedMatrix& opened, const std::string& name,
                      std::vector<double>& values) {
  const hid_t dataset = opened.dataset.id();
  const bool is_single =
      H5Tget_class(opened.type.id()) == H5T_FLOAT && H5Tget_size(opened.type.id()) == sizeof(float);
  for (const char* const attribute : {"_FillValue", "missing_value"}) {
    for (double mark : h5::read_numbers(dataset, attribute).value_or(std::vector<double>{})) {
      if (is_single) mark = static_cast<double>(static_cast<float>(mark));
      if (std::find(values.begin(), values.end(), mark) == values.end()) continue;
      throw FileError(
          name, "its value " + number_text(mark) + " is missing (attribute " + attribute + ")",
          "Write a number in its place, or remove the attribute");
    }
  }
  for (const char* const attribute : {"_Unsigned", "valid_range", "valid_min", "valid_max",
                                      "rhdf5-NA.OK", "conversion", "ScaleFactor", "gain"}) {
    if (H5Aexists(dataset, attribute) <= 0) continue;
    warn(name + ": its attribute " + attribute + " is not applied to taps and matrices");
  }
  const double scale = h5::read_number(dataset, "scale_factor").value_or(1.0);
  const double offset = h5::read_number(dataset, "add_offset").value_or(0.0);
  if (scale == 0 || !std::isfinite(scale) || !std::isfinite(offset)) {
    throw FileError(
        name,
        "its scale_factor is " + number_text(scale) + " and its add_offset " + number_text(offset),
        "Write finite numbers, and a factor other than 0");
  }
  if (scale == 1.0 && offset == 0.0) return;
  for (double& value : values) value = value * scale + offset;
}

}  // namespace

FilePath parse_file_path(std::string_view text) {
  const auto colon = text.rfind(":/");
  FilePath path{std::string(text.substr(0, colon)), {}};
  if (colon != std::string_view::npos) path.dataset = text.substr(colon + 1);
  if (path.file.empty() || path.dataset == "/") {
    throw Error("file", "\"" + std::string(text) + "\" names no dataset of a file",
                "Give FILE or FILE:/dataset");
  }
  return path;
}

std::string to_string(const FilePath& path) {
  return path.dataset.empty() ? path.file : path.file + ":" + path.dataset;
}

Filter parse_filter(std::string_view text) {
  constexpr std::string_view shuffle = "shuffle,";
  constexpr std::string_view deflate = "deflate:";
  if (text == "none") return {};
  Filter filter{.compression = Compression::deflate};
  std::string_view rest = text;
  if (rest.starts_with(shuffle)) {
    filter.compression = Compression::shuffle_deflate;
    rest.remove_prefix(shuffle.size());
  }
  if (rest.starts_with(deflate)) {
    rest.remove_prefix(deflate.size());
    const auto [end, status] =
        std::from_chars(rest.data(), rest.data() + rest.size(), filter.level);
    const bool is_whole = status == std::errc() && end == rest.data() + rest.size();
    if (is_whole && filter.level >= 1 && filter.level <= 9) return filter;
  }
  throw Error("filter", "\"" + std::string(text) + "\" is not a filter",
              "Valid are: none, deflate:N or shuffle,deflate:N with N from 1 to 9");
}

Matrix read_matrix(const FilePath& path) {
  const h5::Call call;
  const OpenedMatrix opened = open_matrix(path);
  const H5T_class_t kind = H5Tget_class(opened.type.id());
  const std::vector<std::int64_t>& extents = opened.extents;
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || extents.empty() || extents.size() > 2) {
    throw FileError(to_string(path), "it holds " + opened.text(),
                    "Give numbers of 1 or 2 dimensions");
  }
  Matrix matrix{extents[0], extents.size() == 2 ? extents[1] : 1, {}};
  if (matrix.rows * matrix.columns > most_matrix_values) {
    throw FileError(to_string(path),
                    "it has " + std::to_string(matrix.rows * matrix.columns) + " values",
                    "Give a matrix of at most " + std::to_string(most_matrix_values));
  }
  matrix.values.resize(static_cast<std::size_t>(matrix.rows * matrix.columns));
  read_matrix_values(opened, path, H5T_NATIVE_DOUBLE, matrix.values);
  apply_attributes(opened, to_string(path), matrix.values);
  return matrix;
}

CustomTaps read_bank(const FilePath& path) {
  Matrix matrix = read_matrix(path);
  if (matrix.values.empty()) {
    throw FileError(to_string(path),
                    "it holds no tap, since its extents are (" + std::to_string(matrix.rows) +
                        ", " + std::to_string(matrix.columns) + ")",
                    "Give at least one tap of one basis: (window, bases)");
  }
  return {matrix.rows, matrix.columns, std::move(matrix.values)};
}

std::vector<Epoch> read_epochs(const FilePath& path) {
  const h5::Call call;
  const OpenedMatrix opened = open_matrix(path);
  const std::vector<std::int64_t>& extents = opened.extents;
  if (H5Tget_class(opened.type.id()) != H5T_INTEGER || extents.size() != 2 || extents[1] != 2) {
    throw FileError(to_string(path), "it holds " + opened.text() + ", which are not epochs",
                    "Give integers of extents (E, 2): half-open ranges of samples");
  }
  if (extents[0] == 0) {
    throw FileError(to_string(path), "it holds no epoch",
                    "Give at least one, or leave the epochs out to take all samples as one");
  }
  if (extents[0] > most_matrix_values / 2) {
    throw FileError(to_string(path), "it has " + std::to_string(extents[0]) + " epochs",
                    "Give at most " + std::to_string(most_matrix_values / 2));
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(2 * extents[0]));
  read_matrix_values(opened, path, H5T_NATIVE_INT64, values);
  std::vector<Epoch> epochs;
  epochs.reserve(values.size() / 2);
  for (std::size_t i = 0; i < values.size(); i += 2) epochs.push_back({values[i], values[i + 1]});
  return epochs;
}

void write_bank(const FilePath& path, const Taps& taps, const Hdf5OutputOptions& options) {
  stream::require_known_options(options);
  h5::OutputFile file(path, options.existing);
  file.open();
  const h5::Call call;
  {
    h5::Dataset dataset = file.write_contiguous(path.dataset, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                                {taps.window, taps.bases}, taps.values.data());
    const auto write = [&](const std::string& name, const h5::AttributeValue& value) {
      h5::write_attribute(dataset.id(), name, value);
    };
    write("axes", std::string("tap,basis"));
    write("basis", taps.basis);
    for (const auto& [name, value] : taps.parameters) write("basis_" + name, value);
    h5::write_origin(dataset.id(), options);
    dataset.close_now(file.failing());
  }
  file.commit();
}

}  // namespace synelix
