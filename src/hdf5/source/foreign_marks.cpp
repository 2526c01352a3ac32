// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/foreign_marks.hpp"

#include "hdf5/objects/h5_attributes.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace synelix::h5 {
namespace {

/// Whether a path leads to an object; false for links without a target.
bool is_there(const SourceFile& file, const std::string& path) {
  try {
    return exists(file, path);
  } catch (const Error&) {
    return false;
  }
}

std::string within(const std::string& group, const char* name) {
  return (group == "/" ? "" : group) + "/" + name;
}

/// The text of a dataset of one text; "" if there is none.
std::string text_of_dataset(const SourceFile& file, const FilePath& path) {
  if (!is_there(file, path.dataset)) return {};
  const Object object = open_object(file, path.dataset);
  if (H5Iget_type(object.id()) != H5I_DATASET) return {};
  const Dataset dataset = open_dataset(file, path);
  const Type type = type_of(dataset);
  if (H5Tget_class(type.id()) != H5T_STRING || count_of(dataset, 1) != 1) return {};
  return read_strings(type, 1,
                      [&](hid_t memory, void* to) {
                        return H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
                      })
      .front();
}

[[noreturn]] void refuse_text(const std::string& name, const std::string& whose) {
  throw FileError(name, "it holds text (" + whose + "), stored as numbers",
                  "Give an array of numbers");
}

[[noreturn]] void refuse_sparse(const std::string& name, const std::string& whose,
                                const std::string& remedy) {
  throw FileError(name, "it is a part of a sparse matrix" + whose, remedy);
}

[[noreturn]] void refuse_empty(const std::string& name, const std::string& mark) {
  throw FileError(name, "it is empty (" + mark + "): its numbers are not its values",
                  "Give an array that is not empty");
}

bool is_class_of_numbers(std::string_view matlab) {
  constexpr std::array names{"double", "single", "int8",  "uint8",  "int16",  "uint16",
                             "int32",  "uint32", "int64", "uint64", "logical"};
  return std::find(names.begin(), names.end(), matlab) != names.end();
}

void require_numbers_of_matlab(const std::string& name, const Dataset& dataset) {
  const std::string matlab = read_text(dataset.id(), "MATLAB_class").value_or("");
  if (matlab == "char") refuse_text(name, "MATLAB class char");
  const bool is_object = has_attribute(dataset.id(), "MATLAB_object_decode");
  if (is_object || (!matlab.empty() && !is_class_of_numbers(matlab))) {
    throw FileError(name,
                    "it is an object of MATLAB (class " + matlab + "): its numbers are no values",
                    "In MATLAB, save an array of numbers in its place");
  }
  if (has_attribute(dataset.id(), "MATLAB_empty") &&
      read_number(dataset.id(), "MATLAB_empty").value_or(0) != 0) {
    refuse_empty(name, "attribute MATLAB_empty");
  }
}

/// Octave writes a group for each variable, with its `type` and its `value`.
void require_numbers_of_octave(const SourceFile& file, const FilePath& path,
                               const std::string& name, const Dataset& dataset) {
  if (has_attribute(dataset.id(), "OCTAVE_EMPTY_MATRIX")) {
    refuse_empty(name, "attribute OCTAVE_EMPTY_MATRIX");
  }
  std::string group = group_of(path.dataset);
  for (int level = 0; level < 2 && !group.empty(); ++level, group = group_of(group)) {
    if (!has_attribute(open_object(file, group).id(), "OCTAVE_NEW_FORMAT")) continue;
    const std::string type = text_of_dataset(file, {path.file, within(group, "type"), path.links});
    if (type.find("string") != std::string::npos) refuse_text(name, "Octave type " + type);
    if (type.find("sparse") != std::string::npos) {
      refuse_sparse(name, " of Octave", "In Octave, save full(x) in its place");
    }
    return;
  }
}

/// Sparse matrices of SciPy, AnnData and 10x are groups with `data`, `indices` and `indptr`.
void require_dense(const SourceFile& file, const FilePath& path, const std::string& name) {
  const std::string group = group_of(path.dataset);
  if (group.empty()) return;
  const Object opened = open_object(file, group);
  if (has_attribute(opened.id(), "MATLAB_sparse")) {
    refuse_sparse(name, " of MATLAB", "In MATLAB, save full(x) in its place");
  }
  const std::string encoding = read_text(opened.id(), "encoding-type").value_or("");
  const auto is_named = [&](const char* one) { return path.dataset == within(group, one); };
  const bool is_part = (is_named("data") || is_named("indices") || is_named("indptr")) &&
                       is_there(file, within(group, "indices")) &&
                       is_there(file, within(group, "indptr"));
  if (is_part || has_attribute(opened.id(), "h5sparse_format") || encoding == "csr_matrix" ||
      encoding == "csc_matrix") {
    refuse_sparse(name, ", beside its indices", "In Python, store x.toarray() in its place");
  }
  if (encoding == "categorical" || encoding.starts_with("nullable")) {
    throw FileError(name,
                    "it is a part of a list with missing values (encoding-type " + encoding + ")",
                    "Store numbers of samples");
  }
}

void require_numbers_of_pandas(const std::string& name, const Dataset& dataset) {
  const std::string kind = read_text(dataset.id(), "value_type").value_or("");
  if (kind.starts_with("datetime") || kind.starts_with("timedelta")) {
    throw FileError(name, "pandas stored dates or times in it (value_type " + kind + ")",
                    "Give numbers of samples");
  }
  // pandas writes the shape beside the type only for arrays without values.
  if (!kind.empty() && has_attribute(dataset.id(), "shape")) refuse_empty(name, "attribute shape");
}

/// Whether a unit is a CF unit of time, such as "seconds since 2020-01-01".
bool is_unit_of_times(const std::string& units) {
  constexpr std::string_view since = " since ";
  const std::size_t place = units.find(since);
  if (place == std::string::npos || place + since.size() >= units.size()) return false;
  return std::isdigit(static_cast<unsigned char>(units[place + since.size()])) != 0;
}

/// Whether a dimension scale has times by the rules of CF and netCDF. A dimension without a
/// variable has no values.
bool is_of_times(const Object& scale, const std::string& name) {
  const std::string label = read_text(scale.id(), "NAME").value_or("");
  if (label.starts_with("This is a netCDF dimension but not a netCDF variable")) return false;
  if (name == "time") return true;
  const auto text = [&](const char* mark) { return lower_text(scale.id(), mark); };
  return text("axis") == "t" || text("standard_name") == "time" || is_unit_of_times(text("units"));
}

}  // namespace

