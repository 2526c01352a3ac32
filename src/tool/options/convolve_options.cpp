// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/list_file.hpp"
#include "tool/options/option_groups.hpp"
#include "tool/options/option_words.hpp"

#include <filesystem>

namespace synelix::tool {
namespace {

void add_input_options(CLI::App& app, ConvolveFields& fields) {
  const std::string group = "Input";
  ConvolveRequest& request = fields.request;
  add_parsed(app, "--channels", request.channels, parse_index_range, "BEGIN:END",
             "Channels to read. Default: all.")
      ->group(group);
  add_parsed(
      app, "--time", request.time, parse_time_range, "START:STOP",
      "Write only the rows of these samples, or of times such as 10s:20s. This is not a border "
      "of an epoch: windows see samples outside.")
      ->group(group);
  add_parsed(app, "--epochs", request.epochs, parse_dataset_path, "FILE:/dataset",
             "A dataset (E, 2) of half-open ranges of samples. No window crosses their borders.")
      ->group(group);
  add_parsed(app, "--scale", request.scale, parse_number, "X",
             "For packed recordings: value = stored * X + offset. Default: the scale of the file.")
      ->group(group);
  add_parsed(app, "--offset", request.offset, parse_number, "X",
             "For packed recordings: the offset. Default: the offset of the file.")
      ->group(group);
  add_units_options(app, fields);
}

void add_alignment_options(CLI::App& app, ConvolveFields& fields) {
  const std::string group = "Alignment";
  ConvolveOptions& options = fields.request.options;
  add_parsed(app, "--causality", options.causality, parse_causality, "SIDE",
             "Side of a window: causal (default), acausal or anti-causal.")
      ->group(group);
  app.add_flag("--no-shift", fields.no_shift,
               "Windows include the present sample. Acausal windows always do.")
      ->group(group);
  add_parsed(app, "--border", options.border, parse_border, "WHAT",
             "Rows without a whole window: nan (default), zero (as if zeros followed) or valid "
             "(not written). With nan and valid, at least one row must have a whole window.")
      ->group(group);
  add_parsed(app, "--every", options.every, parse_integer, "N",
             "Compute and write only every N-th row of an epoch. Default: 1.")
      ->group(group);
}

void add_computing_options(CLI::App& app, ConvolveFields& fields) {
  const std::string group = "Computing";
  ConvolveRequest& request = fields.request;
  add_parsed(app, "--budget", request.options.budget, parse_bytes, "BYTES",
             "Memory beyond the program and its libraries (about 25 MiB), such as 512MiB. Default: "
             "a quarter of the free memory.")
      ->group(group);
  add_parsed(app, "--batch", request.options.batch, parse_batch, "T,C,B",
             "Upper bounds of the block in memory: T input samples, including the window, C "
             "channels and B bases. A blank bound is chosen.")
      ->group(group);
  add_parsed(app, "--method", request.options.method, parse_method, "NAME",
             "Method: automatic (default), direct, events or fft.")
      ->group(group);
  app.add_option("--machine", request.machine,
                 "A file that calibrate wrote, or 'default' for the constants of the library. "
                 "Without this option: the user's machine.json, if it exists.")
      ->type_name("FILE")
      ->group(group);
  add_instruction_set_option(app, request.instruction_set);
  add_processor_options(app, request.processors);
  add_parsed(app, "--host-budget", request.options.host_budget, parse_bytes, "BYTES",
             "Memory of the host for blocks that go through a device. --budget is then the memory "
             "of the device. Default: a quarter of the free memory.")
      ->group(group);
  add_parsed(app, "--staging", request.options.staging, parse_staging, "WORD",
             "Whether blocks go through the memory of a device: automatic (default), always or "
             "never. With never, the device must reach the memory of the host.")
      ->group(group);
  add_parsed(app, "--type", request.type, parse_type, "TYPE",
             "Type of the features: float (default) or double.")
      ->group(group);
}

void add_output_options(CLI::App& app, ConvolveFields& fields) {
  const std::string group = "Output";
  add_parsed(app, "--chunk", fields.request.chunk, parse_chunk, "TxCxB",
             "Rows, channels and bases of a chunk of the file.")
      ->group(group);
  add_parsed(app, "--filter", fields.request.filter, parse_filter, "LIST",
             "Compression: none (default), deflate:LEVEL or shuffle,deflate:LEVEL.")
      ->group(group);
  add_existing_options(app, fields.existing);
  add_resume_option(app, fields.request.resume);
  if (!fields.request.dry_run) return add_part_option(app, fields.request.part);
  for (const char* name : {"--overwrite", "--append", "--resume"}) app.get_option(name)->group("");
}

/// What stands there without a dataset's name says itself what it holds, or is.
bool exists(const std::string& file) {
  std::error_code status;
  return std::filesystem::exists(file, status);
}

/// An input without a dataset: a file of spike trains, or what says itself what is wrong with it.
void require_input(const DatasetPath& input, bool is_units) {
  if (is_units || !input.dataset.empty() || exists(input.file)) return;
  throw Error("IN", "'" + input.file + "' names no dataset",
              "Give FILE:/dataset, or --units for an NWB file");
}

void require_output(const DatasetPath& output) {
  if (!output.dataset.empty()) return;
  throw Error("OUT", "'" + output.file + "' names no dataset", "Give FILE:/dataset");
}

void require_names(const ConvolveRequest& request) {
  try {
    require_input(request.input, request.units.has_value());
    if (!request.output.file.empty()) require_output(request.output);
  } catch (const Error& error) {
    throw CLI::ValidationError(error.what());
  }
}

/// The names of IN and OUT, or those of a list.
void take_names(const ConvolveFields& fields, ConvolveRequest& request) {
  const bool is_given = !request.input.file.empty();
  request.list = list_from(fields.list, is_given ? "IN" : "", [&](const auto& in, const auto& out) {
    ListLine line{.number = 0, .input = parse_dataset_path(in), .output = parse_output_path(out)};
    require_input(line.input, fields.units);
    require_output(line.output);
    return line;
  });
  if (request.list) return;
  if (!is_given) {
    throw CLI::ValidationError("IN", "none is given. Give FILE:/dataset, or --list FILE.");
  }
  if (request.output.file.empty() && !request.dry_run) {
    throw CLI::ValidationError("OUT", "none is given. Give FILE:/dataset.");
  }
}

}  // namespace

void add_convolve_options(CLI::App& app, ConvolveFields& fields) {
  add_list_option(app, fields.list, "INPUT OUTPUT");
  add_basis_options(app, fields.bank);
  add_parsed(app, "--bank", fields.bank.file, parse_dataset_path, "FILE:/dataset",
             "A dataset (window, bases) of your own taps.")
      ->group("Filters");
  add_input_options(app, fields);
  add_trust_options(app, fields.request.trust);
  add_alignment_options(app, fields);
  add_computing_options(app, fields);
  add_output_options(app, fields);
  add_progress_option(app, fields.request.messages);
  if (fields.request.dry_run) app.get_option("--progress")->group("");
  add_message_options(app, fields.request.messages);
  add_config_option(app);
}

ConvolveRequest convolve_request_from(const ConvolveFields& fields) {
  ConvolveRequest request = fields.request;
  take_names(fields, request);
  request.bank = bank_from(fields.bank);
  request.standing = standing_from(fields.existing);
  if (!request.list) check_part(request.part, request.filter, request.chunk, request.standing);
  if (fields.no_shift) request.options.shift = Shift::off;
  take_units(fields, request);
  if (request.epochs && request.epochs->dataset.empty()) {
    throw CLI::ValidationError(
        "--epochs", "'" + request.epochs->file + "' names no dataset. Give FILE:/dataset.");
  }
  if (!request.list) require_names(request);
  return request;
}

}  // namespace synelix::tool
