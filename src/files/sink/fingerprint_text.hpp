// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/stream.hpp>

#include <optional>
#include <string>

/// \file
/// Fingerprints as text, and what two of them do not have in common.

namespace synelix::h5 {

/// "name: value; name: value". A backslash stands before what looks like a separator and is none,
/// and before a backslash.
std::string text_of(const Fingerprint& fingerprint);
/// What `text_of` has made; values that are no such text are left out.
Fingerprint fingerprint_from(const std::string& text);
/// The value of a name.
std::optional<std::string> value_of(const Fingerprint& fingerprint, const std::string& name);

/// Throws Error("WHERE: it was made with NAME VALUE, ..., but this run asks for NAME VALUE, ....
/// REMEDY.") where they differ. \param but  in place of "this run asks for"
void require_same(const std::string& where, const Fingerprint& found, const Fingerprint& wanted,
                  const std::string& remedy, const std::string& but = "this run asks for");

}  // namespace synelix::h5
