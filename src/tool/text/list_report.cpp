// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/list_report.hpp"

#include "tool/options/values.hpp"
#include "tool/text/terminal_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace synelix::tool {
namespace {

std::string_view state_word(LineState state) {
  switch (state) {
    case LineState::planned:
      return "planned";
    case LineState::done:
      return "done";
    case LineState::already_whole:
      return "already_whole";
    case LineState::failed:
      return "failed";
  }
  return "unknown";
}

Json head_of(const ListLine& line, LineState state) {
  return {{"event", "line"},
          {"line", line.number},
          {"input", line.input.text()},
          {"output", line.output.text()},
          {"state", state_word(state)}};
}

std::string row(std::string_view name, const std::string& text) {
  std::string result(name);
  result.resize(10, ' ');
  return result + text + "\n";
}

/// The failures in columns: number of the line, input, message.
std::string table_of(const std::vector<LineFailure>& failures) {
  constexpr std::size_t widest = 60;
  const std::string head = "line";
  std::size_t number_width = head.size();
  std::size_t input_width = 0;
  for (const LineFailure& failure : failures) {
    number_width = std::max(number_width, std::to_string(failure.line.number).size());
    input_width = std::max(input_width, failure.line.input.text().size());
  }
  input_width = std::min(input_width, widest);
  const auto padded = [](std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text + "  ";
  };
  std::string text =
      row("failed", padded(head, number_width) + padded("input", input_width) + "error");
  for (const LineFailure& failure : failures) {
    text += row("", padded(std::to_string(failure.line.number), number_width) +
                        padded(failure.line.input.text(), input_width) + failure.message);
  }
  return text;
}

}  // namespace

void ListReport::count(LineState state) {
  planned += state == LineState::planned;
  done += state == LineState::done;
  already_whole += state == LineState::already_whole;
}

std::int64_t ListReport::left() const {
  return own_lines - planned - done - already_whole - static_cast<std::int64_t>(failures.size());
}

std::string name_of(const ListLine& line) {
  return "line " + std::to_string(line.number) + " (" + line.input.text() + ")";
}

std::string left_text(const ListReport& list) {
  const std::string part = list.part ? "this part's " : "";
  return format_count(list.left()) + " of " + part + format_count(list.own_lines) + " lines of " +
         list.name;
}

std::string list_text(const ListReport& list) {
  static constexpr std::array lines{ReportLine{
      "list",
      "[{?part}part {part.number/plain}/{part.of/plain} has {own_lines} of {lines}]"
      "[{!part}{own_lines}] line{lines/s} of {list}"
      "[: <{planned} planned;{done} done;{already_whole} already whole;{failed} failed;{left} "
      "left>]"}};
  const std::string table = list.failures.empty() ? "" : table_of(list.failures);
  return lines_of(lines, list_tree(list)) + terminal_text(table);
}

Json line_tree(const ListLine& line, LineState state, const Json& report) {
  Json tree = head_of(line, state);
  tree["report"] = report;
  return tree;
}

Json failure_tree(const LineFailure& failure) {
  Json tree = head_of(failure.line, LineState::failed);
  tree["error"] = failure.message;
  return tree;
}

Json list_tree(const ListReport& list) {
  Json tree = {{"event", "list"},
               {"list", list.name},
               {"lines", list.lines},
               {"own_lines", list.own_lines},
               {"planned", list.planned},
               {"done", list.done},
               {"already_whole", list.already_whole},
               {"failed", list.failures.size()},
               {"left", list.left()},
               {"failures", Json::array()}};
  if (list.part) {
    tree["part"] = {{"number", list.part->part.number},
                    {"of", list.part->part.of},
                    {"variables", list.part->variables}};
  }
  for (const LineFailure& failure : list.failures) {
    tree["failures"].push_back({{"line", failure.line.number},
                                {"input", failure.line.input.text()},
                                {"output", failure.line.output.text()},
                                {"error", failure.message}});
  }
  return tree;
}

std::string json_members(const ListLine& line) {
  return "\"line\": " + std::to_string(line.number) +
         ", \"input\": " + in_one_line(Json(line.input.text()));
}

}  // namespace synelix::tool
