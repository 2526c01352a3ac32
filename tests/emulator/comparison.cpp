// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Comparisons, and choices between two values.
#include "opcode.hpp"
#include "types.hpp"

#include <array>
#include <cmath>
#include <string_view>

namespace emulator {
namespace {

enum class Relation : u8 { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
constexpr std::array<std::string_view, 14> relation_names = {
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
enum class Join : u8 { nothing, conjunction, disjunction, exclusive };

template <Relation relation, class T>
bool holds(T a, T b) {
  const bool is_unordered = a != a || b != b;
  if constexpr (relation == Relation::eq) return a == b;
  if constexpr (relation == Relation::ne) return !is_unordered && a != b;
  if constexpr (relation == Relation::lt) return a < b;
  if constexpr (relation == Relation::le) return a <= b;
  if constexpr (relation == Relation::gt) return a > b;
  if constexpr (relation == Relation::ge) return a >= b;
  if constexpr (relation == Relation::equ) return is_unordered || a == b;
  if constexpr (relation == Relation::neu) return a != b;
  if constexpr (relation == Relation::ltu) return !(a >= b);
  if constexpr (relation == Relation::leu) return !(a > b);
  if constexpr (relation == Relation::gtu) return !(a <= b);
  if constexpr (relation == Relation::geu) return !(a < b);
  if constexpr (relation == Relation::num) return !is_unordered;
  return is_unordered;
}

template <Relation relation, class T>
u32 compare(const Warp& warp, const Instruction& i) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]);
  u32 bits = 0;
  for (int k = 0; k < lanes_of_warp; ++k) {
    bits |= static_cast<u32>(holds<relation, T>(value_of<T>(a[k]), value_of<T>(b[k]))) << k;
  }
  return bits;
}

u32 joined(Join join, u32 bits, u32 with) {
  switch (join) {
    case Join::conjunction:
      return bits & with;
    case Join::disjunction:
      return bits | with;
    case Join::exclusive:
      return bits ^ with;
    default:
      return bits;
  }
}

template <Relation relation, class T>
void set_predicate(Warp& warp, const Instruction& i, u32 lanes) {
  const u32 bits = compare<relation, T>(warp, i), with = mask_at(warp, i.from[2]);
  const auto join = static_cast<Join>(i.mode);
  set_mask(warp, i.to[0], lanes, joined(join, bits, with));
  if (i.vector == 2) set_mask(warp, i.to[1], lanes, joined(join, ~bits, with));
}

/// Mode 1: 1.0 is true; otherwise all ones are.
template <Relation relation, class T>
void set_number(Warp& warp, const Instruction& i, u32 lanes) {
  const u32 bits = compare<relation, T>(warp, i), yes = i.mode == 1 ? 0x3f800000 : ~0U;
  fill<u32>(warp, i.to[0], lanes, [=](int k) { return (bits >> k & 1) != 0 ? yes : 0; });
}

template <class T, std::size_t... Relations>
Handler pick_relation(Relation relation, bool is_number, std::index_sequence<Relations...>) {
  static constexpr Handler predicates[] = {set_predicate<static_cast<Relation>(Relations), T>...};
  static constexpr Handler numbers[] = {set_number<static_cast<Relation>(Relations), T>...};
  return (is_number ? numbers : predicates)[static_cast<std::size_t>(relation)];
}

template <class T>
void select(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]);
  const u32 bits = mask_at(warp, i.from[2]);
  fill<T>(warp, i.to[0], lanes, [=](int k) { return (bits >> k & 1) != 0 ? a[k] : b[k]; });
}

template <class T, class Sign>
void select_by_sign(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]);
  const auto* c = source<Sign>(warp, i.from[2]);
  fill<T>(warp, i.to[0], lanes, [=](int k) { return value_of<Sign>(c[k]) >= 0 ? a[k] : b[k]; });
}

template <class T>
bool is_of_kind(T a, u8 kind) {
  switch (kind) {
    case 0:
      return std::isfinite(a);
    case 1:
      return std::isinf(a);
    case 2:
      return !std::isnan(a);
    case 3:
      return std::isnan(a);
    case 4:
      return std::isnormal(a);
    default:
      return std::fpclassify(a) == FP_SUBNORMAL;
  }
}

template <class T>
void test_kind(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<T>(warp, i.from[0]);
  u32 bits = 0;
  for (int k = 0; k < lanes_of_warp; ++k) {
    bits |= static_cast<u32>(is_of_kind(value_of<T>(a[k]), i.mode)) << k;
  }
  set_mask(warp, i.to[0], lanes, bits);
}

