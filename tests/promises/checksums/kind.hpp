// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "draws.hpp"

#include <synelix/choice.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iomanip>
#include <limits>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// A kind of results: many random cases and one checksum over the bits of all their values.

namespace checksums {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// A 64-bit FNV-1a hash of the bytes of values in their order.
///
/// Every NaN counts as the same quiet NaN. Where two NaN are added, the sign and the payload of the
/// sum are those of one operand, and the compiler is free to choose which one.
class Checksum {
 public:
  template <class T>
  void add(std::span<const T> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    add_bytes(&count, sizeof count);
    if constexpr (std::is_floating_point_v<T>) {
      for (const T value : values) {
        const T counted = std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
        add_bytes(&counted, sizeof counted);
      }
    } else {
      add_bytes(values.data(), values.size_bytes());
    }
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(std::span<const T>(values));
  }
  /// \throws std::runtime_error if something was written outside the array
  template <class T>
  void add(const oracle::Array<T>& array) {
    if (array.damaged() != 0) throw std::runtime_error("a call wrote outside its result");
    add(array.values());
  }
  [[nodiscard]] std::uint64_t value() const { return m_value; }

 private:
  void add_bytes(const void* data, std::size_t size) {
    const auto* const bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) m_value = (m_value ^ bytes[i]) * 0x100000001b3U;
  }
  std::uint64_t m_value = 0xcbf29ce484222325U;
};

/// Where the numbers of a kind come from.
enum class Numbers : std::uint8_t {
  arithmetic,  ///< additions, products, divisions, roots: the same on every machine with this set
  libm,        ///< also cos, exp and others of the C library: the same if the library is
  lapack       ///< LAPACK's too: the same on the machine that has the same LAPACK
};

inline const char* name_of(Numbers numbers) {
  if (numbers == Numbers::arithmetic) return "arithmetic";
  return numbers == Numbers::libm ? "libm" : "lapack";
}

/// Runs kinds and prints a line for each.
class Runner {
 public:
  Runner(synelix::InstructionSet set, std::string only, std::ostream& out)
      : m_only(std::move(only)), m_out(&out) {
    machine.instruction_set = set;
  }

  /// Prints "KIND CASES CHECKSUM NUMBERS". Each case has a separate seed, which follows from the
  /// kind's name and the case's number: a new kind or case changes no other.
  template <class Case>
  void run(const std::string& kind, int cases, Numbers numbers, const Case& compute) {
    if (kind.find(m_only) == std::string::npos) return;
    Checksum name;
    name.add(std::span<const char>(kind));
    Checksum checksum;
    for (int k = 0; k < cases; ++k) {
      Draws draws(name.value() + static_cast<std::uint64_t>(k));
      try {
        compute(draws, checksum);
      } catch (const std::exception& error) {
        throw std::runtime_error(kind + ", case " + std::to_string(k) + ": " + error.what());
      }
    }
    *m_out << kind << ' ' << cases << ' ' << std::hex << std::setw(16) << std::setfill('0')
           << checksum.value() << std::dec << ' ' << name_of(numbers) << std::endl;
  }

  Exec exec;
  synelix::Machine machine;

 private:
  std::string m_only;
  std::ostream* m_out;
};

/// The name of a kind of results of a scalar type.
template <class Scalar>
std::string of_type(const std::string& kind) {
  return kind + (std::is_same_v<Scalar, float> ? ".float" : ".double");
}

// Each prints some kinds; the files are named after them.
void run_bases(Runner& runner);
void run_convolutions(Runner& runner);
void run_designs(Runner& runner);
void run_products(Runner& runner);
void run_operators(Runner& runner);
void run_streams(Runner& runner);

}  // namespace checksums
