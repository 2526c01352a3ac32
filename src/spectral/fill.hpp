// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/copy.hpp"
#include "spectral/energies.hpp"
#include "spectral/run.hpp"
#include "spectral/sums.hpp"
#include "spectral/table.hpp"

/// \file
/// Fills the table of one instruction set; passes.cpp.in includes this.

namespace synelix::spectral {

template <class Scalar, class Set>
void first_pass(const FirstPass<Scalar>& arguments) {
  run_first_pass<Scalar, Set>(arguments);
}
template <class Scalar, class Set>
void forward_block(const ForwardBlock<Scalar>& arguments) {
  run_forward_block<Scalar, Set>(arguments);
}
template <class Scalar, class Set>
void inverse_block(const InverseBlock<Scalar>& arguments) {
  run_inverse_block<Scalar, Set>(arguments);
}
template <class Scalar, class Set>
void last_pass(const LastPass<Scalar>& arguments) {
  run_last_pass<Scalar, Set>(arguments);
}
template <class Scalar, class Set>
void sums_block(const SumsBlock<Scalar>& arguments) {
  run_sums_block<Scalar, Set>(arguments);
}
template <class Scalar, class Set>
void stream_lines(const StreamedLines<Scalar>& arguments) {
  run_streamed_lines<Scalar, Set>(arguments);
}
template <class Scalar, class Set>
void sum_energies(const Energies<Scalar>& arguments) {
  run_energies<Scalar, Set>(arguments);
}
template <class Scalar, class Set>
void find_smallest_square(const SmallestSquare<Scalar>& arguments) {
  run_smallest_square<Scalar, Set>(arguments);
}
template <class Scalar, class Set>
void copy(Scalar* to, const Scalar* from, std::int64_t count) {
  lanes::copy_past_caches<Scalar, Set>(to, from, count);
}
template <class Set>
void end_copies() {
  lanes::end_stores_past_caches<Set>();
}

/// Only if a pack is a cache line; others are not compiled.
template <class Scalar, class Set>
constexpr auto stream_lines_of() -> void (*)(const StreamedLines<Scalar>&) {
  if constexpr (Set::bytes == 64) return &stream_lines<Scalar, Set>;
  return nullptr;
}

/// The table of a set: a constant.
template <class Scalar, class Set>
constexpr PassTable<Scalar> make_table() {
  return {Set::bytes / static_cast<int>(sizeof(Scalar)),
          Set::bytes == 64,
          &first_pass<Scalar, Set>,
          &forward_block<Scalar, Set>,
          &inverse_block<Scalar, Set>,
          &last_pass<Scalar, Set>,
          &sums_block<Scalar, Set>,
          stream_lines_of<Scalar, Set>(),
          &sum_energies<Scalar, Set>,
          &find_smallest_square<Scalar, Set>,
          &copy<Scalar, Set>,
          &end_copies<Set>};
}

template <class Scalar, class Set>
const PassTable<Scalar>& table_for() {
  static constexpr PassTable<Scalar> table = make_table<Scalar, Set>();
  return table;
}

}  // namespace synelix::spectral
