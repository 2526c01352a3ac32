// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/stream.hpp>

#include <string>
#include <vector>

/// \file
/// The files that a run reads: lists them, checks that the output is not one of them, and checks at
/// the end that none has changed.

namespace synelix::stream {

/// Adds files that are not in the list yet, by device and inode.
void add_files(std::vector<InputFile>& files, const std::vector<InputFile>& more);

/// "raw.h5, external link in.h5:/x", for messages.
std::string text_of(const InputFile& file);

/// \throws Error if an existing file that a run would replace is one of these, under any name.
/// \param remedy what the user can do
void require_apart(const std::string& output, const std::vector<InputFile>& files,
                   const std::string& remedy);

/// Checks the files that a run has read. Warns if only mode, owner or link count have changed, or
/// if the named file is gone, which was held open.
/// \throws InputChanged naming the first file with another content or identity
void require_unchanged(const std::vector<InputFile>& files);

/// The same check after reading a part of the values. It gives no warnings, because it is called
/// often. A named file that is gone was held open, and is not an error. \throws InputChanged if the
/// values may come from another content
void require_same_content(const std::vector<InputFile>& files);

/// Whether the exception that is being handled is an `InputChanged`.
bool is_of_changed_input() noexcept;

/// Size and time of change of each file: of the named file ("input bytes", "input changed"), and by
/// their names of the files that it leads to.
Fingerprint fingerprint_of(const std::vector<InputFile>& files);

/// The names in `fingerprint_of` for size and time of change of one of the files; empty if the path
/// is not one of them.
std::vector<std::string> fingerprint_names(const std::string& path,
                                           const std::vector<InputFile>& files);

}  // namespace synelix::stream
