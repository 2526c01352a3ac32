// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/host_passes.hpp"
#include "operators/problem/conv_transform_cut.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "pack/conv_block.hpp"
#include "pack/gather.hpp"
#include "spectral/arguments.hpp"
#include "spectral/levels.hpp"
#include "spectral/lines.hpp"
#include "spectral/transform.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Common parts of the sweeps of convolution operators by transforms: blocks of a series are the
/// lanes of a pack, which are transformed together in both directions. A lane is one block of one
/// channel. Lanes do not interact, so a block has the same bits for any contents of the others.

namespace synelix::sweep {

/// The parameters of the transforms of such blocks.
template <class Scalar>
struct ConvTransforms {
  spectral::Transform<Scalar> transform;
  HostPasses<Scalar> passes;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t lanes() const { return passes.lanes(); }
  /// Number of values of a block's memory.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION ConvTransformSizes sizes() const {
    return ConvTransformSizes::of(transform, lanes());
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t length() const { return sizes().length(); }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t line_step() const {
    return sizes().line_step();
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t points_values() const {
    return sizes().points_values();
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t spectrum_values() const {
    return sizes().spectrum_values();
  }

  /// Transforms the samples of all lanes to their spectra. The samples are stored line by line in
  /// the place of the points. Their squares are added to `energy`, unless it is null.
  KOKKOS_FUNCTION void forward(Scalar* points, Scalar* packed, Scalar* spectra,
                               Scalar* energy = nullptr) const {
    passes.copies().transpose(
        pack::RowCopy<Scalar, Scalar>{packed, lanes(), points, 1, line_step(), length()}, lanes());
    passes.call(spectral::FirstPass<Scalar>{&transform, packed, lanes(), points, 0,
                                            transform.columns[0], energy});
    spectral::Lines<Scalar> whole;
    whole.bases = 1;
    whole.width = static_cast<int>(lanes());
    for (std::int64_t q = 0; q < transform.radix[0]; ++q) {
      passes.call(spectral::ForwardBlock<Scalar>{&transform, &whole, points, spectra, q});
    }
  }

  /// The same, with the levels of the samples, or adds them to levels of other channels. Rows are
  /// identified by their newest samples.
  KOKKOS_FUNCTION void forward(Scalar* points, Scalar* packed, Scalar* spectra,
                               const ConvLevels<Scalar>& levels, std::int64_t window, Range newest,
                               bool is_added) const {
    if (!is_added) {
      for (std::int64_t i = 0; i < lanes(); ++i) levels.total[i] = Scalar(0);
    }
    forward(points, packed, spectra, levels.total);
    spectral::Energies<Scalar> energies{};
    energies.samples = packed;
    energies.rows = newest.end;
    energies.segment = sizes().segment(window);
    energies.summed = spectral::first_summed(energies.segment);
    energies.sums = levels.sums;
    energies.is_added = is_added;
    energies.least = levels.least;
    energies.together = spectral::whole_segments(window, energies.segment);
    energies.begin = newest.begin / energies.segment - energies.together;
    energies.end = (newest.end - 1) / energies.segment;
    passes.call(energies);
  }

  /// Whether the windows of all rows of a lane certainly have enough energy.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static bool is_strong(const ConvLevels<Scalar>& levels,
                                                             std::int64_t lane) {
    return static_cast<double>(levels.least[lane]) >=
           spectral::surely_enough * static_cast<double>(levels.total[lane]);
  }
  /// The same for the rows of group g of a lane.
  [[nodiscard]] KOKKOS_FUNCTION bool is_strong(const ConvLevels<Scalar>& levels, std::int64_t lane,
                                               const spectral::Windows& windows,
                                               std::int64_t segment, std::int64_t g) const {
    return spectral::has_strong_core(windows, segment, g, [&](std::int64_t s) {
      return static_cast<double>(levels.sums[s * lanes() + lane]);
    });
  }

  /// Transforms sums of products to points, for all blocks of the first pass.
  KOKKOS_FUNCTION void sum(spectral::SumsBlock<Scalar> sums) const {
    sums.transform = &transform;
    sums.result_step = points_values();
    for (std::int64_t q = 0; q < transform.radix[0]; ++q) {
      sums.block = q;
      passes.table->sums_block(sums);
    }
  }

  /// Transforms points to samples [begin, end), (sample, lane); other samples are not changed.
  KOKKOS_FUNCTION void last(const Scalar* points, Scalar* samples, std::int64_t begin,
                            std::int64_t end) const {
    const spectral::Piece whole{0, static_cast<std::int32_t>(lanes()), 0, lanes()};
    passes.call(spectral::LastPass<Scalar>{&transform, points, 0, transform.columns[0], begin, end,
                                           samples, transform.columns[0] * lanes(), &whole, 1,
                                           nullptr});
  }

  /// Whether all samples [begin, end) of all lanes are finite.
  [[nodiscard]] KOKKOS_FUNCTION bool is_finite(const Scalar* samples, std::int64_t begin,
                                               std::int64_t end) const {
    return passes.row_copies.table->is_finite(samples + begin * lanes(), end - begin);
  }
  /// The same for one lane.
  [[nodiscard]] KOKKOS_FUNCTION bool is_finite(const Scalar* samples, std::int64_t begin,
                                               std::int64_t end, std::int64_t lane) const {
    for (std::int64_t r = begin; r < end; ++r) {
      const Scalar value = samples[r * lanes() + lane];
      if (!(value - value == Scalar(0))) return false;
    }
    return true;
  }
};

/// `count` consecutive positions of a channel of an entry from `first` on, with padding, followed
/// by zeros up to `length`.
template <class Scalar>
KOKKOS_FUNCTION void gather_positions(const pack::ConvSource& source, std::int64_t extent,
                                      index::PaddingMode padding_mode, std::int64_t entry,
                                      std::int64_t channel, std::int64_t first, std::int64_t count,
                                      std::int64_t length, Scalar* to) {
  if (count > 0) {
    pack::ConvBlock<Scalar> block;
    block.batch = entry;
    block.channel = channel;
    block.channels = 1;
    block.along[2] = {first, 1, count, extent, padding_mode};
    block.to = to;
    block.slot_step = 1;
    pack::gather_conv(source, block);
  }
  for (std::int64_t i = index::larger(0, count); i < length; ++i) to[i] = Scalar(0);
}

/// The existing samples of `count` positions from position `first` on: all of them, except zero
/// padding.
KOKKOS_INLINE_FUNCTION Range existing_positions(const index::ConvAxis& axis, std::int64_t first,
                                                std::int64_t count) {
  if (axis.padding_mode != index::PaddingMode::zero) return {0, count};
  return index::common({0, count}, {-first, axis.sources - first});
}

}  // namespace synelix::sweep
