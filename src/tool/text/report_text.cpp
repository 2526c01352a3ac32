// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/report.hpp"

#include "tool/options/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace synelix::tool {
namespace {

std::string line(std::string_view name, const std::string& text) {
  std::string result(name);
  result.resize(std::max<std::size_t>(result.size() + 1, 10), ' ');
  return result + text + "\n";
}

std::string extents(std::initializer_list<std::int64_t> sizes) {
  std::string text;
  for (const std::int64_t size : sizes) {
    text += (text.empty() ? "" : " x ") + format_count(size);
  }
  return text;
}

std::string printed(const char* pattern, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string input_line(const PlanReport& plan) {
  std::string text = plan.input + ", " + extents({plan.samples, plan.channels}) + " ";
  text += plan.events ? "bins x units with " + format_count(*plan.events) + " occupied bins"
                      : plan.stored_type;
  if (plan.rate_hz) text += " at " + printed(plan.fit ? "%.10g" : "%.6g", *plan.rate_hz) + " Hz";
  if (plan.fit) {
    text += ", fitted to timestamps (" + printed("%.2g", plan.fit->most_deviation) +
            " samples off at most, " + format_count(plan.fit->segments) +
            (plan.fit->segments == 1 ? " segment)" : " segments)");
  }
  if (plan.epochs > 1) text += ", " + format_count(plan.epochs) + " epochs";
  return line("input", text);
}

std::string spikes_line(const PlanReport& plan) {
  return plan.spikes ? line("spikes", text_of(*plan.spikes)) : "";
}

std::string bins_line(const PlanReport& plan) {
  return plan.bins ? line("bins", text_of(*plan.bins)) : "";
}

std::string filters_line(const PlanReport& plan) {
  // For spike trains a sample is a bin, whose width explains a window of 100.
  const std::string sample = plan.events ? "bin" : "sample";
  return line("filters", plan.basis + ", " + format_count(plan.bases) + " of " +
                             window_text(plan.window, sample, plan.rate_hz));
}

std::string output_line(const PlanReport& plan) {
  std::string text = extents({plan.rows, plan.channels, plan.bases}) + " " + plan.type + ", " +
                     format_byte_count(plan.output_bytes);
  if (!plan.output.empty()) text += " to " + plan.output;
  if (!plan.output_note.empty()) text += " (" + plan.output_note + ")";
  if (plan.free_bytes) text += " (free there: " + format_byte_count(*plan.free_bytes) + ")";
  return line("features", text);
}

std::string blocks_line(const PlanReport& plan) {
  std::string text = format_count(plan.blocks) + " of " +
                     extents({plan.block_rows, plan.block_channels, plan.block_bases}) +
                     " rows x channels x bases";
  if (plan.block_samples > 0) {
    text += ", from " + format_count(plan.block_samples) + " samples each";
  }
  if (plan.chunk.size() == 3) {
    text += "; chunks of " + extents({plan.chunk[0], plan.chunk[1], plan.chunk[2]});
  }
  return line("blocks", text);
}

/// The predicted times of the other methods.
std::string candidates_text(const PlanReport& plan) {
  std::string text;
  for (const auto& [method, seconds] : plan.candidates) {
    text += (text.empty() ? "; predicted: " : ", ") + method + " " + format_seconds(seconds);
  }
  return text;
}

/// The method of computation.
std::string method_text(const PlanReport& plan) {
  std::string text = plan.method + " (" + plan.instruction_set;
  if (plan.fft_length > 0) text += ", transforms of " + format_count(plan.fft_length) + " samples";
  if (plan.fft_parts > 1) text += ", the window in " + format_count(plan.fft_parts) + " parts";
  return text + ")";
}

std::string memory_line(const PlanReport& plan) {
  std::string text =
      format_byte_count(plan.total_bytes) + " of a budget of " + format_byte_count(plan.budget);
  const std::array<std::pair<std::string_view, std::int64_t>, 6> parts{
      {{"spike trains", plan.held_bytes},
       {"input", plan.input_buffer_bytes},
       {"features", plan.output_buffer_bytes},
       {"workspace", plan.workspace_bytes},
       {"reading", plan.source_bytes},
       {"writing", plan.sink_bytes}}};
  std::string separator = ": ";
  for (const auto& [name, size] : parts) {
    if (size == 0) continue;
    text += separator + std::string(name) + " " + format_byte_count(size);
    separator = ", ";
  }
  return line("memory", text);
}

/// The predicted time of the entire run, and the assumed speeds.
std::string time_line(const PlanReport& plan) {
  const auto speed = [](double bytes_per_second) {
    return printed("%.0f MB/s", bytes_per_second / 1e6);
  };
  std::string text = "about " + format_seconds(predicted_run(plan)) + " in all: ";
  if (plan.input_bytes > 0) text += "reading " + format_seconds(predicted_reading(plan)) + ", ";
  text += "computing " + format_seconds(plan.predicted_seconds) + " and writing " +
          format_seconds(predicted_writing(plan)) + " overlap. Computing is predicted by " +
          (plan.is_calibrated ? "the calibration" : "the library's constants") +
          ", files by an assumed " + speed(assumed_disk_bytes_per_second);
  if (plan.is_compressed) {
    text += " (" + speed(assumed_filter_bytes_per_second) + " with compression)";
  }
  return line("time", text);
}

/// The existing part files.
std::string part_file_lines(const PlanReport& plan, const PartReport& part) {
  const std::string output = plan.output.substr(0, plan.output.rfind(":/"));
  std::string text =
      std::to_string(part.number) + "/" + std::to_string(part.of) + " is done in " + part.file;
  if (part.parts_missing == 0) {
    return line("part",
                text + ", and so are all others: `synelix join " + output + "` makes the output");
  }
  return line("part", text + "; " + format_count(part.parts_missing) + " of " +
                          format_count(part.of) + " parts, with " +
                          format_count(part.unfinished_rows) + " rows, are not finished yet");
}

/// The existing part of the output, and the failed parts.
std::string part_lines(const PlanReport& plan, const PartReport& part) {
  if (!part.file.empty()) return part_file_lines(plan, part);
  const std::string name = std::to_string(part.number) + "/" + std::to_string(part.of);
  if (part.unfinished_rows == 0) return line("part", name + " is done, and so is " + plan.output);
  std::string text = line("part", name + " is done; other parts have " +
                                      format_count(part.unfinished_rows) + " rows, of which " +
                                      format_count(part.rows_missing) + " are not written yet");
  for (const std::string& failure : part.failures) text += line("part", failure);
  return text;
}

}  // namespace

std::string dropped_text(const SpikesReport& spikes) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* where) {
    if (count > 0) text += (text.empty() ? "" : ", ") + format_count(count) + where;
  };
  add(spikes.before, " before the first bin");
  add(spikes.between, " between intervals");
  add(spikes.behind, " behind the last bin");
  return text;
}

