// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/progress.hpp"

#include "tool/text/report.hpp"
#include "tool/text/terminal_text.hpp"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace synelix::tool {
namespace {

constexpr double redraw_seconds = 0.1;
constexpr double line_seconds = 30;
constexpr int bar_width = 30;

bool is_redrawable() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

/// The convention of no-color.org: set and not empty.
bool is_color_refused() {
  const char* refused = std::getenv("NO_COLOR");
  return refused != nullptr && *refused != '\0';
}

ProgressStyle resolved(ProgressStyle style) {
  if (style != ProgressStyle::automatic) return style;
  return is_redrawable() ? ProgressStyle::bar : ProgressStyle::lines;
}

std::string rate_of(const Advance& advance) {
  if (!advance.parts.empty()) return advance.parts;
  if (advance.seconds <= 0) return "";
  return format_bytes(static_cast<double>(advance.bytes) / advance.seconds) + "/s";
}

std::string left_of(const Advance& advance) {
  const std::optional<double> left = advance.seconds_left();
  if (!left) return "";
  return (advance.is_estimate ? "about " : "") + format_seconds(std::ceil(*left)) + " left";
}

}  // namespace

std::optional<double> Advance::seconds_left() const {
  if (fraction <= 0 || fraction >= 1) return std::nullopt;
  return seconds * (1 - fraction) / fraction;
}

ProgressDisplay::ProgressDisplay(ProgressStyle style, std::string verb,
                                 const std::optional<ListLine>& line)
    : m_style(resolved(style)),
      m_verb(std::move(verb)),
      m_has_color(is_redrawable() && !is_color_refused()) {
  if (!line) return;
  m_place = " " + terminal_text(line->name(), Lines::escaped);
  m_members = "\"line\": " + std::to_string(line->number) +
              ", \"input\": " + in_one_line(Json(line->input.text())) + ", ";
}

ProgressDisplay::~ProgressDisplay() {
  if (m_is_open) std::fputc('\n', stderr);
}

void ProgressDisplay::show(const Advance& advance) {
  if (advance.blocks == 0 && advance.parts.empty() && m_style != ProgressStyle::json)
    return;  // everything was already finished
  const bool is_last = advance.fraction >= 1;
  const double since = advance.seconds - m_shown_seconds;
  const int tenth = static_cast<int>(advance.fraction * 10);
  switch (m_style) {
    case ProgressStyle::none:
    case ProgressStyle::automatic:
      return;
    case ProgressStyle::bar:
      if (!is_last && m_shown_seconds >= 0 && since < redraw_seconds) return;
      draw_bar(advance);
      break;
    case ProgressStyle::json:
      if (!is_last && m_shown_seconds >= 0 && since < redraw_seconds) return;
      print_json(advance);
      break;
    case ProgressStyle::lines:
      if (tenth == m_shown_tenth &&
          advance.seconds - std::max(m_shown_seconds, 0.0) < line_seconds) {
        return;
      }
      print_line(advance);
      break;
  }
  m_shown_seconds = advance.seconds;
  m_shown_tenth = tenth;
}

void ProgressDisplay::draw_bar(const Advance& advance) {
  const int filled = static_cast<int>(std::clamp(advance.fraction, 0.0, 1.0) * bar_width);
  std::string bar(static_cast<std::size_t>(filled), '#');
  bar.resize(static_cast<std::size_t>(bar_width), '-');
  if (m_has_color) bar = "\033[32m" + bar + "\033[0m";
  std::fprintf(stderr, "\r\033[K%s%s [%s] %3d %%  %s  %s", m_verb.c_str(), m_place.c_str(),
               bar.c_str(), static_cast<int>(advance.fraction * 100), rate_of(advance).c_str(),
               left_of(advance).c_str());
  m_is_open = true;
  if (advance.fraction >= 1) {
    std::fputc('\n', stderr);
    m_is_open = false;
  }
  std::fflush(stderr);
}

void ProgressDisplay::print_line(const Advance& advance) const {
  const std::string left = left_of(advance);
  if (!advance.parts.empty()) {
    std::fprintf(stderr, "%s: %d %%, %s%s%s\n", m_verb.c_str(),
                 static_cast<int>(advance.fraction * 100), advance.parts.c_str(),
                 left.empty() ? "" : ", ", left.c_str());
    return;
  }
  std::fprintf(stderr, "%s%s: %d %%, block %lld of %lld, %s%s%s\n", m_verb.c_str(), m_place.c_str(),
               static_cast<int>(advance.fraction * 100), static_cast<long long>(advance.block),
               static_cast<long long>(advance.blocks), rate_of(advance).c_str(),
               left.empty() ? "" : ", ", left.c_str());
}

void ProgressDisplay::print_json(const Advance& advance) const {
  if (!advance.json.empty()) {
    std::fprintf(stderr,
                 "{\"event\": \"progress\", \"command\": \"%s\", \"fraction\": %.6f, %s, "
                 "\"seconds\": %.3f}\n",
                 m_verb.c_str(), advance.fraction, advance.json.c_str(), advance.seconds);
    return;
  }
  std::fprintf(
      stderr,
      "{\"event\": \"progress\", \"command\": \"%s\", %s\"fraction\": %.6f, \"block\": %lld, "
      "\"blocks\": %lld, \"bytes_written\": %lld, \"seconds\": %.3f}\n",
      m_verb.c_str(), m_members.c_str(), advance.fraction, static_cast<long long>(advance.block),
      static_cast<long long>(advance.blocks), static_cast<long long>(advance.bytes),
      advance.seconds);
}

double FitEstimate::fraction(const FitState& state) {
  constexpr double most_before_the_end = 0.99;
  if (state.targets_done >= state.targets && state.targets == m_targets) return m_fraction = 1;
  double closeness = 0;
  const bool is_path = state.targets != m_targets;  // the worst one of the models begun so far
  if (!is_path && std::isfinite(state.worst_optimality) && state.worst_optimality > 0) {
    m_largest = std::max(m_largest, state.worst_optimality);
    if (m_largest > m_tolerance) {
      closeness = std::log(m_largest / state.worst_optimality) / std::log(m_largest / m_tolerance);
    }
  }
  const double all = static_cast<double>(std::max<std::int64_t>(state.targets, 1));
  const auto done = static_cast<double>(state.targets_done);
  const double found = (done + (all - done) * std::clamp(closeness, 0.0, 1.0)) / all;
  m_fraction = std::max(m_fraction, std::min(found, most_before_the_end));
  return m_fraction;
}

}  // namespace synelix::tool
