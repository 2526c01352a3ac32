// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/command_line.hpp"

#include "tool/options/list_file.hpp"
#include "tool/options/option_groups.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace synelix::tool {
namespace {

constexpr const char* simulate_example =
    "  synelix simulate rec.h5:/counts --samples 60000 --channels 16 --seed 1 -O\n";
constexpr const char* convolve_example =
    "  synelix convolve rec.h5:/counts out.h5:/features \\\n"
    "      --basis raised-cosine-log --bases 8 --window 100 --budget 64MiB -O\n";
constexpr const char* join_example =
    "  synelix convolve rec.h5:/counts parts.h5:/features --basis history --window 20 \\\n"
    "      --filter shuffle,deflate:1 --part 0/2\n"
    "  synelix convolve rec.h5:/counts parts.h5:/features --basis history --window 20 \\\n"
    "      --filter shuffle,deflate:1 --part 1/2\n"
    "  synelix join parts.h5 --remove-parts\n";
/// The source of the files in the examples.
constexpr const char* fit_note =
    "Files as in examples/fit of the sources, where make_session.py writes session.nwb.\n\n";
constexpr const char* kokkos_note =
    "Flags that begin with --kokkos- (such as --kokkos-num-threads=2) go to Kokkos.";

std::string example(const std::string& lines) { return "Example:\n" + lines; }

/// The values read for `basis`.
struct BasisFields {
  BasisRequest request;
  BankFields bank;
};

BasisRequest basis_request_from(const BasisFields& fields) {
  BasisRequest request = fields.request;
  request.bank = bank_from(fields.bank);
  if (request.bank.window && request.bank.window->in_seconds) {
    throw UsageError("--window", format_seconds(request.bank.window->value) +
                                     " is a time, but taps have no rate. Give samples.");
  }
  if (!request.output.file.empty()) require_dataset("--output", request.output);
  return request;
}

void require_simulation(const SimulateRequest& request) {
  const auto require_positive = [](const char* option, double value) {
    if (!(value > 0)) {
      std::ostringstream text;
      text << value << " is not positive. Give a number above 0.";
      throw UsageError(option, text.str());
    }
  };
  require_positive("--samples", static_cast<double>(request.samples));
  require_positive("--channels", static_cast<double>(request.channels));
  require_positive("--rate-hz", request.rate_hz);
  require_dataset("OUT", request.output);
}

void add_join_options(OptionRows& rows, JoinRequest& request) {
  add_parsed(rows, "OUT", request.output, parse_output_path, "FILE",
             "The output, as it was given to the parts. A dataset can be left out.")
      .required();
  rows.add_texts("PART", OptionKind::rest, request.parts, "FILE",
                 "The files of all parts, in any order. Default: OUT.part-I-of-N beside OUT.");
  add_overwrite_option(rows, request.existing);
  rows.add_flag("--remove-parts", request.remove_parts,
                "Remove the part files once OUT is whole and on the disk.");
  add_progress_option(rows, request.messages);
  add_message_options(rows, request.messages);
}

/// Throws if lines of a list have conflicting files, by everything that is known of the request.
template <class Request>
void check_list(const Request& request) {
  if constexpr (requires { request.list; }) {
    try {
      require_apart(request);
    } catch (const Error& error) {
      throw UsageError("--list", error.what());
    }
  }
}

/// Reads the words and makes the request. Its cross-checks also throw UsageError.
template <class MakeRequest>
Parsed parsed(const CommandRows& command, std::vector<std::string> words,
              MakeRequest make_request) {
  Parsed result;
  result.exit_code = read_words(command, std::move(words), [&](const std::string& config) {
    auto request = make_request();
    if constexpr (requires { request.config; }) request.config = config;
    check_list(request);
    result.request = std::move(request);
  });
  return result;
}

Parsed parse_convolve(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  ConvolveFields fields;
  add_parsed(rows, "IN", fields.request.input, parse_dataset_path, "FILE:/dataset",
             "The recording, samples x channels; or, with --units, an NWB file.");
  add_parsed(rows, "OUT", fields.request.output, parse_output_path, "FILE:/dataset",
             "The features, rows x channels x bases. --list stands in place of IN and OUT.");
  add_convolve_options(rows, fields);
  command.footer = example(std::string(simulate_example) + convolve_example) + kokkos_note;
  return parsed(command, std::move(words), [&] { return convolve_request_from(fields); });
}

Parsed parse_plan(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  ConvolveFields fields;
  fields.request.dry_run = true;
  add_parsed(rows, "IN", fields.request.input, parse_dataset_path, "FILE:/dataset",
             "As for convolve.");
  add_parsed(rows, "OUT", fields.request.output, parse_output_path, "FILE:/dataset",
             "As for convolve. Optional.");
  add_convolve_options(rows, fields);
  command.footer = example(std::string(simulate_example) +
                           "  synelix plan rec.h5:/counts --basis bspline --bases 5 --window 50ms "
                           "--budget 8MiB\n") +
                   kokkos_note;
  return parsed(command, std::move(words), [&] { return convolve_request_from(fields); });
}

Parsed parse_counts(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  CountsFields fields;
  add_counts_options(rows, fields);
  command.footer =
      "Rows are those of convolve with the same options, as long as it keeps its border and\n"
      "writes every row. So counts are targets for its features, row by row.\n\n" +
      example(counts_example) + fit_note;
  return parsed(command, std::move(words), [&] { return counts_request_from(fields); });
}

Parsed parse_features(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  FeaturesFields fields;
  rows.add_text("DESIGN", fields.request.design, "FILE",
                "A design file (TOML) with inputs, bases and terms.");
  add_parsed(rows, "OUT", fields.request.output, parse_output_path, "FILE:/dataset",
             "The features, rows x columns. Optional with --dry-run. --list stands in place of "
             "DESIGN and OUT.");
  add_features_options(rows, fields);
  command.footer = example(
                       "  synelix features design.toml --dry-run\n"
                       "  synelix features design.toml out.h5:/features --budget 64MiB -O\n") +
                   kokkos_note;
  return parsed(command, std::move(words), [&] { return features_request_from(fields); });
}

OptionRow& add_design(OptionRows& rows, DesignRequest& request) {
  return rows
      .add_text("DESIGN", request.design, "FILE",
                "A design file (TOML) with inputs, bases and terms.")
      .required();
}

OptionRow& add_model(OptionRows& rows, std::string& model) {
  return rows.add_text("MODEL", model, "FILE", "A file that fit wrote.").required();
}

Parsed parse_fit(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  FitRequest request;
  TargetFields target;
  add_design(rows, request);
  rows.add_text("OUT", request.output, "FILE",
                "The model: an HDF5 file of coefficients, errors and how they were found. "
                "Optional with --dry-run.");
  add_fit_options(rows, request, target);
  command.footer = example(
                       "  synelix fit design.toml model.h5 --target session.nwb --units "
                       "--penalty ridge:1e-3 -O\n"
                       "  synelix fit design.toml path.h5 --target session.nwb --units \\\n"
                       "      --penalty lasso --path 50 --folds 5 --choose 1se -O\n") +
                   fit_note + kokkos_note;
  return parsed(command, std::move(words), [&] {
    request.target = target_from(target, request);
    if (request.output.empty() && !request.dry_run) {
      throw UsageError("OUT", "none is given. Give FILE, or --dry-run.");
    }
    return request;
  });
}

Parsed parse_predict(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  PredictRequest request;
  add_model(rows, request.model);
  add_design(rows, request);
  add_parsed(rows, "OUT", request.output, parse_output_path, "FILE:/dataset",
             "The means of the targets, rows x targets.")
      .required();
  add_predict_options(rows, request);
  command.footer = example("  synelix predict model.h5 design.toml means.h5:/means -O\n") +
                   fit_note + kokkos_note;
  return parsed(command, std::move(words), [&] {
    require_dataset("OUT", request.output);
    return request;
  });
}

Parsed parse_score(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  ScoreRequest request;
  TargetFields target;
  add_model(rows, request.model);
  add_design(rows, request);
  add_score_options(rows, request, target);
  command.footer = example("  synelix score model.h5 design.toml --target session.nwb --units\n") +
                   fit_note + kokkos_note;
  return parsed(command, std::move(words), [&] {
    request.target = target_from(target, request);
    return request;
  });
}

Parsed parse_basis(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  BasisFields fields;
  add_basis_options(rows, fields.bank);
  rows.in_group("Output");
  add_parsed(rows, "-o,--output", fields.request.output, parse_output_path, "FILE:/dataset",
             "Write (window, bases) taps for --bank, instead of CSV on stdout.");
  add_existing_options(rows, fields.request.existing);
  add_message_options(rows, fields.request.messages);
  add_config_option(rows);
  command.footer = example(
      "  synelix basis --basis mspline --bases 4 --window 20\n"
      "  synelix basis --basis history --window 10 -o bank.h5:/taps -O\n");
  return parsed(command, std::move(words), [&] { return basis_request_from(fields); });
}

Parsed parse_simulate(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  SimulateRequest request;
  add_parsed(rows, "OUT", request.output, parse_output_path, "FILE:/dataset",
             "The recording: uint8 counts, samples x channels.")
      .required();
  rows.in_group("Recording");
  add_parsed(rows, "--samples", request.samples, parse_integer, "N", "Length of the recording.")
      .required();
  add_parsed(rows, "--channels", request.channels, parse_integer, "C", "Number of neurons.")
      .required();
  add_parsed(rows, "--seed", request.seed, parse_integer, "S",
             "The same seed gives the same counts on every machine. Default: 0.");
  add_parsed(rows, "--rate-hz", request.rate_hz, parse_number, "HZ",
             "Typical firing rate. Default: 5.");
  add_parsed(rows, "--bin", request.bin_seconds, parse_bin, "TIME",
             "Width of a sample, a time with its unit. Default: 1ms.");
  add_existing_options(rows, request.existing);
  add_progress_option(rows, request.messages);
  add_message_options(rows, request.messages);
  add_config_option(rows);
  command.footer = example(simulate_example);
  return parsed(command, std::move(words), [&] {
    require_simulation(request);
    return request;
  });
}

Parsed parse_calibrate(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  CalibrateRequest request;
  rows.add_text(
      "-o,--output", request.output, "FILE",
      "Write to this file, instead of synelix/machine.json in the user's configuration folder.");
  add_instruction_set_option(rows, request.instruction_set);
  add_processor_options(rows, request.processors);
  add_message_options(rows, request.messages);
  command.footer =
      "Runs some hundred small convolutions, for a few seconds and in about 250 MB. The "
      "machine\nshould be idle otherwise. convolve, plan and features read the result, which "
      "decides their\nmethod. With another file, or --machine default, the last bits of features "
      "may differ.\n" +
      example("  synelix calibrate\n") + kokkos_note;
  return parsed(command, std::move(words), [&] { return request; });
}

Parsed parse_join(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  JoinRequest request;
  add_join_options(rows, request);
  command.footer = example(std::string(simulate_example) + join_example);
  return parsed(command, std::move(words), [&] { return request; });
}

Parsed parse_info(CommandRows& command, std::vector<std::string> words) {
  OptionRows& rows = command.options;
  InfoRequest request;
  add_parsed(rows, "FILE", request.input, parse_dataset_path, "FILE",
             "An HDF5 or NWB file, or FILE:/dataset. Without it, info lists versions and devices.");
  add_trust_options(rows, request.trust);
  rows.in_group("");
  rows.add_flag("--json", request.messages.json, "Print JSON.");
  command.footer =
      example(std::string("  synelix info\n") + simulate_example + "  synelix info rec.h5\n");
  return parsed(command, std::move(words), [&] { return request; });
}

struct Command {
  const char* name;
  const char* description;
  Parsed (*parse)(CommandRows& command, std::vector<std::string> words);
};
constexpr std::array<Command, 12> commands{{
    {"convolve", "Convolve a recording with a bank of filters.", parse_convolve},
    {"plan", "Say what convolve would do (shape, memory, time) without running it.", parse_plan},
    {"counts", "Count the spikes of an NWB file in the bins of convolve.", parse_counts},
    {"features", "Compute the terms of a design file: sums and products of bases.", parse_features},
    {"fit", "Fit generalized linear models on the columns of a design file.", parse_fit},
    {"predict", "Compute the means that a model predicts for a recording.", parse_predict},
    {"score", "Compare what a model predicts with a recording.", parse_score},
    {"join", "Make one output of the files of compressed parts.", parse_join},
    {"basis", "Print or write the taps of a basis.", parse_basis},
    {"simulate", "Write a recording of coupled Poisson neurons, as counts.", parse_simulate},
    {"calibrate", "Measure this machine, for the choice of methods.", parse_calibrate},
    {"info", "Describe a file, or this build of synelix.", parse_info},
}};

/// Help, version, or the fault if no command is named first.
Parsed parse_without_command(std::vector<std::string> words) {
  CommandRows program{
      .name = "synelix",
      .description =
          "Convolves large multi-channel recordings with banks of filters, in bounded memory."};
  std::string names;
  for (const Command& command : commands) {
    program.commands.emplace_back(command.name, command.description);
    names += (names.empty() ? "" : ", ") + std::string(command.name);
  }
  program.footer =
      example(std::string(simulate_example) + convolve_example + "  synelix info out.h5\n") +
      "Each command has its own --help. " + kokkos_note +
      "\nSIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGUSR1 end each command within a second. The "
      "exit code is\nthen 128 + the number of the signal. An error has exit code 1, and an "
      "error of the command line 2.";
  return parsed(program, words, [&]() -> Request {
    const std::string problem =
        words.empty() ? "none is given" : "there is no '" + words.front() + "'";
    throw UsageError("command", problem + ". Give one of these first: " + names + ".");
  });
}

}  // namespace

Parsed parse_command_line(std::vector<std::string> words) {
  if (!words.empty()) {
    for (const Command& command : commands) {
      if (words.front() != command.name) continue;
      CommandRows rows{.name = std::string("synelix ") + command.name,
                       .description = command.description};
      words.erase(words.begin());
      return command.parse(rows, std::move(words));
    }
  }
  return parse_without_command(std::move(words));
}

}  // namespace synelix::tool