std::string text_of(const SpikesReport& spikes) {
  if (spikes.dropped() == 0) return "all " + format_count(spikes.all) + " spikes are counted";
  return format_count(spikes.all - spikes.dropped()) + " of " + format_count(spikes.all) +
         " spikes are counted; dropped: " + dropped_text(spikes);
}

/// Whether pynapple's edges are the same: they are rounded to nanoseconds, so other bins drift.
bool has_bins_of_pynapple(const BinsReport& bins) {
  constexpr double nanoseconds = 1e9;
  return std::nearbyint(bins.bin_seconds * nanoseconds) / nanoseconds == bins.bin_seconds;
}

std::string text_of(const BinsReport& bins) {
  const std::string width = format_number(bins.bin_seconds);
  std::string text = format_count(bins.count) + " of " + format_seconds(bins.bin_seconds);
  if (bins.intervals > 0) {
    return text + ", which restart at each of " + format_count(bins.intervals) +
           (bins.intervals == 1 ? " interval" : " intervals") +
           (has_bins_of_pynapple(bins) ? ", as pynapple's count(" + width + ", ep) does" : "") +
           "; the first starts at " + printed("%.12g", bins.start_seconds) + " s";
  }
  const std::string end = printed("%.12g", bins.end_seconds);
  text += ", from " + printed("%.12g", bins.start_seconds) + " s to " + end + " s";
  if (!bins.first_spike_seconds || !has_bins_of_pynapple(bins)) return text;
  const double offset = *bins.first_spike_seconds - bins.start_seconds;
  return text + "; pynapple's count(" + width + ") starts at the first spike, " +
         printed("%.12g", *bins.first_spike_seconds) + " s, which is " +
         printed("%.4g", offset / bins.bin_seconds) + " bins later. For these rows, write count(" +
         width + ", ep=nap.IntervalSet(" + printed("%.12g", bins.start_seconds) + ", " + end + "))";
}

std::string text_of(const StagingReport& staging) {
  if (!staging.is_staged) {
    return line("device", "arguments are used where they lie: " + staging.reason);
  }
  return line("device", format_count(staging.slots) + " blocks at a time go through it (" +
                            staging.reason + "): " + format_byte_count(staging.device_bytes) +
                            " there of a budget of " + format_byte_count(staging.device_budget) +
                            ", " + format_byte_count(staging.host_bytes) + " pinned");
}

std::string window_text(std::int64_t window, const std::string& sample,
                        std::optional<double> rate_hz) {
  std::string text = format_count(window) + " " + sample + (window == 1 ? "" : "s");
  if (!rate_hz) return text;
  if (sample == "bin") text += " of " + format_seconds(1 / *rate_hz);
  return text + " (" + format_seconds(static_cast<double>(window) / *rate_hz) + ")";
}

