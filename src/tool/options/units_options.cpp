// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Options of spike trains and of intervals, for every command that takes a recording.
#include "tool/options/option_groups.hpp"

#include <string_view>
#include <utility>

namespace synelix::tool {
namespace {

/// What --where says of the units, and of the intervals.
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
      throw CLI::ValidationError("--where",
                                 "'" + text + "' selects rows of a table that is not given. Add " +
                                     (is_of_intervals ? "--intervals" : "--units") + ".");
    }
    (is_of_intervals ? conditions.intervals : conditions.units).push_back(std::move(condition));
  }
  return conditions;
}

UnitsSource units_from(const ConvolveFields& fields, std::vector<ColumnValue> where) {
  if (!fields.bin) {
    throw CLI::ValidationError("--units",
                               "the width of bins is missing. Add --bin, such as "
                               "--bin 10ms.");
  }
  const ConvolveRequest& request = fields.request;
  if (request.channels || request.scale || request.offset) {
    throw CLI::ValidationError("--units",
                               "spike trains take no --channels, --scale or --offset. Select "
                               "spike trains by --unit-ids and --where.");
  }
  UnitsSource units{.bin_seconds = *fields.bin,
                    .ids = {},
                    .where = std::move(where),
                    .only_observed = fields.observed};
  if (fields.unit_ids) units.ids = *fields.unit_ids;
  return units;
}

}  // namespace

NamedCondition named_condition(const std::string& text, bool has_units, bool has_intervals) {
  constexpr std::string_view of_units = "units.";
  constexpr std::string_view of_intervals = "intervals.";
  NamedCondition named;
  try {
    named.condition = parse_condition(text);
  } catch (const Error& error) {
    throw CLI::ValidationError("--where", error.what());
  }
  std::string& column = named.condition.column;
  named.names_units = column.starts_with(of_units);
  named.names_intervals = column.starts_with(of_intervals);
  if (named.names_units) column.erase(0, of_units.size());
  if (named.names_intervals) column.erase(0, of_intervals.size());
  if (!named.names_units && !named.names_intervals && has_units && has_intervals) {
    throw CLI::ValidationError(
        "--where", "'" + text + "' may be a column of --units or of --intervals. Give units." +
                       text + " or intervals." + text + ".");
  }
  return named;
}

void add_units_options(CLI::App& app, ConvolveFields& fields) {
  const std::string group = "Input";
  ConvolveRequest& request = fields.request;
  app.add_flag("--units", fields.units, "Read the spike trains of an NWB file.")->group(group);
  add_parsed(app, "--bin", fields.bin, parse_bin, "TIME",
             "With --units: the width of a sample, a time with its unit such as 10ms.")
      ->group(group);
  add_parsed(app, "--unit-ids", fields.unit_ids, parse_integers, "ID,ID,...",
             "With --units: read only these units, in this order.")
      ->group(group);
  app.add_flag("--observed", fields.observed,
               "With --units: use only the times when all of them were observed (obs_intervals).")
      ->group(group);
  app.add_flag("--strict", request.strict,
               "With --units: dropped spikes are an error, unless --intervals leave them out.")
      ->group(group);
  add_parsed(app, "--intervals", fields.intervals, parse_interval_table, "NAME",
             "Use only these intervals of an NWB file (/intervals/NAME). Each is an epoch, at "
             "which bins restart. Name other tables by /PATH or FILE:/PATH.")
      ->group(group);
  app.add_option(
         "--where", fields.where,
         "Use only rows of the table of units, or of intervals, whose column has this value. "
         "Repeatable. With both tables, write units.COLUMN=VALUE or intervals.COLUMN=VALUE.")
      ->type_name("COLUMN=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
}

void take_units(const ConvolveFields& fields, ConvolveRequest& request) {
  Conditions where = conditions_from(fields);
  if (fields.intervals) {
    request.intervals = {.table = *fields.intervals, .where = std::move(where.intervals)};
    if (request.epochs) {
      throw CLI::ValidationError(
          "--intervals",
          "they are given beside --epochs, but intervals are epochs. Give one of "
          "them.");
    }
  }
  if (request.time && (fields.intervals || fields.observed)) {
    for (const auto& side : {request.time->start, request.time->stop}) {
      if (!side || side->in_seconds) continue;
      throw CLI::ValidationError("--time",
                                 "these are samples, which --intervals and --observed change. Give "
                                 "times, such as 10s:20s.");
    }
  }
  if (fields.units) {
    request.units = units_from(fields, std::move(where.units));
  } else if (fields.bin || fields.unit_ids || fields.observed) {
    throw CLI::ValidationError("--bin, --unit-ids, --observed",
                               "these are options of spike trains. Add --units.");
  }
}

}  // namespace synelix::tool
