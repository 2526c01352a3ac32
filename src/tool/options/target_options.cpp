// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/option_groups.hpp"

#include <algorithm>
#include <utility>

namespace synelix::tool {
namespace {

/// Separates --where into conditions on units, which are returned, and on intervals.
std::vector<ColumnValue> units_where(const TargetFields& fields, DesignRequest& request) {
  std::vector<ColumnValue> units;
  const bool has_intervals =
      std::find(request.given.begin(), request.given.end(), "intervals") != request.given.end();
  for (const std::string& text : fields.where) {
    auto [condition, names_units, names_intervals] =
        named_condition(text, fields.units, has_intervals);
    if (names_units && !fields.units) {
      throw UsageError("--where",
                       "'" + text + "' selects rows of a table that is not given. Add --units.");
    }
    if (names_units || (!names_intervals && fields.units)) {
      units.push_back(std::move(condition));
    } else {
      request.where.push_back(std::move(condition));
      request.given.emplace_back("where");
    }
  }
  return units;
}

}  // namespace

void add_target_options(OptionRows& rows, TargetFields& fields, const std::string& what) {
  rows.in_group("Target");
  add_parsed(rows, "--target", fields.file, parse_dataset_path, "FILE[:/dataset]",
             what +
                 ", in place of the design's [fit.target]: a dataset (samples, targets), or with "
                 "--units the spike trains of an NWB file. Its samples are those of the inputs.");
  rows.add_flag("--units", fields.units, "The targets are the units of an NWB file.");
  add_parsed(rows, "--bin", fields.bin, parse_bin, "TIME",
             "With --units: width of a sample. Default: that of the inputs.");
  add_parsed(rows, "--unit-ids", fields.unit_ids, parse_integers, "ID,ID,...",
             "With --units: only these units, in this order.");
  add_parsed(rows, "--channels", fields.channels, parse_index_range, "BEGIN:END",
             "Of a dataset: only these columns.");
  add_parsed(rows, "--time-axis", fields.time_axis, parse_axis, "N",
             "Of a dataset: the dimension that is time, from 0. Default: 0, of files of MATLAB as "
             "MATLAB shows them.");
  rows.add_texts("--where", OptionKind::repeated, fields.where, "COLUMN=VALUE",
                 "Use only units, with --units, or else intervals whose column has this value. "
                 "With both write units.COLUMN=VALUE or intervals.COLUMN=VALUE. Repeatable.");
}

std::optional<DesignInput> target_from(const TargetFields& fields, DesignRequest& request) {
  std::vector<ColumnValue> where = units_where(fields, request);
  if (!fields.file) {
    if (fields.units || fields.bin || fields.unit_ids || fields.channels || fields.time_axis) {
      throw UsageError("--units, --bin, --unit-ids, --channels, --time-axis",
                       "they say how a target is read, and none is given. Add --target.");
    }
    return std::nullopt;
  }
  DesignInput target{"target", "--target", {}};
  if (fields.units) {
    if (fields.channels || fields.time_axis) {
      throw UsageError(fields.channels ? "--channels" : "--time-axis",
                       "it is given beside --units. Select spike trains by --unit-ids "
                       "and --where.");
    }
    target.from = SpikeInput{.file = fields.file->file,
                             .tables = parse_tables(fields.file->dataset),
                             .bin_seconds = fields.bin,
                             .ids = fields.unit_ids.value_or(std::vector<std::int64_t>()),
                             .where = std::move(where)};
    return target;
  }
  if (fields.bin || fields.unit_ids) {
    throw UsageError("--bin, --unit-ids", "these are options of spike trains. Add --units.");
  }
  if (fields.file->dataset.empty()) {
    throw UsageError("--target", "'" + fields.file->file +
                                     "' names no dataset. Give FILE:/dataset, or --units "
                                     "for an NWB file.");
  }
  target.from = ArrayInput{.data = *fields.file,
                           .channels = fields.channels,
                           .time_axis = fields.time_axis,
                           .scale = {},
                           .offset = {},
                           .rate_hz = {}};
  return target;
}

}  // namespace synelix::tool
