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
/// Which rows of a rank depend on samples of other ranks, and which samples each rank sends to
/// which. The samples may be cut in any way: ranks may be empty, or so short that a window spans
/// several of them.

namespace synelix::mpi {

/// Rows that depend on samples of other ranks, and all samples that they depend on. Empty ranges:
/// no rows.
struct Seam {
  Range rows;
  Range samples;
};

/// The rows of one rank. The interior is between the seams. If every row depends on samples of
/// other ranks, all rows are the first seam.
struct RowCut {
  Range rows;
  Range interior;
  std::array<Seam, 2> seams;
};

/// The rows of own samples. For a rank without samples: an empty range after the rows of the
/// previous ranks.
Range rows_of_samples(const stream::RowMap& map, Range own);

/// \param samples_for  the samples that rows depend on with their method: transforms read complete
///                     blocks. It must not shrink if rows are added.
RowCut cut_rows(Range rows, Range own, const std::function<Range(Range)>& samples_for);

/// Samples that go from one rank to another.
struct Message {
  int rank = 0;  ///< the other rank
  int seam = 0;  ///< of the receiver
  Range samples;
};

/// The ranges that determine the messages of all ranks. Ranks exchange an array of these.
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
