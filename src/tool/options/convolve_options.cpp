// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/list_file.hpp"
#include "tool/options/option_groups.hpp"
#include "tool/options/option_words.hpp"

#include <filesystem>

namespace synelix::tool {
namespace {

void add_input_options(OptionRows& rows, ConvolveFields& fields) {
  rows.in_group("Input");
  ConvolveRequest& request = fields.request;
  add_parsed(rows, "--channels", request.channels, parse_index_range, "BEGIN:END",
             "Channels to read. Default: all.");
  add_parsed(rows, "--time-axis", request.time_axis, parse_axis, "N",
             "The dimension of the array that is time, from 0. The others are channels. Default: "
             "0, of files of MATLAB as MATLAB shows them.");
  add_parsed(
      rows, "--time", request.time, parse_time_range, "START:STOP",
      "Write only the rows of these samples, or of times such as 10s:20s. This is not a border "
      "of an epoch: windows see samples outside.");
  add_parsed(rows, "--epochs", request.epochs, parse_dataset_path, "FILE:/dataset",
             "A dataset (E, 2) of half-open ranges of samples. No window crosses their borders.");
  add_parsed(rows, "--scale", request.scale, parse_number, "X",
             "For packed recordings: value = stored * X + offset. Default: the scale of the file.");
  add_parsed(rows, "--offset", request.offset, parse_number, "X",
             "For packed recordings: the offset. Default: the offset of the file.");
  add_units_options(rows, fields);
}

void add_alignment_options(OptionRows& rows, ConvolveFields& fields) {
  rows.in_group("Alignment");
  ConvolveOptions& options = fields.request.options;
  add_parsed(rows, "--causality", options.causality, parse_causality, "SIDE",
             "Side of a window: causal (default), acausal or anti-causal.");
  rows.add_flag("--no-shift", fields.no_shift,
                "Windows include the present sample. Acausal windows always do.");
  add_parsed(rows, "--border", options.border, parse_border, "WHAT",
             "Rows without a whole window: nan (default), zero (as if zeros followed) or valid "
             "(not written). With nan and valid, at least one row must have a whole window.");
  add_parsed(rows, "--every", options.every, parse_integer, "N",
             "Compute and write only every N-th row of an epoch. Default: 1.");
}

void add_computing_options(OptionRows& rows, ConvolveFields& fields) {
  rows.in_group("Computing");
  ConvolveRequest& request = fields.request;
  add_parsed(rows, "--budget", request.options.budget, parse_bytes, "BYTES",
             "Memory beyond the program and its libraries (about 25 MiB), such as 512MiB. Default: "
             "a quarter of the free memory.");
  add_parsed(rows, "--batch", request.options.batch, parse_batch, "T,C,B",
             "Upper bounds of the block in memory: T input samples, including the window, C "
             "channels and B bases. A blank bound is chosen.");
  add_parsed(rows, "--method", request.options.method, parse_method, "NAME",
             "Method: automatic (default), direct, events or fft.");
  rows.add_text("--machine", request.machine, "FILE",
                "A file that calibrate wrote, or 'default' for the constants of the library. "
                "Without this option: the user's machine.json, if it exists.");
  add_instruction_set_option(rows, request.instruction_set);
  add_processor_options(rows, request.processors);
  add_parsed(rows, "--host-budget", request.options.host_budget, parse_bytes, "BYTES",
             "Memory of the host for blocks that go through a device. --budget is then the memory "
             "of the device. Default: a quarter of the free memory.");
  add_parsed(rows, "--staging", request.options.staging, parse_staging, "WORD",
             "Whether blocks go through the memory of a device: automatic (default), always or "
             "never. With never, the device must reach the memory of the host.");
  add_parsed(rows, "--type", request.type, parse_type, "TYPE",
             "Type of the features: float (default) or double.");
}

void add_output_options(OptionRows& rows, ConvolveFields& fields) {
  rows.in_group("Output");
  add_parsed(rows, "--chunk", fields.request.chunk, parse_chunk, "TxCxB",
             "Rows, channels and bases of a chunk of the file.");
  add_parsed(rows, "--filter", fields.request.filter, parse_filter, "LIST",
             "Compression: none (default), deflate:LEVEL or shuffle,deflate:LEVEL.");
  add_existing_options(rows, fields.request.existing);
  add_resume_option(rows, fields.request.resume);
  if (!fields.request.dry_run) {
    add_part_option(rows, fields.request.part);
    return add_facts_option(rows, fields.request.facts);
  }
  add_save_option(rows, fields.request.save, "Also ");
  for (const char* name : {"--overwrite", "--append", "--resume"}) {
    rows.at(name).is_hidden = true;
  }
}

/// Whether a file exists. An existing file without a dataset's name leads to a specific error
/// later.
bool is_there(const std::string& file) {
  std::error_code status;
  return std::filesystem::exists(file, status);
}

/// Checks an input without a dataset: a file of spike trains, or a file whose own error is more
/// specific.
void require_input(const DatasetPath& input, bool is_units) {
  if (is_units || !input.dataset.empty() || is_there(input.file)) return;
  throw Error("IN", "'" + input.file + "' names no dataset",
              "Give FILE:/dataset, or --units for an NWB file");
}

void require_names(const ConvolveRequest& request) {
  try {
    require_input(request.input, request.units.has_value());
    if (!request.output.file.empty()) require_output_dataset(request.output);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

/// The names IN and OUT, or those of a list.
void take_input_and_output(const ConvolveFields& fields, ConvolveRequest& request) {
  const bool is_given = !request.input.file.empty();
  request.list = list_from(fields.list, is_given ? "IN" : "", [&](const auto& in, const auto& out) {
    ListLine line{.number = 0, .input = parse_dataset_path(in), .output = parse_output_path(out)};
    require_input(line.input, fields.units);
    require_output_dataset(line.output);
    return line;
  });
  if (request.list) return;
  if (!is_given) {
    throw UsageError("IN", "none is given. Give FILE:/dataset, or --list FILE.");
  }
  if (request.output.file.empty() && !request.dry_run) {
    throw UsageError("OUT", "none is given. Give FILE:/dataset.");
  }
}

}  // namespace

void add_convolve_options(OptionRows& rows, ConvolveFields& fields) {
  add_list_option(rows, fields.list, "INPUT OUTPUT");
  add_basis_options(rows, fields.bank);
  add_parsed(rows, "--bank", fields.bank.file, parse_dataset_path, "FILE:/dataset",
             "A dataset (window, bases) of your own taps.");
  add_input_options(rows, fields);
  add_trust_options(rows, fields.request.trust);
  add_alignment_options(rows, fields);
  add_computing_options(rows, fields);
  add_output_options(rows, fields);
  add_progress_option(rows, fields.request.messages);
  if (fields.request.dry_run) rows.at("--progress").is_hidden = true;
  add_message_options(rows, fields.request.messages);
  add_config_option(rows);
}

ConvolveRequest convolve_request_from(const ConvolveFields& fields) {
  ConvolveRequest request = fields.request;
  take_input_and_output(fields, request);
  request.bank = bank_from(fields.bank);
  check_facts(request.list.has_value(), request.facts, request.save);
  if (!request.list) check_part(request.part, request.filter, request.chunk, request.existing);
  if (fields.no_shift) request.options.shift = Shift::off;
  take_units(fields, request);
  if (request.epochs) require_dataset("--epochs", *request.epochs);
  if (!request.list) require_names(request);
  return request;
}

}  // namespace synelix::tool
