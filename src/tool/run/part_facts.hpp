// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/types/features.hpp>
#include <synelix/types/hdf5.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// `PartFacts`: facts common to the parts of one output, which one of them finds for all, as a
/// value and as the text of OUT.part.facts.

namespace synelix::tool {

/// Fits of timestamps, by the names of inputs.
using InputFits = std::vector<std::pair<std::string, TimestampsFit>>;

/// The fit of an input; nothing if there is none.
std::optional<TimestampsFit> known_fit(const InputFits& fits, const std::string& input);

struct PartFacts {
  Fingerprint follows_from = {};  ///< facts about inputs and options that are known before they are
                                  ///< opened
  Fingerprint files = {};         ///< size and time of change of all files that inputs lead to
  std::string instruction_set = {};
  std::optional<Steps> nanoseconds = {};  ///< of the calibration; absent: the library's constants
  InputFits fits = {};
  std::vector<InputStatistics> statistics = {};  ///< of each input of a design: only ranges
};

/// The beginning of the file, without the version of its format.
inline constexpr std::string_view facts_magic = "synelix facts ";

/// A line with the version of the format and a checksum, and JSON.
std::string text_of(const PartFacts& facts);

/// \param file  for messages
/// \throws Error if the text is cut, damaged or of another version of the format
PartFacts facts_from(std::string text, const std::string& file);

/// The fingerprint after a round trip through text: bytes that are not UTF-8 are replaced.
Fingerprint printable(const Fingerprint& fingerprint);

/// "'input changed' was A and is B"; nothing if both are the same.
std::optional<std::string> difference(const Fingerprint& before, const Fingerprint& now);

/// The set with that name. \param usable  on this processor, the narrowest first
/// \throws Error if it is none of them, with what to do with the output's other files
InstructionSet set_of_facts(const std::string& name, const std::vector<InstructionSet>& usable,
                            const std::string& file, const std::string& part_file);

}  // namespace synelix::tool
