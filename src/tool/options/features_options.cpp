// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/option_groups.hpp"

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

constexpr std::array<TableOption<FeaturesRequest>, 8> features_rows{{
    {"border", "WHAT", "Alignment",
     "Rows without a whole window: nan (default), zero (as if zeros followed) or valid (not "
     "written).",
     [](FeaturesRequest& request, Text text) { request.options.border = parse_border(text); }},
    {"every", "N", "Alignment", "Compute and write only every N-th row of an epoch. Default: 1.",
     [](FeaturesRequest& request, Text text) { request.options.every = parse_every(text); }},
    {"host-budget", "BYTES", "Computing",
     "Memory of the host for blocks that go through a device. --budget is then the memory of the "
     "device. Default: a quarter of the free memory.",
     [](FeaturesRequest& request, Text text) { request.options.host_budget = parse_bytes(text); }},
    {"staging", "WORD", "Computing",
     "Whether blocks go through the memory of a device: automatic (default), always or never. With "
     "never, the device must reach the memory of the host.",
     [](FeaturesRequest& request, Text text) { request.options.staging = parse_staging(text); }},
    {"batch-samples", "T", "Computing",
     "Upper bound of the samples of a block, including the longest window.",
     [](FeaturesRequest& request, Text text) {
       request.options.batch.samples = parse_integer(text);
     }},
    {"type", "TYPE", "Computing", "Type of the features: float (default) or double.",
     [](FeaturesRequest& request, Text text) { request.type = parse_type(text); }},
    {"chunk", "RxC", "Output", "Rows and columns of a chunk of the file.",
     [](FeaturesRequest& request, Text text) { request.chunk = parse_design_chunk(text); }},
    {"filter", "LIST", "Output",
     "Compression: none (default), deflate:LEVEL or shuffle,deflate:LEVEL.",
     [](FeaturesRequest& request, Text text) { request.filter = parse_filter(text); }},
}};
constexpr std::span<const TableOption<FeaturesRequest>> rows_of_features = features_rows;

/// The names DESIGN and OUT, or those of a list.
void take_design_and_output(const FeaturesFields& fields, FeaturesRequest& request) {
  const bool is_given = !request.design.empty();
  request.list =
      list_from(fields.list, is_given ? "DESIGN" : "", [](const auto& in, const auto& out) {
        ListLine line{
            .number = 0, .input = {.file = in, .dataset = {}}, .output = parse_output_path(out)};
        require_output_dataset(line.output);
        return line;
      });
  if (request.list) return;
  if (!is_given) {
    throw UsageError("DESIGN", "none is given. Give a design file, or --list FILE.");
  }
  if (request.output.file.empty() && !request.dry_run) {
    throw UsageError("OUT", "none is given. Give FILE:/dataset, or --dry-run.");
  }
}

}  // namespace

void add_features_options(OptionRows& rows, FeaturesFields& fields) {
  DesignRequest& common = fields.request;
  add_list_option(rows, fields.list, "DESIGN OUTPUT");
  for (const auto& option : design_options()) add_table_option(rows, common, option);
  for (const auto& option : rows_of_features) add_table_option(rows, fields.request, option);
  add_trust_options(rows, fields.request.trust);
  add_processor_options(rows, fields.request.processors);
  rows.in_group("");
  rows.add_flag(
      "--dry-run", fields.request.dry_run,
      "Say what the run would do: terms, shape, memory. It reads no samples and writes nothing.");
  add_existing_options(rows, fields.request.existing);
  add_resume_option(rows, fields.request.resume);
  add_part_option(rows, fields.request.part);
  add_facts_option(rows, fields.request.facts);
  add_save_option(rows, fields.request.save,
                  "With --dry-run: read the inputs whose ranges bases need, and ");
  add_progress_option(rows, fields.request.messages);
  add_message_options(rows, fields.request.messages);
  add_config_option(rows);
}

FeaturesRequest features_request_from(const FeaturesFields& fields) {
  FeaturesRequest request = fields.request;
  take_design_and_output(fields, request);
  check_facts(request.list.has_value(), request.facts, request.save);
  if (!request.save.empty() && !request.dry_run) {
    throw UsageError("--save", "it is an option of a dry run. Add --dry-run.");
  }
  if (request.list) return request;
  check_part(request.part, request.filter, request.chunk, request.existing);
  if (!request.output.file.empty()) require_dataset("OUT", request.output);
  return request;
}

bool is_of_features_alone(const std::string& name) {
  return find_option(rows_of_features, name) != nullptr;
}

void apply_options(const DesignFile& design, FeaturesRequest& request) {
  for (const DesignOption& entry : design.options) {
    if (take_design_option(design, entry, request)) continue;
    const auto* const option = find_option(rows_of_features, entry.name);
    if (option == nullptr) {
      throw Error(entry.place, "this is not an option of features",
                  "Valid are: " + with_names(with_names({}, design_options()), rows_of_features));
    }
    take_entry(entry, *option, request);
  }
  finish_design_options(request);
}

}  // namespace synelix::tool
