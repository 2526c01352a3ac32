// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/option_groups.hpp"
#include "tool/options/request.hpp"

/// \file
/// Options of spike trains and of intervals, for every command with a recording as input, and those
/// of `synelix counts`.

namespace synelix::tool {

/// A condition of --where. `units.` or `intervals.` before the column selects the table.
struct NamedCondition {
  ColumnValue condition;  ///< without that word
  bool names_units = false;
  bool names_intervals = false;
};
/// \throws UsageError if the text is not COLUMN=VALUE, and if both tables are given and the text
///         names neither
NamedCondition named_condition(const std::string& text, bool has_units, bool has_intervals);

/// Adds --units, --intervals and related options.
void add_units_options(OptionRows& rows, ConvolveFields& fields);
/// Applies them to the request. \throws UsageError
void take_units(const ConvolveFields& fields, ConvolveRequest& request);

/// The values read for `counts`.
struct CountsFields {
  ConvolveFields recording;
  std::optional<CountsType> type;
};
void add_counts_options(OptionRows& rows, CountsFields& fields);
CountsRequest counts_request_from(CountsFields fields);

/// An example line that counts the spikes of a session.
extern const char* const counts_example;

}  // namespace synelix::tool
