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
    throw CLI::ValidationError(
        "--basis", "'" + given.family + "' is not a basis. Valid are: " + family_names() + ".");
  }
  const auto missing = [&](const std::string& option) {
    return CLI::ValidationError(
        option, "it is missing, and --basis " + given.family + " needs it. Add " + option + ".");
  };
  if (const auto fault = fault_of(given)) {
    const std::string option = "--" + fault->parameter;
    if (fault->is_missing) throw missing(option);
    throw CLI::ValidationError(
        option, "this is not a parameter of --basis " + given.family + ". Leave it out.");
  }
  if (!fields.window) throw missing("--window");
}

}  // namespace

void add_basis_options(CLI::App& app, BankFields& fields) {
  const std::string group = "Filters";
  app.add_option("--basis", fields.parameters.family, "Basis: " + family_names(" or ") + ".")
      ->type_name("NAME")
      ->group(group);
  add_parsed(app, "--window", fields.window, parse_duration, "W",
             "Length of each filter: samples, or a time such as 100ms.")
      ->group(group);
  for (std::size_t i = 0; i < basis_options.size(); ++i) {
    const BasisOption& option = basis_options[i];
    std::optional<ParameterValue>& value = fields.parameters.values[i];
    const std::string name = "--" + std::string(option.name);
    if (option.parse != nullptr) {
      add_parsed(app, name, value, option.parse, option.value, option.help)->group(group);
    } else {
      const auto set = [&value](std::int64_t count) {
        if (count > 0) value = true;
      };
      app.add_flag_function(name, set, option.help)->group(group);
    }
  }
}

BankSource bank_from(const BankFields& fields) {
  if (fields.file) {
    if (!fields.parameters.family.empty()) {
      throw CLI::ValidationError("--bank", "it is given beside --basis. Give one of the two.");
    }
    const BasisParameters& given = fields.parameters;
    const bool has_parameter = std::any_of(given.values.begin(), given.values.end(),
                                           [](const auto& value) { return value.has_value(); });
    if (has_parameter || fields.window) {
      throw CLI::ValidationError(
          "--bank",
          "it is given beside parameters of a basis. Leave them out, since the file has "
          "all taps.");
    }
    if (fields.file->dataset.empty()) {
      throw CLI::ValidationError(
          "--bank", "'" + fields.file->file + "' names no dataset. Give FILE:/dataset.");
    }
    return {.basis = {}, .window = {}, .file = fields.file};
  }
  if (fields.parameters.family.empty()) {
    throw CLI::ValidationError("--basis",
                               "the filters are missing. Give --basis NAME or --bank "
                               "FILE:/dataset.");
  }
  check_parameters(fields);
  return {.basis = basis_of(fields.parameters), .window = fields.window, .file = {}};
}

void add_existing_options(CLI::App& app, ExistingFields& fields) {
  auto* replace =
      app.add_flag("-O,--overwrite", fields.replace, "Replace an existing output file.");
  auto* append = app.add_flag(
      "--append", fields.append,
      "Add the dataset to an existing file. The file is copied, and the copy is renamed.");
  replace->group("Output");
  append->group("Output")->excludes(replace);
}

void add_resume_option(CLI::App& app, bool& resume) {
  app.add_flag("--resume", resume,
               "Continue a stopped or killed run of the same command from its OUT.part.")
      ->group("Output");
}

void add_part_option(CLI::App& app, std::optional<PartWish>& part) {
  add_parsed(app, "--part", part, parse_part, "I/N|auto",
             "Compute part I of N of the rows (0/N to N-1/N), into one OUT that N processes write. "
             "Continues what there is, with any N. The last part renames OUT.part. With --filter "
             "each part writes OUT.part-I-of-N, for the command join. auto: the task of a Slurm "
             "step, of mpirun or of a job array.")
      ->configurable(false)
      ->group("Output");
}

void check_part(const std::optional<PartWish>& part, const ChunkFilter& filter,
                const std::vector<std::int64_t>& chunk, Standing standing) {
  if (!part) return;
  if (!chunk.empty() && filter.deflate == 0) {
    throw CLI::ValidationError("--chunk",
                               "it is given beside --part, but parts without --filter write one "
                               "contiguous dataset. Leave --chunk out, or give --filter.");
  }
  if (standing == Standing::append) {
    throw CLI::ValidationError("--append",
                               "it is given beside --part, but parts write a file of their own. "
                               "Give another OUT.");
  }
}

Standing standing_from(const ExistingFields& fields) {
  if (fields.replace) return Standing::replace;
  return fields.append ? Standing::append : Standing::refuse;
}

void add_processor_options(CLI::App& app, Processors& processors) {
  add_parsed(app, "--device", processors.device, parse_device, "N|local-rank",
             "For a build for GPUs: the device that computes, by number or by the local rank of "
             "mpirun or srun. Default: the first.")
      ->group("Computing");
  add_parsed(app, "--threads", processors.threads, parse_threads, "N",
             "Threads of the host. Results do not depend on them. Default: OMP_NUM_THREADS, else "
             "SLURM_CPUS_PER_TASK or the limit of a container, else one for each processor.")
      ->group("Computing");
}

void add_instruction_set_option(CLI::App& app, InstructionSet& set) {
  add_parsed(app, "--instruction-set", set, parse_instruction_set, "NAME", instruction_set_help)
      ->group("Computing");
}

void add_trust_options(CLI::App& app, Trust& trust) {
  app.add_flag("--follow-links", trust.follow_links,
               "For files that you trust: also read files outside the folder of the recording that "
               "it names by external links, external raw data or virtual sources.")
      ->configurable(false)
      ->group("Input");
  app.add_flag("--allow-plugins", trust.allow_plugins,
               "For files that you trust: HDF5 may load filter plug-ins from the folders of "
               "HDF5_PLUGIN_PATH.")
      ->configurable(false)
      ->group("Input");
}

void add_message_options(CLI::App& app, Messages& messages) {
  app.add_flag("--json", messages.json, "Print the result as JSON on stdout.")->group("Messages");
  app.add_flag("--quiet", messages.quiet, "Print only errors, and warnings of dropped data.")
      ->group("Messages");
}

void add_progress_option(CLI::App& app, Messages& messages) {
  add_parsed(
      app, "--progress", messages.progress,
      [](const std::string& text) {
        return parse_word(std::span<const Style>(progress_styles), text);
      },
      "STYLE",
      "Style of progress messages: auto (default: a bar on a terminal, else lines), bar, lines, "
      "json (on "
      "stderr) or none.")
      ->group("Messages");
}

}  // namespace synelix::tool
