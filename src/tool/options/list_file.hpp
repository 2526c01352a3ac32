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
/// can run one after the other, or in several tasks: each writes a file of its own, and none writes
/// what another reads.

namespace synelix::tool {

/// Makes a line of its two names. Throws Error for a name that is none.
using ReadNames = std::function<ListLine(const std::string& input, const std::string& output)>;

/// Reads a list; "-" is standard input. Empty lines and those that begin with # are passed over.
/// \throws Error with the number of the line for what is no pair of names, and for a list without
/// a pair
RecordingList read_list(const std::string& file, const ReadNames& names);

/// "recordings.txt, line 7": where an error of a list is.
std::string place_of(const RecordingList& list, const ListLine& line);

/// Adds --list. \param line  what a line holds: "INPUT OUTPUT"
void add_list_option(OptionRows& rows, std::optional<std::string>& list, const std::string& line);

/// The list of a request, where --list is given. \throws UsageError for what is wrong
/// with it, and where a positional argument is given beside it
std::optional<RecordingList> list_from(const std::optional<std::string>& file,
                                       const std::string& positional, const ReadNames& names);

/// Where a request has a list: refuses two lines with one output, and an output that a line or the
/// command reads. Names are compared as files: other spellings, symbolic links and hard links
/// count.
/// \throws Error with the numbers of the lines
/// @{
void require_apart(const ConvolveRequest& request);
void require_apart(const FeaturesRequest& request);
/// @}

}  // namespace synelix::tool
