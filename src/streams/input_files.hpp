// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/stream.hpp>

#include <string>
#include <vector>

/// \file
/// The files that a run reads: which they are, that the output is none of them, and that none has
/// changed at the end.

namespace synelix::stream {

/// Adds files that are not in the list yet, by device and inode.
void add_files(std::vector<InputFile>& files, const std::vector<InputFile>& more);

/// "raw.h5, external link in.h5:/x", for messages.
std::string text_of(const InputFile& file);

/// \throws Error where an existing file that a run would replace is one of these, under whatever
/// name. \param remedy  what the user can do
void require_apart(const std::string& output, const std::vector<InputFile>& files,
                   const std::string& remedy);

/// Looks at the files that are read in a run once more. Warns where only mode, owner or number of
/// names have changed, or where the file that was named is gone: it was held open.
/// \throws InputChanged naming the first file of another content or identity
void require_unchanged(const std::vector<InputFile>& files);

/// The same for whoever has just read a part of the values: \throws InputChanged where what was
/// read may be of another content. It warns of nothing, since it is called again and again; a file
/// that was named, and is gone, was held open.
void require_same_content(const std::vector<InputFile>& files);

/// Whether the exception that is being handled is an `InputChanged`.
bool is_of_changed_input() noexcept;

/// Size and time of change of each: of the file that was named ("input bytes", "input changed"),
/// and by their names of those that it leads to.
Fingerprint fingerprint_of(const std::vector<InputFile>& files);

/// What `fingerprint_of` calls size and time of change of one of the files; empty where it is none.
std::vector<std::string> fingerprint_names(const std::string& path,
                                           const std::vector<InputFile>& files);

}  // namespace synelix::stream
