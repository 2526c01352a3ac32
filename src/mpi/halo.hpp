// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "streams/row_map.hpp"

#include <synelix/alignment.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// \file
/// Which rows of a rank see samples of other ranks, and who sends which samples to whom. Any cut of
/// the samples: ranks may be empty, or so short that a window spans several of them.

namespace synelix::mpi {

/// Rows that see samples of other ranks, and all the samples that they see. Empty ranges: no rows.
struct Seam {
  Range rows;
  Range samples;
};

/// The rows of one rank. The interior lies between the seams. Where no row sees its own samples
/// alone, all rows are the first seam.
struct RowCut {
  Range rows;
  Range interior;
  std::array<Seam, 2> seams;
};

/// The rows that stand for own samples. Of a rank without samples: an empty range behind the rows
/// of the ranks before it.
Range rows_of_samples(const stream::RowMap& map, Range own);

/// \param samples_for  what rows see, as their method reads it: transforms read whole blocks. More
///                     rows see no less.
RowCut cut_rows(Range rows, Range own, const std::function<Range(Range)>& samples_for);

/// Samples that go from one rank to another.
struct Message {
  int rank = 0;  ///< the other one
  int seam = 0;  ///< of the receiver
  Range samples;
};

/// What the messages of all ranks follow from, in an array that ranks exchange.
struct RankSamples {
  Range own;
  std::array<Range, 2> seams;  ///< samples of each
};

/// The messages of one rank.
struct Halo {
  Range own;
  std::array<Range, 2> seams;  ///< samples of each
  std::vector<Message> receives;
  std::vector<Message> sends;

  [[nodiscard]] std::int64_t seam_rows() const { return seams[0].size() + seams[1].size(); }
};
Halo halo_of(int rank, std::span<const RankSamples> all);

/// Samples of all messages.
std::int64_t rows_of(const std::vector<Message>& messages);

}  // namespace synelix::mpi
