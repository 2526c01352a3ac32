// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a run in parts writes, and what it says of the other parts.
#include "tool/run/output.hpp"

#include <synelix/join_parts.hpp>

#include <algorithm>
#include <filesystem>

namespace synelix::tool {

std::string part_of(const OutputRequest& output) {
  constexpr std::string_view ending = ".part";
  std::string whole = part_of(output.path.file);
  if (!has_part_file(output)) return whole;
  whole.resize(whole.size() - ending.size());
  const PartNumber part = output.part.value_or(PartNumber());
  return part_file_name(whole, {.number = part.number, .of = part.of}) + std::string(ending);
}

std::string without_part(const std::string& command_line) {
  constexpr std::string_view option = " --part";
  std::string line = command_line;
  for (const char between : {' ', '='}) {
    const std::size_t begin = line.find(std::string(option) + between);
    if (begin == std::string::npos) continue;
    const std::size_t end = line.find(' ', begin + option.size() + 1);
    line.erase(begin, std::min(end, line.size()) - begin);
  }
  return line;
}

std::optional<PartReport> part_report(const OutputRequest& output, const Hdf5Sink& sink) {
  if (!output.part) return std::nullopt;
  PartReport report{.number = output.part->number,
                    .of = output.part->of,
                    .variables = output.part_variables,
                    .rows_missing = 0,
                    .unfinished_rows = 0,
                    .failures = {}};
  if (has_part_file(output)) {
    const std::string part = part_of(output);
    report.file = part.substr(0, part.rfind(".part"));
    report.is_joined = sink.was_finished();
  }
  if (!sink.missing_parts()) return report;
  for (const ShareDescription& share : sink.missing_parts()->shares) {
    report.rows_missing += share.rows.size() - share.rows_written;
    if (share.is_whole && !share.is_being_written) continue;  // another process checks it
    report.unfinished_rows += share.rows.size();
    ++report.parts_missing;
    if (share.failure.empty() || share.is_being_written) continue;
    const std::string who = "process " + std::to_string(share.process) + " on " + share.host +
                            " failed: " + share.failure;
    const auto& known = report.failures;
    if (std::find(known.begin(), known.end(), who) == known.end()) report.failures.push_back(who);
  }
  return report;
}

}  // namespace synelix::tool