bool find_relation(const Opcode& opcode, Relation& relation) {
  for (std::size_t k = 0; k < relation_names.size(); ++k) {
    if (!opcode.has(relation_names[k].data())) continue;
    relation = static_cast<Relation>(k);
    return true;
  }
  constexpr std::array<std::string_view, 4> of_unsigned = {"lo", "ls", "hi", "hs"};
  for (std::size_t k = 0; k < of_unsigned.size(); ++k) {
    if (!opcode.has(of_unsigned[k].data())) continue;
    relation = static_cast<Relation>(static_cast<std::size_t>(Relation::lt) + k);
    return true;
  }
  return false;
}

constexpr const char* relation_list =
    "eq ne lt le gt ge equ neu ltu leu gtu geu num nan lo ls hi hs";

Handler pick_comparison(const std::string& type, Relation relation, bool is_number) {
  const auto pick = [=]<class T>() -> Handler {
    return pick_relation<T>(relation, is_number, std::make_index_sequence<14>());
  };
  if (const Handler handler = pick_float(type, pick)) return handler;
  if (relation > Relation::ge) return nullptr;  // of floats alone
  const auto pick_ordered = [=]<class T>() -> Handler {
    return pick_relation<T>(relation, is_number, std::make_index_sequence<6>());
  };
  return pick_integer(type, pick_ordered);
}

Shape find_setp(const Opcode& opcode, Instruction& i) {
  Relation relation{};
  if (!opcode.has_only(std::string(relation_list) + " and or xor") ||
      !find_relation(opcode, relation)) {
    return {};
  }
  const auto join = opcode.has("and")   ? Join::conjunction
                    : opcode.has("or")  ? Join::disjunction
                    : opcode.has("xor") ? Join::exclusive
                                        : Join::nothing;
  i.mode = static_cast<u8>(join);
  i.vector = 2;
  const char letter = letter_of(opcode.type());
  return {pick_comparison(opcode.type(), relation, false),
          std::string{'m', 'm', '=', letter, letter, 'm'}};
}

Shape find_set(const Opcode& opcode, Instruction& i) {
  Relation relation{};
  if (opcode.parts.size() < 4 || !find_relation(opcode, relation)) return {};
  const std::string& to = opcode.parts[opcode.parts.size() - 2];
  if (!opcode.has_only(relation_list + (" " + to)) || (to != "f32" && letter_of(to) != 'n')) {
    return {};
  }
  i.mode = to == "f32" ? 1 : 0;
  const char letter = letter_of(opcode.type());
  return {pick_comparison(opcode.type(), relation, true), std::string{'n', '=', letter, letter}};
}

Shape find_testp(const Opcode& opcode, Instruction& i) {
  constexpr std::array<std::string_view, 6> kinds = {"finite",     "infinite", "number",
                                                     "notanumber", "normal",   "subnormal"};
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (opcode.parts.size() != 3 || opcode.parts[1] != kinds[k]) continue;
    i.mode = static_cast<u8>(k);
    return {pick_float(opcode.type(), []<class T>() -> Handler { return test_kind<T>; }),
            std::string{'m', '=', letter_of(opcode.type())}};
  }
  return {};
}

}  // namespace

Shape find_comparison(const Opcode& opcode, Instruction& i) {
  const std::string &name = opcode.name(), &type = opcode.type();
  if (name == "setp") return find_setp(opcode, i);
  if (name == "set") return find_set(opcode, i);
  if (name == "testp") return find_testp(opcode, i);
  const char letter = letter_of(opcode.parts.size() > 1 ? opcode.parts[1] : type);
  if (name == "selp" && opcode.parts.size() == 2) {
    return {letter == 'w' ? select<u64> : select<u32>,
            std::string{letter, '=', letter, letter, 'm'}};
  }
  if (name == "slct" && opcode.parts.size() == 3) {
    const bool is_wide = letter == 'w';
    return {type == "s32"   ? (is_wide ? select_by_sign<u64, s32> : select_by_sign<u32, s32>)
            : type == "f32" ? (is_wide ? select_by_sign<u64, float> : select_by_sign<u32, float>)
                            : nullptr,
            std::string{letter, '=', letter, letter, 'n'}};
  }
  return {};
}

}  // namespace emulator
