// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arithmetic.hpp"

#include "opcode.hpp"
#include "types.hpp"

namespace emulator {
namespace {

template <class T>
struct Negate {
  static T of(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return Subtract<T>::of(0, a);
  }
};
template <class T>
struct Absolute {
  static T of(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a);
    else
      return a < 0 ? Subtract<T>::of(0, a) : a;
  }
};
template <class T>
struct CopySign {
  static T of(T a, T b) { return std::copysign(b, a); }
};

template <class T, class Wide>
void run_multiply_wide(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]);
  fill<Wide>(warp, i.to[0], lanes, [a, b](int k) {
    return static_cast<Wide>(static_cast<Wide>(value_of<T>(a[k])) *
                             static_cast<Wide>(value_of<T>(b[k])));
  });
}

template <class T, class Wide>
void run_multiply_add_wide(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]);
  const auto* c = source<Wide>(warp, i.from[2]);
  fill<Wide>(warp, i.to[0], lanes, [a, b, c](int k) {
    const auto product = static_cast<Wide>(static_cast<Wide>(value_of<T>(a[k])) *
                                           static_cast<Wide>(value_of<T>(b[k])));
    return Add<Wide>::of(product, value_of<Wide>(c[k]));
  });
}

Handler pick_wide(const std::string& type, bool adds) {
  if (type == "s32") return adds ? run_multiply_add_wide<s32, s64> : run_multiply_wide<s32, s64>;
  if (type == "u32") return adds ? run_multiply_add_wide<u32, u64> : run_multiply_wide<u32, u64>;
  if (type == "s16") return adds ? run_multiply_add_wide<s16, s32> : run_multiply_wide<s16, s32>;
  if (type == "u16") return adds ? run_multiply_add_wide<u16, u32> : run_multiply_wide<u16, u32>;
  return nullptr;
}

Shape pick_product(const Opcode& opcode, bool adds) {
  const std::string& type = opcode.type();
  if (!opcode.has_only("lo hi wide")) return {};
  if (opcode.has("wide")) {
    const bool to_64 = type == "s32" || type == "u32";
    return {pick_wide(type, adds), adds ? (to_64 ? "w=nnw" : "n=nnn") : (to_64 ? "w=nn" : "n=nn")};
  }
  const std::string letters(adds ? 4 : 3, letter_of(type));
  const std::string rows = letters.substr(0, 1) + "=" + letters.substr(1);
  if (opcode.has("hi")) {
    return {pick_integer(type,
                         [adds]<class T>() -> Handler {
                           return adds ? run_ternary<MultiplyHighAdd, T>
                                       : run_binary<MultiplyHigh, T>;
                         }),
            rows};
  }
  return {pick_bits(type,
                    [adds]<class T>() -> Handler {
                      return adds ? run_ternary<MultiplyAdd, T> : run_binary<Multiply, T>;
                    }),
          rows};
}

template <template <class> class Operation>
Handler float_binary(const Opcode& opcode) {
  if (opcode.has("ftz")) {
    using Flushed = Flushing<Operation>;
    return opcode.type() == "f32" ? run_binary<Flushed::template With, float> : nullptr;
  }
  return pick_float(opcode.type(), []<class T>() -> Handler { return run_binary<Operation, T>; });
}

template <template <class> class Operation>
Handler float_unary(const Opcode& opcode) {
  if (opcode.has("ftz")) {
    using Flushed = Flushing<Operation>;
    return opcode.type() == "f32" ? run_unary<Flushed::template With, float> : nullptr;
  }
  return pick_float(opcode.type(), []<class T>() -> Handler { return run_unary<Operation, T>; });
}

Handler pick_float_handler(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "min" || name == "max") {
    if (!opcode.has_only("ftz NaN")) return nullptr;
    if (opcode.has("NaN")) {
      return name == "min" ? float_binary<LeastOrNan>(opcode) : float_binary<MostOrNan>(opcode);
    }
    return name == "min" ? float_binary<Least>(opcode) : float_binary<Most>(opcode);
  }
  if (!opcode.has_only("rn ftz approx full")) return nullptr;
  if (name == "add") return float_binary<Add>(opcode);
  if (name == "sub") return float_binary<Subtract>(opcode);
  if (name == "mul") return float_binary<Multiply>(opcode);
  if (name == "div") return float_binary<Divide>(opcode);
  if (name == "copysign") return float_binary<CopySign>(opcode);
  if (name == "neg") return float_unary<Negate>(opcode);
  if (name == "abs") return float_unary<Absolute>(opcode);
  return nullptr;
}

Handler pick_integer_handler(const Opcode& opcode) {
  const std::string &name = opcode.name(), &type = opcode.type();
  if (!opcode.has_only("")) return nullptr;
  if (name == "add") {
    return pick_bits(type, []<class T>() -> Handler { return run_binary<Add, T>; });
  }
  if (name == "sub") {
    return pick_bits(type, []<class T>() -> Handler { return run_binary<Subtract, T>; });
  }
  if (name == "div") {
    return pick_integer(type, []<class T>() -> Handler { return run_binary_each<Divide, T>; });
  }
  if (name == "rem") {
    return pick_integer(type, []<class T>() -> Handler { return run_binary_each<Remainder, T>; });
  }
  if (name == "min") {
    return pick_integer(type, []<class T>() -> Handler { return run_binary<Least, T>; });
  }
  if (name == "max") {
    return pick_integer(type, []<class T>() -> Handler { return run_binary<Most, T>; });
  }
  if (name == "neg") {
    return pick_bits(type, []<class T>() -> Handler { return run_unary<Negate, T>; });
  }
  if (name == "abs" && type[0] == 's') {
    return pick_integer(type, []<class T>() -> Handler { return run_unary<Absolute, T>; });
  }
  return nullptr;
}

Shape pick_fused(const Opcode& opcode, Instruction& i) {
  if (!opcode.has_only("rn ftz")) return {};
  const std::string& type = opcode.type();
  i.is_multiply_add = true;
  const char letter = letter_of(type);
  const std::string rows{letter, '=', letter, letter, letter};
  if (opcode.has("ftz")) {
    using Flushed = Flushing<MultiplyAdd>;
    return {type == "f32" ? run_ternary<Flushed::With, float> : nullptr, rows};
  }
  return {pick_float(type, []<class T>() -> Handler { return run_ternary<MultiplyAdd, T>; }), rows};
}

}  // namespace

Shape find_arithmetic(const Opcode& opcode, Instruction& i) {
  const std::string& name = opcode.name();
  if (opcode.is_directed()) return {};
  if (opcode.is_float() && (name == "fma" || name == "mad")) return pick_fused(opcode, i);
  if (!opcode.is_float() && (name == "mul" || name == "mad")) {
    return pick_product(opcode, name == "mad");
  }
  const char letter = letter_of(opcode.type());
  const bool is_unary = name == "neg" || name == "abs";
  return {opcode.is_float() ? pick_float_handler(opcode) : pick_integer_handler(opcode),
          is_unary ? std::string{letter, '=', letter} : std::string{letter, '=', letter, letter}};
}

}  // namespace emulator
