// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The command that writes spike counts, in the bins of `convolve`: targets for its features.
#include "tool/commands.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/output.hpp"
#include "tool/text/progress.hpp"
#include "tool/text/stream_report.hpp"

#include <synelix/types/hdf5.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

constexpr std::int64_t bytes_counted_at_a_time = std::int64_t{4} << 20;

struct TypeOfCounts {
  StoredType stored;
  double largest;
};
/// By their number in CountsType.
constexpr std::array<TypeOfCounts, 3> types_of_counts{
    {{StoredType::uint8, 255}, {StoredType::uint16, 65535}, {StoredType::float32, 16777216}}};

double count_of(const Events& events, std::int64_t event) {
  return events.counts() == nullptr ? 1.0 : static_cast<double>(events.counts()[event]);
}

/// The largest count of these rows.
double largest_of(const Events& events, Range rows) {
  double largest = 0;
  for (std::int64_t i = 0; i < events.shape().events; ++i) {
    const std::int64_t row = events.sample_indices()[i];
    if (row >= rows.begin && row < rows.end) largest = std::max(largest, count_of(events, i));
  }
  return largest;
}

/// The requested type, or the first one that is wide enough: a bin has at most 2^24 spikes.
TypeOfCounts type_of(const CountsRequest& request, double largest) {
  if (!request.type_of_counts) {
    return *std::find_if(types_of_counts.begin(), types_of_counts.end(),
                         [&](const auto& type) { return largest <= type.largest; });
  }
  const TypeOfCounts wanted = types_of_counts[static_cast<std::size_t>(*request.type_of_counts)];
  if (largest > wanted.largest) {
    throw Error("--type",
                "a bin has " + format_number(largest) + " spikes, and " +
                    std::string(name_of(wanted.stored)) + " holds " +
                    format_number(wanted.largest) + " at most",
                "Leave --type out, or give a wider type or a shorter --bin");
  }
  return wanted;
}

/// Bytes besides the trains and a row: HDF5 keeps one chunk of compressed counts, of a MiB or a
/// row; times take 64 KiB.
std::int64_t bytes_beside(const CountsRequest& request, std::int64_t row_bytes) {
  return (request.filter.deflate > 0 ? std::max(mebibytes(1), row_bytes) : 0) +
         (std::int64_t{64} << 10);
}

/// Reads the trains, with room for a row of them, in the widest type while the type is not known.
SpikeTrains trains_of(const CountsRequest& request) {
  const StoredType widest =
      request.type_of_counts
          ? types_of_counts[static_cast<std::size_t>(*request.type_of_counts)].stored
          : types_of_counts.back().stored;
  const std::int64_t each = size_of(widest) * (request.filter.deflate > 0 ? 2 : 1);
  return open_trains(request, bytes_beside(request, 0), each);
}

/// Number of rows in memory at a time, within the budget that the trains left.
std::int64_t rows_at_a_time(const CountsRequest& request, const Events& events, Range rows,
                            std::int64_t row_bytes) {
  const std::int64_t left = request.options.budget.value_or(default_budget()) - events.bytes() -
                            bytes_beside(request, row_bytes);
  return std::clamp<std::int64_t>(std::min(left, bytes_counted_at_a_time) / row_bytes, 1,
                                  rows.size());
}

/// Converts events to rows of counts, block by block.
template <class Count>
class DenseRows {
 public:
  DenseRows(const Events& events, Range rows, std::int64_t together)
      : m_events(events), m_values(static_cast<std::size_t>(together * events.shape().channels)) {
    const std::int64_t* const samples = events.sample_indices();
    for (std::int64_t c = 0; c < events.shape().channels; ++c) {
      const auto* const end = samples + events.begins()[c + 1];
      m_next.push_back(std::lower_bound(samples + events.begins()[c], end, rows.begin) - samples);
    }
  }

  /// The counts of the rows after those of the previous call. Adds the spikes to `written`.
  const Count* fill(Range rows, std::int64_t& written) {
    const std::int64_t channels = m_events.shape().channels;
    std::fill(m_values.begin(), m_values.end(), Count{0});
    for (std::int64_t c = 0; c < channels; ++c) {
      std::int64_t& event = m_next[static_cast<std::size_t>(c)];
      for (; event < m_events.begins()[c + 1]; ++event) {
        const std::int64_t row = m_events.sample_indices()[event];
        if (row >= rows.end) break;
        const double count = count_of(m_events, event);
        m_values[static_cast<std::size_t>((row - rows.begin) * channels + c)] =
            static_cast<Count>(count);
        written += static_cast<std::int64_t>(count);
      }
    }
    return m_values.data();
  }

