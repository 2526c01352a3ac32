// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <optional>
#include <string>

/// \file
/// What `calibrate` keeps: a JSON file with the times of the cost model's steps, for each processor
/// and instruction set that shares the user's configuration folder.

namespace synelix::tool {

/// synelix/machine.json in the user's configuration folder: $XDG_CONFIG_HOME, or else ~/.config.
/// Empty where neither is known.
std::string machine_file();

/// The model of this machine's processor, "unknown" where the system does not tell.
std::string processor_name();

/// What a file has for a processor and instruction set: nanoseconds of each step, and bytes of work
/// items where the version that wrote it measured them. Nothing where it has none, or is not there.
/// Throws Error where the file is not one of these.
std::optional<Machine> read_machine(const std::string& file, const std::string& processor,
                                    InstructionSet set);

/// Throws Error where `write_machine` would refuse the file for what it holds.
void require_machine_file(const std::string& file);

/// Puts them into the file, beside those of others, which makes its folder and leaves the file as
/// it was where anything fails. An empty file is written anew. Throws Error where the file is not
/// one of these or cannot be written.
void write_machine(const std::string& file, const std::string& processor, const Machine& machine);

}  // namespace synelix::tool
