// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/option_groups.hpp"

#include "tool/design/design_file.hpp"
#include "tool/options/option_words.hpp"

#include <array>

namespace synelix::tool {
namespace {

constexpr std::array<TableOption<DesignRequest>, 15> design_rows{{
    {"causality", "SIDE", "Alignment",
     "Side of a window: causal (default), acausal or anti-causal.",
     [](DesignRequest& request, Text text) { request.options.causality = parse_causality(text); }},
    {"no-shift", "", "Alignment", "Windows include the present sample. Acausal windows always do.",
     [](DesignRequest& request, Text) { request.options.shift = Shift::off; }},
    {"time", "START:STOP", "Input",
     "Use only the rows of these samples, or of times such as 10s:20s. Windows see samples "
     "outside.",
     [](DesignRequest& request, Text text) { request.time = parse_time_range(text); }},
    {"epochs", "FILE:/dataset", "Input",
     "A dataset (E, 2) of half-open ranges of samples. No window crosses their borders.",
     [](DesignRequest& request, Text text) { request.epochs = parse_dataset_path(text); }},
    {"intervals", "NAME", "Input",
     "Use only these intervals (/intervals/NAME) of the NWB file of the first input. Each is an "
     "epoch. Name other tables by /PATH or FILE:/PATH.",
     [](DesignRequest& request, Text text) {
       request.intervals = IntervalsSource{.table = parse_interval_table(text), .where = {}};
     }},
    {"interval-stop", "RULE", "Input",
     "Whether a sample or spike at the stop of an interval belongs to it: included (default) or "
     "excluded.",
     [](DesignRequest& request, Text text) {
       request.interval_rules.stop = parse_interval_stop(text);
     }},
    {"overlaps", "RULE", "Input",
     "Intervals that overlap: join (default) makes them one, apart ends each at the start of the "
     "next.",
     [](DesignRequest& request, Text text) {
       request.interval_rules.rows.overlaps = parse_overlaps(text);
     }},
    {"strict-intervals", "", "Input",
     "Rows of intervals without a usable start and stop, such as NaN, are an error. Default: they "
     "are left out, with a warning.",
     [](DesignRequest& request, Text) {
       request.interval_rules.rows.unusable = UnusableIntervals::refuse;
     }},
    {"from", "TIME", "Input",
     "Of spike trains without arrays and intervals: where bins begin. Default: 0, or where a "
     "recording starts that is further from 0 than a day and its own length.",
     [](DesignRequest& request, Text text) { request.from_seconds = parse_time(text); }},
    {"where", "COLUMN=VALUE", "Input",
     "Use only intervals whose column has this value. Repeatable on the command line.",
     [](DesignRequest& request, Text text) { request.where.push_back(parse_condition(text)); }},
    {"strict", "", "Input",
     "Dropped spikes are an error, such as those beyond the arrays, unless intervals leave them "
     "out. So are ids that cannot be compared with those of a model.",
     [](DesignRequest& request, Text) { request.strict = true; }},
    {"budget", "BYTES", "Computing",
     "Memory beyond the program and its libraries (about 25 MiB), such as 512MiB. Default: a "
     "quarter of the free memory.",
     [](DesignRequest& request, Text text) { request.options.budget = parse_bytes(text); }},
    {"method", "NAME", "Computing",
     "Method of filters: automatic (default), direct, fft, or events, for spike trains only.",
     [](DesignRequest& request, Text text) { request.options.method = parse_method(text); }},
    {"machine", "FILE", "Computing",
     "A file that calibrate wrote, or 'default' for the constants of the library. Without this "
     "option: the user's machine.json, if it exists.",
     [](DesignRequest& request, Text text) { request.machine = text; }},
    {"instruction-set", "NAME", "Computing", instruction_set_help,
     [](DesignRequest& request, Text text) {
       request.instruction_set = parse_instruction_set(text);
     }},
}};

}  // namespace

std::span<const TableOption<DesignRequest>> design_options() { return design_rows; }

bool take_design_option(const DesignFile& design, const DesignOption& entry,
                        DesignRequest& request) {
  const auto* const option = find_option(design_options(), entry.name);
  if (option == nullptr) return false;
  take_entry(entry, *option, request);
  const auto& given = request.given;
  if (std::find(given.begin(), given.end(), entry.name) != given.end()) return true;
  if (entry.name == "epochs" && request.epochs) {
    request.epochs->file = beside(design.file, request.epochs->file);
  }
  if (entry.name == "intervals" && request.intervals && !request.intervals->table.file.empty()) {
    request.intervals->table.file = beside(design.file, request.intervals->table.file);
  }
  return true;
}

void finish_design_options(DesignRequest& request) {
  if (!request.intervals && !request.where.empty()) {
    throw Error("--where", "there is no table of intervals to select from", "Add --intervals");
  }
  if (request.intervals) {
    request.intervals->where = request.where;
    request.intervals->rules = request.interval_rules;
  }
  if (request.intervals && request.from_seconds) {
    throw Error("--from", "it is given beside intervals, at whose starts bins begin",
                "Give one of them");
  }
  if (request.intervals && request.epochs) {
    throw Error("--intervals", "they are given beside epochs, but intervals are epochs",
                "Give one of them");
  }
  if (request.epochs && request.epochs->dataset.empty()) {
    throw Error("--epochs", "'" + request.epochs->file + "' names no dataset",
                "Give FILE:/dataset");
  }
}

}  // namespace synelix::tool
