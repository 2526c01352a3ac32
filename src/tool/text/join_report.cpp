// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/join_report.hpp"

#include "tool/options/values.hpp"

#include <nlohmann/json.hpp>

namespace synelix::tool {
namespace {

std::string counted(std::int64_t count, const std::string& what) {
  return format_count(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string text_of(const JoinedReport& joined) {
  std::string text;
  if (joined.was_finished) {
    text = "joined    " + joined.output + " is finished already, so nothing was copied\n";
  } else {
    std::string sides;
    for (const std::int64_t side : joined.shape) {
      sides += (sides.empty() ? "" : " x ") + format_count(side);
    }
    text = "joined    " + counted(joined.parts, "part") + " to " + joined.output + ": " + sides +
           " " + joined.type + " in " + counted(joined.chunks, "chunk") + " of " +
           format_bytes(static_cast<double>(joined.bytes)) + ", in " +
           format_seconds(joined.seconds) + "\n";
  }
  if (joined.removed > 0) text += "removed   " + counted(joined.removed, "part file") + "\n";
  return text;
}

std::string json_of(const JoinedReport& joined) {
  const nlohmann::ordered_json json = {
      {"path", joined.output},     {"shape", joined.shape},
      {"type", joined.type},       {"parts", joined.parts},
      {"chunks", joined.chunks},   {"bytes", joined.bytes},
      {"removed", joined.removed}, {"was_finished", joined.was_finished},
      {"seconds", joined.seconds}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace synelix::tool
