// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Floats that are rounded toward zero, down or up. Compiled with -frounding-math.
#include "arithmetic.hpp"
#include "opcode.hpp"
#include "types.hpp"

#include <cfenv>

namespace emulator {
namespace {

/// The rounding of the host, while this lives.
class Rounding {
 public:
  explicit Rounding(u8 mode) {
    std::fesetround(mode == 1 ? FE_TOWARDZERO : mode == 2 ? FE_DOWNWARD : FE_UPWARD);
  }
  ~Rounding() { std::fesetround(FE_TONEAREST); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
};

template <class T>
struct Root {
  static T of(T a) { return std::sqrt(a); }
};
template <class T>
struct Reciprocal {
  static T of(T a) { return T{1} / a; }
};

template <template <class> class Operation, class T>
void unary(Warp& warp, const Instruction& i, u32 lanes) {
  const Rounding rounding(i.mode);
  run_unary_each<Operation, T>(warp, i, lanes);
}

template <template <class> class Operation, class T>
void binary(Warp& warp, const Instruction& i, u32 lanes) {
  const Rounding rounding(i.mode);
  run_binary_each<Operation, T>(warp, i, lanes);
}

template <class T>
void fused(Warp& warp, const Instruction& i, u32 lanes) {
  const Rounding rounding(i.mode);
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]),
             *c = source<T>(warp, i.from[2]);
  fill_each<T>(warp, i.to[0], lanes, [a, b, c](int k) {
    return std::fma(value_of<T>(a[k]), value_of<T>(b[k]), value_of<T>(c[k]));
  });
}

/// Also of integers to floats, and of doubles to floats.
template <class To, class From>
void convert(Warp& warp, const Instruction& i, u32 lanes) {
  const Rounding rounding(i.mode);
  const auto* a = source<From>(warp, i.from[0]);
  fill_each<To>(warp, i.to[0], lanes, [a](int k) { return static_cast<To>(value_of<From>(a[k])); });
}

template <class To>
Handler pick_from(const std::string& from) {
  if (from == "f32") return convert<To, float>;
  if (from == "f64") return convert<To, double>;
  return pick_integer(from, []<class From>() -> Handler { return convert<To, From>; });
}

Shape pick_conversion(const Opcode& opcode) {
  if (opcode.parts.size() < 3 || !opcode.has_only("rz rm rp f32 f64")) return {};
  const std::string &to = opcode.parts[opcode.parts.size() - 2], &from = opcode.type();
  const std::string rows = std::string("~") + letter_of(to) + "=" + letter_of(from);
  return {to == "f32"   ? pick_from<float>(from)
          : to == "f64" ? pick_from<double>(from)
                        : nullptr,
          rows};
}

template <template <class> class Operation>
Handler pick_binary(const std::string& type) {
  return pick_float(type, []<class T>() -> Handler { return binary<Operation, T>; });
}

Handler pick_handler(const Opcode& opcode) {
  const std::string &name = opcode.name(), &type = opcode.type();
  if (name == "add") return pick_binary<Add>(type);
  if (name == "sub") return pick_binary<Subtract>(type);
  if (name == "mul") return pick_binary<Multiply>(type);
  if (name == "div") return pick_binary<Divide>(type);
  if (name == "fma" || name == "mad") {
    return pick_float(type, []<class T>() -> Handler { return fused<T>; });
  }
  if (name == "sqrt") return pick_float(type, []<class T>() -> Handler { return unary<Root, T>; });
  if (name == "rcp") {
    return pick_float(type, []<class T>() -> Handler { return unary<Reciprocal, T>; });
  }
  return nullptr;
}

}  // namespace

Shape find_rounded(const Opcode& opcode, Instruction& i) {
  i.mode = opcode.has("rz") ? 1 : opcode.has("rm") ? 2 : opcode.has("rp") ? 3 : 0;
  if (i.mode == 0) return {};
  if (opcode.name() == "cvt") return pick_conversion(opcode);
  if (!opcode.is_directed() || !opcode.has_only("rz rm rp")) return {};
  i.is_multiply_add = opcode.name() == "fma" || opcode.name() == "mad";
  const char letter = letter_of(opcode.type());
  const bool is_unary = opcode.name() == "sqrt" || opcode.name() == "rcp";
  const std::string sources(is_unary ? 1 : i.is_multiply_add ? 3 : 2, letter);
  return {pick_handler(opcode), std::string{letter, '='} + sources};
}

}  // namespace emulator
