// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

/// \file
/// Which samples a window may see, and the content of a row whose window leaves its epoch.
///
/// With the lag offset o, taps k(w) and a series x, every feature is
///     y(t) = sum over w in [0, W) of k(w) * x(t + o - w)
/// and row t is valid where the entire window [t + o - (W - 1), t + o] is inside the epoch.
///
///     sx::ConvolveOptions{.causality = sx::Causality::acausal, .border = sx::Border::zero};

namespace synelix {

/// The side of row t that the window is on.
enum class Causality : std::uint8_t {
  causal,      ///< the past (and the present without shift)
  acausal,     ///< both sides, centered
  anti_causal  ///< the future (and the present without shift); the kernel is not mirrored
};

/// Whether the window leaves out the present sample, moving the result by one sample.
enum class Shift : std::uint8_t {
  automatic,  ///< on, except for acausal windows
  on,         ///< an error for acausal windows
  off         ///< the window holds the present sample
};

/// The content of rows whose window leaves its epoch.
enum class Border : std::uint8_t {
  nan,   ///< NaN, as in NeMoS
  zero,  ///< the sum with samples outside the epoch counted as 0: every row of an epoch has a value
  valid  ///< nothing: only rows with a complete window are returned or written
};

/// Half-open range of indices [begin, end).
struct Range {
  std::int64_t begin = 0;  ///< the first index
  std::int64_t end = 0;    ///< the index after the last one

  /// Number of indices.
  [[nodiscard]] constexpr std::int64_t size() const { return end > begin ? end - begin : 0; }
  /// Whether both ends are the same.
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// Half-open range of samples that no window crosses.
using Epoch = Range;

/// Sorted, disjoint ranges of samples. A default-constructed object is one epoch of all samples. An
/// empty list selects nothing; functions that take epochs refuse it.
class Epochs {
 public:
  using value_type = Epoch;                                   ///< what it holds
  using const_iterator = std::vector<Epoch>::const_iterator;  ///< read-only

  /// One epoch of all samples.
  Epochs() = default;
  /// The given epochs. The list may be empty.
  /// @{
  Epochs(std::vector<Epoch> epochs) : m_list(std::move(epochs)), m_is_list(true) {}
  Epochs(std::initializer_list<Epoch> epochs) : m_list(epochs), m_is_list(true) {}
  /// @}

  /// Appends an epoch. The object is a list afterwards, even if it was everything before.
  void push_back(Epoch epoch) {
    m_list.push_back(epoch);
    m_is_list = true;
  }

  /// Whether no list was given, so that it is one epoch of all samples.
  [[nodiscard]] bool is_everything() const { return !m_is_list; }
  /// Whether it selects nothing.
  [[nodiscard]] bool is_nothing() const { return m_is_list && m_list.empty(); }
  /// The list; empty if the object is everything or nothing.
  [[nodiscard]] const std::vector<Epoch>& list() const { return m_list; }

  /// Access to the list.
  /// @{
  [[nodiscard]] std::size_t size() const { return m_list.size(); }
  [[nodiscard]] bool empty() const { return m_list.empty(); }
  [[nodiscard]] const Epoch* data() const { return m_list.data(); }
  [[nodiscard]] const_iterator begin() const { return m_list.begin(); }
  [[nodiscard]] const_iterator end() const { return m_list.end(); }
  [[nodiscard]] const Epoch& front() const { return m_list.front(); }
  [[nodiscard]] const Epoch& back() const { return m_list.back(); }
  const Epoch& operator[](std::size_t i) const { return m_list[i]; }
  /// @}

  /// True if both are everything, or both have the same list.
  friend bool operator==(const Epochs&, const Epochs&) = default;

 private:
  std::vector<Epoch> m_list;
  bool m_is_list = false;
};

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

/// The samples t of the epoch whose entire window is inside it. If there are none, an empty range
/// at the start of the epoch.
constexpr Range valid_samples(Epoch epoch, std::int64_t window, std::int64_t offset) {
  const std::int64_t first = epoch.begin + (window - 1 - offset > 0 ? window - 1 - offset : 0);
  const std::int64_t last = epoch.end - (offset > 0 ? offset : 0);
  return first < last ? Range{first, last} : Range{epoch.begin, epoch.begin};
}

}  // namespace synelix
