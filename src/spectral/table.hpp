// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/arguments.hpp"

#include <cstdint>

/// \file
/// `PassTable`: the passes of one instruction set as functions. The files that fill the tables are
/// compiled once for each set, and include neither Kokkos nor templates of the standard library.

namespace synelix::spectral {

/// The passes of one instruction set and scalar type.
template <class Scalar>
struct PassTable {
  int lanes;             ///< values of a pack
  bool has_whole_lines;  ///< a pack is a cache line
  void (*first_pass)(const FirstPass<Scalar>&);
  void (*forward_block)(const ForwardBlock<Scalar>&);
  void (*inverse_block)(const InverseBlock<Scalar>&);
  void (*last_pass)(const LastPass<Scalar>&);
  void (*sums_block)(const SumsBlock<Scalar>&);
  void (*streamed_lines)(const StreamedLines<Scalar>&);  ///< null without full lines
  void (*sum_energies)(const Energies<Scalar>&);
  void (*find_smallest_square)(const SmallestSquare<Scalar>&);
  void (*copy)(Scalar* to, const Scalar* from, std::int64_t count);  ///< past the caches
  void (*end_copies)();  ///< stores past the caches are complete before later stores
};

/// The table of a set, a constant. Defined in spectral/fill.hpp, compiled for each set of the
/// build.
template <class Scalar, class Set>
const PassTable<Scalar>& table_for();

}  // namespace synelix::spectral
