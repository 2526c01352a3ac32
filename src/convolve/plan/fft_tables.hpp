// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/fft_blocks.hpp"
#include "convolve/fft/bank_spectra.hpp"
#include "convolve/fft/device_bank.hpp"
#include "convolve/plan/sample_scaling.hpp"
#include "launch/plan_memory.hpp"
#include "spectral/stages.hpp"

#include <synelix/basis.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

/// \file
/// Tables of the FFT method, and whether transforms with a bank can overflow.

namespace synelix::plan {

/// Whether no block of N samples overflows if its sum of squares is finite. The samples are then at
/// most s = sqrt(max). The points of their transform are at most sqrt(N) s, their products with
/// spectra at most sqrt(N) s sum|taps|, and all sums of the inverse transform N / 2 times that.
/// Values in a butterfly before its common factors are applied are a few times larger; the factor
/// 64 bounds all of this. `share` is a reduction of the limit.
template <class Scalar>
bool cannot_overflow(const Taps& taps, std::int64_t samples, double share = 1.0) {
  double largest = 0.0;
  for (std::int64_t b = 0; b < taps.bases; ++b) {
    double sum = 0.0;
    for (std::int64_t w = 0; w < taps.window; ++w) sum += std::abs(taps(w, b));
    largest = std::max(largest, sum);
  }
  const auto n = static_cast<double>(samples);
  const double most = std::sqrt(static_cast<double>(std::numeric_limits<Scalar>::max()));
  return 64.0 * n * std::sqrt(n) * largest < share * most;
}

// The tables of the FFT method in a plan on a host: constants of the transform, lane numbers, and
// the spectra of the bank, which a sweep fills.

/// Empty for other methods.
template <class Scalar, class MemorySpace>
class FftTables {
 public:
  using Number = lanes::LaneNumberOf<Scalar>;

  FftTables() = default;
  template <class ExecutionSpace>
  FftTables(const ExecutionSpace& exec, const spectral::BlockSizes& sizes, std::int64_t bases) {
    const auto shape = spectral::shape_of<Scalar>(sizes.points, sizes.register_bytes());
    std::vector<Scalar> constants(static_cast<std::size_t>(spectral::table_values(shape)));
    spectral::fill_tables(shape, constants.data());
    m_constants = {"synelix::convolve::turns", constants};
    const auto lines =
        spectral::lines_of<Scalar>(sizes.bases, sizes.pack_lanes, sizes.points, sizes.parts);
    std::vector<Number> numbers(
        static_cast<std::size_t>(spectral::line_numbers(lines, sizes.pack_lanes)));
    spectral::fill_tables(lines, sizes.pack_lanes, numbers.data());
    m_numbers = {"synelix::convolve::lanes", numbers};
    const std::int64_t groups = (bases + sizes.bases - 1) / sizes.bases;
    m_bank.part_step = spectral::part_step(spectral::kernel_values(lines, sizes.points),
                                           sizes.pack_lanes, sizes.parts);
    m_bank.group_step = sizes.parts * m_bank.part_step;
    m_kernels = {exec, "synelix::convolve::spectra", groups * m_bank.group_step};
    m_bank.transform = spectral::bind(shape, static_cast<const Scalar*>(m_constants.data()));
    m_bank.lines =
        spectral::bind(lines, sizes.pack_lanes, static_cast<const Number*>(m_numbers.data()));
    m_bank.kernels = m_kernels.data();
    m_bank.sizes = sizes;
  }

  [[nodiscard]] const sweep::BankSpectra<Scalar>& bank() const { return m_bank; }

  /// Checks the taps of a bank for overflow.
  void set_taps(const Taps& taps) {
    m_bank.cannot_overflow = cannot_overflow<Scalar>(taps, 2 * m_bank.sizes.points);
  }

 private:
  OwnedMemory<Scalar, MemorySpace> m_constants;
  OwnedMemory<Number, MemorySpace> m_numbers;
  OwnedMemory<Scalar, MemorySpace> m_kernels;
  sweep::BankSpectra<Scalar> m_bank;
};

// The tables of the FFT method in a plan for a device: twiddle factors, and the spectra of the
// bank, which a sweep fills.

/// Empty for other methods.
template <class Scalar, class MemorySpace>
class DeviceFftTables {
 public:
  using Stored = spectral::StoredPoint<Scalar>;

  DeviceFftTables() = default;
  template <class ExecutionSpace>
  DeviceFftTables(const ExecutionSpace& exec, const spectral::StageSizes& sizes,
                  std::int64_t bases) {
    const auto stages = spectral::stages_of<Scalar>(sizes.points);
    std::vector<Stored> factors(static_cast<std::size_t>(spectral::table_points(stages)));
    spectral::fill_tables(stages, factors.data());
    m_factors = uploaded(exec, "synelix::convolve::turns", factors);
    m_kernels = Kokkos::View<Stored*, MemorySpace>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::convolve::spectra"),
        static_cast<std::size_t>(bases * sizes.parts * sizes.points));
    m_suspect = Kokkos::View<std::int32_t, MemorySpace>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::convolve::suspect"));
    m_bank.stages.stages = spectral::bind(stages, static_cast<const Stored*>(m_factors.data()));
    m_bank.stages.lanes = static_cast<std::int32_t>(sizes.lanes);
    m_bank.kernels = m_kernels.data();
    m_bank.sizes = sizes;
    m_bank.first_row = static_cast<std::int32_t>(sizes.first_row());
  }

  [[nodiscard]] const sweep::DeviceBank<Scalar>& bank() const { return m_bank; }
  /// Checks the taps of a bank for overflow.
  void set_taps(const Taps& taps) {
    const double energies = std::numeric_limits<Scalar>::max() / sweep::safe_energy<Scalar>();
    const double share = std::sqrt(energies) / spectral::largest_tangent<Scalar>();
    m_bank.cannot_overflow = cannot_overflow<Scalar>(taps, 2 * m_bank.sizes.points, share);
  }
  /// The same for teams that transform one block at a time.
  [[nodiscard]] sweep::DeviceBank<Scalar> bank_alone() const {
    sweep::DeviceBank<Scalar> bank = m_bank;
    bank.stages.lanes = 1;
    bank.sizes.lanes = 1;
    return bank;
  }
  /// Nonzero if the last sweep found blocks that may have weak rows.
  [[nodiscard]] const Kokkos::View<std::int32_t, MemorySpace>& suspect() const { return m_suspect; }

 private:
  Kokkos::View<std::int32_t, MemorySpace> m_suspect;
  Kokkos::View<Stored*, MemorySpace> m_factors;
  Kokkos::View<Stored*, MemorySpace> m_kernels;
  sweep::DeviceBank<Scalar> m_bank;
};

}  // namespace synelix::plan
