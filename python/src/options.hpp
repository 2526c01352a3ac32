// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arrays.hpp"

#include <synelix/convolve.hpp>
#include <synelix/error.hpp>
#include <synelix/features.hpp>
#include <synelix/stream.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Converts Python's keywords to options of the library, and descriptions of the library to
/// dictionaries.

namespace synelix::python {

/// A name of the library, and Python's name of the same.
struct Renamed {
  std::string_view ours;
  std::string_view pythons;
};

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

/// The value for a word. \throws Error that lists the words
template <class Value>
Value word(const std::string& argument, nb::handle text,
           std::initializer_list<Named<Value>> words) {
  const auto found = nb::cast<std::string>(nb::str(text));
  std::string allowed;
  for (const auto& known : words) {
    if (known.name == found) return known.value;
    allowed.append(allowed.empty() ? "'" : ", '").append(known.name).append("'");
  }
  throw Error(argument, "'" + found + "' is not known", "Use one of " + allowed);
}

/// Values of arguments. \throws Error that names the argument
/// @{
std::int64_t whole(const std::string& argument, nb::handle value);
double real(const std::string& argument, nb::handle value);
std::vector<std::int64_t> wholes(const std::string& argument, nb::handle value);
std::vector<double> reals(const std::string& argument, nb::handle value);
/// @}

Causality causality_of(nb::handle text);
/// None, True or False.
Shift shift_of(nb::handle value);
Method method_of(nb::handle text);
Border border_of(nb::handle text);
InstructionSet instruction_set_of(nb::handle text);
/// The calibration of a keyword `machine`. Call with the GIL: it starts Kokkos if necessary.
/// \throws Error if this processor lacks its instruction set
Machine calibration_of(nb::handle value);

/// \throws nb::type_error for an unknown keyword
[[noreturn]] void throw_unexpected(const std::string& keyword);

ConvolveOptions convolve_options(const nb::dict& keywords);
FeaturesOptions features_options(const nb::dict& keywords);

nb::dict described(const Choice& choice);
nb::list described(const std::vector<Term>& terms);

}  // namespace synelix::python
