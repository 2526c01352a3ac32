// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/process/shared_file.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/output.hpp"
#include "tool/run/part_facts.hpp"
#include "tool/text/progress.hpp"
#include "tool/text/report.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/types/join_parts.hpp>

#include <iostream>

namespace synelix::tool {

void run_join(const JoinRequest& request) {
  JoinOptions options;
  if (request.existing == Existing::replace) options.existing = Existing::replace;
  if (request.remove_parts) options.joined_parts = JoinedParts::remove;
  options.parts = request.parts;
  options.cancel = &stop_requested();
  note_part(part_of(request.output.file), Rest::stays);
  JoinReport done;
  {
    ProgressDisplay display(
        request.messages.quiet ? ProgressStyle::none : request.messages.progress, "join");
    options.progress = [&](const JoinProgress& progress) {
      display.show({.block = progress.chunks,
                    .blocks = progress.of_chunks,
                    .bytes = progress.bytes,
                    .fraction = static_cast<double>(progress.chunks) /
                                static_cast<double>(progress.of_chunks),
                    .seconds = progress.seconds});
    };
    done = join_parts(file_path(request.output), options);
  }
  if (request.remove_parts && part_files(request.output.file).empty()) {
    SharedFile(part_of(request.output.file) + ".facts", std::string(facts_magic)).remove();
  }
  const JoinedReport report{.output = to_string(done.output),
                            .shape = done.extents,
                            .type = done.type,
                            .parts = done.parts,
                            .chunks = done.chunks,
                            .bytes = done.bytes,
                            .removed = done.removed,
                            .was_finished = done.was_finished,
                            .seconds = done.seconds};
  if (request.messages.json) std::cout << json_of(report);
  if (!request.messages.quiet) std::cerr << terminal_text(text_of(report));
}

}  // namespace synelix::tool
