// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

/// \file
/// JSON of the program. A file that makes it includes nlohmann/json.hpp, which takes a second;
/// headers do not. The parser and the printer take some seconds more, and are compiled once.

namespace synelix::tool {

/// Objects keep the order of their keys.
using Json = nlohmann::ordered_json;

/// The text in one line. Bytes that are no UTF-8 are replaced.
std::string in_one_line(const Json& json);
/// The text with an indentation of two blanks, and with a new line at its end. Bytes that are no
/// UTF-8 are replaced.
std::string indented(const Json& json);

/// Reads a text that is JSON. \throws Json::exception where it is none
Json parse_json(const std::string& text);
/// A text that reads as one number is a number, anything else text.
Json number_or_text(const std::string& text);

}  // namespace synelix::tool
