// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Copies of registers, parts of registers, and addresses of windows.
#include "opcode.hpp"
#include "team.hpp"
#include "types.hpp"

namespace emulator {
namespace {

template <class T>
void copy(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<T>(warp, i.from[0]);
  fill<T>(warp, i.to[0], lanes, [a](int k) { return a[k]; });
}

/// Mode: the bits of a part.
template <class T>
void pack(Warp& warp, const Instruction& i, u32 lanes) {
  const u32* parts[4];
  for (std::size_t k = 0; k < 4; ++k) parts[k] = source<u32>(warp, i.from[k]);
  const T ones = static_cast<T>((u64{1} << i.mode) - 1);
  fill<T>(warp, i.to[0], lanes, [&](int lane) {
    T made = 0;
    for (std::size_t k = 0; k < i.vector; ++k) made |= (parts[k][lane] & ones) << (k * i.mode);
    return made;
  });
}

template <class T>
void unpack(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* whole = source<T>(warp, i.from[0]);
  const T ones = static_cast<T>((u64{1} << i.mode) - 1);
  for (std::size_t k = 0; k < i.vector; ++k) {
    fill<u32>(warp, i.to[k], lanes,
              [=, &i](int lane) { return static_cast<u32>(whole[lane] >> (k * i.mode) & ones); });
  }
}

template <u64 window, bool to_window>
void convert_address(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<u64>(warp, i.from[0]);
  fill<u64>(warp, i.to[0], lanes,
            [a](int k) { return to_window ? a[k] | window : a[k] & ~window_mask; });
}

template <u64 window>
Handler pick_window(bool to_space) {
  return to_space ? convert_address<window, false> : convert_address<window, true>;
}

template <u64 window>
void test_window(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<u64>(warp, i.from[0]);
  u32 bits = 0;
  for (int k = 0; k < lanes_of_warp; ++k) {
    bits |= static_cast<u32>((a[k] & window_mask) == window) << k;
  }
  set_mask(warp, i.to[0], lanes, bits);
}

}  // namespace

Shape find_address(const Opcode& opcode, Instruction&) {
  const std::string& name = opcode.name();
  const bool is_shared = opcode.has("shared") || opcode.has("shared::cta");
  const bool is_local = opcode.has("local"), is_global = opcode.has("global");
  const bool is_constant = opcode.has("const");
  const bool is_parameter = opcode.has("param") || opcode.has("param::entry");
  if (name == "isspacep") {
    return {is_shared      ? test_window<shared_window>
            : is_local     ? test_window<local_window>
            : is_parameter ? test_window<param_window>
            : is_global    ? test_window<0>
                           : nullptr,
            "m=w"};
  }
  if (name != "cvta" || opcode.type() != "u64") return {};
  const bool to_space = opcode.has("to");
  return {is_shared                  ? pick_window<shared_window>(to_space)
          : is_local                 ? pick_window<local_window>(to_space)
          : is_parameter             ? pick_window<param_window>(to_space)
          : is_global || is_constant ? copy_wide
                                     : nullptr,
          "w=w"};
}

void copy_narrow(Warp& warp, const Instruction& i, u32 lanes) { copy<u32>(warp, i, lanes); }
void copy_wide(Warp& warp, const Instruction& i, u32 lanes) { copy<u64>(warp, i, lanes); }

void copy_mask(Warp& warp, const Instruction& i, u32 lanes) {
  set_mask(warp, i.to[0], lanes, mask_at(warp, i.from[0]));
}

void not_mask(Warp& warp, const Instruction& i, u32 lanes) {
  set_mask(warp, i.to[0], lanes, ~mask_at(warp, i.from[0]));
}

void narrow_row(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<u64>(warp, i.from[0]);
  fill<u32>(warp, i.to[0], lanes, [a](int k) { return static_cast<u32>(a[k]); });
}

void widen_signed(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<s32>(warp, i.from[0]);
  fill<s64>(warp, i.to[0], lanes, [a](int k) { return s64{value_of<s32>(a[k])}; });
}

void widen_unsigned(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<u32>(warp, i.from[0]);
  fill<u64>(warp, i.to[0], lanes, [a](int k) { return u64{a[k]}; });
}

/// A clock of instructions.
void read_clock(Warp& warp, const Instruction& i, u32 lanes) {
  const u64 now = warp.instructions + (u64{1} << 40) - warp.budget;
  if (i.mode != 0)
    fill<u64>(warp, i.to[0], lanes, [now](int) { return now; });
  else
    fill<u32>(warp, i.to[0], lanes, [now](int) { return static_cast<u32>(now); });
}

Handler packing(Row row) { return row == Row::wide ? pack<u64> : pack<u32>; }
Handler unpacking(Row row) { return row == Row::wide ? unpack<u64> : unpack<u32>; }

}  // namespace emulator
