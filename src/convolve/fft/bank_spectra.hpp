// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "launch/host_passes.hpp"
#include "launch/team.hpp"
#include "spectral/block.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The spectra of a bank, an argument of the sweeps of the FFT method.

namespace synelix::sweep {

/// A bank as spectra. Bases are in groups of `lines.bases`; the last group is padded with zeros.
template <class Scalar>
struct BankSpectra {
  spectral::Transform<Scalar> transform;
  spectral::Lines<Scalar> lines;
  Scalar* kernels = nullptr;    ///< (group, part, point, real and imaginary part, basis)
  std::int64_t group_step = 0;  ///< values from one group to the next
  std::int64_t part_step = 0;   ///< values from one part of the window to the next
  spectral::BlockSizes sizes;
  /// Whether no block overflows if the sum of squares of its samples is finite.
  bool cannot_overflow = false;
};

// The spectra of a bank as a parallel loop: each work item transforms a pack of bases, one in each
// lane, part by part of the window, and writes their kernels in the layout of the products.

/// The functor. A team's share of the workspace is that of the FFT method.
template <class Scalar, class Passes>
struct SpectraOfBank {
  BankSpectra<Scalar> bank;
  const Scalar* taps = nullptr;  ///< taps(w, b) at taps[w * bases + b]
  std::int64_t window = 0;
  std::int64_t bases = 0;
  Workspace workspace;
  Passes passes;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t items = index::ceil_divide(bases, passes.lanes());
    for_each_team_item(team, items, workspace.teams, [&](std::int64_t i) {
      for (std::int64_t part = 0; part < bank.sizes.parts; ++part) {
        transform(team, i * passes.lanes(), part);
      }
    });
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void transform(const Team& team, std::int64_t first_basis,
                                 std::int64_t part) const {
    const spectral::BlockMemory layout = spectral::block_memory(bank.sizes);
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    auto* const packed = reinterpret_cast<Scalar*>(memory + layout.packed);
    auto* const points = reinterpret_cast<Scalar*>(memory + layout.points);
    auto* const spectra = reinterpret_cast<Scalar*>(memory + layout.spectra);
    const std::int64_t lanes = passes.lanes();
    const std::int64_t n = bank.transform.points;
    const Range of_part{part * bank.sizes.part_taps,
                        index::smaller((part + 1) * bank.sizes.part_taps, window)};
    for_each_item(team, 2 * n, [=, this](std::int64_t row) {
      const std::int64_t w = of_part.begin + row;
      for (std::int64_t i = 0; i < lanes; ++i) {
        const std::int64_t b = first_basis + i;
        packed[row * lanes + i] = w < of_part.end && b < bases ? taps[w * bases + b] : Scalar(0);
      }
    });
    team.team_barrier();
    for_each_item(team, bank.transform.columns[0], [=, this](std::int64_t j) {
      passes.call(spectral::FirstPass<Scalar>{&bank.transform, packed, lanes, points, j, j + 1});
    });
    team.team_barrier();
    for_each_item(team, bank.transform.radix[0], [=, this](std::int64_t q) {
      spectral::Lines<Scalar> whole;
      whole.bases = 1;
      whole.width = static_cast<int>(lanes);
      passes.call(spectral::ForwardBlock<Scalar>{&bank.transform, &whole, points, spectra, q});
    });
    team.team_barrier();
    for_each_item(team, n, [=, this](std::int64_t p) { write(first_basis, part, p, spectra); });
    team.team_barrier();
  }

  /// Writes the kernels of one point of a part, repeated in the layout of the lines. They are
  /// divided by the number of points, so the inverse transform needs no scaling.
  KOKKOS_FUNCTION void write(std::int64_t first_basis, std::int64_t part, std::int64_t point,
                             const Scalar* spectra) const {
    const std::int64_t lanes = passes.lanes();
    const std::int64_t of_group = bank.lines.bases;
    const std::int64_t groups = index::ceil_divide(bases, of_group);
    const Scalar scale = Scalar(1) / static_cast<Scalar>(bank.transform.points);
    for (std::int64_t group = 0; group < groups; ++group) {
      Scalar* const to = bank.kernels + group * bank.group_step + part * bank.part_step +
                         point * 2 * bank.lines.kernel_row;
      for (std::int64_t o = 0; o < bank.lines.kernel_row; ++o) {
        const std::int64_t b = group * of_group + o % of_group;
        const std::int64_t lane = b - first_basis;
        if (b >= bases) {
          if (first_basis == 0) to[o] = to[bank.lines.kernel_row + o] = Scalar(0);
        } else if (lane >= 0 && lane < lanes) {
          to[o] = spectra[2 * point * lanes + lane] * scale;
          to[bank.lines.kernel_row + o] = spectra[(2 * point + 1) * lanes + lane] * scale;
        }
      }
    }
  }
};

}  // namespace synelix::sweep
