// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// Which samples a window may see, and what stands where it would leave its epoch.
///
/// With the lag offset o, taps k(w) and a series x, every feature is
///     y(t) = sum over w in [0, W) of k(w) * x(t + o - w)
/// and row t is valid where the whole window [t + o - (W - 1), t + o] lies inside the epoch.
///
///     sx::ConvolveOptions{.causality = sx::Causality::acausal, .border = sx::Border::zero};

namespace synelix {

/// Which side of row t the window lies on.
enum class Causality : std::uint8_t {
  causal,      ///< the past (and the present without shift)
  acausal,     ///< both sides, centred
  anti_causal  ///< the future (and the present without shift); the kernel is not mirrored
};

/// Whether the window leaves out the present sample, moving the result by one sample.
enum class Shift : std::uint8_t {
  automatic,  ///< on, except for acausal windows
  on,         ///< an error for acausal windows
  off         ///< the window holds the present sample
};

/// What stands in rows whose window would leave its epoch.
enum class Border : std::uint8_t {
  nan,   ///< NaN, as in NeMoS
  zero,  ///< the sum with samples outside the epoch counted as 0: every row of an epoch has a value
  valid  ///< nothing: only rows with a whole window are returned or written
};

/// Half-open range of indices [begin, end).
struct Range {
  std::int64_t begin = 0;  ///< the first index
  std::int64_t end = 0;    ///< the index behind the last one

  /// Number of indices.
  [[nodiscard]] constexpr std::int64_t size() const { return end > begin ? end - begin : 0; }
  /// Whether both ends are the same.
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// Half-open range of samples that no window crosses.
using Epoch = Range;

/// Whether the result is moved by one sample, with `automatic` resolved.
constexpr bool is_shifted(Causality causality, Shift shift) {
  return shift == Shift::on || (shift == Shift::automatic && causality != Causality::acausal);
}

/// The lag offset o of a window of W samples: causal -1 shifted, 0 not; anti-causal W shifted,
/// W - 1 not; acausal W / 2.
constexpr std::int64_t lag_offset(Causality causality, Shift shift, std::int64_t window) {
  const std::int64_t step = is_shifted(causality, shift) ? 1 : 0;
  switch (causality) {
    case Causality::causal:
      return -step;
    case Causality::anti_causal:
      return window - 1 + step;
    case Causality::acausal:
      return window / 2;
  }
  return 0;
}

/// The samples t of the epoch whose whole window lies inside it: an empty range at the epoch's
/// begin where there are none.
constexpr Range valid_samples(Epoch epoch, std::int64_t window, std::int64_t offset) {
  const std::int64_t first = epoch.begin + (window - 1 - offset > 0 ? window - 1 - offset : 0);
  const std::int64_t last = epoch.end - (offset > 0 ? offset : 0);
  return first < last ? Range{first, last} : Range{epoch.begin, epoch.begin};
}

}  // namespace synelix
