// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/json.hpp"

#include <nlohmann/json.hpp>

namespace synelix::tool {

std::string in_one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string indented(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json parse_json(const std::string& text) { return Json::parse(text); }

Json number_or_text(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_number() ? value : Json(text);
}

}  // namespace synelix::tool
