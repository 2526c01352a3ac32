// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/output.hpp"
#include "tool/text/report.hpp"
#include "tool/text/terminal_text.hpp"

#include <iostream>

namespace synelix::tool {
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
    std::cout << json_of(taps);
  } else if (request.output.file.empty()) {
    std::cout << csv_of(taps);
  }
}

}  // namespace synelix::tool
