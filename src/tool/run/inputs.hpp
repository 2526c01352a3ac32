// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/text/report.hpp"

#include <synelix/types/hdf5.hpp>
#include <synelix/types/nwb.hpp>
#include <synelix/types/stream_features.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Converts requests to the library's inputs: recordings, spike trains, filters and output options,
/// with times converted to indices.

namespace synelix::tool {

/// A budget that is too small for spike trains.
struct Refusal {
  BudgetError error;
  bool is_least = true;  ///< false: the error names a sufficient budget, which may be more than the
                         ///< least
};

/// Throws for a budget that is too small for a complete run, which needs `bytes`.
[[noreturn]] void refuse_run(std::int64_t budget, std::int64_t bytes, bool is_least);

/// Spike trains as events, and facts about them.
struct SpikeTrains {
  Events events;
  SeriesDescription description;
  SpikeCounts counts = {};
  bool is_selected = false;  ///< whether intervals select the times to read
  bool is_end_known = true;  ///< whether bins reach to the end of the spikes, except for half a bin
  std::optional<double> first_spike_seconds = {};
  double end_seconds = 0;               ///< of the recording, or the last interval's stop
  std::optional<Refusal> refused = {};  ///< the reason why they are only counted, for a plan
};

/// The input of a command: an array that is read block by block, or spike trains in memory.
class Recording {
 public:
  /// An array. \param fit  to its timestamps, which belongs to the source; null: there are none
  Recording(std::unique_ptr<Source> source, const TimestampsFit* fit)
      : m_source(std::move(source)), m_fit(fit) {}
  explicit Recording(SpikeTrains trains)
      : m_trains(std::make_unique<SpikeTrains>(std::move(trains))) {}

  /// The spike trains; null: it is an array.
  [[nodiscard]] const SpikeTrains* trains() const { return m_trains.get(); }
  [[nodiscard]] const TimestampsFit* fit() const { return m_fit; }
  [[nodiscard]] const SeriesShape& shape() const {
    return m_source ? m_source->shape() : m_trains->events.shape();
  }
  [[nodiscard]] SeriesDescription series() const {
    return m_source ? m_source->description() : m_trains->description;
  }
  /// Bytes of spike trains in memory.
  [[nodiscard]] std::int64_t held_bytes() const { return m_trains ? m_trains->events.bytes() : 0; }
  [[nodiscard]] std::optional<Refusal> refused() const {
    return m_trains ? m_trains->refused : std::nullopt;
  }
  /// What a stream reads.
  [[nodiscard]] StreamInput stream() const {
    return m_source ? StreamInput(*m_source) : StreamInput(m_trains->events);
  }
  /// The result of a call with the source, or with the events.
  template <class Call>
  [[nodiscard]] auto streamed(const Call& call) const {
    return m_source ? call(*m_source) : call(m_trains->events);
  }

 private:
  std::unique_ptr<Source> m_source;
  const TimestampsFit* m_fit = nullptr;
  std::unique_ptr<SpikeTrains> m_trains;
};

/// Units, and the reason why they are only counted.
struct ReadUnits {
  Units units;
  std::optional<Refusal> refused = {};
};

/// Reads units. If the budget is too small for them, they are only counted: a plan then finds the
/// least budget of the complete run.
ReadUnits read_or_count(const std::string& file, UnitsOptions options);

/// The same error with the name of the budget's option. \param is_least  false: it names a
/// sufficient budget, which may be more than the least
BudgetError by_option(const BudgetError& error, bool is_least);

/// Returns the result of `plan`. \throws BudgetError: that of `refused`, or that of the plan if it
/// needs more
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

/// Parts of reports: the used and dropped spikes, the bins, and a recording with its name.
/// @{
Json spikes_tree(const SpikeCounts& spikes);
Json bins_tree(const SpikeTrains& trains);
Json recording_tree(const std::string& name, const Recording& recording);
/// @}

/// Warns if spikes are dropped that the user has not excluded. Spikes in the last bin of a
/// recording, which is not kept if its center is after the end, are only in reports. --quiet does
/// not hide the warning.
/// \throws Error with `is_strict` for any such spike
void require_spikes(const std::string& name, const SpikeTrains* trains, bool is_strict);

/// Opens an array, or reads spike trains. \param fit  of the timestamps, if it is known
Recording open_recording(const ConvolveRequest& request,
                         const std::optional<TimestampsFit>& fit = {});

/// Reads only the spike trains, for which Kokkos need not run.
/// \param later_bytes       of the budget, needed later to count them
/// \param later_bytes_each  the same for each train
SpikeTrains open_trains(const CountsRequest& request, std::int64_t later_bytes,
                        std::int64_t later_bytes_each);

/// Spike trains are on the host: sets the budget for reading them. Other trains already use `held`
/// bytes of it.
void limit_trains(const ConvolveOptions& computing, std::int64_t held, UnitsOptions& options);

/// The requested intervals of a table.
std::vector<Interval> intervals_of(const IntervalsSource& source);

/// " where COLUMN=VALUE" of each condition, for fingerprints.
std::string conditions_text(const std::vector<ColumnValue>& where);
/// The rows of a table that are intervals, and how: the request besides its name.
std::string intervals_text(const IntervalsSource& intervals);

/// The samples whose rows --time selects; absent: all. Windows reach beyond its ends, which are not
/// ends of an epoch.
std::optional<Range> samples_of(const std::optional<TimeRange>& time, std::int64_t samples,
                                const SeriesDescription& series);

/// The description of some samples of a recording, whose times keep their bits. Only for a writer:
/// the first segment may begin before sample 0.
SeriesDescription cut(SeriesDescription series, Range samples);

/// The requested taps. A window with a unit needs the rate.
Taps taps_of(const BankSource& source, std::optional<double> rate_hz);

/// Sets the trust in files, before any is read.
void apply(const Trust& trust);
/// The allowed links, as set by `apply`.
Links links_followed();

/// A path in the library's form.
FilePath file_path(const DatasetPath& path);

/// All files used by these, which are in memory before a run.
std::vector<InputFile> held_files(const std::vector<ReadFile>& files);

/// Throws Error if a file, or with --append a dataset, already exists at this output.
void require_free_place(const DatasetPath& output, Existing existing);

/// The options of an output file.
Hdf5OutputOptions output_options(Existing existing, const std::string& command_line);

}  // namespace synelix::tool
