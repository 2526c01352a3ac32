// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/basis_names.hpp"
#include "tool/options/option_rows.hpp"
#include "tool/options/request.hpp"

#include <optional>
#include <string>

/// \file
/// Options that several commands share. Each group has a structure of the values read, a function
/// that adds the options, and a function that makes its part of the request, with all cross-checks.

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

/// The values read for -O and --append.
struct ExistingFields {
  bool replace = false;
  bool append = false;
};
void add_existing_options(OptionRows& rows, ExistingFields& fields);
Existing existing_from(const ExistingFields& fields);
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

/// Throws if an output names no dataset. \throws Error
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
  ExistingFields existing;
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

}  // namespace synelix::tool
