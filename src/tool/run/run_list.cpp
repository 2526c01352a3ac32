// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/run_list.hpp"

#include "tool/options/command_line.hpp"
#include "tool/options/values.hpp"
#include "tool/process/scheduler_part.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/output.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/types/stream.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

/// A line whose run has failed.
struct LineFailure {
  ListLine line;
  std::string message;
};

/// The result of a list.
struct ListReport {
  std::string name;            ///< of the list
  std::int64_t lines = 0;      ///< of the entire list
  std::int64_t own_lines = 0;  ///< of this part
  std::optional<SchedulerPart> part;
  std::int64_t planned = 0;
  std::int64_t done = 0;
  std::int64_t already_whole = 0;
  std::vector<LineFailure> failures;

  void count(LineState state);
  /// Lines that this part has not reached, or not finished.
  [[nodiscard]] std::int64_t left() const;
};

void ListReport::count(LineState state) {
  planned += state == LineState::planned;
  done += state == LineState::done;
  already_whole += state == LineState::already_whole;
}

std::int64_t ListReport::left() const {
  return own_lines - planned - done - already_whole - static_cast<std::int64_t>(failures.size());
}

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

/// "57 of 60 lines of recordings.txt".
std::string left_text(const ListReport& list) {
  const std::string part = list.part ? "this part's " : "";
  return format_count(list.left()) + " of " + part + format_count(list.own_lines) + " lines of " +
         list.name;
}

/// The finished lines, and a table of the failures; each line ends with a newline.
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

/// The lines of this process, in their order.
std::vector<ListLine> own_lines(const RecordingList& list,
                                const std::optional<SchedulerPart>& part) {
  if (!part) return list.lines;
  std::vector<ListLine> own;
  const auto step = static_cast<std::size_t>(part->part.of);
  for (auto i = static_cast<std::size_t>(part->part.number); i < list.lines.size(); i += step) {
    own.push_back(list.lines[i]);
  }
  return own;
}

/// What is left, and how to continue.
std::string rest_of(const ListReport& report) {
  const bool is_one = report.left() == 1;
  return left_text(report) + (is_one ? " is" : " are") +
         " left, and the same command with --resume goes on with " + (is_one ? "it" : "them");
}

void announce(const ListLine& line, bool is_dry_run, const Messages& messages) {
  if (is_dry_run ? messages.json : messages.quiet) return;
  (is_dry_run ? std::cout : std::cerr)
      << terminal_text(line.name() + " to " + line.output.text(), Lines::escaped) << "\n";
}

/// Runs a line, and records the result.
void run_one(const ListLine& line, const Messages& messages, const std::string& command_line,
             const RunLine& run_line, ListReport& report) {
  const auto fail = [&](const std::string& message) {
    print_warning(message);
    report.failures.push_back({.line = line, .message = one_line(message)});
    if (messages.json) {
      std::cout << in_one_line(failure_tree(report.failures.back())) + "\n" << std::flush;
    }
  };
  set_warning_place(line.name() + ": ");
  try {
    const std::string history = command_line + " # line " + std::to_string(line.number) + ": " +
                                line.input.text() + " " + line.output.text();
    report.count(run_line(line, history));
  } catch (const Cancelled&) {
    throw;
  } catch (const std::bad_alloc&) {
    fail("the system has no memory for it. Give a smaller --budget.");
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void print_end(const ListReport& report, const Messages& messages) {
  if (messages.json) std::cout << in_one_line(list_tree(report)) + "\n" << std::flush;
  if (!messages.quiet) std::cerr << list_text(report);
}

}  // namespace

void print_tree(const Messages& messages, LineState state, const Json& tree) {
  if (!messages.line) {
    std::cout << indented(tree);
    return;
  }
  Json line = head_of(*messages.line, state);
  line["report"] = tree;
  std::cout << in_one_line(line) + "\n" << std::flush;
}

int run_list(const FeaturesOutput& request, const Messages& messages,
             const std::string& command_line, const RunLine& run_line) {
  if (!request.list) return exit_success;
  const RecordingList& list = *request.list;
  ListReport report{.name = list.name(),
                    .lines = static_cast<std::int64_t>(list.lines.size()),
                    .own_lines = 0,
                    .part = {},
                    .planned = 0,
                    .done = 0,
                    .already_whole = 0,
                    .failures = {}};
  if (request.part) {
    report.part = part_of_process(*request.part);
    announce_part(*report.part, messages);
  }
  const std::vector<ListLine> lines = own_lines(list, report.part);
  report.own_lines = static_cast<std::int64_t>(lines.size());
  for (const ListLine& line : lines) {
    note_left(one_line(rest_of(report)));
    try {
      if (stop_requested()) throw Cancelled("it came between two lines.");
      announce(line, request.dry_run, messages);
      run_one(line, messages, command_line, run_line, report);
    } catch (const Cancelled& stopped) {
      print_end(report, messages);
      std::string text = stopped.what();
      if (text.ends_with('.')) text.pop_back();
      throw Cancelled(text + "; " + rest_of(report));
    }
  }
  note_left({});
  set_warning_place({});
  print_end(report, messages);
  if (report.failures.empty()) return exit_success;
  std::cerr << "synelix: " << format_count(static_cast<std::int64_t>(report.failures.size()))
            << " of " << format_count(report.own_lines) << " lines of " << one_line(list.name())
            << " failed. Mend what is wrong with them, and give the same command"
            << (request.dry_run ? "" : " with --resume") << ".\n";
  return exit_failure;
}

}  // namespace synelix::tool
