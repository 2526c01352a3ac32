// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Roots, powers and waves. The device approximates some of them; the host's library is more exact.
#include "arithmetic.hpp"
#include "opcode.hpp"
#include "types.hpp"

namespace emulator {
namespace {

template <class T>
struct Root {
  static T of(T a) { return std::sqrt(a); }
};
template <class T>
struct Reciprocal {
  static T of(T a) { return T{1} / a; }
};
template <class T>
struct ReciprocalRoot {
  static T of(T a) { return T{1} / std::sqrt(a); }
};
template <class T>
struct PowerOfTwo {
  static T of(T a) { return std::exp2(a); }
};
template <class T>
struct LogarithmToTwo {
  static T of(T a) { return std::log2(a); }
};
template <class T>
struct Sine {
  static T of(T a) { return std::sin(a); }
};
template <class T>
struct Cosine {
  static T of(T a) { return std::cos(a); }
};
template <class T>
struct HyperbolicTangent {
  static T of(T a) { return std::tanh(a); }
};

template <template <class> class Operation>
Handler pick(const Opcode& opcode) {
  if (!opcode.has_only("rn approx ftz")) return nullptr;
  if (opcode.has("ftz")) {
    using Flushed = Flushing<Operation>;
    return pick_float(opcode.type(), []<class T>() -> Handler {
      return run_unary_each<Flushed::template With, T>;
    });
  }
  return pick_float(opcode.type(),
                    []<class T>() -> Handler { return run_unary_each<Operation, T>; });
}

Handler pick_handler(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "sqrt") return pick<Root>(opcode);
  if (name == "rcp") return pick<Reciprocal>(opcode);
  if (name == "rsqrt") return pick<ReciprocalRoot>(opcode);
  if (name == "ex2") return pick<PowerOfTwo>(opcode);
  if (name == "lg2") return pick<LogarithmToTwo>(opcode);
  if (name == "sin") return pick<Sine>(opcode);
  if (name == "cos") return pick<Cosine>(opcode);
  if (name == "tanh") return pick<HyperbolicTangent>(opcode);
  return nullptr;
}

}  // namespace

Shape find_approximate(const Opcode& opcode, Instruction&) {
  if (opcode.is_directed()) return {};
  const char letter = letter_of(opcode.type());
  return {pick_handler(opcode), std::string{letter, '=', letter}};
}

}  // namespace emulator
