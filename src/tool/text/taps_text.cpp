// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/taps_text.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>

namespace synelix::tool {
namespace {

/// The shortest text that reads back as the same number.
std::string exact(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

std::string csv_of(const Taps& taps) {
  std::string text = "tap";
  for (std::int64_t b = 0; b < taps.bases; ++b) text += ",basis_" + std::to_string(b);
  text += "\n";
  for (std::int64_t w = 0; w < taps.window; ++w) {
    text += std::to_string(w);
    for (std::int64_t b = 0; b < taps.bases; ++b) text += "," + exact(taps(w, b));
    text += "\n";
  }
  return text;
}

std::string json_of(const Taps& taps) {
  nlohmann::ordered_json json;
  json["basis"] = taps.basis;
  json["window"] = taps.window;
  json["bases"] = taps.bases;
  json["requested_bases"] = taps.requested_bases;
  for (const auto& [name, value] : taps.parameters) {
    std::visit([&, key = &name](const auto& any) { json["parameters"][*key] = any; }, value);
  }
  for (const Support& support : taps.support) {
    json["support"].push_back({support.first, support.last});
  }
  for (std::int64_t w = 0; w < taps.window; ++w) {
    nlohmann::ordered_json row;
    for (std::int64_t b = 0; b < taps.bases; ++b) row.push_back(taps(w, b));
    json["taps"].push_back(row);
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace synelix::tool
