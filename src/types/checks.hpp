// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/choice.hpp>
#include <synelix/error.hpp>
#include <synelix/strided.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

/// \file
/// Checks of enumerations. A caller may cast any number to an enumeration, so every call checks
/// that the value of an option was declared before it uses it.

namespace synelix {

/// The declared values of an enumeration by name: 0, 1, ... in their order. Each enumeration of
/// options has a specialization, here or in the folder that reads it.
template <class Enum>
inline constexpr std::string_view value_names[1]{};

template <>
inline constexpr std::string_view value_names<Causality>[] { "causal", "acausal", "anti_causal" };
template <>
inline constexpr std::string_view value_names<Shift>[] { "automatic", "on", "off" };
template <>
inline constexpr std::string_view value_names<Border>[] { "nan", "zero", "valid" };
template <>
inline constexpr std::string_view value_names<Method>[] { "automatic", "direct", "events", "fft" };
template <>
inline constexpr std::string_view value_names<InstructionSet>[] {
  "automatic", "plain", "avx2", "avx512", "neon", "sve256"
};
template <>
inline constexpr std::string_view value_names<Staging>[] { "automatic", "never", "always" };
template <>
inline constexpr std::string_view value_names<StagingReason>[] {
  "near", "shared memory", "not wanted", "out of reach", "across a bus", "asked for"
};
template <>
inline constexpr std::string_view value_names<StoredType>[] {
  "float32", "float64", "int8", "uint8", "int16", "uint16"
};

/// The name of a value; "unknown" if it was never declared.
template <class Enum>
constexpr const char* known_name(Enum value) {
  const auto number = static_cast<std::size_t>(value);
  return number < std::size(value_names<Enum>) ? value_names<Enum>[number].data() : "unknown";
}

/// The name in files and in the program's options: "anti-causal".
constexpr const char* file_name_of(Causality causality) {
  return causality == Causality::anti_causal ? "anti-causal" : known_name(causality);
}

namespace seam {

/// "ARGUMENT: the value 77 is unknown. Use 0 (causal), 1 (acausal), 2 (anti_causal)."
[[noreturn]] void refuse_unknown(std::string_view argument, std::int64_t value,
                                 std::span<const std::string_view> names);

}  // namespace seam

/// \throws Error if an enumeration has no declared value like this
template <class Enum>
void require_known(std::string_view argument, Enum value) {
  static_assert(!value_names<Enum>[0].empty(), "name the values of this enumeration: value_names");
  const auto number = static_cast<std::int64_t>(value);
  const std::span<const std::string_view> names(value_names<Enum>);
  if (number < 0 || number >= static_cast<std::int64_t>(names.size())) {
    seam::refuse_unknown(argument, number, names);
  }
}

/// The most samples of a series, or of all trials of a list.
inline constexpr std::int64_t most_samples = std::int64_t{1} << 61;
/// The most channels of a series.
inline constexpr std::int64_t most_channels = std::int64_t{1} << 48;

/// \throws Error if elements of an array are more than 2^56 bytes apart
template <class Void>
void require_addressable(std::string_view name, const BasicStrided<Void>& array);

/// \throw Error where no sample is selected
inline void refuse_no_epochs(const Epochs& epochs) {
  if (!epochs.is_nothing()) return;
  throw Error("epochs", "the list is empty, so no sample is selected",
              "Give at least one epoch, or none at all (Epochs()), which is one epoch of all "
              "samples");
}

}  // namespace synelix
