// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/options/basis_names.hpp"
#include "tool/options/option_rows.hpp"
#include "tool/options/request.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// \file
/// Options by their groups: those that several commands share, those of spike trains and intervals,
/// those of commands that read a design, and those of each command. Each group has a structure of
/// the values read, a function that adds the options, and a function that makes its part of the
/// request, with all cross-checks.

namespace synelix::tool {

/// The values read for --basis, its parameters, and --bank.
struct BankFields {
  BasisParameters parameters;
  std::optional<Duration> window;
  std::optional<DatasetPath> file;
};

/// Adds --basis and its parameters.
void add_basis_options(OptionRows& rows, BankFields& fields);
/// The source of the filters. Throws UsageError if parameters are missing, or are given to a family
/// that does not have them.
BankSource bank_from(const BankFields& fields);

/// Adds -O, or -O and --append.
/// @{
void add_overwrite_option(OptionRows& rows, Existing& existing);
void add_existing_options(OptionRows& rows, Existing& existing);
/// @}
/// Adds --resume.
void add_resume_option(OptionRows& rows, bool& resume);
void add_part_option(OptionRows& rows, std::optional<PartWish>& part);
/// Adds --facts and --save.
void add_facts_option(OptionRows& rows, std::string& facts);
void add_save_option(OptionRows& rows, std::string& save, const std::string& condition);
/// \throws UsageError for one of them beside --list
void check_facts(bool has_list, const std::string& facts, const std::string& save);
/// Checks options that cannot be combined with --part. \throws UsageError
void check_part(const std::optional<PartWish>& part, const ChunkFilter& filter,
                const std::vector<std::int64_t>& chunk, Existing existing);

/// \throws UsageError if a path names no dataset
void require_dataset(const char* option, const DatasetPath& path);
/// The same for the output of a line of a list. \throws Error
void require_output_dataset(const DatasetPath& output);

/// Adds --follow-links and --allow-plugins.
void add_trust_options(OptionRows& rows, Trust& trust);

/// Adds --json and --quiet, and --progress if the command shows progress.
void add_message_options(OptionRows& rows, Messages& messages);
void add_progress_option(OptionRows& rows, Messages& messages);
/// Adds --device and --threads.
void add_processor_options(OptionRows& rows, Processors& processors);
/// Adds --instruction-set.
void add_instruction_set_option(OptionRows& rows, InstructionSet& set);
/// Adds --config.
void add_config_option(OptionRows& rows);

/// The values read for `convolve` and `plan`.
struct ConvolveFields {
  ConvolveRequest request;
  BankFields bank;
  std::optional<std::string> list;
  bool units = false;
  bool no_shift = false;
  bool observed = false;
  std::optional<double> bin;   ///< seconds
  std::optional<double> from;  ///< seconds
  std::optional<DatasetPath> intervals;
  std::optional<IntervalStop> interval_stop;
  std::optional<Overlaps> overlaps;
  bool strict_intervals = false;
  std::optional<std::vector<std::int64_t>> unit_ids;
  std::vector<std::string> where;
};
void add_convolve_options(OptionRows& rows, ConvolveFields& fields);
ConvolveRequest convolve_request_from(const ConvolveFields& fields);

/// The options in the order of the help.
std::span<const TableOption<DesignRequest>> design_options();

/// Applies an entry of [options], unless the command line has that option; false if it is not one
/// of these options. Names of files in a design are relative to its folder.
bool take_design_option(const DesignFile& design, const DesignOption& entry,
                        DesignRequest& request);

/// Joins --intervals and --where, and checks for contradictions. Called after all options of the
/// command line and the design.
void finish_design_options(DesignRequest& request);

/// The values read for `features`.
struct FeaturesFields {
  FeaturesRequest request;
  std::optional<std::string> list;
};
void add_features_options(OptionRows& rows, FeaturesFields& fields);
FeaturesRequest features_request_from(const FeaturesFields& fields);

/// Applies the options of a design that are not on the command line.
void apply_options(const DesignFile& design, FeaturesRequest& request);

/// Whether an option belongs only to `features`, and to no other command that reads a design.
bool is_of_features_alone(const std::string& name);

/// The values read for --target and the options on how it is read.
struct TargetFields {
  std::optional<DatasetPath> file;
  bool units = false;
  std::optional<double> bin;  ///< seconds
  std::optional<std::vector<std::int64_t>> unit_ids;
  std::optional<IndexRange> channels;
  std::optional<std::int64_t> time_axis;
  std::vector<std::string> where;  ///< of units and of intervals
};

/// \param what  the use of the target, at the beginning of the help of --target
void add_target_options(OptionRows& rows, TargetFields& fields, const std::string& what);

/// The target of the command line; nothing if it names none. Conditions of --where on intervals are
/// added to the request.
std::optional<DesignInput> target_from(const TargetFields& fields, DesignRequest& request);

/// Add the options of a command. Its target is made by `target_from`.
/// @{
void add_fit_options(OptionRows& rows, FitRequest& request, TargetFields& target);
void add_predict_options(OptionRows& rows, PredictRequest& request);
void add_score_options(OptionRows& rows, ScoreRequest& request, TargetFields& target);
/// @}

/// "none", "ridge:1e-3", "elastic-net:1e-3:0.9", "lasso" or "lasso:auto" for the strengths of a
/// path.
PenaltyWords parse_penalty(const std::string& text);

/// Applies the options of a design that are not on the command line, and checks all options against
/// each other. Throws Error with the place of the fault.
/// @{
void apply_options(const DesignFile& design, FitRequest& request);
void apply_options(const DesignFile& design, PredictRequest& request);
void apply_options(const DesignFile& design, ScoreRequest& request);
/// @}

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
