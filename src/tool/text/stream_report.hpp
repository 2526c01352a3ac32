// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/text/report.hpp"

#include <array>
#include <string>

/// \file
/// The sentences of reports on recordings and on streams: `plan`, `convolve`, `features`, `counts`.

namespace synelix::tool {

/// Of spikes: the reasons why they are dropped.
inline constexpr std::string_view dropped_sentence =
    "<{before} before the first bin;{between} between intervals;{behind} after the last bin>";
/// Of spikes.
inline constexpr std::string_view spikes_sentence =
    "[{!before}{!between}{!behind}all {all} spikes are counted]"
    "[{counted} of {all} spikes are counted; dropped: "
    "<{before} before the first bin;{between} between intervals;{behind} after the last bin>]";
/// Of bins: where they begin, and how to get the same bins in pynapple.
inline constexpr std::string_view bins_sentence =
    "{count} of {bin_seconds/seconds}"
    "[{?intervals}, which restart at each of {intervals} interval{intervals/s}"
    "[{?is_whole_nanoseconds}, as pynapple's count({bin_seconds/number}, ep) does]"
    "; the first starts at {start_seconds/%.12g} s]"
    "[{!intervals}, from {start_seconds/%.12g} s to {end_seconds/%.12g} s"
    "[{?is_whole_nanoseconds}; pynapple's count({bin_seconds/number}) starts at the first spike, "
    "{first_spike_seconds/%.12g} s, which is {first_spike_offset_bins/%.4g} bins later. For these "
    "rows, write count({bin_seconds/number}, ep=nap.IntervalSet({start_seconds/%.12g}, "
    "{end_seconds/%.12g}))]]";
/// Of features.
inline constexpr std::string_view features_sentence =
    "{shape} {type}, {bytes/bytes}[ to {path}][ ({note})][ (free there: {free_bytes/bytes})]";
/// Of a tree with `staging`.
inline constexpr std::string_view staging_sentence =
    "[{?staging}{!staging.is_staged}arguments are used where they lie: {staging.reason}]"
    "[{?staging.is_staged}{staging.slots} blocks at a time go through it ({staging.reason}): "
    "{staging.device_bytes/bytes} there of a budget of {staging.device_budget/bytes}, "
    "{staging.host_bytes/bytes} pinned]";

/// Of `plan` and `convolve`.
inline constexpr std::array plan_lines{
    ReportLine{"input",
               "{input.path}, {input.samples} x {input.channels} [{!input.spikes}{input.type}]"
               "[{?input.spikes}bins x units with {input.events} occupied bins]"
               "[{!input.timestamps} at {input.rate_hz/%.6g} Hz]"
               "[ at {input.rate_hz/%.10g} Hz, fitted to timestamps "
               "({input.timestamps.most_deviation_samples/%.2g} samples off at most, "
               "{input.timestamps.segments} segment{input.timestamps.segments/s})]"
               "[{+input.epochs}, {input.epochs} epochs]"},
    ReportLine{"spikes", spikes_sentence, "input.spikes"},
    ReportLine{"bins", bins_sentence, "input.bins"},
    // For spike trains a sample is a bin, whose width explains a window of 100.
    ReportLine{"filters",
               "{filters.basis}, {filters.bases} of {filters.window} "
               "[{!input.spikes}sample{filters.window/s}]"
               "[bin{filters.window/s} of {input.bins.bin_seconds/seconds}]"
               "[ ({filters.window_seconds/seconds})]"},
    ReportLine{"features", features_sentence, "features"},
    ReportLine{"method",
               "{method} ({instruction_set}[, transforms of {fft.length} samples]"
               "[{+fft.parts}, the window in {fft.parts} parts])"
               "[; predicted: {predicted.seconds_by_method:{key} {value/seconds}}]"},
    ReportLine{"blocks",
               "{blocks} of {batch.rows} x {batch.channels} x {batch.bases} rows x channels x bases"
               "[{?batch.samples}, from {batch.samples} samples each]"
               "[; chunks of {features.chunk}]"},
    ReportLine{"memory",
               "{memory.total_bytes/bytes} of a budget of {memory.budget_bytes/bytes}"
               "[: <spike trains {memory.spike_trains_bytes/bytes}"
               ";input {memory.input_bytes/bytes};features {memory.features_bytes/bytes}"
               ";workspace {memory.workspace_bytes/bytes};reading {memory.reading_bytes/bytes}"
               ";writing {memory.writing_bytes/bytes}>]"},
    ReportLine{"device", staging_sentence},
    ReportLine{"cost",
               "{predicted.flops/G%.3g} Gflop, {predicted.bytes/bytes} moved, "
               "{predicted.seconds/seconds} of computing predicted"},
    ReportLine{"time",
               "about {predicted.seconds_of_run/seconds} in all: "
               "[{?predicted.seconds_read}reading {predicted.seconds_read/seconds}, ]"
               "computing {predicted.seconds/seconds} and writing "
               "{predicted.seconds_write/seconds} overlap. Computing is predicted by "
               "[{?predicted.is_calibrated}the calibration]"
               "[{!predicted.is_calibrated}the library's constants], files by an assumed "
               "{predicted.assumed_bytes_per_second/M%.0f} MB/s"
               "[ ({predicted.assumed_filter_bytes_per_second/M%.0f} MB/s with compression)]"},
};

/// Of a run that found its output finished, one that found all blocks, and others.
/// @{
inline constexpr std::array finished_lines{
    ReportLine{"resumed", "{features.path} is finished already, so this run computed nothing"}};
inline constexpr std::array found_lines{ReportLine{
    "resumed",
    "all {run.blocks_before} blocks were there and match their checksums; nothing was left to "
    "compute, and {features.path} has its name"}};
inline constexpr std::array run_lines{
    ReportLine{"resumed",
               "[{?run.blocks_before}{run.blocks_before} blocks were there, {run.blocks} were "
               "written]"},
    ReportLine{"run",
               "{run.seconds/seconds}: {run.rows_per_second/%.3g} rows/s, "
               "{run.bytes_per_second/G%.3g} GB/s written; overlapped: reading "
               "{run.seconds_read/seconds}, computing {run.seconds_compute/seconds}, writing "
               "{run.seconds_write/seconds}"},
    // 8 MiB: CONTRIBUTING.md, "Memory of streams and fits".
    ReportLine{"peak",
               "{run.used_bytes/bytes} used, for a budget of {memory.budget_bytes/bytes} and up to "
               "8 MiB of libraries; the program had {run.program_bytes/bytes} of its own before, "
               "and {run.mapped_bytes/bytes} of mapped files"},
    ReportLine{"part",
               "[{run.part.number/plain}/{run.part.of/plain} is done"
               "[{!run.part.file}{!run.part.unfinished_rows}, and so is {features.path}]"
               "[{!run.part.file}{?run.part.unfinished_rows}; other parts have "
               "{run.part.unfinished_rows} rows, of which {run.part.rows_missing} are not written "
               "yet]"
               "[{!run.part.parts_missing} in {run.part.file}, and so are all others: "
               "`synelix join {run.part.output}` makes the output]"
               "[{?run.part.parts_missing} in {run.part.file}; {run.part.parts_missing} of "
               "{run.part.of} parts, with {run.part.unfinished_rows} rows, are not finished yet]]"},
    ReportLine{"part", "{}", "run.part.failures"},
};
/// @}

}  // namespace synelix::tool
