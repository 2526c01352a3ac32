// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/output.hpp"
#include "tool/run/part_facts.hpp"
#include "tool/text/progress.hpp"
#include "tool/text/report.hpp"

#include <synelix/types/join_parts.hpp>

#include <nlohmann/json.hpp>

#include <array>

namespace synelix::tool {
namespace {

constexpr std::array joined_lines{
    ReportLine{"joined",
               "[{?was_finished}{path} is finished already, so nothing was copied]"
               "[{!was_finished}{parts} part{parts/s} to {path}: {shape} {type} in {chunks} "
               "chunk{chunks/s} of {bytes/bytes}, in {seconds/seconds}]"},
    ReportLine{"removed", "[{?removed}{removed} part file{removed/s}]"},
};

}  // namespace

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
    remove_facts(request.output.file);
  }
  print_result(request.messages,
               {{"path", to_string(done.output)},
                {"shape", done.extents},
                {"type", done.type},
                {"parts", done.parts},
                {"chunks", done.chunks},
                {"bytes", done.bytes},
                {"removed", done.removed},
                {"was_finished", done.was_finished},
                {"seconds", done.seconds}},
               joined_lines);
}

}  // namespace synelix::tool
