// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <cstdint>
#include <vector>

/// \file
/// The taps of a bank in a working type, and filters that are equal except for a delay.

namespace synelix::plan {

/// The taps in a working type, as a bank holds them. \throws Error as FilterBank
template <class Scalar>
std::vector<Scalar> converted_taps(const Taps& taps);

/// A filter that other filters of its bank repeat with a delay. For example, a History has single
/// filters that are raised cosines of equal width, an integer number of samples apart. It is
/// computed once.
struct SharedFilter {
  std::int64_t basis = 0;            ///< the one with the least delay
  std::vector<std::int64_t> delays;  ///< of each filter, in samples; -1: a different filter; may be
                                     ///< empty
  std::int64_t members = 0;
  std::int64_t most_delay = 0;
  std::int64_t taps = 0;  ///< in the support
};

/// The filter that the most filters of the bank repeat, with equal taps in the working type;
/// without members if no two are equal.
template <class Scalar>
SharedFilter find_shared_filter(const Taps& taps);

}  // namespace synelix::plan
