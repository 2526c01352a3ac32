// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

/// \file
/// JSON of the program. A file that makes JSON includes nlohmann/json.hpp, which takes a second to
/// compile; headers do not. The parser and the printer take some seconds more, and are compiled
/// once.

namespace synelix::tool {

/// Objects keep the order of their keys.
using Json = nlohmann::ordered_json;

/// The text in one line. Bytes that are not UTF-8 are replaced.
std::string in_one_line(const Json& json);
/// The text with an indentation of two blanks, and a newline at its end. Bytes that are not UTF-8
/// are replaced.
std::string indented(const Json& json);

/// Parses JSON. \throws Json::exception if the text is not JSON
Json parse_json(const std::string& text);
/// A number if the text is a number, otherwise the text.
Json number_or_text(const std::string& text);

}  // namespace synelix::tool
