// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/run/output.hpp"

#include <synelix/choice.hpp>
#include <synelix/types/features.hpp>
#include <synelix/types/hdf5.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// Facts common to the parts of one output. A dry run with --save finds them once and writes them
/// to a file, and each part reads them there. A part without such a file finds them itself.

namespace synelix::tool {

/// Fits of timestamps, by the names of inputs.
using InputFits = std::vector<std::pair<std::string, TimestampsFit>>;

struct PartFacts {
  std::string file = {};          ///< that holds them, for messages
  Fingerprint follows_from = {};  ///< facts about inputs and options that are known before they are
                                  ///< opened
  Fingerprint files = {};         ///< size and time of change of all files that inputs lead to
  std::string instruction_set = {};
  std::optional<Steps> nanoseconds = {};  ///< of the calibration; absent: the library's constants
  InputFits fits = {};
  std::vector<InputStatistics> statistics = {};  ///< of each input of a design: only ranges
};

/// The beginning of a file of facts, without the version of its format.
inline constexpr std::string_view facts_magic = "synelix facts ";

/// A line with the version of the format and a checksum, and JSON.
std::string facts_text(const PartFacts& facts);
/// \param file  for messages
/// \throws Error if the text is cut, damaged or of another version of the format
PartFacts facts_from(std::string text, const std::string& file);

/// "'input changed' was A and is B"; nothing if both are the same. Bytes that are not UTF-8 count
/// as the same, because files of facts do not have them.
std::optional<std::string> difference(const Fingerprint& before, const Fingerprint& now);

/// The set with that name. \param usable  on this processor, the narrowest first
/// \throws Error if it is none of them
InstructionSet set_of_facts(const std::string& name, const std::vector<InstructionSet>& usable,
                            const std::string& file);

/// The dependencies of the facts of `convolve`, and of `features`.
/// @{
Fingerprint facts_follow_from(const ConvolveRequest& request);
Fingerprint facts_follow_from(const FeaturesRequest& request, const DesignFile& design);
/// @}

/// Writes facts to the file of --save, with their dependencies and the machine of the run.
/// \throws Error if the file cannot be written, or is there and holds something else
void save_facts(const std::string& file, PartFacts facts, const Fingerprint& follows_from,
                const Machine& machine);

/// The facts of the file of --facts. Without that option, those of OUT.part.facts if this run is a
/// part and the file is there; otherwise nothing.
/// \throws Error if the file is damaged, or of other inputs, options or another version
std::optional<PartFacts> facts_for(const std::string& file, const OutputRequest& output,
                                   const Fingerprint& follows_from);

/// Removes OUT.part.facts, if it holds facts.
void remove_facts(const std::string& output);

/// The fit of an input; nothing if it is not known.
std::optional<TimestampsFit> known_fit(const InputFits& fits, const std::string& input);

/// The machine of the facts, or the one of these options. \throws Error if they contradict each
/// other, or this processor lacks the instruction set of the facts
Machine machine_for(const std::optional<PartFacts>& facts, const std::string& file,
                    InstructionSet wanted);

/// \throws Error if the facts are of other files
void require_files(const std::optional<PartFacts>& facts, const Fingerprint& files);

}  // namespace synelix::tool
