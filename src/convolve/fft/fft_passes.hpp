// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "launch/host_passes.hpp"
#include "spectral/block.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The spectra of a bank, as the sweeps of the FFT method are given them beside the problem.

namespace synelix::sweep {

/// A bank as spectra. Bases come in groups of `lines.bases`, the last one filled up with zeros.
template <class Scalar>
struct BankSpectra {
  spectral::Transform<Scalar> transform;
  spectral::Lines<Scalar> lines;
  Scalar* kernels = nullptr;    ///< (group, part, point, real and imaginary part, basis)
  std::int64_t group_step = 0;  ///< values from one group to the next
  std::int64_t part_step = 0;   ///< values from one part of the window to the next
  spectral::BlockSizes sizes;
  /// Whether nothing overflows where the squares of a block's samples have a finite sum.
  bool is_tame = false;
};

}  // namespace synelix::sweep
