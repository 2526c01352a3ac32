// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/stream.hpp>

#include <optional>
#include <string>

/// \file
/// Fingerprints as text, and the differences between two of them.

namespace synelix::h5 {

/// "name: value; name: value". A backslash escapes backslashes, and text that looks like a
/// separator.
std::string text_of(const Fingerprint& fingerprint);
/// Parses a text of `text_of`; values of another form are dropped.
Fingerprint fingerprint_from(const std::string& text);
/// The value of a name.
std::optional<std::string> value_of(const Fingerprint& fingerprint, const std::string& name);

/// Throws Error("WHERE: it was made with NAME VALUE, ..., but this run asks for NAME VALUE, ....
/// REMEDY.") if they differ. \param but  replaces "this run asks for"
void require_same(const std::string& where, const Fingerprint& found, const Fingerprint& wanted,
                  const std::string& remedy, const std::string& but = "this run asks for");

}  // namespace synelix::h5
