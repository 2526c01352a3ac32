// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Files of the parts of a compressed output: their names, the rows of each, and the facts in the
/// checkpoint inside of a file.

namespace synelix::stream {

/// Rows of a part: a multiple of chunks, so that each stored chunk belongs to one part. Empty if
/// there are more parts than rows of chunks.
Range rows_of_part(std::int64_t rows, std::int64_t chunk_rows, const OutputPart& part);

/// An existing part file, finished or not.
struct NamedPart {
  OutputPart part;
  bool is_finished = false;
  std::string name;
};

/// The part files beside an output, by number of parts and part; a finished file precedes an
/// unfinished one of the same part.
std::vector<NamedPart> named_parts(const std::string& output);

/// The facts about a part in the text of a checkpoint.
struct PartFacts {
  OutputPart part;
  Range rows;
  std::int64_t of_rows = 0;
  std::string dataset;
  Fingerprint run;  ///< facts common to all parts
};

/// Adds the facts of one part to the facts common to all parts.
void add_part(Fingerprint& run, const OutputPart& part, Range rows);
/// Nothing if the text is not that of a part.
std::optional<PartFacts> part_facts(const std::string& text);

/// "1/4".
std::string text_of(const OutputPart& part);

}  // namespace synelix::stream
