// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/run_list.hpp"

#include "tool/options/command_line.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/output.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/types/stream.hpp>

#include <nlohmann/json.hpp>

#include <exception>
#include <iostream>
#include <new>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

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

void announce(const ListLine& line, const ListRun& how) {
  if (how.dry_run ? how.messages.json : how.messages.quiet) return;
  (how.dry_run ? std::cout : std::cerr)
      << terminal_text(name_of(line) + " to " + line.output.text(), Lines::escaped) << "\n";
}

/// Runs a line, and records the result.
void run_one(const ListLine& line, const ListRun& how, const RunLine& run_line,
             ListReport& report) {
  const auto fail = [&](const std::string& message) {
    print_warning(message);
    report.failures.push_back({.line = line, .message = one_line(message)});
    if (how.messages.json)
      std::cout << in_one_line(failure_tree(report.failures.back())) + "\n" << std::flush;
  };
  announce(line, how);
  set_warning_place(name_of(line) + ": ");
  try {
    report.count(run_line(line));
  } catch (const Cancelled&) {
    throw;
  } catch (const std::bad_alloc&) {
    fail("the system has no memory for it. Give a smaller --budget.");
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void print_end(const ListReport& report, const ListRun& how) {
  if (how.messages.json) std::cout << in_one_line(list_tree(report)) + "\n" << std::flush;
  if (!how.messages.quiet) std::cerr << list_text(report);
}

}  // namespace

int run_list(const RecordingList& list, const ListRun& how, const RunLine& run_line) {
  ListReport report{.name = list.name(),
                    .lines = static_cast<std::int64_t>(list.lines.size()),
                    .own_lines = 0,
                    .part = {},
                    .planned = 0,
                    .done = 0,
                    .already_whole = 0,
                    .failures = {}};
  if (how.part) {
    report.part = part_of_process(*how.part);
    announce_part(*report.part, how.messages);
  }
  const std::vector<ListLine> lines = own_lines(list, report.part);
  report.own_lines = static_cast<std::int64_t>(lines.size());
  for (const ListLine& line : lines) {
    note_left(one_line(rest_of(report)));
    try {
      if (stop_requested()) throw Cancelled("it came between two lines.");
      run_one(line, how, run_line, report);
    } catch (const Cancelled& stopped) {
      print_end(report, how);
      std::string text = stopped.what();
      if (text.ends_with('.')) text.pop_back();
      throw Cancelled(text + "; " + rest_of(report));
    }
  }
  note_left({});
  set_warning_place({});
  print_end(report, how);
  if (report.failures.empty()) return exit_success;
  std::cerr << "synelix: " << format_count(static_cast<std::int64_t>(report.failures.size()))
            << " of " << format_count(report.own_lines) << " lines of " << one_line(list.name())
            << " failed. Mend what is wrong with them, and give the same command"
            << (how.dry_run ? "" : " with --resume") << ".\n";
  return exit_failure;
}

std::string history_of(const std::string& command_line, const ListLine& line) {
  return command_line + " # line " + std::to_string(line.number) + ": " + line.input.text() + " " +
         line.output.text();
}

}  // namespace synelix::tool