std::string text_of(const PlanReport& plan) {
  std::string text = input_line(plan) + spikes_line(plan) + bins_line(plan) + filters_line(plan) +
                     output_line(plan);
  text += line("method", method_text(plan) + candidates_text(plan));
  text += blocks_line(plan) + memory_line(plan);
  if (plan.staging) text += text_of(*plan.staging);
  text += line("cost", printed("%.3g Gflop", plan.flops / 1e9) + ", " +
                           format_bytes(plan.moved_bytes) + " moved, " +
                           format_seconds(plan.predicted_seconds) + " of computing predicted");
  return text + time_line(plan);
}

std::string text_of(const PlanReport& plan, const RunReport& run) {
  if (run.was_finished) {
    return line("resumed", plan.output + " is finished already, so this run computed nothing");
  }
  if (run.blocks_before > 0 && run.blocks == 0 && !run.part) {
    return line("resumed", "all " + format_count(run.blocks_before) +
                               " blocks were there and match their checksums; nothing was left to "
                               "compute, and " +
                               plan.output + " has its name");
  }
  const double seconds = std::max(run.seconds, 1e-9);
  std::string text;
  if (run.blocks_before > 0) {
    text = line("resumed", format_count(run.blocks_before) + " blocks were there, " +
                               format_count(run.blocks) + " were written");
  }
  text += line(
      "run",
      format_seconds(run.seconds) + ": " +
          printed("%.3g rows/s", rows_written(plan, run) / seconds) + ", " +
          printed("%.3g GB/s written", static_cast<double>(run.bytes_written) / seconds / 1e9) +
          "; overlapped: reading " + format_seconds(run.seconds_read) + ", computing " +
          format_seconds(run.seconds_compute) + ", writing " + format_seconds(run.seconds_write));
  const auto used = std::max<std::int64_t>(run.peak_bytes - run.program_bytes, 0);
  // 8 MiB: CONTRIBUTING.md, "Memory of streams and fits".
  text += line("peak", format_byte_count(used) + " used, for a budget of " +
                           format_byte_count(plan.budget) +
                           " and up to 8 MiB of libraries; the program had " +
                           format_byte_count(run.program_bytes) + " of its own before, and " +
                           format_byte_count(run.mapped_bytes) + " of mapped files");
  if (run.part) text += part_lines(plan, *run.part);
  return text;
}

std::string text_of(const CountsReport& counts) {
  return line("counts",
              extents({counts.rows, counts.units}) + " " + counts.type + ", to " + counts.output) +
         line("bins", text_of(counts.bins)) + line("spikes", text_of(counts.spikes)) +
         line("written", format_count(counts.written) + " spikes, " +
                             printed("%.0f", counts.largest) + " at most in a bin, in " +
                             format_seconds(counts.seconds));
}

std::string text_of(const SimulationReport& simulation) {
  return line("recording", extents({simulation.samples, simulation.channels}) + " uint8 counts, " +
                               format_seconds(simulation.recorded_seconds()) + " in bins of " +
                               format_seconds(simulation.bin_seconds) + ", to " + simulation.path) +
         line("spikes", format_count(simulation.spikes) + ", " +
                            printed("%.3g Hz in the mean", simulation.mean_rate_hz()));
}

namespace {

std::string counted(std::int64_t count, const std::string& what) {
  return format_count(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string text_of(const JoinedReport& joined) {
  std::string text;
  if (joined.was_finished) {
    text = "joined    " + joined.output + " is finished already, so nothing was copied\n";
  } else {
    std::string sides;
    for (const std::int64_t side : joined.shape) {
      sides += (sides.empty() ? "" : " x ") + format_count(side);
    }
    text = "joined    " + counted(joined.parts, "part") + " to " + joined.output + ": " + sides +
           " " + joined.type + " in " + counted(joined.chunks, "chunk") + " of " +
           format_bytes(static_cast<double>(joined.bytes)) + ", in " +
           format_seconds(joined.seconds) + "\n";
  }
  if (joined.removed > 0) text += "removed   " + counted(joined.removed, "part file") + "\n";
  return text;
}

namespace {

/// The shortest text that reads back as the same number.
std::string exact(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

std::string csv_of(const Taps& taps) {
  std::string text = "tap";
  for (std::int64_t b = 0; b < taps.bases; ++b) text += ",basis_" + std::to_string(b);
  text += "\n";
  for (std::int64_t w = 0; w < taps.window; ++w) {
    text += std::to_string(w);
    for (std::int64_t b = 0; b < taps.bases; ++b) text += "," + exact(taps(w, b));
    text += "\n";
  }
  return text;
}

}  // namespace synelix::tool
