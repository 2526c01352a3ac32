// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/option_groups.hpp"

#include "tool/options/option_words.hpp"

#include <string_view>
#include <utility>

namespace synelix::tool {
namespace {

/// The conditions of --where on the units, and on the intervals.
struct Conditions {
  std::vector<ColumnValue> units;
  std::vector<ColumnValue> intervals;
};

Conditions conditions_from(const ConvolveFields& fields) {
  Conditions conditions;
  for (const std::string& text : fields.where) {
    auto [condition, names_units, names_intervals] =
        named_condition(text, fields.units, fields.intervals.has_value());
    const bool is_of_intervals = names_intervals || (!names_units && fields.intervals);
    if (is_of_intervals ? !fields.intervals : !fields.units) {
      throw UsageError("--where", "'" + text + "' selects rows of a table that is not given. Add " +
                                      (is_of_intervals ? "--intervals" : "--units") + ".");
    }
    (is_of_intervals ? conditions.intervals : conditions.units).push_back(std::move(condition));
  }
  return conditions;
}

UnitsSource units_from(const ConvolveFields& fields, std::vector<ColumnValue> where) {
  if (!fields.bin) {
    throw UsageError("--units",
                     "the width of bins is missing. Add --bin, such as "
                     "--bin 10ms.");
  }
  const ConvolveRequest& request = fields.request;
  if (request.channels || request.time_axis || request.scale || request.offset) {
    throw UsageError("--units",
                     "spike trains take no --channels, --time-axis, --scale or --offset. Select "
                     "spike trains by --unit-ids and --where.");
  }
  UnitsSource units{.bin_seconds = *fields.bin,
                    .tables = parse_tables(request.input.dataset),
                    .ids = {},
                    .where = std::move(where),
                    .only_observed = fields.observed,
                    .from_seconds = fields.from};
  if (fields.unit_ids) units.ids = *fields.unit_ids;
  return units;
}

/// The rules from the options of intervals. \throws UsageError if there are no intervals
IntervalRules rules_from(const ConvolveFields& fields) {
  IntervalRules rules;
  if (fields.interval_stop) rules.stop = *fields.interval_stop;
  if (fields.overlaps) rules.rows.overlaps = *fields.overlaps;
  if (fields.strict_intervals) rules.rows.unusable = UnusableIntervals::refuse;
  if (fields.interval_stop && !fields.intervals && !fields.observed) {
    throw UsageError("--interval-stop", "there are no intervals. Add --intervals or --observed.");
  }
  if ((fields.overlaps || fields.strict_intervals) && !fields.intervals) {
    throw UsageError("--overlaps, --strict-intervals",
                     "there is no table of intervals. Add --intervals.");
  }
  return rules;
}

}  // namespace

NamedCondition named_condition(const std::string& text, bool has_units, bool has_intervals) {
  constexpr std::string_view of_units = "units.";
  constexpr std::string_view of_intervals = "intervals.";
  NamedCondition named;
  try {
    named.condition = parse_condition(text);
  } catch (const Error& error) {
    throw UsageError("--where", error.what());
  }
  std::string& column = named.condition.column;
  named.names_units = column.starts_with(of_units);
  named.names_intervals = column.starts_with(of_intervals);
  if (named.names_units) column.erase(0, of_units.size());
  if (named.names_intervals) column.erase(0, of_intervals.size());
  if (!named.names_units && !named.names_intervals && has_units && has_intervals) {
    throw UsageError("--where", "'" + text +
                                    "' may be a column of --units or of --intervals. Give units." +
                                    text + " or intervals." + text + ".");
  }
  return named;
}

void add_units_options(OptionRows& rows, ConvolveFields& fields) {
  rows.in_group("Input");
  ConvolveRequest& request = fields.request;
  rows.add_flag(
      "--units", fields.units,
      "Read spike trains or events of an NWB file: /units, or the tables that IN names, as "
      "FILE:/TABLE,/TABLE.");
  add_parsed(rows, "--bin", fields.bin, parse_bin, "TIME",
             "With --units: the width of a sample, a time with its unit such as 10ms.");
  add_parsed(rows, "--unit-ids", fields.unit_ids, parse_integers, "ID,ID,...",
             "With --units: read only these units, in this order.");
  rows.add_flag("--observed", fields.observed,
                "With --units: use only the times when all of them were observed (obs_intervals).");
  rows.add_flag("--strict", request.strict,
                "With --units: dropped spikes are an error, unless --intervals leave them out.");
  add_parsed(rows, "--intervals", fields.intervals, parse_interval_table, "NAME",
             "Use only these intervals of an NWB file (/intervals/NAME). Each is an epoch, at "
             "which bins restart. Name other tables by /PATH or FILE:/PATH.");
  add_parsed(
      rows, "--interval-stop", fields.interval_stop, parse_interval_stop, "RULE",
      "Whether a sample or spike at the stop of an interval belongs to it: included (default) "
      "or excluded.");
  add_parsed(
      rows, "--overlaps", fields.overlaps, parse_overlaps, "RULE",
      "Intervals that overlap: join (default) makes them one, apart ends each at the start of "
      "the next.");
  rows.add_flag("--strict-intervals", fields.strict_intervals,
                "Rows of --intervals without a usable start and stop, such as NaN, are an error. "
                "Default: they are left out, with a warning.");
  add_parsed(
      rows, "--from", fields.from, parse_time, "TIME",
      "With --units and without intervals: where bins begin. Default: 0, or where a recording "
      "starts that is further from 0 than a day and its own length.");
  rows.add_texts(
      "--where", OptionKind::repeated, fields.where, "COLUMN=VALUE",
      "Use only rows of the table of units, or of intervals, whose column has this value. "
      "Repeatable. With both tables, write units.COLUMN=VALUE or intervals.COLUMN=VALUE.");
}

void take_units(const ConvolveFields& fields, ConvolveRequest& request) {
  Conditions where = conditions_from(fields);
  const IntervalRules rules = rules_from(fields);
  request.interval_stop = rules.stop;
  if (fields.intervals) {
    request.intervals = {
        .table = *fields.intervals, .where = std::move(where.intervals), .rules = rules};
    if (request.epochs) {
      throw UsageError("--intervals",
                       "they are given beside --epochs, but intervals are epochs. Give one of "
                       "them.");
    }
  }
  if (request.time && (fields.intervals || fields.observed)) {
    for (const auto& side : {request.time->start, request.time->stop}) {
      if (!side || side->in_seconds) continue;
      throw UsageError("--time",
                       "these are samples, which --intervals and --observed change. Give "
                       "times, such as 10s:20s.");
    }
  }
  if (fields.units) {
    request.units = units_from(fields, std::move(where.units));
  } else if (fields.bin || fields.unit_ids || fields.observed || fields.from) {
    throw UsageError("--bin, --unit-ids, --observed, --from",
                     "these are options of spike trains. Add --units.");
  }
}

namespace {

using CountsWord = std::pair<std::string_view, CountsType>;
constexpr std::array<CountsWord, 3> counts_types{
    {{"uint8", CountsType::uint8}, {"uint16", CountsType::uint16}, {"float", CountsType::float32}}};

CountsType parse_counts_type(const std::string& text) {
  return parse_word(std::span<const CountsWord>(counts_types), text);
}

}  // namespace

const char* const counts_example = "  synelix counts session.nwb counts.h5:/counts --bin 10ms -O\n";

void add_counts_options(OptionRows& rows, CountsFields& fields) {
  ConvolveFields& recording = fields.recording;
  ConvolveRequest& request = recording.request;
  add_parsed(
      rows, "IN", request.input, parse_dataset_path, "FILE",
      "An NWB file with units. FILE:/TABLE,/TABLE names tables of units, or columns of times "
      "such as /intervals/trials/go_time.")
      .required();
  add_parsed(rows, "OUT", request.output, parse_output_path, "FILE:/dataset",
             "The counts, rows x units.")
      .required();
  add_units_options(rows, recording);
  rows.at("--units").description = "Read spike trains. This command always does.";
  add_parsed(rows, "--time", request.time, parse_time_range, "START:STOP",
             "Write only the rows of these bins, or of times such as 10s:20s, as convolve does.");
  add_trust_options(rows, request.trust);
  rows.in_group("Computing");
  add_parsed(rows, "--budget", request.options.budget, parse_bytes, "BYTES",
             "Memory beyond the program and its libraries (about 25 MiB), such as 512MiB. Default: "
             "a quarter of the free memory.");
  rows.in_group("Output");
  add_parsed(rows, "--type", fields.type, parse_counts_type, "TYPE",
             "Type of the counts: uint8, uint16 or float. Default: the first that holds the "
             "largest count.");
  add_parsed(rows, "--filter", request.filter, parse_filter, "LIST",
             "Compression: none (default), deflate:LEVEL or shuffle,deflate:LEVEL.");
  add_existing_options(rows, request.existing);
  add_progress_option(rows, request.messages);
  add_message_options(rows, request.messages);
  add_config_option(rows);
}

CountsRequest counts_request_from(CountsFields fields) {
  ConvolveFields& recording = fields.recording;
  recording.units = true;
  CountsRequest request;
  static_cast<ConvolveRequest&>(request) = recording.request;
  request.type_of_counts = fields.type;
  take_units(recording, request);
  require_dataset("OUT", request.output);
  return request;
}

}  // namespace synelix::tool
