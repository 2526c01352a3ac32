// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// The reports of `plan`, `convolve`, `counts`, `simulate`, `join` and `basis`: plain values, and
/// their two output formats, text and JSON.

namespace synelix::tool {

/// How the rate was determined from timestamps.
struct FitReport {
  double most_deviation = 0;  ///< in samples
  std::int64_t segments = 0;  ///< of the file, between jumps
};

/// Counts of used and dropped spikes of the selected units.
struct SpikesReport {
  std::int64_t all = 0;
  std::int64_t before = 0;   ///< dropped: before the first bin
  std::int64_t between = 0;  ///< dropped: between intervals
  std::int64_t behind = 0;   ///< dropped: after the last bin
  bool is_selected = false;  ///< whether intervals select the times to read
  bool is_end_known = true;  ///< whether bins reach to the end of the spikes, except for half a bin

  [[nodiscard]] std::int64_t dropped() const { return before + between + behind; }
};

/// The beginning of the bins of spike trains.
struct BinsReport {
  std::int64_t count = 0;
  std::int64_t intervals = 0;  ///< number of intervals; bins restart at each; 0: the entire
                               ///< recording
  double bin_seconds = 0;
  double start_seconds = 0;  ///< of the first bin
  double end_seconds = 0;    ///< of the recording, or the last interval's stop
  std::optional<double> first_spike_seconds = {};  ///< of the selected units
};

/// How blocks go through a device.
struct StagingReport {
  std::string reason;
  bool is_staged = false;
  std::int64_t slots = 0;
  std::int64_t rows = 0;
  std::int64_t channels = 0;
  std::int64_t device_bytes = 0;
  std::int64_t device_budget = 0;
  std::int64_t host_bytes = 0;
};

/// How a convolution is computed.
struct PlanReport {
  std::string input;
  std::string output;       ///< empty: none given
  std::string output_note;  ///< why it cannot be written; empty: it can
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::string stored_type;  ///< "events" for spike trains
  std::optional<std::int64_t> events;
  std::optional<SpikesReport> spikes;
  std::optional<BinsReport> bins;
  std::optional<double> rate_hz;
  std::optional<FitReport> fit;  ///< of the rate to timestamps
  std::int64_t epochs = 0;
  std::string basis;
  std::int64_t window = 0;
  std::int64_t rows = 0;
  std::int64_t bases = 0;
  std::string type;
  std::int64_t output_bytes = 0;
  std::optional<std::int64_t> free_bytes;
  std::string method;
  std::string instruction_set;
  int threads = 0;              ///< of the host, or the equivalent of a device
  std::int64_t fft_length = 0;  ///< samples of a block of the FFT method; 0: another method
  std::int64_t fft_parts = 0;   ///< of the window
  std::int64_t block_rows = 0;
  std::int64_t block_channels = 0;
  std::int64_t block_bases = 0;
  std::int64_t block_samples = 0;
  std::int64_t blocks = 0;
  std::vector<std::int64_t> chunk;
  std::int64_t held_bytes = 0;  ///< by spike trains
  std::int64_t input_buffer_bytes = 0;
  std::int64_t output_buffer_bytes = 0;
  std::int64_t workspace_bytes = 0;
  std::int64_t source_bytes = 0;
  std::int64_t sink_bytes = 0;
  std::int64_t total_bytes = 0;
  std::int64_t budget = 0;
  double flops = 0;
  double moved_bytes = 0;
  double predicted_seconds = 0;  ///< of computing
  bool is_calibrated = false;    ///< by a file of `calibrate`; otherwise by the library's constants
  std::int64_t input_bytes = 0;  ///< input bytes that are read while the run computes
  bool is_compressed = false;    ///< the output
  std::vector<std::pair<std::string, double>> candidates;  ///< methods and their seconds
  std::optional<StagingReport> staging;                    ///< if there is something to report
};

/// Assumed speeds that were not measured: a hard disk or a shared file system; compression on one
/// thread.
constexpr double assumed_disk_bytes_per_second = 150e6;
constexpr double assumed_filter_bytes_per_second = 40e6;

inline double predicted_reading(const PlanReport& plan) {
  return static_cast<double>(plan.input_bytes) / assumed_disk_bytes_per_second;
}
inline double predicted_writing(const PlanReport& plan) {
  return static_cast<double>(plan.output_bytes) /
         (plan.is_compressed ? assumed_filter_bytes_per_second : assumed_disk_bytes_per_second);
}
/// Seconds of the entire run: reading, computing and writing overlap, except for the first block
/// and the last.
inline double predicted_run(const PlanReport& plan) {
  const double reading = predicted_reading(plan);
  const double writing = predicted_writing(plan);
  const double together = reading + plan.predicted_seconds + writing;
  const double longest = std::max({reading, plan.predicted_seconds, writing});
  const auto blocks = static_cast<double>(std::max<std::int64_t>(plan.blocks, 1));
  return longest + (together - longest) / blocks;
}

/// The rows that a run has written of an output that several runs write.
struct PartReport {
  std::int64_t number = 0;
  std::int64_t of = 1;
  std::string variables;              ///< of the scheduler, that give the part; empty: from the
                                      ///< command line
  std::int64_t rows_missing = 0;      ///< not written yet by any run
  std::int64_t unfinished_rows = 0;   ///< of unfinished parts; 0: the output is complete
  std::vector<std::string> failures;  ///< of other parts
  std::string file = {};              ///< of this part only; empty: all write one file
  std::int64_t parts_missing = 0;     ///< for part files: the number of unfinished ones
  bool is_joined = false;             ///< for part files: the output exists
};

/// The resources used by a run.
struct RunReport {
  double seconds = 0;
  double seconds_read = 0;
  double seconds_compute = 0;
  double seconds_write = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  std::int64_t blocks = 0;         ///< written by this run
  std::int64_t blocks_before = 0;  ///< written by earlier runs
  bool was_finished = false;       ///< there was nothing to do
  std::optional<PartReport> part = {};
  std::int64_t peak_bytes = 0;     ///< the most private memory that the process held
  std::int64_t program_bytes = 0;  ///< the part of it that the program held before the run
  std::int64_t mapped_bytes = 0;   ///< in addition, mapped pages of the program and its libraries
};

/// Rows that this run has written.
inline double rows_written(const PlanReport& plan, const RunReport& run) {
  const double part = static_cast<double>(run.bytes_written) /
                      static_cast<double>(plan.output_bytes > 0 ? plan.output_bytes : 1);
  return part * static_cast<double>(plan.rows);
}

/// The result of `counts`.
struct CountsReport {
  std::string input;
  std::string output;
  BinsReport bins;
  SpikesReport spikes;
  std::int64_t rows = 0;  ///< that were written
  std::int64_t units = 0;
  std::string type;
  std::int64_t written = 0;  ///< spikes in these rows
  double largest = 0;        ///< count of a bin
  double seconds = 0;
  std::int64_t program_bytes = 0;  ///< private memory before the run
  std::int64_t peak_bytes = 0;     ///< the most private memory that the process held
};

/// The result of `simulate`.
struct SimulationReport {
  std::string path;
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t seed = 0;
  double bin_seconds = 0;
  std::int64_t spikes = 0;
  double seconds = 0;

