// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/objects/feature_datasets.hpp"

#include "hdf5/objects/h5_attributes.hpp"
#include "types/checks.hpp"

#include <synelix/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <variant>

namespace synelix::h5 {
namespace {

std::string axes_text(const std::vector<std::int64_t>& channel_extents) {
  if (channel_extents.empty()) return "time,column";
  if (channel_extents.size() == 1) return "time,channel,basis";
  std::string text = "time";
  for (std::size_t i = 1; i <= channel_extents.size(); ++i) text += ",channel_" + std::to_string(i);
  return text + ",basis";
}

/// Attributes of all columns of a convolution, or of each basis of a design separately.
void write_filter_attributes(hid_t dataset, const FeaturesDescription& from) {
  const auto write = [&](const char* name, const AttributeValue& value) {
    write_attribute(dataset, name, value);
  };
  write("basis", from.basis);
  for (const auto& [name, value] : from.basis_parameters) {
    write_attribute(dataset, "basis_" + name, value);
  }
  write("causality", file_name_of(from.options.causality));
  write("shift", is_shifted(from.options.causality, from.options.shift) ? "on" : "off");
  write("method", name_of(from.choice.method));
  if (from.choice.fft_length > 0) {
    write("fft_length", from.choice.fft_length);
    write("fft_parts", from.choice.fft_parts);
  }
}

}  // namespace

void write_description(hid_t dataset, const FeaturesDescription& from,
                       const std::string& fingerprint, const Hdf5OutputOptions& options) {
  const auto write = [&](const char* name, const AttributeValue& value) {
    write_attribute(dataset, name, value);
  };
  if (from.series.rate_hz) {
    write("rate_hz", *from.series.rate_hz / static_cast<double>(from.options.every));
  }
  if (!from.series.name.empty()) write("source", from.series.name);
  const bool is_of_vectors = from.window == 0 && from.terms.empty();  // products, and forms
  write("axes", is_of_vectors ? "vector,column" : axes_text(from.shape.channel_extents));
  if (!is_of_vectors) {
    write("window", from.window);
    if (from.terms.empty()) write_filter_attributes(dataset, from);
    write("border", known_name(from.options.border));
    write("every", from.options.every);
  }
  write("instruction_set", name_of(from.choice.instruction_set));
  write_origin(dataset, options, fingerprint);
}

Type text_type(std::size_t bytes, const std::string& failing) {
  Type text(H5Tcopy(H5T_C_S1), failing);
  check(H5Tset_size(text.id(), bytes), failing);
  check(H5Tset_cset(text.id(), H5T_CSET_UTF8), failing);
  check(H5Tset_strpad(text.id(), H5T_STR_NULLPAD), failing);
  return text;
}

Type record_type(const char* name, const Type& text, std::span<const char* const> numbers,
                 hid_t number_type, const std::string& failing) {
  const std::size_t name_bytes = H5Tget_size(text.id());
  Type record(H5Tcreate(H5T_COMPOUND, name_bytes + numbers.size() * sizeof(std::int64_t)), failing);
  check(H5Tinsert(record.id(), name, 0, text.id()), failing);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    check(H5Tinsert(record.id(), numbers[i], name_bytes + i * sizeof(std::int64_t), number_type),
          failing);
  }
  return record;
}

void write_records(const OutputFile& file, const std::string& path, const char* name,
                   std::span<const char* const> numbers, const std::vector<NamedNumbers>& records) {
  std::size_t name_bytes = 1;
  for (const NamedNumbers& record : records) name_bytes = std::max(name_bytes, record.name.size());
  const std::size_t record_bytes = name_bytes + numbers.size() * sizeof(std::int64_t);
  std::vector<std::byte> bytes(records.size() * record_bytes);
  std::byte* place = bytes.data();
  for (const NamedNumbers& record : records) {
    std::memcpy(place, record.name.data(), record.name.size());
    std::memcpy(place + name_bytes, record.numbers.data(), numbers.size() * sizeof(std::int64_t));
    place += record_bytes;
  }
  const Type type = record_type(name, text_type(name_bytes, file.failing()), numbers, H5T_STD_I64LE,
                                file.failing());
  file.write_contiguous(path, type.id(), type.id(), {static_cast<std::int64_t>(records.size())},
                        bytes.data());
}

void write_terms(const OutputFile& file, const std::string& path, const std::vector<Term>& terms) {
  std::vector<NamedNumbers> records;
  records.reserve(terms.size());
  for (const Term& term : terms) {
    records.push_back(
        {term.label, {term.columns.begin, term.columns.size(), term.channels, term.bases}});
  }
  write_records(file, path, "name", numbers_of_terms, records);
}

std::string centers_beside(const std::string& time_path) { return time_path + "_center"; }

void write_position(hid_t times, const char* position) {
  write_attribute(times, "position", std::string(position));
}

Dataset create_centers(const OutputFile& file, const Dataset& times, const std::string& time_path,
                       std::int64_t rows, double bin_seconds) {
  const std::string path = centers_beside(time_path);
  write_position(times.id(), at_bin_start);
  write_attribute(times.id(), "bin_seconds", bin_seconds);
  write_attribute(times.id(), "centers", path);
  Dataset centers = file.create_contiguous(path, H5T_IEEE_F64LE, {rows});
  write_attribute(centers.id(), "unit", std::string("seconds"));
  write_position(centers.id(), at_bin_center);
  return centers;
}

}  // namespace synelix::h5

namespace synelix {
namespace {

/// A backend in the spelling of Kokkos' namespaces. CMake uses capitals.
std::string spelled(const std::string& backend) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> names = {
      {{"OPENMP", "OpenMP"}, {"SERIAL", "Serial"}, {"CUDA", "Cuda"}}};
  for (const auto& [capitals, name] : names) {
    if (backend == capitals) return std::string(name);
  }
  return backend;
}

}  // namespace

std::string build_summary() {
  const BuildDescription build = build_description();
  std::string text = "Kokkos " + build.kokkos_version;
  for (const std::string& backend : build.backends) text += " " + spelled(backend);
  text += ", HDF5 " + hdf5_version() + ", " + build.compiler;
  if (!build.build_type.empty()) text += ", " + build.build_type;
  return text;
}

void h5::write_origin(hid_t object) {
  write_attribute(object, "synelix_version", std::string(version()));
  write_attribute(object, "synelix_revision", std::string(revision()));
  write_attribute(object, "synelix_build", build_summary());
}

void h5::write_origin(hid_t object, const Hdf5OutputOptions& options,
                      const std::string& fingerprint) {
  write_origin(object);
  if (!fingerprint.empty()) write_attribute(object, "fingerprint", fingerprint);
  if (!options.history.empty()) write_attribute(object, "history", options.history);
  for (const auto& [name, value] : options.attributes) {
    std::visit([&](const auto& known) { write_attribute(object, name, known); }, value);
  }
}

}  // namespace synelix
