// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/output.hpp"

#include "tool/process/resources.hpp"
#include "tool/process/scheduler_part.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"
#include "tool/run/part_facts.hpp"
#include "tool/text/progress.hpp"
#include "tool/text/stream_report.hpp"

#include <synelix/types/join_parts.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

namespace synelix::tool {
namespace {

/// The existing file with the name of the output; nothing if there is no such file.
std::optional<Fingerprint> standing_file(const std::string& output) {
  try {
    return fingerprint_of_file(output);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A note on what an unfinished run leaves. \param before  the file with the output's name at its
/// start
std::string note_of_rest(const OutputRequest& output, const std::optional<Fingerprint>& before) {
  const std::string& file = output.path.file;
  if (output.part) {  // other processes may be writing it now
    std::error_code status;
    const std::string part = part_of(output);
    const bool is_kept = std::filesystem::exists(part, status);
    return is_kept ? part + " is kept, and the same command goes on with this part"
                   : "nothing was left behind";
  }
  const std::optional<std::string> part = unfinished_output(file);
  if (!part) {
    std::error_code status;
    const bool is_taken = std::filesystem::exists(part_of(file), status);
    return is_taken ? "" : "nothing was left behind";
  }
  const std::string go_on = "the same command with --resume goes on with it";
  const bool is_in_the_way = output.existing != Existing::replace && before != standing_file(file);
  if (!is_in_the_way) return *part + " is kept, and " + go_on;
  if (!before) return *part + " is kept: rename " + file + " first, then " + go_on;
  return *part + " is kept, but belongs to " + file +
         " as it was: run the command again without --resume";
}

/// Whether there may be nothing to write, which the sink decides.
bool may_be_finished(const OutputRequest& output) {
  std::error_code status;
  return output.resume && std::filesystem::exists(output.path.file, status);
}

/// A note on the file of a run whose input has changed: it has rows of both states.
std::string note_of_changed_input(const OutputRequest& output) {
  const std::string part = part_of(output);
  std::error_code status;
  if (!std::filesystem::exists(part, status)) return "nothing was left behind";
  if (output.part) {
    return part +
           " is kept: once the input is as it should be, the same command computes the "
           "rows of this part again";
  }
  return part + " is kept, and may hold values of both states: run the command again " +
         "without --resume once the input is as it should be";
}

/// The written fraction: of everything, or of this run's share of its part.
double fraction_of(const StreamProgress& progress, const OutputRequest& output) {
  const std::int64_t left = progress.values - progress.values_written;
  const std::int64_t value_bytes = output.type == OutputType::float32 ? 4 : 8;
  const std::int64_t done =
      output.part ? progress.bytes_written / value_bytes : progress.values_written;
  return done + left == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(done + left);
}

/// One line: the fault and what was left behind.
std::string with_note(std::string text, const std::string& note) {
  if (note.empty()) return text;
  if (text.ends_with('.')) text.pop_back();
  return text + "; " + note;
}

/// The prediction of a plan. Reading, computing and writing overlap, except for the first block and
/// the last.
Json predicted_tree(const StreamPlan& plan, std::int64_t input_bytes, bool is_compressed,
                    bool is_calibrated) {
  // Assumed speeds that were not measured: a hard disk or a shared file system; compression on one
  // thread.
  constexpr double disk_bytes_per_second = 150e6;
  constexpr double filter_bytes_per_second = 40e6;
  const Choice& choice = plan.choice;
  const double reading = static_cast<double>(input_bytes) / disk_bytes_per_second;
  const double writing = static_cast<double>(plan.features.bytes()) /
                         (is_compressed ? filter_bytes_per_second : disk_bytes_per_second);
  const double together = reading + choice.seconds + writing;
  const double longest = std::max({reading, choice.seconds, writing});
  const auto blocks = static_cast<double>(std::max<std::int64_t>(plan.blocks, 1));
  Json predicted = {
      {"flops", choice.flops},          {"bytes", choice.bytes},
      {"seconds", choice.seconds},      {"seconds_read", reading},
      {"seconds_write", writing},       {"seconds_of_run", longest + (together - longest) / blocks},
      {"is_calibrated", is_calibrated}, {"assumed_bytes_per_second", disk_bytes_per_second}};
  if (is_compressed) predicted["assumed_filter_bytes_per_second"] = filter_bytes_per_second;
  for (const Candidate& candidate : choice.candidates) {
    predicted["seconds_by_method"][name_of(candidate.method)] = candidate.seconds;
  }
  return predicted;
}

/// The report of a run in parts.
Json part_tree(const OutputRequest& output, const Hdf5Sink& sink) {
  std::int64_t rows_missing = 0;
  std::int64_t unfinished_rows = 0;
  std::int64_t parts_missing = 0;
  std::vector<std::string> failures;
  const auto& missing = sink.missing_parts();
  const std::vector<ShareDescription> none;
  for (const ShareDescription& share : missing ? missing->shares : none) {
    rows_missing += share.rows.size() - share.rows_written;
    if (share.is_whole && !share.is_being_written) continue;  // another process checks it
    unfinished_rows += share.rows.size();
    ++parts_missing;
    if (share.failure.empty() || share.is_being_written) continue;
    const std::string who = "process " + std::to_string(share.process) + " on " + share.host +
                            " failed: " + share.failure;
    if (std::find(failures.begin(), failures.end(), who) == failures.end()) failures.push_back(who);
  }
  // Part files have to be joined first.
  const bool is_whole = has_part_file(output) ? sink.was_finished() : unfinished_rows == 0;
  const OutputPart own = output.part.value_or(OutputPart());
  Json part = {{"number", own.number},
               {"of", own.of},
               {"variables", output.part_variables},
               {"is_whole", is_whole},
               {"rows_missing", rows_missing},
               {"unfinished_rows", unfinished_rows},
               {"failures", failures}};
  if (has_part_file(output)) {
    const std::string file = part_of(output);
    part["file"] = file.substr(0, file.rfind(".part"));
    part["parts_missing"] = parts_missing;
    part["output"] = output.path.file;
  }
  return part;
}

}  // namespace

std::string part_of(const std::string& output) {
  std::error_code status;
  if (!std::filesystem::is_symlink(output, status)) return output + ".part";
  const std::filesystem::path target = std::filesystem::canonical(output, status);
  return (status ? output : target.string()) + ".part";
}

OutputRequest output_of(const FeaturesOutput& request) {
  OutputRequest output{.path = request.output,
                       .chunk = request.chunk,
                       .filter = request.filter,
                       .existing = request.existing,
                       .resume = request.resume,
                       .type = request.type,
                       .dry_run = request.dry_run};
  if (output.chunk.size() == 2) output.chunk.insert(output.chunk.begin() + 1, 1);
  if (!request.part) return output;
  const SchedulerPart found = part_of_process(*request.part);
  output.resume = true;
  output.part = found.part;
  output.part_variables = found.variables;
  return output;
}

void announce_part(const SchedulerPart& part, const Messages& messages) {
  if (part.variables.empty() || messages.quiet) return;
  std::cerr << "--part auto: this is part " << part.part.number << "/" << part.part.of << ", as "
            << part.variables << " say\n";
}

void announce_part(const OutputRequest& output, const Messages& messages) {
  if (output.part) announce_part({*output.part, output.part_variables}, messages);
}

Filter filter_of(const ChunkFilter& filter) {
  if (filter.deflate == 0) return {};
  return {.compression = filter.shuffle ? Compression::shuffle_deflate : Compression::deflate,
          .level = filter.deflate};
}

Hdf5Sink make_sink(const OutputRequest& output, Hdf5OutputOptions options) {
  Hdf5SinkOptions sink;
  sink.output = std::move(options);
  sink.output.filter = filter_of(output.filter);
  if (!output.chunk.empty()) {
    sink.chunk = BlockShape{output.chunk[0], output.chunk[1], output.chunk[2]};
  }
  sink.start = output.resume ? Start::resume : Start::anew;
  if (has_part_file(output)) sink.output.history = without_part(sink.output.history);
  if (output.part) sink.part = output.part;
  return Hdf5Sink(file_path(output.path), sink);
}

Hdf5Sink make_planned_sink(OutputRequest output) {
  if (output.path.file.empty()) {
    output.path = {.file = "features.h5", .dataset = "/features"};
    output.resume = false;
  }
  return make_sink(output, output_options(Existing::replace, {}));
}

void require_other_file(const DatasetPath& output, const std::string& file,
                        const std::string& what) {
  if (file.empty() || !is_same_file(file, output.file)) return;
  throw Error("output " + output.file, "this is the file of " + what + ", which -O would replace",
              "Give another file, or --append");
}

void require_other_files(const DatasetPath& output, const std::vector<ReadFile>& files) {
  for (const ReadFile& file : files) require_other_file(output, file.path.file, file.what);
}

std::optional<std::int64_t> require_room(const OutputRequest& output, std::int64_t bytes) {
  if (output.path.file.empty()) return std::nullopt;
  const std::int64_t free = free_bytes_beside(output.path.file);
  std::int64_t needed = bytes;
  if (output.existing == Existing::append) needed += bytes_of_file(output.path.file);
  if (output.part) {
    needed -= disk_bytes_of(part_of(output.path.file));  // of all parts
  } else if (const auto part = unfinished_output(output.path.file)) {
    needed -= disk_bytes_of(*part);  // it is replaced, or resumed
  }
  const bool is_compressed = output.filter.deflate > 0;  // then the size is not known in advance
  if (needed > free && !is_compressed && !may_be_finished(output)) {
    throw Error("output " + output.path.file,
                "its disk has " + format_byte_count(free) + " free, but the output takes " +
                    format_byte_count(needed),
                "Free disk space, or give a name on another one");
  }
  return free;
}

std::string standing_note(const OutputRequest& output, const std::string& command) {
  // For a resumed run, an existing file may be its own, which the sink decides.
  if (output.path.file.empty() || output.resume) return {};
  try {
    require_free_place(output.path, output.existing);
  } catch (const Error&) {
    if (!output.dry_run) throw;
    return output.existing == Existing::append ? "the dataset exists: " + command + " will refuse"
                                               : "exists: " + command + " will refuse without -O";
  }
  return {};
}

void add_plan(const StreamPlan& plan, const OutputRequest& output, const std::string& command,
              const std::vector<std::int64_t>& shape, std::int64_t held, std::int64_t input_bytes,
              bool is_calibrated, Json& report) {
  const Choice& choice = plan.choice;
  const bool is_contiguous = output.part && !has_part_file(output);
  Json& features = report["features"] = {{"path", output.path.text()},
                                         {"shape", shape},
                                         {"type", name_of(plan.features.type)},
                                         {"bytes", plan.features.bytes()},
                                         {"chunk", Json::array()}};
  if (!is_contiguous) {
    features["chunk"] = {plan.chunk.rows, plan.chunk.channels, plan.chunk.bases};
  }
  if (const std::string note = standing_note(output, command); !note.empty()) {
    features["note"] = note;
  }
  if (const auto free = require_room(output, plan.features.bytes())) features["free_bytes"] = *free;
  report["method"] = name_of(choice.method);
  report["instruction_set"] = name_of(choice.instruction_set);
  report["threads"] = execution_threads();
  if (choice.fft_length > 0) {
    report["fft"] = {{"length", choice.fft_length}, {"parts", choice.fft_parts}};
  }
  report["batch"] = {{"rows", plan.block.rows},
                     {"channels", plan.block.channels},
                     {"bases", plan.block.bases},
                     {"samples", plan.block_samples}};
  report["blocks"] = plan.blocks;
  report["memory"] = {{"spike_trains_bytes", held},
                      {"input_bytes", plan.input_bytes},
                      {"features_bytes", plan.output_bytes},
                      {"workspace_bytes", choice.staging.is_staged() ? 0 : plan.workspace_bytes},
                      {"reading_bytes", plan.source_bytes},
                      {"writing_bytes", plan.sink_bytes},
                      {"total_bytes", plan.total_bytes + held},
                      {"budget_bytes", plan.budget + held}};
  report["predicted"] = predicted_tree(plan, input_bytes, output.filter.deflate > 0, is_calibrated);
  if (const StagedBlocks& blocks = choice.staging; !(blocks == StagedBlocks())) {
    report["staging"] = {{"reason", name_of(blocks.reason)},
                         {"is_staged", blocks.is_staged()},
                         {"slots", blocks.slots},
                         {"rows", blocks.rows},
                         {"channels", blocks.channels},
                         {"device_bytes", blocks.device_bytes},
                         {"device_budget", plan.device_budget},
                         {"host_bytes", blocks.host_bytes}};
  }
}

void print_plan(const Messages& messages, bool is_dry_run, const Json& report,
                std::span<const ReportLine> lines) {
  if (is_dry_run && messages.json) {
    print_tree(messages, LineState::planned, report);
  } else if (is_dry_run) {
    std::cout << lines_of(lines, report);
  } else if (!messages.quiet) {
    std::cerr << lines_of(lines, report);
  }
}

StreamReport run_shown(const Messages& messages, const std::string& verb,
                       const OutputRequest& output, StreamOptions options, RunMemory& memory,
                       const std::function<StreamReport(const StreamOptions&)>& stream) {
  note_part(part_of(output), output.part ? Rest::shared : Rest::resumes);
  const std::optional<Fingerprint> before = standing_file(output.path.file);
  bool has_written = false;
  ProgressDisplay display(messages.quiet ? ProgressStyle::none : messages.progress, verb,
                          messages.line);
  options.progress = [&](const StreamProgress& progress) {
    has_written = has_written || progress.bytes_written > 0;
    memory.look();
    display.show({.block = progress.blocks_written,
                  .blocks = progress.blocks,
                  .bytes = progress.bytes_written,
                  .fraction = fraction_of(progress, output),
                  .seconds = progress.seconds});
  };
  try {
    return stream(options);
  } catch (const InputChanged& changed) {
    throw Error(with_note(changed.what(), note_of_changed_input(output)) + ".");
  } catch (const Cancelled& stopped) {
    throw Cancelled(with_note(stopped.what(), note_of_rest(output, before)));
  } catch (const Error& error) {
    const std::string note = has_written ? note_of_rest(output, before) : "";
    if (note.empty()) throw;
    throw Error(with_note(error.what(), note) + ".");
  }
}

LineState report_run(const Messages& messages, const OutputRequest& output,
                     const StreamReport& done, const Hdf5Sink& sink, const RunMemory& memory,
                     Json& report) {
  const double seconds = std::max(done.seconds, 1e-9);
  const auto bytes = static_cast<double>(done.bytes_written);
  const auto all = static_cast<double>(std::max<std::int64_t>(done.plan.features.bytes(), 1));
  report["run"] = {
      {"seconds", done.seconds},
      {"seconds_read", done.seconds_read},
      {"seconds_compute", done.seconds_compute},
      {"seconds_write", done.seconds_write},
      {"bytes_read", done.bytes_read},
      {"bytes_written", done.bytes_written},
      {"blocks", done.blocks},
      {"blocks_before", done.blocks_before},
      {"was_finished", sink.was_finished()},
      {"rows_per_second", bytes / all * static_cast<double>(done.plan.features.rows) / seconds},
      {"bytes_per_second", bytes / seconds},
      {"peak_bytes", memory.peak()},
      {"program_bytes", memory.before()},
      {"used_bytes", memory.used()},
      {"mapped_bytes", memory_now().file_bytes}};
  if (output.part) report["run"]["part"] = part_tree(output, sink);
  std::error_code status;
  const bool has_all_rows =
      output.part && !has_part_file(output) && !std::filesystem::exists(part_of(output), status);
  if (has_all_rows) remove_facts(output.path.file);
  const LineState state = sink.was_finished() ? LineState::already_whole : LineState::done;
  if (messages.json) print_tree(messages, state, report);
  if (messages.quiet) return state;
  const bool has_found_all = done.blocks_before > 0 && done.blocks == 0 && !output.part;
  std::cerr << (sink.was_finished() ? lines_of(finished_lines, report)
                : has_found_all     ? lines_of(found_lines, report)
                                    : lines_of(run_lines, report));
  return state;
}

std::string part_of(const OutputRequest& output) {
  constexpr std::string_view ending = ".part";
  std::string whole = part_of(output.path.file);
  if (!has_part_file(output)) return whole;
  whole.resize(whole.size() - ending.size());
  const OutputPart part = output.part.value_or(OutputPart());
  return part_file_name(whole, part) + std::string(ending);
}

std::string without_part(const std::string& command_line) {
  constexpr std::string_view option = " --part";
  std::string line = command_line;
  for (const char between : {' ', '='}) {
    const std::size_t begin = line.find(std::string(option) + between);
    if (begin == std::string::npos) continue;
    const std::size_t end = line.find(' ', begin + option.size() + 1);
    line.erase(begin, std::min(end, line.size()) - begin);
  }
  return line;
}

}  // namespace synelix::tool