 private:
  const Events& m_events;
  std::vector<Count> m_values;
  std::vector<std::int64_t> m_next;  ///< the next event of each channel
};

template <class Count>
std::int64_t write_counts(const CountsRequest& request, const Events& events, Range rows,
                          Hdf5SeriesWriter& writer, const RunMemory& memory) {
  const std::int64_t row_bytes = events.shape().channels * static_cast<std::int64_t>(sizeof(Count));
  const std::int64_t together = rows_at_a_time(request, events, rows, row_bytes);
  ProgressDisplay display(request.messages.quiet ? ProgressStyle::none : request.messages.progress,
                          "counts");
  DenseRows<Count> dense(events, rows, together);
  Advance advance{.blocks = (rows.size() + together - 1) / together};
  std::int64_t written = 0;
  for (std::int64_t t = rows.begin; t < rows.end; t += together) {
    if (stop_requested()) throw Cancelled("nothing was left behind");
    const Range part{t, std::min(t + together, rows.end)};
    writer.write({part.begin - rows.begin, part.end - rows.begin}, dense.fill(part, written));
    ++advance.block;
    advance.bytes += part.size() * row_bytes;
    advance.fraction =
        static_cast<double>(part.end - rows.begin) / static_cast<double>(rows.size());
    advance.seconds = memory.seconds();
    display.show(advance);
  }
  writer.finish();
  return written;
}

constexpr std::array counts_lines{
    ReportLine{"counts", "{shape} {type}, to {path}"},
    ReportLine{"bins", bins_sentence, "bins"},
    ReportLine{"spikes", spikes_sentence, "spikes"},
    ReportLine{"written",
               "{spikes_written} spikes, {largest_count/%.0f} at most in a bin, in "
               "{seconds/seconds}"},
};

}  // namespace

void run_counts(const CountsRequest& request, const std::string& command_line) {
  const RunMemory memory;
  if (request.existing == Existing::replace) {
    require_other_file(request.output, request.input.file, "the recording");
    require_other_files(request.output, files_of_options(request));
  }
  require_free_place(request.output, request.existing);
  const SpikeTrains trains = trains_of(request);
  const Events& events = trains.events;
  require_spikes(request.input.text(), &trains, request.strict);
  const Range rows = samples_of(request.time, events.shape().samples, trains.description)
                         .value_or(Range{0, events.shape().samples});
  const double largest = largest_of(events, rows);
  const TypeOfCounts type = type_of(request, largest);
  SeriesShape shape;
  shape.samples = rows.size();
  shape.channels = events.shape().channels;
  shape.type = type.stored;
  const std::int64_t times_bytes = 16 * shape.samples;
  require_room(output_of(request),
               shape.samples * shape.channels * size_of(shape.type) + times_bytes);
  Hdf5OutputOptions options = output_options(request.existing, command_line);
  options.filter = filter_of(request.filter);
  options.attributes = {{"units", std::string("counts per bin")}, {"source", request.input.text()}};
  const SeriesDescription series = cut(trains.description, rows);
  Hdf5SeriesWriter writer(file_path(request.output), series, shape, options);
  note_part(part_of(request.output.file), Rest::removed);
  std::int64_t written = 0;
  if (type.stored == StoredType::uint8) {
    written = write_counts<std::uint8_t>(request, events, rows, writer, memory);
  } else if (type.stored == StoredType::uint16) {
    written = write_counts<std::uint16_t>(request, events, rows, writer, memory);
  } else {
    written = write_counts<float>(request, events, rows, writer, memory);
  }
  print_result(request.messages,
               {{"input", request.input.text()},
                {"path", request.output.text()},
                {"shape", {rows.size(), shape.channels}},
                {"type", name_of(type.stored)},
                {"bins", bins_tree(trains)},
                {"spikes", spikes_tree(trains.counts)},
                {"spikes_written", written},
                {"largest_count", largest},
                {"seconds", memory.seconds()},
                {"program_bytes", memory.before()},
                {"peak_bytes", memory.peak()}},
               counts_lines);
}

}  // namespace synelix::tool
