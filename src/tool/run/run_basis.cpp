// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/output.hpp"
#include "tool/text/report.hpp"
#include "tool/text/terminal_text.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace synelix::tool {
namespace {

/// Taps as text that reads back as the same numbers: a head line, then a line for each tap, with
/// its number and its value in each filter.
std::string csv_of(const Taps& taps) {
  std::string text = "tap";
  for (std::int64_t b = 0; b < taps.bases; ++b) text += ",basis_" + std::to_string(b);
  text += "\n";
  for (std::int64_t w = 0; w < taps.window; ++w) {
    text += std::to_string(w);
    for (std::int64_t b = 0; b < taps.bases; ++b) text += "," + format_number(taps(w, b));
    text += "\n";
  }
  return text;
}

/// The basis, its parameters, the supports, and taps as a list of rows.
Json taps_tree(const Taps& taps) {
  Json tree = {{"basis", taps.basis},
               {"window", taps.window},
               {"bases", taps.bases},
               {"requested_bases", taps.requested_bases}};
  for (const auto& [name, value] : taps.parameters) {
    std::visit([&, key = &name](const auto& any) { tree["parameters"][*key] = any; }, value);
  }
  for (const Support& support : taps.support) {
    tree["support"].push_back({support.first, support.last});
  }
  for (std::int64_t w = 0; w < taps.window; ++w) {
    Json row;
    for (std::int64_t b = 0; b < taps.bases; ++b) row.push_back(taps(w, b));
    tree["taps"].push_back(row);
  }
  return tree;
}

}  // namespace

void run_basis(const BasisRequest& request, const std::string& command_line) {
  if (!request.output.file.empty()) {
    require_free_place(request.output, request.existing);
    if (request.existing == Existing::replace) {
      require_other_file(request.output, request.config, "options");
    }
  }
  const Taps taps = taps_of(request.bank, {});
  if (!request.output.file.empty()) {
    note_part(part_of(request.output.file), Rest::stays);
    write_bank(file_path(request.output), taps, output_options(request.existing, command_line));
    if (!request.messages.quiet) {
      std::cerr << "taps      " << format_count(taps.window) << " x " << format_count(taps.bases)
                << " of " << taps.basis << " to " << terminal_text(request.output.text()) << "\n";
    }
  }
  if (request.messages.json) {
    std::cout << in_one_line(taps_tree(taps)) << "\n";
  } else if (request.output.file.empty()) {
    std::cout << csv_of(taps);
  }
}

}  // namespace synelix::tool
