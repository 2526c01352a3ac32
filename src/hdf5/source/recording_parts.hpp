// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// \file
/// The samples of a file that form a series, as consecutive runs.

namespace synelix::stream {

/// Maps samples of the series to samples of the file.
class SampleMap {
 public:
  /// Runs of samples of the file, in the order of the series.
  explicit SampleMap(std::vector<Range> runs) : m_runs(std::move(runs)) {
    m_ends.reserve(m_runs.size());
    for (const Range& run : m_runs) m_ends.push_back(samples() + run.size());
  }

  [[nodiscard]] std::int64_t samples() const { return m_ends.empty() ? 0 : m_ends.back(); }

  /// Bytes of the map.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(m_runs.capacity() * sizeof(Range) +
                                     m_ends.capacity() * sizeof(std::int64_t));
  }

  /// Visits the runs of the file with these samples: visit(range of the file, samples before it).
  template <class Visit>
  void for_each_run(Range wanted, const Visit& visit) const {
    auto i = static_cast<std::size_t>(std::upper_bound(m_ends.begin(), m_ends.end(), wanted.begin) -
                                      m_ends.begin());
    for (std::int64_t t = wanted.begin; t < wanted.end; ++i) {
      const std::int64_t end = std::min(m_ends[i], wanted.end);
      const std::int64_t to_file = m_runs[i].end - m_ends[i];
      visit(Range{t + to_file, end + to_file}, t - wanted.begin);
      t = end;
    }
  }

 private:
  std::vector<Range> m_runs;
  std::vector<std::int64_t> m_ends;  ///< of each run, in samples of the series
};

/// A series of parts of a recording.
struct RecordingParts {
  SampleMap map;
  Epochs epochs;                  ///< of the series
  SeriesDescription description;  ///< of the series: its times
};

/// \param recording  times of the samples of the file
/// \param samples    number of samples in the file
/// \param name       of the recording, for messages
/// \throws Error for values of `samples`, `epochs` and `intervals` that Hdf5Source rejects
RecordingParts parts_of(const SeriesDescription& recording, std::int64_t samples,
                        const Hdf5SourceOptions& options, const std::string& name);

/// The requested range, or everything. \throws Error if it is empty or exceeds the extent
Range checked_range(const char* name, const std::optional<Range>& range, std::int64_t extent);

}  // namespace synelix::stream