void require_plain_numbers(const SourceFile& file, const FilePath& path, const Dataset& dataset) {
  const std::string name = to_string(path);
  require_numbers_of_matlab(name, dataset);
  require_numbers_of_octave(file, path, name, dataset);
  require_numbers_of_pandas(name, dataset);
  require_dense(file, path, name);
}

void warn_of_unread_scales(const SourceFile& file, const FilePath& path, const Dataset& dataset) {
  const std::string name = to_string(path);
  const auto unread = [&](const std::string& what) {
    warn(name + ": " + what + " is not applied; --scale and --offset are");
  };
  for (const auto& [mark, neutral] :
       {std::pair("ScaleFactor", 1.0), std::pair("Offset", 0.0), std::pair("gain", 1.0)}) {
    if (has_attribute(dataset.id(), mark) && readable_number(dataset.id(), mark) != neutral) {
      unread(std::string("its attribute ") + mark);
    }
  }
  const auto missing = readable_number(dataset.id(), "MissingValue");
  if (has_attribute(dataset.id(), "MissingValue") &&
      (!missing || (missing != readable_number(dataset.id(), "_FillValue") &&
                    missing != readable_number(dataset.id(), "missing_value")))) {
    warn(name + ": its attribute MissingValue is not applied; write it as _FillValue");
  }
  const std::string group = group_of(path.dataset);
  if (group.empty()) return;
  for (const char* const neighbour : {"polynom_coefficients", "InfoChannel"}) {
    if (is_there(file, within(group, neighbour))) unread(within(group, neighbour));
  }
  const std::string kwik = within(group, "application_data");
  if (is_there(file, kwik) && has_attribute(open_object(file, kwik).id(), "channel_bit_volts")) {
    unread("the attribute channel_bit_volts of " + kwik);
  }
}

std::vector<DimensionName> dimension_names(const Dataset& dataset, std::size_t rank) {
  std::vector<DimensionName> names(rank);
  const auto labels = read_texts(dataset.id(), "DIMENSION_LABELS");
  for (std::size_t i = 0; labels.size() == rank && i < rank; ++i) {
    names[i].name = lower_case(labels[i]);
  }
  visit_references(
      dataset.id(), "DIMENSION_LIST",
      [&](std::size_t i, const Object& scale, const std::string& path) {
        // If a scale was deleted, another object may have its place.
        if (i >= rank || read_text(scale.id(), "CLASS").value_or("") != "DIMENSION_SCALE") return;
        const std::string own = lower_case(path.substr(path.rfind('/') + 1));
        const bool is_first_of_times = names[i].times.empty() && is_of_times(scale, own);
        if (names[i].name.empty() || is_first_of_times) names[i].name = own;
        if (is_first_of_times) names[i].times = path;
      });
  return names;
}

}  // namespace synelix::h5
