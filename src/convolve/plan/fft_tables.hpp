// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/fft_blocks.hpp"
#include "convolve/fft/fft_passes.hpp"
#include "convolve/plan/tame.hpp"
#include "launch/owned_memory.hpp"

#include <cstdint>
#include <vector>

/// \file
/// The tables of the FFT method in a plan on a host: constants of the transform, lane numbers, and
/// the spectra of the bank, which a sweep fills.

namespace synelix::plan {

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

  /// Looks at the taps of a bank.
  void set_taps(const Taps& taps) {
    m_bank.is_tame = is_tame<Scalar>(taps, 2 * m_bank.sizes.points);
  }

 private:
  OwnedMemory<Scalar, MemorySpace> m_constants;
  OwnedMemory<Number, MemorySpace> m_numbers;
  OwnedMemory<Scalar, MemorySpace> m_kernels;
  sweep::BankSpectra<Scalar> m_bank;
};

}  // namespace synelix::plan
