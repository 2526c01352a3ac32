// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <optional>
#include <string>

/// \file
/// Files of calibrations: what `calibrate` measured, for each processor and instruction set that
/// shares the file. The program `synelix` and the Python package read and write the same files. The
/// library reads and writes them only through these functions, and calls none of them itself.
///
///     const sx::Machine machine = sx::calibrate(exec);
///     sx::write_machine("machine.json", sx::processor_name(), machine);
///     // later; the set is that of `choose(...).instruction_set`
///     options.machine = sx::read_machine("machine.json", sx::processor_name(), set).value();
///
/// A file is a JSON object with `format` (1) and a list `machines`. Each entry has `processor`,
/// `instruction_set`, `nanoseconds` (a number for each member of `Steps`) and `bytes` (one for each
/// member of `WorkBytes`).

namespace synelix {

/// The file that the program writes and reads by default: synelix/machine.json in the user's
/// configuration folder, $XDG_CONFIG_HOME or else ~/.config. Empty where neither is known.
std::string default_machine_file();

/// The model of this machine's processor, "unknown" where the system does not tell.
/// Where the program computes on a device, its entries have this, a comma, a blank and the name of
/// the execution space.
std::string processor_name();

/// What a file has for a processor and instruction set: nanoseconds of each step, and bytes of work
/// items where the version that wrote it measured them. Nothing where the file has no such entry,
/// or does not exist.
/// \throws FileError where the file is not one of these, or cannot be read
std::optional<Machine> read_machine(const std::string& file, const std::string& processor,
                                    InstructionSet set);

/// Checks what `write_machine` would keep of a file. Call it before a measurement.
/// \throws FileError where `write_machine` would refuse the file for what it holds
void require_machine_file(const std::string& file);

/// Puts a calibration into a file, in place of the entry of its processor and instruction set. The
/// entries of others stay. Makes the folder of the file. An empty file is written anew. At any
/// moment, also where the machine stops, either the old file or the new one is there.
/// \throws FileError where the file is not one of these, or cannot be written
/// \throws Error     where the calibration has no nanoseconds, or no instruction set
void write_machine(const std::string& file, const std::string& processor, const Machine& machine);

}  // namespace synelix
