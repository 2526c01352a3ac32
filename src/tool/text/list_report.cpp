// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/list_report.hpp"

#include "tool/text/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
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

Json line_json(const ListLine& line, LineState state) {
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

std::string text_of(const ListReport& list) {
  std::string counts;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) counts += (counts.empty() ? ": " : ", ") + format_count(count) + what;
  };
  add(list.planned, " planned");
  add(list.done, " done");
  add(list.already_whole, " already whole");
  add(static_cast<std::int64_t>(list.failures.size()), " failed");
  add(list.left(), " left");
  std::string of = format_count(list.own_lines);
  if (list.part) {
    of = "part " + std::to_string(list.part->part.number) + "/" +
         std::to_string(list.part->part.of) + " has " + of + " of " + format_count(list.lines);
  }
  std::string text =
      row("list", of + (list.lines == 1 ? " line of " : " lines of ") + list.name + counts);
  if (!list.failures.empty()) text += table_of(list.failures);
  return text;
}

std::string json_of(const ListLine& line, LineState state, const std::string& report) {
  Json json = line_json(line, state);
  json["report"] = parse_json(report);
  return in_one_line(json) + "\n";
}

std::string json_of(const LineFailure& failure) {
  Json json = line_json(failure.line, LineState::failed);
  json["error"] = failure.message;
  return in_one_line(json) + "\n";
}

std::string json_of(const ListReport& list) {
  Json json = {{"event", "list"},
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
    json["part"] = {{"number", list.part->part.number},
                    {"of", list.part->part.of},
                    {"variables", list.part->variables}};
  }
  for (const LineFailure& failure : list.failures) {
    json["failures"].push_back({{"line", failure.line.number},
                                {"input", failure.line.input.text()},
                                {"output", failure.line.output.text()},
                                {"error", failure.message}});
  }
  return in_one_line(json) + "\n";
}

std::string json_members(const ListLine& line) {
  return "\"line\": " + std::to_string(line.number) +
         ", \"input\": " + in_one_line(Json(line.input.text()));
}

}  // namespace synelix::tool
