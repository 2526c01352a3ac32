// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

/// \file
/// `Bins`: from times in seconds to bins, by the rule of time_bins.hpp. Spikes of a 30 kHz clock
/// lie on the edges of 1 ms bins, so dividing and rounding down puts many of them into the wrong
/// bin.

namespace synelix {

/// Whether the end belongs to the time that is cut into bins. It does not where other bins begin
/// there: then a spike at the end is theirs, and the last centre lies 1e-6 s before it or earlier.
enum class End : std::uint8_t { closed, open };

class Bins {
 public:
  Bins(double start, double end, double bin, End kind = End::closed)
      : m_start(start), m_end(end), m_bin(bin), m_kind(kind) {
    const double last_centre = kind == End::open ? end - 1e-6 : end;
    std::int64_t count = static_cast<std::int64_t>(std::floor((end - start) / bin)) + 2;
    while (count > 0 && edge(count - 1) + 0.5 * bin > last_centre) --count;
    m_count = count;
  }

  /// Bins whose centre is at or before the end.
  [[nodiscard]] std::int64_t count() const { return m_count; }
  [[nodiscard]] double start() const { return m_start; }
  [[nodiscard]] double end() const { return m_end; }

  /// Where bin k begins, rounded to 1e-9 s.
  [[nodiscard]] double edge(std::int64_t k) const {
    return std::nearbyint((m_start + static_cast<double>(k) * m_bin) * 1e9) / 1e9;
  }

  /// The bin of a time; nothing where it lies before the start, after the end, or in no kept bin.
  [[nodiscard]] std::optional<std::int64_t> bin_of(double time) const {
    if (time < m_start || time > m_end || (time == m_end && m_kind == End::open)) {
      return std::nullopt;
    }
    auto k = static_cast<std::int64_t>(std::floor((time - m_start) / m_bin));
    while (k > 0 && edge(k) > time) --k;
    while (edge(k + 1) <= time) ++k;
    if (k >= m_count) return std::nullopt;
    return k;
  }

 private:
  double m_start;
  double m_end;
  double m_bin;
  End m_kind;
  std::int64_t m_count;
};

}  // namespace synelix
