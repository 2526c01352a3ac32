// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/command_line.hpp"

#include "tool/options/counts_options.hpp"
#include "tool/options/describe_options.hpp"
#include "tool/options/features_options.hpp"
#include "tool/options/fit_options.hpp"
#include "tool/options/join_options.hpp"
#include "tool/options/list_outputs.hpp"
#include "tool/options/option_groups.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/version.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <sstream>

namespace synelix::tool {
namespace {

constexpr const char* simulate_example =
    "  synelix simulate rec.h5:/counts --samples 60000 --channels 16 --seed 1 -O\n";
constexpr const char* convolve_example =
    "  synelix convolve rec.h5:/counts out.h5:/features \\\n"
    "      --basis raised-cosine-log --bases 8 --window 100 --budget 64MiB -O\n";
/// Where the files of the examples come from.
constexpr const char* fit_note =
    "Files as in examples/fit of the sources, where make_session.py writes session.nwb.\n\n";
constexpr const char* kokkos_note =
    "Flags that begin with --kokkos- (such as --kokkos-num-threads=2) go to Kokkos.";

std::string example(const std::string& lines) { return "Example:\n" + lines; }

/// What was read for `basis`.
struct BasisFields {
  BasisRequest request;
  BankFields bank;
  ExistingFields existing;
};

BasisRequest basis_request_from(const BasisFields& fields) {
  BasisRequest request = fields.request;
  request.bank = bank_from(fields.bank);
  request.standing = standing_from(fields.existing);
  if (request.bank.window && request.bank.window->in_seconds) {
    throw CLI::ValidationError("--window", format_seconds(request.bank.window->value) +
                                               " is a time, but taps have no rate. Give samples.");
  }
  if (!request.output.file.empty() && request.output.dataset.empty()) {
    throw CLI::ValidationError(
        "--output", "'" + request.output.file + "' names no dataset. Give FILE:/dataset.");
  }
  return request;
}

/// What was read for `simulate`.
struct SimulateFields {
  SimulateRequest request;
  ExistingFields existing;
};

SimulateRequest simulate_request_from(const SimulateFields& fields) {
  SimulateRequest request = fields.request;
  request.standing = standing_from(fields.existing);
  const auto require_positive = [](const char* option, double value) {
    if (!(value > 0)) {
      std::ostringstream text;
      text << value << " is not positive. Give a number above 0.";
      throw CLI::ValidationError(option, text.str());
    }
  };
  require_positive("--samples", static_cast<double>(request.samples));
  require_positive("--channels", static_cast<double>(request.channels));
  require_positive("--rate-hz", request.rate_hz);
  if (request.output.dataset.empty()) {
    throw CLI::ValidationError(
        "OUT", "'" + request.output.file + "' names no dataset. Give FILE:/dataset.");
  }
  return request;
}

/// Scripts read its first two words.
std::string version_line() {
  return "synelix " + std::string(version()) + " (revision " + std::string(revision()) + ", " +
         build_summary() + ")";
}

/// Prints help or a version, or one line for what is wrong.
int leave(const CLI::App& app, const CLI::ParseError& reason) {
  if (reason.get_exit_code() == exit_success) return app.exit(reason);
  std::string message = reason.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << app.get_name() << ": " << terminal_text(message) << "\n"
            << "see: " << app.get_name() << " --help\n";
  return exit_usage;
}

/// Refuses a list whose lines would meet, by all that is known of the request.
template <class Request>
void check_list(const Request& request) {
  if constexpr (requires { request.list; }) {
    try {
      require_apart(request);
    } catch (const Error& error) {
      throw CLI::ValidationError("--list", error.what());
    }
  }
}

/// Parses the words and makes the request, whose cross-checks throw CLI::ParseError too.
template <class MakeRequest>
Parsed parsed(CLI::App& app, std::vector<std::string> words, MakeRequest make_request) {
  if (words.size() == 1 && words.front() == describe_options_word) {
    std::cout << describe_options(app) << "\n";
    return {.request = {}, .exit_code = exit_success};
  }
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
    app.parse(std::move(words));
    auto request = make_request();
    const CLI::Option* const config = app.get_config_ptr();
    if constexpr (requires { request.config; }) {
      if (config != nullptr && config->count() > 0) request.config = config->results().front();
    }
    check_list(request);
    return {.request = std::move(request), .exit_code = exit_success};
  } catch (const CLI::ParseError& reason) {
    return {.request = {}, .exit_code = leave(app, reason)};
  }
}

Parsed parse_convolve(CLI::App& app, std::vector<std::string> words) {
  ConvolveFields fields;
  add_parsed(app, "IN", fields.request.input, parse_dataset_path, "FILE:/dataset",
             "The recording, samples x channels; or, with --units, an NWB file.");
  add_parsed(app, "OUT", fields.request.output, parse_output_path, "FILE:/dataset",
             "The features, rows x channels x bases. --list stands in place of IN and OUT.");
  add_convolve_options(app, fields);
  app.footer(example(std::string(simulate_example) + convolve_example) + kokkos_note);
  return parsed(app, std::move(words), [&] { return convolve_request_from(fields); });
}

Parsed parse_plan(CLI::App& app, std::vector<std::string> words) {
  ConvolveFields fields;
  fields.request.dry_run = true;
  add_parsed(app, "IN", fields.request.input, parse_dataset_path, "FILE:/dataset",
             "As for convolve.");
  add_parsed(app, "OUT", fields.request.output, parse_output_path, "FILE:/dataset",
             "As for convolve. Optional.");
  add_convolve_options(app, fields);
  app.footer(example(std::string(simulate_example) +
                     "  synelix plan rec.h5:/counts --basis bspline --bases 5 --window 50ms "
                     "--budget 8MiB\n") +
             kokkos_note);
  return parsed(app, std::move(words), [&] { return convolve_request_from(fields); });
}

Parsed parse_counts(CLI::App& app, std::vector<std::string> words) {
  CountsFields fields;
  add_counts_options(app, fields);
  app.footer(
      "Rows are those of convolve with the same options, as long as it keeps its border and\n"
      "writes every row. So counts are targets for its features, row by row.\n\n" +
      example(counts_example) + fit_note);
  return parsed(app, std::move(words), [&] { return counts_request_from(fields); });
}

Parsed parse_features(CLI::App& app, std::vector<std::string> words) {
  FeaturesFields fields;
  app.add_option("DESIGN", fields.request.design,
                 "A design file (TOML) with inputs, bases and terms.")
      ->type_name("FILE");
  add_parsed(app, "OUT", fields.request.output, parse_output_path, "FILE:/dataset",
             "The features, rows x columns. Optional with --dry-run. --list stands in place of "
             "DESIGN and OUT.");
  add_features_options(app, fields);
  app.footer(example("  synelix features design.toml --dry-run\n"
                     "  synelix features design.toml out.h5:/features --budget 64MiB -O\n") +
             kokkos_note);
  return parsed(app, std::move(words), [&] { return features_request_from(fields); });
}

CLI::Option* add_design(CLI::App& app, DesignRequest& request) {
  return app
      .add_option("DESIGN", request.design, "A design file (TOML) with inputs, bases and terms.")
      ->type_name("FILE")
      ->required();
}

CLI::Option* add_model(CLI::App& app, std::string& model) {
  return app.add_option("MODEL", model, "A file that fit wrote.")->type_name("FILE")->required();
}

Parsed parse_fit(CLI::App& app, std::vector<std::string> words) {
  FitFields fields;
  add_design(app, fields.request);
  app.add_option("OUT", fields.request.output,
                 "The model: an HDF5 file of coefficients, errors and how they were found. "
                 "Optional with --dry-run.")
      ->type_name("FILE");
  add_fit_options(app, fields);
  app.footer(example("  synelix fit design.toml model.h5 --target session.nwb --units "
                     "--penalty ridge:1e-3 -O\n"
                     "  synelix fit design.toml path.h5 --target session.nwb --units \\\n"
                     "      --penalty lasso --path 50 --folds 5 --choose 1se -O\n") +
             fit_note + kokkos_note);
  return parsed(app, std::move(words), [&] { return fit_request_from(fields); });
}

Parsed parse_predict(CLI::App& app, std::vector<std::string> words) {
  PredictFields fields;
  add_model(app, fields.request.model);
  add_design(app, fields.request);
  add_parsed(app, "OUT", fields.request.output, parse_output_path, "FILE:/dataset",
             "The means of the targets, rows x targets.")
      ->required();
  add_predict_options(app, fields);
  app.footer(example("  synelix predict model.h5 design.toml means.h5:/means -O\n") + fit_note +
             kokkos_note);
  return parsed(app, std::move(words), [&] { return predict_request_from(fields); });
}

Parsed parse_score(CLI::App& app, std::vector<std::string> words) {
  ScoreFields fields;
  add_model(app, fields.request.model);
  add_design(app, fields.request);
  add_score_options(app, fields);
  app.footer(example("  synelix score model.h5 design.toml --target session.nwb --units\n") +
             fit_note + kokkos_note);
  return parsed(app, std::move(words), [&] { return score_request_from(fields); });
}

Parsed parse_basis(CLI::App& app, std::vector<std::string> words) {
  BasisFields fields;
  add_basis_options(app, fields.bank);
  add_parsed(app, "-o,--output", fields.request.output, parse_output_path, "FILE:/dataset",
             "Write (window, bases) taps for --bank, instead of CSV on stdout.")
      ->group("Output");
  add_existing_options(app, fields.existing);
  add_message_options(app, fields.request.messages);
  add_config_option(app);
  app.footer(
      example("  synelix basis --basis mspline --bases 4 --window 20\n"
              "  synelix basis --basis history --window 10 -o bank.h5:/taps -O\n"));
  return parsed(app, std::move(words), [&] { return basis_request_from(fields); });
}

Parsed parse_simulate(CLI::App& app, std::vector<std::string> words) {
  SimulateFields fields;
  SimulateRequest& request = fields.request;
  const std::string group = "Recording";
  add_parsed(app, "OUT", request.output, parse_output_path, "FILE:/dataset",
             "The recording: uint8 counts, samples x channels.")
      ->required();
  add_parsed(app, "--samples", request.samples, parse_integer, "N", "Length of the recording.")
      ->required()
      ->group(group);
  add_parsed(app, "--channels", request.channels, parse_integer, "C", "Number of neurons.")
      ->required()
      ->group(group);
  add_parsed(app, "--seed", request.seed, parse_integer, "S",
             "The same seed gives the same counts on every machine. Default: 0.")
      ->group(group);
  add_parsed(app, "--rate-hz", request.rate_hz, parse_number, "HZ",
             "Typical firing rate. Default: 5.")
      ->group(group);
  add_parsed(app, "--bin", request.bin_seconds, parse_bin, "TIME",
             "Width of a sample, a time with its unit. Default: 1ms.")
      ->group(group);
  add_existing_options(app, fields.existing);
  add_progress_option(app, request.messages);
  add_message_options(app, request.messages);
  add_config_option(app);
  app.footer(example(simulate_example));
  return parsed(app, std::move(words), [&] { return simulate_request_from(fields); });
}

Parsed parse_calibrate(CLI::App& app, std::vector<std::string> words) {
  CalibrateRequest request;
  app.add_option(
         "-o,--output", request.output,
         "Write to this file, instead of synelix/machine.json in the user's configuration folder.")
      ->type_name("FILE");
  add_instruction_set_option(app, request.instruction_set);
  add_processor_options(app, request.processors);
  add_message_options(app, request.messages);
  app.footer(
      "Runs some hundred small convolutions, for a few seconds and in about 250 MB. The "
      "machine\nshould be idle otherwise. convolve, plan and features read the result, which "
      "decides their\nmethod. With another file, or --machine default, the last bits of features "
      "may differ.\n" +
      example("  synelix calibrate\n") + kokkos_note);
  return parsed(app, std::move(words), [&] { return request; });
}

Parsed parse_join(CLI::App& app, std::vector<std::string> words) {
  JoinFields fields;
  add_join_options(app, fields);
  app.footer(example(std::string(simulate_example) + join_example));
  return parsed(app, std::move(words), [&] { return join_request_from(fields); });
}

Parsed parse_info(CLI::App& app, std::vector<std::string> words) {
  InfoRequest request;
  add_parsed(app, "FILE", request.input, parse_dataset_path, "FILE",
             "An HDF5 or NWB file, or FILE:/dataset. Without it, info lists versions and devices.");
  add_trust_options(app, request.trust);
  app.add_flag("--json", request.messages.json, "Print JSON.");
  app.footer(
      example(std::string("  synelix info\n") + simulate_example + "  synelix info rec.h5\n"));
  return parsed(app, std::move(words), [&] { return request; });
}

struct Command {
  const char* name;
  const char* description;
  Parsed (*parse)(CLI::App& app, std::vector<std::string> words);
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

/// Help, version, or what is wrong where no command is named first.
Parsed parse_without_command(std::vector<std::string> words) {
  CLI::App app("Convolves large multi-channel recordings with banks of filters, in bounded memory.",
               "synelix");
  std::string names;
  for (const Command& command : commands) {
    app.add_subcommand(command.name, command.description);
    names += (names.empty() ? "" : ", ") + std::string(command.name);
  }
  app.allow_extras();
  app.set_version_flag("--version", version_line);
  app.footer(example(std::string(simulate_example) + convolve_example + "  synelix info out.h5\n") +
             "Each command has its own --help. " + kokkos_note +
             "\nSIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGUSR1 end each command within a second. The "
             "exit code is\nthen 128 + the number of the signal. An error has exit code 1, and an "
             "error of the command line 2.");
  return parsed(app, words, [&]() -> Request {
    const std::string problem =
        words.empty() ? "none is given" : "there is no '" + words.front() + "'";
    throw CLI::ValidationError("command", problem + ". Give one of these first: " + names + ".");
  });
}

}  // namespace

Parsed parse_command_line(std::vector<std::string> words) {
  if (!words.empty()) {
    for (const Command& command : commands) {
      if (words.front() != command.name) continue;
      CLI::App app(command.description, std::string("synelix ") + command.name);
      app.set_version_flag("--version", version_line)->group("");
      words.erase(words.begin());
      return command.parse(app, std::move(words));
    }
  }
  return parse_without_command(std::move(words));
}

}  // namespace synelix::tool
