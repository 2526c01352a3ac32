// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/device_bank.hpp"
#include "convolve/plan/sample_scaling.hpp"
#include "spectral/stages.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

/// \file
/// The tables of the FFT method in a plan for a device: factors of the turns, and the spectra of
/// the bank, which a sweep fills.

namespace synelix::plan {

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
    m_factors = upload<Kokkos::View<Stored*, MemorySpace>>("synelix::convolve::turns", factors);
    m_kernels = Kokkos::View<Stored*, MemorySpace>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::convolve::spectra"),
        static_cast<std::size_t>(bases * sizes.parts * sizes.points));
    m_bank.stages.stages = spectral::bind(stages, static_cast<const Stored*>(m_factors.data()));
    m_bank.stages.lanes = static_cast<std::int32_t>(sizes.lanes);
    m_bank.kernels = m_kernels.data();
    m_bank.sizes = sizes;
  }

  [[nodiscard]] const sweep::DeviceBank<Scalar>& bank() const { return m_bank; }
  /// The same for teams that transform one block at a time.
  [[nodiscard]] sweep::DeviceBank<Scalar> bank_alone() const {
    sweep::DeviceBank<Scalar> bank = m_bank;
    bank.stages.lanes = 1;
    bank.sizes.lanes = 1;
    return bank;
  }

 private:
  Kokkos::View<Stored*, MemorySpace> m_factors;
  Kokkos::View<Stored*, MemorySpace> m_kernels;
  sweep::DeviceBank<Scalar> m_bank;
};

}  // namespace synelix::plan
