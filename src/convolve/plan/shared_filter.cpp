// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/bank_taps.hpp"

#include <synelix/alignment.hpp>

#include <algorithm>
#include <cstddef>

namespace synelix::plan {
namespace {

/// The taps of a bank in the working type, and the range of the support of each filter.
template <class Scalar>
class Filters {
 public:
  explicit Filters(const Taps& taps) : m_taps(taps) {
    for (std::int64_t b = 0; b < taps.bases; ++b) {
      Range support{0, 0};
      for (std::int64_t w = 0; w < taps.window; ++w) {
        if (tap(w, b) == Scalar(0)) continue;
        if (support.size() == 0) support.begin = w;
        support.end = w + 1;
      }
      m_supports.push_back(support);
    }
  }

  [[nodiscard]] const Range& support(std::int64_t b) const {
    return m_supports[static_cast<std::size_t>(b)];
  }

  [[nodiscard]] bool are_alike(std::int64_t a, std::int64_t b) const {
    const std::int64_t size = support(a).size();
    if (size == 0 || support(b).size() != size) return false;
    for (std::int64_t i = 0; i < size; ++i) {
      if (tap(support(a).begin + i, a) != tap(support(b).begin + i, b)) return false;
    }
    return true;
  }

  /// The filter whose support begins first.
  [[nodiscard]] std::int64_t first_of(const std::vector<std::int64_t>& members) const {
    return *std::ranges::min_element(members, {},
                                     [this](std::int64_t b) { return support(b).begin; });
  }

 private:
  [[nodiscard]] Scalar tap(std::int64_t w, std::int64_t b) const {
    return static_cast<Scalar>(m_taps(w, b));
  }

  const Taps& m_taps;
  std::vector<Range> m_supports;
};

}  // namespace

template <class Scalar>
SharedFilter find_shared_filter(const Taps& taps) {
  const Filters<Scalar> filters(taps);
  SharedFilter best;
  std::vector<bool> is_taken(static_cast<std::size_t>(taps.bases));
  std::vector<std::int64_t> members;
  for (std::int64_t a = 0; a < taps.bases; ++a) {
    if (is_taken[static_cast<std::size_t>(a)]) continue;
    members.assign(1, a);
    for (std::int64_t b = a + 1; b < taps.bases; ++b) {
      if (!is_taken[static_cast<std::size_t>(b)] && filters.are_alike(a, b)) members.push_back(b);
    }
    for (const std::int64_t b : members) is_taken[static_cast<std::size_t>(b)] = true;
    const auto count = static_cast<std::int64_t>(members.size());
    if (count < 2 || count <= best.members) continue;
    best.members = count;
    best.basis = filters.first_of(members);
    const Range first = filters.support(best.basis);
    best.taps = first.size();
    best.most_delay = 0;
    best.delays.assign(static_cast<std::size_t>(taps.bases), -1);
    for (const std::int64_t b : members) {
      const std::int64_t delay = filters.support(b).begin - first.begin;
      best.delays[static_cast<std::size_t>(b)] = delay;
      best.most_delay = std::max(best.most_delay, delay);
    }
  }
  return best;
}

template SharedFilter find_shared_filter<float>(const Taps&);
template SharedFilter find_shared_filter<double>(const Taps&);

}  // namespace synelix::plan
