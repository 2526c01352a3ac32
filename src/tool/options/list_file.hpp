// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/option_rows.hpp"
#include "tool/options/request.hpp"

#include <synelix/error.hpp>

#include <functional>
#include <optional>
#include <string>

/// \file
/// `--list FILE`: many inputs with their outputs, one pair a line, for one call of a command. Lines
/// can run in sequence, or in several tasks: each writes a separate file, and none writes a file
/// that another one reads.

namespace synelix::tool {

/// Makes a line from its two names. Throws Error for an invalid name.
using ReadNames = std::function<ListLine(const std::string& input, const std::string& output)>;

/// Reads a list; "-" is standard input. Empty lines and lines that begin with # are skipped.
/// \throws Error with the number of a line that is not a pair of names, and for a list without a
///         pair
RecordingList read_list(const std::string& file, const ReadNames& names);

/// "recordings.txt, line 7": the place of an error in a list.
std::string place_of(const RecordingList& list, const ListLine& line);

/// Adds --list. \param line  the contents of a line: "INPUT OUTPUT"
void add_list_option(OptionRows& rows, std::optional<std::string>& list, const std::string& line);

/// The list of a request if --list is given. \throws UsageError if it is invalid, or is combined
/// with a positional argument
std::optional<RecordingList> list_from(const std::optional<std::string>& file,
                                       const std::string& positional, const ReadNames& names);

/// For a request with a list: throws if two lines have one output, or if an output is read by a
/// line or the command. Names are compared as files: other spellings, symbolic links and hard links
/// are the same file.
/// \throws Error with the numbers of the lines
/// @{
void require_apart(const ConvolveRequest& request);
void require_apart(const FeaturesRequest& request);
/// @}

}  // namespace synelix::tool
