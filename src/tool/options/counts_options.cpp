// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/counts_options.hpp"

#include "tool/options/option_words.hpp"

#include <utility>

namespace synelix::tool {
namespace {

using CountsWord = std::pair<std::string_view, CountsType>;
constexpr std::array<CountsWord, 3> counts_types{
    {{"uint8", CountsType::uint8}, {"uint16", CountsType::uint16}, {"float", CountsType::float32}}};

CountsType parse_counts_type(const std::string& text) {
  return parse_word(std::span<const CountsWord>(counts_types), text);
}

}  // namespace

const char* const counts_example = "  synelix counts session.nwb counts.h5:/counts --bin 10ms -O\n";

void add_counts_options(CLI::App& app, CountsFields& fields) {
  ConvolveFields& recording = fields.recording;
  ConvolveRequest& request = recording.request;
  add_parsed(app, "IN", request.input, parse_dataset_path, "FILE", "An NWB file with units.")
      ->required();
  add_parsed(app, "OUT", request.output, parse_output_path, "FILE:/dataset",
             "The counts, rows x units.")
      ->required();
  add_units_options(app, recording);
  app.get_option("--units")->description("Read spike trains. This command always does.");
  add_parsed(app, "--time", request.time, parse_time_range, "START:STOP",
             "Write only the rows of these bins, or of times such as 10s:20s, as convolve does.")
      ->group("Input");
  add_trust_options(app, request.trust);
  add_parsed(app, "--budget", request.options.budget, parse_bytes, "BYTES",
             "Memory beyond the program and its libraries (about 25 MiB), such as 512MiB. Default: "
             "a quarter of the free memory.")
      ->group("Computing");
  add_parsed(app, "--type", fields.type, parse_counts_type, "TYPE",
             "Type of the counts: uint8, uint16 or float. Default: the first that holds the "
             "largest count.")
      ->group("Output");
  add_parsed(app, "--filter", request.filter, parse_filter, "LIST",
             "Compression: none (default), deflate:LEVEL or shuffle,deflate:LEVEL.")
      ->group("Output");
  add_existing_options(app, recording.existing);
  add_progress_option(app, request.messages);
  add_message_options(app, request.messages);
  add_config_option(app);
}

CountsRequest counts_request_from(CountsFields fields) {
  ConvolveFields& recording = fields.recording;
  recording.units = true;
  CountsRequest request;
  static_cast<ConvolveRequest&>(request) = recording.request;
  request.type_of_counts = fields.type;
  request.standing = standing_from(recording.existing);
  take_units(recording, request);
  if (request.output.dataset.empty()) {
    throw CLI::ValidationError(
        "OUT", "'" + request.output.file + "' names no dataset. Give FILE:/dataset.");
  }
  return request;
}

}  // namespace synelix::tool
