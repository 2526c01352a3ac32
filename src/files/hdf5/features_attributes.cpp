// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/hdf5/features_attributes.hpp"

#include "files/hdf5/h5_attributes.hpp"
#include "files/hdf5/origin_attributes.hpp"
#include "vocabulary/known.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace synelix::h5 {
namespace {

std::string axes_text(const std::vector<std::int64_t>& channel_extents) {
  if (channel_extents.empty()) return "time,column";
  if (channel_extents.size() == 1) return "time,channel,basis";
  std::string text = "time";
  for (std::size_t i = 1; i <= channel_extents.size(); ++i) text += ",channel_" + std::to_string(i);
  return text + ",basis";
}

/// What holds for all columns of a convolution, and for each basis of a design apart.
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
  write_origin(dataset);
  if (!fingerprint.empty()) write("fingerprint", fingerprint);
  if (!options.history.empty()) write("history", options.history);
  for (const auto& [name, value] : options.attributes) {
    std::visit([&](const auto& known) { write_attribute(dataset, name, known); }, value);
  }
}

}  // namespace synelix::h5
