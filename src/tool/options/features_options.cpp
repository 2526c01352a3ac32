// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/features_options.hpp"

#include "tool/options/design_options.hpp"
#include "tool/options/list_file.hpp"
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

using Request = FeaturesRequest;
using Text = const std::string&;
constexpr std::array<TableOption<Request>, 8> options{{
    {"border", "WHAT", "Alignment",
     "Rows without a whole window: nan (default), zero (as if zeros followed) or valid (not "
     "written).",
     [](Request& request, Text text) { request.options.border = parse_border(text); }},
    {"every", "N", "Alignment", "Compute and write only every N-th row of an epoch. Default: 1.",
     [](Request& request, Text text) { request.options.every = parse_every(text); }},
    {"host-budget", "BYTES", "Computing",
     "Memory of the host for blocks that go through a device. --budget is then the memory of the "
     "device. Default: a quarter of the free memory.",
     [](Request& request, Text text) { request.options.host_budget = parse_bytes(text); }},
    {"staging", "WORD", "Computing",
     "Whether blocks go through the memory of a device: automatic (default), always or never. With "
     "never, the device must reach the memory of the host.",
     [](Request& request, Text text) { request.options.staging = parse_staging(text); }},
    {"batch-samples", "T", "Computing",
     "Upper bound of the samples of a block, including the longest window.",
     [](Request& request, Text text) { request.options.batch.samples = parse_integer(text); }},
    {"type", "TYPE", "Computing", "Type of the features: float (default) or double.",
     [](Request& request, Text text) { request.type = parse_type(text); }},
    {"chunk", "RxC", "Output", "Rows and columns of a chunk of the file.",
     [](Request& request, Text text) { request.chunk = parse_design_chunk(text); }},
    {"filter", "LIST", "Output",
     "Compression: none (default), deflate:LEVEL or shuffle,deflate:LEVEL.",
     [](Request& request, Text text) { request.filter = parse_filter(text); }},
}};
constexpr std::span<const TableOption<Request>> own_options = options;

void require_output(const DatasetPath& output) {
  if (!output.dataset.empty()) return;
  throw Error("OUT", "'" + output.file + "' names no dataset", "Give FILE:/dataset");
}

/// The names of DESIGN and OUT, or those of a list.
void take_names(const FeaturesFields& fields, FeaturesRequest& request) {
  const bool is_given = !request.design.empty();
  request.list =
      list_from(fields.list, is_given ? "DESIGN" : "", [](const auto& in, const auto& out) {
        ListLine line{
            .number = 0, .input = {.file = in, .dataset = {}}, .output = parse_output_path(out)};
        require_output(line.output);
        return line;
      });
  if (request.list) return;
  if (!is_given) {
    throw CLI::ValidationError("DESIGN", "none is given. Give a design file, or --list FILE.");
  }
  if (request.output.file.empty() && !request.dry_run) {
    throw CLI::ValidationError("OUT", "none is given. Give FILE:/dataset, or --dry-run.");
  }
}

}  // namespace

void add_features_options(CLI::App& app, FeaturesFields& fields) {
  DesignRequest& common = fields.request;
  add_list_option(app, fields.list, "DESIGN OUTPUT");
  for (const auto& option : design_options()) add_table_option(app, common, option);
  for (const auto& option : own_options) add_table_option(app, fields.request, option);
  add_trust_options(app, fields.request.trust);
  add_processor_options(app, fields.request.processors);
  app.add_flag(
      "--dry-run", fields.request.dry_run,
      "Say what the run would do: terms, shape, memory. It reads no samples and writes nothing.");
  add_existing_options(app, fields.existing);
  add_resume_option(app, fields.request.resume);
  add_part_option(app, fields.request.part);
  add_progress_option(app, fields.request.messages);
  add_message_options(app, fields.request.messages);
  add_config_option(app);
}

FeaturesRequest features_request_from(const FeaturesFields& fields) {
  FeaturesRequest request = fields.request;
  take_names(fields, request);
  request.standing = standing_from(fields.existing);
  if (request.list) return request;
  check_part(request.part, request.filter, request.chunk, request.standing);
  if (!request.output.file.empty() && request.output.dataset.empty()) {
    throw CLI::ValidationError(
        "OUT", "'" + request.output.file + "' names no dataset. Give FILE:/dataset.");
  }
  return request;
}

bool is_of_features_alone(const std::string& name) {
  return find_option(own_options, name) != nullptr;
}

void apply_options(const DesignFile& design, FeaturesRequest& request) {
  for (const DesignOption& entry : design.options) {
    if (take_design_option(design, entry, request)) continue;
    const auto* const option = find_option(own_options, entry.name);
    if (option == nullptr) {
      throw Error(entry.place, "this is not an option of features",
                  "Valid are: " + with_names(with_names({}, design_options()), own_options));
    }
    take_entry(entry, *option, request);
  }
  finish_design_options(request);
}

}  // namespace synelix::tool
