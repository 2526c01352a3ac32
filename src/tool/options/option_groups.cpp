// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/option_groups.hpp"

#include "tool/options/option_words.hpp"

#include <algorithm>
#include <array>

namespace synelix::tool {
namespace {

using Style = std::pair<std::string_view, ProgressStyle>;
constexpr std::array<Style, 5> progress_styles{{{"auto", ProgressStyle::automatic},
                                                {"bar", ProgressStyle::bar},
                                                {"lines", ProgressStyle::lines},
                                                {"json", ProgressStyle::json},
                                                {"none", ProgressStyle::none}}};

void check_parameters(const BankFields& fields) {
  const BasisParameters& given = fields.parameters;
  if (!is_family(given.family)) {
    throw UsageError("--basis",
                     "'" + given.family + "' is not a basis. Valid are: " + family_names() + ".");
  }
  const auto missing = [&](const std::string& option) {
    return UsageError(
        option, "it is missing, and --basis " + given.family + " needs it. Add " + option + ".");
  };
  if (const auto fault = fault_of(given)) {
    const std::string option = "--" + fault->parameter;
    if (fault->is_missing) throw missing(option);
    throw UsageError(option,
                     "this is not a parameter of --basis " + given.family + ". Leave it out.");
  }
  if (!fields.window) throw missing("--window");
}

}  // namespace

void require_output_dataset(const DatasetPath& output) {
  if (!output.dataset.empty()) return;
  throw Error("OUT", "'" + output.file + "' names no dataset", "Give FILE:/dataset");
}

void add_basis_options(OptionRows& rows, BankFields& fields) {
  rows.in_group("Filters");
  rows.add_text("--basis", fields.parameters.family, "NAME",
                "Basis: " + family_names(" or ") + ".");
  add_parsed(rows, "--window", fields.window, parse_duration, "W",
             "Length of each filter: samples, or a time such as 100ms.");
  for (std::size_t i = 0; i < basis_options.size(); ++i) {
    const BasisOption& option = basis_options[i];
    std::optional<ParameterValue>& value = fields.parameters.values[i];
    const std::string name = "--" + std::string(option.name);
    if (option.parse != nullptr) {
      add_parsed(rows, name, value, option.parse, option.value, option.help);
    } else {
      rows.add_flag(name, [&value] { value = true; }, option.help);
    }
  }
}

BankSource bank_from(const BankFields& fields) {
  if (fields.file) {
    if (!fields.parameters.family.empty()) {
      throw UsageError("--bank", "it is given beside --basis. Give one of the two.");
    }
    const BasisParameters& given = fields.parameters;
    const bool has_parameter = std::any_of(given.values.begin(), given.values.end(),
                                           [](const auto& value) { return value.has_value(); });
    if (has_parameter || fields.window) {
      throw UsageError(
          "--bank",
          "it is given beside parameters of a basis. Leave them out, since the file has "
          "all taps.");
    }
    require_dataset("--bank", *fields.file);
    return {.basis = {}, .window = {}, .file = fields.file};
  }
  if (fields.parameters.family.empty()) {
    throw UsageError("--basis",
                     "the filters are missing. Give --basis NAME or --bank "
                     "FILE:/dataset.");
  }
  check_parameters(fields);
  return {.basis = basis_of(fields.parameters), .window = fields.window, .file = {}};
}

void require_dataset(const char* option, const DatasetPath& path) {
  if (!path.dataset.empty()) return;
  throw UsageError(option, "'" + path.file + "' names no dataset. Give FILE:/dataset.");
}

void add_overwrite_option(OptionRows& rows, Existing& existing) {
  rows.in_group("Output");
  rows.add_flag(
      "-O,--overwrite", [&existing] { existing = Existing::replace; },
      "Replace an existing output file.");
}

void add_existing_options(OptionRows& rows, Existing& existing) {
  add_overwrite_option(rows, existing);
  rows.add_flag(
          "--append", [&existing] { existing = Existing::append; },
          "Add the dataset to an existing file. The file is copied, and the copy is renamed.")
      .excluded = "--overwrite";
}

void add_resume_option(OptionRows& rows, bool& resume) {
  rows.in_group("Output");
  rows.add_flag("--resume", resume,
                "Continue a stopped or killed run of the same command from its OUT.part.");
}

void add_part_option(OptionRows& rows, std::optional<PartWish>& part) {
  rows.in_group("Output");
  add_parsed(rows, "--part", part, parse_part, "I/N|auto",
             "Compute part I of N of the rows (0/N to N-1/N), into one OUT that N processes write. "
             "Continues what there is, with any N. The last part renames OUT.part. With --filter "
             "each part writes OUT.part-I-of-N, for the command join. auto: the task of a Slurm "
             "step, of mpirun or of a job array.")
      .only_on_the_command_line();
}

void add_facts_option(OptionRows& rows, std::string& facts) {
  rows.in_group("Output");
  rows.add_text("--facts", facts, "FILE",
                "What all parts share, as plan --save has found it: fits of timestamps, ranges of "
                "inputs, the instruction set and the calibration. Default: a part reads "
                "OUT.part.facts if it exists, and otherwise finds this itself.")
      .only_on_the_command_line();
}

void add_save_option(OptionRows& rows, std::string& save, const std::string& condition) {
  rows.in_group("Output");
  rows.add_text("--save", save, "FILE",
                condition +
                    "write what all parts of an output share to a file, for --facts. Parts "
                    "find OUT.part.facts without that option.")
      .only_on_the_command_line();
}

void check_facts(bool has_list, const std::string& facts, const std::string& save) {
  if (!has_list || (facts.empty() && save.empty())) return;
  throw UsageError(facts.empty() ? "--save" : "--facts",
                   "it is given beside --list, but its file is for one output. Leave it out.");
}

void check_part(const std::optional<PartWish>& part, const ChunkFilter& filter,
                const std::vector<std::int64_t>& chunk, Existing existing) {
  if (!part) return;
  if (!chunk.empty() && filter.deflate == 0) {
    throw UsageError("--chunk",
                     "it is given beside --part, but parts without --filter write one "
                     "contiguous dataset. Leave --chunk out, or give --filter.");
  }
  if (existing == Existing::append) {
    throw UsageError("--append",
                     "it is given beside --part, but parts write a file of their own. "
                     "Give another OUT.");
  }
}

void add_processor_options(OptionRows& rows, Processors& processors) {
  rows.in_group("Computing");
  add_parsed(rows, "--device", processors.device, parse_device, "N|local-rank",
             "For a build for GPUs: the device that computes, by number or by the local rank of "
             "mpirun or srun. Default: the first.");
  add_parsed(rows, "--threads", processors.threads, parse_threads, "N",
             "Threads of the host. Results do not depend on them. Default: OMP_NUM_THREADS, else "
             "SLURM_CPUS_PER_TASK or the limit of a container, else one for each processor.");
}

void add_instruction_set_option(OptionRows& rows, InstructionSet& set) {
  rows.in_group("Computing");
  add_parsed(rows, "--instruction-set", set, parse_instruction_set, "NAME", instruction_set_help);
}

void add_trust_options(OptionRows& rows, Trust& trust) {
  rows.in_group("Input");
  rows.add_flag(
          "--follow-links", trust.follow_links,
          "For files that you trust: also read files outside the folder of the recording that "
          "it names by external links, external raw data or virtual sources.")
      .only_on_the_command_line();
  rows.add_flag("--allow-plugins", trust.allow_plugins,
                "For files that you trust: HDF5 may load filter plug-ins from the folders of "
                "HDF5_PLUGIN_PATH.")
      .only_on_the_command_line();
}

void add_config_option(OptionRows& rows) {
  rows.add({.names = "--config",
            .kind = OptionKind::config,
            .value = "FILE",
            .description =
                "Read options from a TOML or INI file. Write name = value under [COMMAND], or "
                "before any section.",
            .group = "Messages"});
}

void add_message_options(OptionRows& rows, Messages& messages) {
  rows.in_group("Messages");
  rows.add_flag("--json", messages.json, "Print the result as JSON on stdout.");
  rows.add_flag("--quiet", messages.quiet, "Print only errors, and warnings of dropped data.");
}

void add_progress_option(OptionRows& rows, Messages& messages) {
  rows.in_group("Messages");
  add_parsed(
      rows, "--progress", messages.progress,
      [](const std::string& text) {
        return parse_word(std::span<const Style>(progress_styles), text);
      },
      "STYLE",
      "Style of progress messages: auto (default: a bar on a terminal, else lines), bar, lines, "
      "json (on "
      "stderr) or none.");
}

}  // namespace synelix::tool
