// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/host_copies.hpp"
#include "spectral/table.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The passes of Fourier transforms on a host.

namespace synelix::sweep {

/// The host's passes: functions of one instruction set. (Marked for devices too, as HostTiles.)
template <class Scalar>
struct HostPasses {
  const spectral::PassTable<Scalar>* table;
  HostCopies<Scalar> row_copies;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int lanes() const { return table->lanes; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION HostCopies<Scalar> copies() const { return row_copies; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_whole_lines() const {
    return table->has_whole_lines;
  }
  KOKKOS_INLINE_FUNCTION void run(const spectral::FirstPass<Scalar>& arguments) const {
    table->first_pass(arguments);
  }
  KOKKOS_INLINE_FUNCTION void run(const spectral::ForwardBlock<Scalar>& arguments) const {
    table->forward_block(arguments);
  }
  KOKKOS_INLINE_FUNCTION void run(const spectral::InverseBlock<Scalar>& arguments) const {
    table->inverse_block(arguments);
  }
  KOKKOS_INLINE_FUNCTION void run(const spectral::LastPass<Scalar>& arguments) const {
    table->last_pass(arguments);
  }
  KOKKOS_INLINE_FUNCTION void run(const spectral::StreamedLines<Scalar>& arguments) const {
    table->streamed_lines(arguments);
  }
  KOKKOS_INLINE_FUNCTION void copy(Scalar* to, const Scalar* from, std::int64_t count) const {
    table->copy(to, from, count);
  }
  KOKKOS_INLINE_FUNCTION void end_copies() const { table->end_copies(); }
};

}  // namespace synelix::sweep
