// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/basis_names.hpp"
#include "tool/options/request.hpp"

#include <synelix/error.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

/// \file
/// Options that several commands share. Each group has a structure of what was read, a function
/// that adds the options, and one that makes the request's part of it, with all cross-checks.

namespace synelix::tool {

/// Adds an option whose text goes through a parser that throws Error.
template <class Target, class Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& names, Target& target, Parse parse,
                        const std::string& value, const std::string& description) {
  const std::string name = names.substr(names.rfind(',') + 1);
  return app
      .add_option_function<std::string>(
          names,
          [&target, parse, name](const std::string& text) {
            try {
              target = parse(text);
            } catch (const Error& error) {
              throw CLI::ValidationError(name, error.what());
            }
          },
          description)
      ->type_name(value);
}

/// What was read of --basis, its parameters, and --bank.
struct BankFields {
  BasisParameters parameters;
  std::optional<Duration> window;
  std::optional<DatasetPath> file;
};

/// Adds --basis and its parameters.
void add_basis_options(CLI::App& app, BankFields& fields);
/// The source of the filters. Throws CLI::ValidationError where parameters are missing, or are
/// given to a family that does not have them.
BankSource bank_from(const BankFields& fields);

/// What was read of -O and --append.
struct ExistingFields {
  bool replace = false;
  bool append = false;
};
void add_existing_options(CLI::App& app, ExistingFields& fields);
Standing standing_from(const ExistingFields& fields);
/// Adds --resume.
void add_resume_option(CLI::App& app, bool& resume);
void add_part_option(CLI::App& app, std::optional<PartWish>& part);
/// What does not go with --part. \throws CLI::ValidationError
void check_part(const std::optional<PartWish>& part, const ChunkFilter& filter,
                const std::vector<std::int64_t>& chunk, Standing standing);

/// Adds --follow-links and --allow-plugins.
void add_trust_options(CLI::App& app, Trust& trust);

/// Adds --json and --quiet, and --progress where the command shows any.
void add_message_options(CLI::App& app, Messages& messages);
void add_progress_option(CLI::App& app, Messages& messages);
/// Adds --device and --threads.
void add_processor_options(CLI::App& app, Processors& processors);
/// Adds --instruction-set.
void add_instruction_set_option(CLI::App& app, InstructionSet& set);
/// Adds --config.
void add_config_option(CLI::App& app);

/// What was read for `convolve` and `plan`.
struct ConvolveFields {
  ConvolveRequest request;
  BankFields bank;
  ExistingFields existing;
  std::optional<std::string> list;
  bool units = false;
  bool no_shift = false;
  bool observed = false;
  std::optional<double> bin;  ///< seconds
  std::optional<DatasetPath> intervals;
  std::optional<std::vector<std::int64_t>> unit_ids;
  std::vector<std::string> where;
};
void add_convolve_options(CLI::App& app, ConvolveFields& fields);
/// A condition of --where. `units.` or `intervals.` before the column says which table it selects
/// from.
struct NamedCondition {
  ColumnValue condition;  ///< without that word
  bool names_units = false;
  bool names_intervals = false;
};
/// \throws CLI::ValidationError for what is no COLUMN=VALUE, and where both tables are given and
/// the
///         text names neither
NamedCondition named_condition(const std::string& text, bool has_units, bool has_intervals);

/// Adds --units, --intervals and what belongs to them.
void add_units_options(CLI::App& app, ConvolveFields& fields);
/// Takes what they say. \throws CLI::ValidationError
void take_units(const ConvolveFields& fields, ConvolveRequest& request);
ConvolveRequest convolve_request_from(const ConvolveFields& fields);

}  // namespace synelix::tool