  [[nodiscard]] double recorded_seconds() const {
    return static_cast<double>(samples) * bin_seconds;
  }
  [[nodiscard]] double mean_rate_hz() const {
    return static_cast<double>(spikes) / recorded_seconds() / static_cast<double>(channels);
  }
};

/// "3 before the first bin, 4 behind the last": the reasons for dropped spikes.
std::string dropped_text(const SpikesReport& spikes);
/// "990 of 1,000 are counted; ...", or that all are counted.
std::string text_of(const SpikesReport& spikes);

/// The beginning of bins, and how to get the same bins in pynapple.
std::string text_of(const BinsReport& bins);

/// Lines of text, each with a newline.
std::string text_of(const StagingReport& staging);
/// "100 samples (100 ms)", or "100 bins of 10 ms (1 s)": a window, and its length in seconds.
std::string window_text(std::int64_t window, const std::string& sample,
                        std::optional<double> rate_hz);
std::string text_of(const PlanReport& plan);
std::string text_of(const PlanReport& plan, const RunReport& run);

std::string text_of(const CountsReport& counts);
std::string text_of(const SimulationReport& simulation);

std::string json_of(const SpikesReport& spikes);
std::string json_of(const BinsReport& bins);

/// One JSON object, without and with the run.
std::string json_of(const PlanReport& plan);
std::string json_of(const PlanReport& plan, const RunReport& run);
std::string json_of(const CountsReport& counts);
std::string json_of(const SimulationReport& simulation);

/// The result for the files of parts.
struct JoinedReport {
  std::string output;
  std::vector<std::int64_t> shape;
  std::string type;
  std::int64_t parts = 0;
  std::int64_t chunks = 0;
  std::int64_t bytes = 0;
  std::int64_t removed = 0;
  bool was_finished = false;
  double seconds = 0;
};

std::string text_of(const JoinedReport& joined);
std::string json_of(const JoinedReport& joined);

/// Taps as text that reads back as the same numbers: a head line, then a line for each tap, with
/// its number and its value in each filter.
std::string csv_of(const Taps& taps);
/// One object with the basis, its parameters, the supports, and taps as a list of rows.
std::string json_of(const Taps& taps);

}  // namespace synelix::tool
