// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/text/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The report of `features` on a design: plain values, and their two output formats.

namespace synelix::tool {

/// An input of a design.
struct InputReport {
  std::string name;
  std::string path;
  std::string stored_type;  ///< "events" for spike trains
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::optional<SpikesReport> spikes;
  bool is_read_twice = false;  ///< once for the range of a basis without bounds
};

/// A term of a design.
struct TermReport {
  std::string name;
  std::string inputs;  ///< "position, speed"
  std::int64_t first_column = 0;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
};

/// A basis that filters over a window.
struct WindowReport {
  std::string basis;
  std::int64_t samples = 0;
};

/// The parts of a design.
struct DesignOutline {
  std::string design;
  std::vector<InputReport> inputs;
  std::vector<WindowReport> windows;
  std::vector<TermReport> terms;
  std::optional<double> rate_hz;
};

/// The work of `features` on a design.
struct DesignReport {
  DesignOutline outline;
  std::int64_t columns = 0;
  PlanReport plan;  ///< rows, output, blocks, memory and cost; its input and basis are not used
};

/// "name      text", with a newline.
std::string report_line(std::string_view name, const std::string& text);

std::string text_of(const DesignOutline& outline);
/// One JSON object.
std::string json_of(const DesignOutline& outline);
std::string text_of(const DesignReport& design);
std::string json_of(const DesignReport& design);
std::string json_of(const DesignReport& design, const RunReport& run);

}  // namespace synelix::tool
