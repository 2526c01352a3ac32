// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Files of the parts of a compressed output: their names, which rows each has, and what the
/// checkpoint inside one says of them.

namespace synelix::stream {

/// Rows of a part: whole chunks, so that each stored chunk belongs to one part. Empty where there
/// are more parts than rows of chunks.
Range rows_of_part(std::int64_t rows, std::int64_t chunk_rows, const OutputPart& part);

/// A part file that is there, finished or not.
struct NamedPart {
  OutputPart part;
  bool is_finished = false;
  std::string name;
};

/// The part files beside an output, by number of parts and part; a finished one before what a run
/// has left of it.
std::vector<NamedPart> named_parts(const std::string& output);

/// What the text of a checkpoint says of a part.
struct PartFacts {
  OutputPart part;
  Range rows;
  std::int64_t of_rows = 0;
  std::string dataset;
  Fingerprint run;  ///< what all parts have in common
};

/// Adds what a part has of its own to what all parts have in common.
void add_part(Fingerprint& run, const OutputPart& part, Range rows);
/// Nothing where the text is not that of a part.
std::optional<PartFacts> part_facts(const std::string& text);

/// "1/4".
std::string text_of(const OutputPart& part);

}  // namespace synelix::stream
