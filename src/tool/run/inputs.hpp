// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/text/report.hpp"

#include <synelix/types/hdf5.hpp>
#include <synelix/types/nwb.hpp>
#include <synelix/types/stream.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// \file
/// From requests to the library's inputs: recordings, spike trains, filters and output options,
/// with indices where the request has times.

namespace synelix::tool {

/// A budget that does not hold spike trains.
struct Refusal {
  BudgetError error;
  bool is_least = true;  ///< false: the error names what is enough, and may be more than the least
};

/// Refuses a budget that is too small for a whole run, which needs so much.
[[noreturn]] void refuse_run(std::int64_t budget, std::int64_t bytes, bool is_least);

/// Spike trains as events, and what is known of them.
struct SpikeTrains {
  Events events;
  SeriesDescription description;
  SpikeCounts counts = {};
  bool is_selected = false;  ///< whether intervals say which times are read
  std::optional<double> first_spike_seconds = {};
  double end_seconds = 0;               ///< of the recording, or the last interval's stop
  std::optional<Refusal> refused = {};  ///< why they are only counted, for a plan
};

/// Units, and why they are only counted.
struct ReadUnits {
  Units units;
  std::optional<Refusal> refused = {};
};

/// Reads units. Where the budget is too small for them, they are only counted: a plan then finds
/// the least budget of the whole run.
ReadUnits read_or_count(const std::string& file, UnitsOptions options);

/// The same error, which calls a budget by its option. \param is_least  false: what it names is
/// enough, and may be more than the least
BudgetError by_option(const BudgetError& error, bool is_least);

/// What `plan` gives. \throws BudgetError: that of `refused`, or the plan's where that needs more
template <class Plan>
auto planned_beside(const std::optional<Refusal>& refused, const Plan& plan) {
  try {
    auto result = plan();
    if (!refused) return result;
  } catch (const BudgetError& error) {
    const bool needs_more = !refused || error.least_bytes() > refused->error.least_bytes();
    if (needs_more) throw by_option(error, !refused || refused->is_least);
  }
  throw refused->error;  // NOLINT(cert-err60-cpp)
}

/// Where the bins of spike trains begin, for a report.
BinsReport bins_report(const SpikeTrains& trains);

/// What became of spikes, for a report.
SpikesReport spikes_report(const SpikeTrains& trains);

/// Says so where spikes are dropped that nobody has asked to leave out. What lies in the last bin
/// of a recording, which is not kept where its centre lies behind the end, is in reports alone.
/// --quiet does not hide the warning.
/// \throws Error with `is_strict` for any such spike
void require_spikes(const std::string& name, const SpikesReport& spikes, bool is_strict);

/// What is convolved.
using Input = std::variant<Hdf5Source, SpikeTrains>;

/// Opens the recording, or reads the spike trains. \param fit  of the timestamps, where it is known
Input open_input(const ConvolveRequest& request, const std::optional<TimestampsFit>& fit = {});

/// Reads the spike trains alone, for which Kokkos need not run.
/// \param later_bytes       of the budget, that counting them needs beside them
/// \param later_bytes_each  and so many more for each train
SpikeTrains open_trains(const CountsRequest& request, std::int64_t later_bytes,
                        std::int64_t later_bytes_each);

/// Spike trains lie on the host: sets the budget that they have to keep while they are read. Other
/// trains hold so many bytes of it already.
void limit_trains(const ConvolveOptions& computing, std::int64_t held, UnitsOptions& options);

/// The intervals of a table that say what was asked for.
std::vector<Interval> intervals_of(const IntervalsSource& source);

/// " where COLUMN=VALUE" of each condition, for fingerprints.
std::string conditions_text(const std::vector<ColumnValue>& where);
/// Which rows of a table are intervals, and how: what was asked for beside its name.
std::string intervals_text(const IntervalsSource& intervals);

/// The samples whose rows --time asks for; absent: all. Windows reach beyond its ends, which are no
/// ends of an epoch.
std::optional<Range> samples_of(const std::optional<TimeRange>& time, std::int64_t samples,
                                const SeriesDescription& series);

/// What is known of some samples of a recording, whose times keep their bits. For a writer alone:
/// the first segment may begin before sample 0.
SeriesDescription cut(SeriesDescription series, Range samples);

/// The taps that were asked for. A window with a unit needs the rate.
Taps taps_of(const BankSource& source, std::optional<double> rate_hz);

/// Says how far files are trusted, before any is read.
void apply(const Trust& trust);
/// How far links may lead, as `apply` has said.
Links links_followed();

/// The library's spelling of a path.
FilePath file_path(const DatasetPath& path);

/// All files behind these, which are in memory before a run. Those without a name are left out.
std::vector<InputFile> held_files(const std::vector<DatasetPath>& datasets,
                                  const std::vector<std::string>& files);

/// Throws Error where a file, or with --append a dataset, stands in the way of this output.
void require_free_place(const DatasetPath& output, Existing existing);

/// How an output file is to be written.
Hdf5OutputOptions output_options(Existing existing, const std::string& command_line);

}  // namespace synelix::tool
