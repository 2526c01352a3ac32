// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <cstdint>
#include <vector>

/// \file
/// The taps of a bank in a working type, and which of its filters are one.

namespace synelix::plan {

/// The taps in a working type, as a bank holds them. \throws Error as FilterBank
template <class Scalar>
std::vector<Scalar> converted_taps(const Taps& taps);

/// A filter that others of its bank are, each some samples later: History, whose filters are single
/// ones, raised cosines of equal width a whole number of samples apart. It is computed once.
struct SharedFilter {
  std::int64_t basis = 0;            ///< whose taps come first
  std::vector<std::int64_t> delays;  ///< of each filter, in samples; -1: another filter. Or empty
  std::int64_t members = 0;
  std::int64_t most_delay = 0;
  std::int64_t taps = 0;  ///< in its support
};

/// The filter of a bank that most others are, with equal taps in the working type; without members
/// where no two are alike.
template <class Scalar>
SharedFilter find_shared_filter(const Taps& taps);

}  // namespace synelix::plan
