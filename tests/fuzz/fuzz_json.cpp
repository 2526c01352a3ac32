// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bytes as a JSON text.
#include "vocabulary/json.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

using synelix::Json;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Numbers are none, or within what their type holds.
void check_numbers(const Json& value) {
  const std::optional<std::int64_t> whole = value.whole_number();
  require(!whole || value.number().has_value(), "a whole number that is no number");
  require(!value.number() || value.kind == Json::Kind::number, "a number of another kind");
  for (const Json& item : value.items) check_numbers(item);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::optional<Json> value = synelix::parse_json(text);
  if (!value) return 0;
  check_numbers(*value);
  const std::string line = synelix::json_text(*value, false);
  for (const std::string& written : {line, synelix::json_text(*value)}) {
    const std::optional<Json> again = synelix::parse_json(written);
    require(again.has_value(), "a value whose text is not read");
    require(synelix::json_text(*again, false) == line, "a value that changes when it is written");
  }
  return 0;
}
