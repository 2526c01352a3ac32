// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>
#include <synelix/seam/place.hpp>
#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

/// \file
/// Copies rows of strided samples to contiguous rows, as messages need them.

namespace synelix::mpi {

/// Calls visit(Word()) with an unsigned integer of the size of a stored value.
template <class Visit>
void with_word_of(StoredType type, const Visit& visit) {
  switch (size_of(type)) {
    case 1:
      return visit(std::uint8_t());
    case 2:
      return visit(std::uint16_t());
    case 4:
      return visit(std::uint32_t());
    default:
      return visit(std::uint64_t());
  }
}

/// Copies rows of samples (samples, channels) to memory of the execution space. On a host the copy
/// is complete when the call returns; on a device it runs in the order of exec.
template <class ExecutionSpace>
void copy_rows(const ExecutionSpace& exec, const Strided& samples, Range rows, std::byte* to) {
  const std::int64_t channels = samples.extents[1];
  if (rows.size() == 0) return;
  with_word_of(samples.type, [&]<class Word>(Word) {
    const Word* const from =
        static_cast<const Word*>(samples.data) + rows.begin * samples.strides[0];
    Word* const packed = reinterpret_cast<Word*>(to);
    if constexpr (seam::is_on_host<ExecutionSpace>) {
      for (std::int64_t t = 0; t < rows.size(); ++t) {
        const Word* const row = from + t * samples.strides[0];
        if (samples.strides[1] == 1) {
          std::memcpy(packed + t * channels, row,
                      static_cast<std::size_t>(channels) * sizeof(Word));
          continue;
        }
        for (std::int64_t c = 0; c < channels; ++c) {
          packed[t * channels + c] = row[c * samples.strides[1]];
        }
      }
    } else {
      using Space = typename ExecutionSpace::memory_space;
      const auto extent = [](std::int64_t size) { return static_cast<std::size_t>(size); };
      const Kokkos::LayoutStride layout(extent(rows.size()), extent(samples.strides[0]),
                                        extent(channels), extent(samples.strides[1]));
      Kokkos::deep_copy(
          exec,
          Kokkos::View<Word**, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>(
              packed, extent(rows.size()), extent(channels)),
          Kokkos::View<const Word**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>(from,
                                                                                           layout));
    }
  });
}

}  // namespace synelix::mpi
