// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loads, stores and atomic operations.
#include "access.hpp"
#include "arithmetic.hpp"
#include "lanes.hpp"
#include "opcode.hpp"
#include "team.hpp"
#include "types.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>

namespace emulator {
namespace {

template <class T>
T read_value(const unsigned char* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

template <class T>
void write_value(unsigned char* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

template <class T>
void load(Warp& warp, const Instruction& i, u32 lanes) {
  Access access;
  reach(warp, i, lanes, sizeof(T) * i.vector, {.is_atomic = i.is_atomic}, access);
  if (access.lanes == lanes && access.is_broadcast) {
    const unsigned char* place = access.place[static_cast<std::size_t>(std::countr_zero(lanes))];
    for (std::size_t v = 0; v < i.vector; ++v) {
      const T value = read_value<T>(place + v * sizeof(T));
      fill<T>(warp, i.to[v], lanes, [value](int) { return value; });
    }
    return;
  }
  if (access.lanes == all_lanes && access.is_contiguous && i.vector == 1) {
    const unsigned char* place = access.place[0];
    fill<T>(warp, i.to[0], lanes, [place](int lane) {
      return read_value<T>(place + static_cast<std::size_t>(lane) * sizeof(T));
    });
    return;
  }
  for (std::size_t v = 0; v < i.vector; ++v) {
    fill_each<T>(warp, i.to[v], lanes, [&](int lane) {
      const auto k = static_cast<std::size_t>(lane);
      const bool may = (access.lanes >> k & 1) != 0;
      return may ? read_value<T>(access.place[k] + v * sizeof(T)) : T{0};
    });
  }
}

template <class T>
void store(Warp& warp, const Instruction& i, u32 lanes) {
  Access access;
  reach(warp, i, lanes, sizeof(T) * i.vector, {.writes = true, .is_atomic = i.is_atomic}, access);
  for (std::size_t v = 0; v < i.vector; ++v) {
    const auto* from = source<T>(warp, i.from[v]);
    for (u32 left = access.lanes; left != 0; left &= left - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(left));
      write_value(access.place[k] + v * sizeof(T), value_of<T>(from[k]));
    }
  }
}

/// A kernel's own parameters are the same for all threads.
template <class T>
void load_parameter(Warp& warp, const Instruction& i, u32 lanes) {
  const auto at = static_cast<std::size_t>(i.offset);
  const auto& parameters = *warp.team->parameters;
  const std::size_t bytes = sizeof(T) * i.vector;
  const bool is_uniform = i.base_row == Row::none && i.offset >= 0 &&
                          at + bytes <= warp.frame->function->uniform_bytes &&
                          at + bytes <= parameters.size();
  if (!is_uniform) return load<T>(warp, i, lanes);
  for (std::size_t v = 0; v < i.vector; ++v) {
    const T value = read_value<T>(parameters.data() + at + v * sizeof(T));
    fill<T>(warp, i.to[v], lanes, [value](int) { return value; });
  }
}

enum class Change : u8 { add, min, max, conjunction, disjunction, exclusive, exch, cas, inc, dec };
constexpr std::array<std::string_view, 10> change_names = {"add", "min",  "max", "and", "or",
                                                           "xor", "exch", "cas", "inc", "dec"};

template <class T>
T changed(Change change, T old, T value, T other) {
  if constexpr (std::is_integral_v<T>) {
    switch (change) {
      case Change::conjunction:
        return static_cast<T>(old & value);
      case Change::disjunction:
        return static_cast<T>(old | value);
      case Change::exclusive:
        return static_cast<T>(old ^ value);
      case Change::cas:
        return old == value ? other : old;
      case Change::inc:
        return old >= value ? T{0} : static_cast<T>(old + 1);
      case Change::dec:
        return old == 0 || old > value ? value : static_cast<T>(old - 1);
      default:
        break;
    }
  }
  switch (change) {
    case Change::add:
      return Add<T>::of(old, value);
    case Change::min:
      return Least<T>::of(old, value);
    case Change::max:
      return Most<T>::of(old, value);
    default:
      return value;
  }
}

/// Lane by lane. The vector is 0 if the value is not used before.
template <class T>
void change_atomically(Warp& warp, const Instruction& i, u32 lanes) {
  Access access;
  const bool returns = i.vector != 0;
  reach(warp, i, lanes, sizeof(T), {.writes = true, .is_atomic = true, .returns = returns}, access);
  const auto *value = source<T>(warp, i.from[0]), *other = source<T>(warp, i.from[1]);
  const auto change = static_cast<Change>(i.mode);
  fill_each<T>(warp, i.to[0], access.lanes, [&](int lane) {
    unsigned char* place = access.place[static_cast<std::size_t>(lane)];
    const T old = read_value<T>(place);
    write_value(place, changed(change, old, value_of<T>(value[lane]), value_of<T>(other[lane])));
    return old;
  });
}

Space space_of(const Opcode& opcode) {
  if (opcode.has("global")) return Space::global;
  if (opcode.has("shared") || opcode.has("shared::cta")) return Space::shared;
  if (opcode.has("local")) return Space::local;
  if (opcode.has("const")) return Space::constant;
  const bool is_parameter =
      opcode.has("param") || opcode.has("param::entry") || opcode.has("param::func");
  return is_parameter ? Space::param : Space::generic;
}

constexpr const char* orders =
    " volatile relaxed acquire release acq_rel gpu sys cta cluster mmio weak ";
constexpr const char* spaces =
    " global shared shared::cta local const param param::entry param::func ";

template <class Pick>
Handler pick_memory(const std::string& type, Pick pick) {
  if (type == "f32") return pick.template operator()<u32>();
  if (type == "f64") return pick.template operator()<u64>();
  if (type == "s8") return pick.template operator()<s8>();
  if (type == "u8" || type == "b8") return pick.template operator()<u8>();
  return pick_integer(type, pick);
}

Handler pick_load(const Opcode& opcode, bool is_parameter) {
  if (is_parameter) {
    return pick_memory(opcode.type(), []<class T>() -> Handler { return load_parameter<T>; });
  }
  return pick_memory(opcode.type(), []<class T>() -> Handler { return load<T>; });
}

}  // namespace

Shape find_load_or_store(const Opcode& opcode, Instruction& i) {
  const std::string& name = opcode.name();
  if (name != "ld" && name != "ldu" && name != "st") return {};
  const std::string hints =
      " nc ca cg cs cv lu wb wt v2 v4 L1::no_allocate L2::64B L2::128B L2::256B";
  if (!opcode.has_only(spaces + (orders + hints))) return {};
  i.space = space_of(opcode);
  i.vector = opcode.has("v2") ? 2 : opcode.has("v4") ? 4 : 1;
  i.is_atomic = opcode.has("volatile") || opcode.has("relaxed") || opcode.has("acquire") ||
                opcode.has("release") || opcode.has("mmio");
  const std::string letters(i.vector, letter_of(opcode.type()));
  if (name == "st") {
    return {pick_memory(opcode.type(), []<class T>() -> Handler { return store<T>; }),
            "~=" + letters};
  }
  return {pick_load(opcode, i.space == Space::param), "~" + letters + "="};
}

Shape find_atomic(const Opcode& opcode, Instruction& i) {
  const std::string &name = opcode.name(), &type = opcode.type();
  if (name != "atom" && name != "red") return {};
  const std::string changes = "add min max and or xor exch cas inc dec";
  if (!opcode.has_only(spaces + (orders + changes))) return {};
  bool is_known = false;
  for (std::size_t k = 0; k < change_names.size(); ++k) {
    if (!opcode.has(change_names[k].data())) continue;
    i.mode = static_cast<u8>(k);
    is_known = true;
  }
  const auto change = static_cast<Change>(i.mode);
  const bool is_odd = opcode.is_float() && change != Change::add;
  if (!is_known || is_odd) return {};
  i.space = space_of(opcode);
  i.is_atomic = true;
  i.vector = name == "red" ? 0 : 1;
  const char letter = letter_of(type);
  const std::string sources(change == Change::cas ? 2 : 1, letter);
  const Handler floats =
      pick_float(type, []<class T>() -> Handler { return change_atomically<T>; });
  const Handler run = floats != nullptr ? floats : pick_integer(type, []<class T>() -> Handler {
    return change_atomically<T>;
  });
  return {run, (name == "red" ? "=" : std::string{letter, '='}) + sources};
}

}  // namespace emulator
