// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/features_options.hpp"

#include "tool/design/design_basis.hpp"
#include "tool/options/option_words.hpp"

#include <algorithm>
#include <array>

namespace synelix::tool {
namespace {

/// "4096x120": rows and columns.
std::vector<std::int64_t> parse_design_chunk(const std::string& text) {
  const auto cross = text.find('x');
  std::vector<std::int64_t> chunk;
  if (cross != std::string::npos) {
    chunk = {parse_integer(text.substr(0, cross)), parse_integer(text.substr(cross + 1))};
  }
  if (chunk.empty() || *std::min_element(chunk.begin(), chunk.end()) < 1) {
    throw Error("'" + text +
                "' is not a size of chunks. Give ROWSxCOLUMNS, each at least 1, such "
                "as 4096x120.");
  }
  return chunk;
}

std::int64_t parse_every(const std::string& text) {
  const std::int64_t every = parse_integer(text);
  if (every < 1) throw Error("'" + text + "' is not above 0. Give at least 1.");
  return every;
}

/// An option that may stand on the command line and in [options] of a design.
struct Option {
  const char* name;
  const char* value;  ///< what it takes; empty: a flag
  const char* group;
  const char* description;
  void (*set)(FeaturesRequest& request, const std::string& text);
};

using Request = FeaturesRequest;
using Text = const std::string&;
constexpr std::array<Option, 18> options{{
    {"causality", "SIDE", "Alignment",
     "Side of a window: causal (default), acausal or anti-causal.",
     [](Request& request, Text text) { request.options.causality = parse_causality(text); }},
    {"no-shift", "", "Alignment", "Windows include the present sample. Acausal windows always do.",
     [](Request& request, Text) { request.options.shift = Shift::off; }},
    {"border", "WHAT", "Alignment",
     "Rows without a whole window: nan (default), zero (as if zeros followed) or valid (not "
     "written).",
     [](Request& request, Text text) { request.options.border = parse_border(text); }},
    {"every", "N", "Alignment", "Compute and write only every N-th row of an epoch.",
     [](Request& request, Text text) { request.options.every = parse_every(text); }},
    {"time", "START:STOP", "Input",
     "Write only the rows of these samples, or of times such as 10s:20s. Windows see samples "
     "outside.",
     [](Request& request, Text text) { request.time = parse_time_range(text); }},
    {"epochs", "FILE:/dataset", "Input",
     "A dataset (E, 2) of half-open ranges of samples. No window crosses their borders.",
     [](Request& request, Text text) { request.epochs = parse_dataset_path(text); }},
    {"intervals", "NAME", "Input",
     "Use only these intervals (/intervals/NAME) of the NWB file of the first input. Each is an "
     "epoch. Name other tables by /PATH or FILE:/PATH.",
     [](Request& request, Text text) {
       request.intervals = IntervalsSource{.table = parse_interval_table(text), .where = {}};
     }},
    {"where", "COLUMN=VALUE", "Input",
     "Use only intervals whose column has this value. Repeatable on the command line.",
     [](Request& request, Text text) { request.where.push_back(parse_condition(text)); }},
    {"strict", "", "Input",
     "Dropped spikes are an error, such as those beyond the arrays, unless intervals leave them "
     "out.",
     [](Request& request, Text) { request.strict = true; }},
    {"budget", "BYTES", "Computing",
     "Memory beyond the program and its libraries (about 25 MiB), such as 512MiB. Default: a "
     "quarter of the free memory.",
     [](Request& request, Text text) { request.options.budget = parse_bytes(text); }},
    {"host-budget", "BYTES", "Computing",
     "Memory of the host for blocks that go through a device. --budget is then the memory of the "
     "device. Default: a quarter of the free memory.",
     [](Request& request, Text text) { request.options.host_budget = parse_bytes(text); }},
    {"staging", "WORD", "Computing",
     "Whether blocks go through the memory of a device: automatic (default), always or never. With "
     "never, the device must reach the memory of the host.",
     [](Request& request, Text text) { request.options.staging = parse_staging(text); }},
    {"method", "NAME", "Computing",
     "Method of filters: automatic (default), direct, fft, or events, for spike trains only.",
     [](Request& request, Text text) { request.options.method = parse_method(text); }},
    {"machine", "FILE", "Computing",
     "A file that calibrate wrote, or 'default' for the constants of the library. Without this "
     "option: the user's machine.json, if it exists.",
     [](Request& request, Text text) { request.machine = text; }},
    {"type", "TYPE", "Computing", "Type of the features: float (default) or double.",
     [](Request& request, Text text) { request.type = parse_type(text); }},
    {"chunk", "RxC", "Output", "Rows and columns of a chunk of the file.",
     [](Request& request, Text text) { request.chunk = parse_design_chunk(text); }},
    {"filter", "LIST", "Output",
     "Compression: none (default), deflate:LEVEL or shuffle,deflate:LEVEL.",
     [](Request& request, Text text) { request.filter = parse_filter(text); }},
    {"batch-samples", "T", "Computing",
     "Upper bound of the samples of a block, including the longest window.",
     [](Request& request, Text text) { request.options.batch.samples = parse_integer(text); }},
}};

}  // namespace

void add_features_options(CLI::App& app, FeaturesFields& fields) {
  for (const Option& option : options) {
    const auto take = [&fields, &option](const std::string& text) {
      try {
        option.set(fields.request, text);
      } catch (const Error& error) {
        throw CLI::ValidationError("--" + std::string(option.name), error.what());
      }
      fields.request.given.emplace_back(option.name);
    };
    const std::string name = "--" + std::string(option.name);
    if (*option.value == '\0') {
      app.add_flag_callback(name, [take] { take({}); }, option.description)->group(option.group);
    } else {
      const auto take_all = [take](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) take(text);
      };
      CLI::Option* const added =
          app.add_option_function<std::vector<std::string>>(name, take_all, option.description)
              ->type_name(option.value)
              ->expected(1)
              ->group(option.group);
      if (added->get_name() == "--where") {
        added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      } else {
        added->multi_option_policy(CLI::MultiOptionPolicy::Throw);
      }
    }
  }
  add_trust_options(app, fields.request.trust);
  add_device_option(app, fields.request.device);
  app.add_flag(
      "--dry-run", fields.request.dry_run,
      "Say what the run would do: terms, shape, memory. It reads no samples and writes nothing.");
  add_existing_options(app, fields.existing);
  add_resume_option(app, fields.request.resume);
  add_progress_option(app, fields.request.messages);
  add_message_options(app, fields.request.messages);
  add_config_option(app);
}

