// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <optional>
#include <string>

/// \file
/// Files of calibrations: what `calibrate` measured, with an entry for each processor and
/// instruction set. The program `synelix` and the Python package read and write the same files. The
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
/// configuration folder, $XDG_CONFIG_HOME or else ~/.config. Empty if neither is known.
std::string default_machine_file();

/// The model of this machine's processor, "unknown" if the system does not report it. If the
/// program computes on a device, its entries have this name, a comma, a blank and the name of the
/// execution space.
std::string processor_name();

/// The entry of a file for a processor and instruction set: nanoseconds of each step, and bytes of
/// work items if the version that wrote it measured them. No value if the file has no such entry or
/// does not exist.
/// \throws FileError if the file is not a file of calibrations, or cannot be read
std::optional<Machine> read_machine(const std::string& file, const std::string& processor,
                                    InstructionSet set);

/// Checks that `write_machine` can update a file. Call it before a measurement.
/// \throws FileError if `write_machine` would refuse the contents of the file
void require_machine_file(const std::string& file);

/// Puts a calibration into a file, in place of the entry of its processor and instruction set.
/// Other entries stay. Creates the folder of the file. An empty file is replaced. At any moment,
/// even if the machine stops, either the old file or the new one exists.
/// \throws FileError if the file is not a file of calibrations, or cannot be written
/// \throws Error     if the calibration has no nanoseconds, or no instruction set
void write_machine(const std::string& file, const std::string& processor, const Machine& machine);

}  // namespace synelix