FeaturesRequest features_request_from(const FeaturesFields& fields) {
  FeaturesRequest request = fields.request;
  request.standing = standing_from(fields.existing);
  if (request.output.file.empty() && !request.dry_run) {
    throw CLI::ValidationError("OUT", "none is given. Give FILE:/dataset, or --dry-run.");
  }
  if (!request.output.file.empty() && request.output.dataset.empty()) {
    throw CLI::ValidationError(
        "OUT", "'" + request.output.file + "' names no dataset. Give FILE:/dataset.");
  }
  return request;
}

void apply_options(const DesignFile& design, FeaturesRequest& request) {
  std::string names;
  for (const Option& option : options) {
    names += (names.empty() ? "" : ", ") + std::string(option.name);
  }
  for (const DesignOption& wanted : design.options) {
    const auto* option = std::find_if(options.begin(), options.end(), [&](const Option& known) {
      return known.name == wanted.name;
    });
    if (option == options.end()) {
      throw Error(wanted.place, "this is no option of features", "Valid are: " + names);
    }
    const bool is_flag = *option->value == '\0';
    if (is_flag != wanted.flag.has_value()) {
      throw Error(wanted.place,
                  is_flag ? "'" + wanted.text + "' is neither true nor false"
                          : "true and false are no values of this option",
                  is_flag ? "Give true or false" : "Give " + std::string(option->value));
    }
    if (is_flag && !*wanted.flag) continue;
    const auto& given = request.given;
    if (std::find(given.begin(), given.end(), wanted.name) != given.end()) continue;
    try {
      option->set(request, wanted.text);
    } catch (const Error& error) {
      throw Error(wanted.place + ": " + error.what());
    }
    // names of files in a design begin at its folder
    if (wanted.name == "epochs" && request.epochs) {
      request.epochs->file = beside(design.file, request.epochs->file);
    }
    if (wanted.name == "intervals" && request.intervals && !request.intervals->table.file.empty()) {
      request.intervals->table.file = beside(design.file, request.intervals->table.file);
    }
  }
  if (!request.intervals && !request.where.empty()) {
    throw Error("--where", "there is no table of intervals to select from", "Add --intervals");
  }
  if (request.intervals) request.intervals->where = request.where;
  if (request.intervals && request.epochs) {
    throw Error("--intervals", "they are given beside epochs, but intervals are epochs",
                "Give one of them");
  }
  if (request.epochs && request.epochs->dataset.empty()) {
    throw Error("--epochs", "'" + request.epochs->file + "' names no dataset",
                "Give FILE:/dataset");
  }
}

}  // namespace synelix::tool
