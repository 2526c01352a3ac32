// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/glm.hpp>
#include <synelix/types/glm_path.hpp>
#include <synelix/types/mpi.hpp>

#include <cstdint>

/// \file
/// What mpi_fit.hpp declares, without Kokkos. Programs include mpi_fit.hpp.

namespace synelix::mpi {

/// How the ranks share a walk. The bits do not depend on it.
enum class FitSplit : std::uint8_t {
  rows,    ///< each rank takes some segments of the recording
  targets  ///< each rank takes all rows, and some of the targets: for short recordings
};

/// As synelix::fit. Collective: all ranks pass the same arguments, except the budget of the design,
/// its sources, and the functions and `cancel` of the options. A recording has a segment for each
/// 524,288 rows, at most 1,024; with FitSplit::rows, ranks beyond the number of segments have no
/// work.
///
/// `progress` is called on rank 0 alone. Once `cancel` is true on a rank, the fit ends on all of
/// them with Stop::cancelled. The store `answers` of rank 0 serves all ranks, and those of other
/// ranks are not used. Its answers are those of one process, too.
///
/// \return the same on all ranks, with the bits of one process. Warnings go to the handler of rank
/// 0
/// \throws RankError on all ranks: as synelix::fit on any of them, and if an argument differs
FitResult fit(const Ranks& ranks, const DesignMatrix& design, const Observations& observations,
              const FitOptions& options = {}, FitSplit split = FitSplit::rows);

/// As synelix::fit_path. Collective, with the rules of `fit`.
/// \throws RankError on all ranks: as synelix::fit_path on any of them, and as `fit`
PathResult fit_path(const Ranks& ranks, const DesignMatrix& design,
                    const Observations& observations, const FitOptions& options = {},
                    const PathOptions& path = {}, FitSplit split = FitSplit::rows);

/// As synelix::cross_validate. Collective, with the rules of `fit`.
/// \throws RankError on all ranks: as synelix::cross_validate on any of them, and as `fit`
CrossValidationResult cross_validate(const Ranks& ranks, const DesignMatrix& design,
                                     const Observations& observations,
                                     const FitOptions& options = {},
                                     const CrossValidationOptions& validation = {},
                                     FitSplit split = FitSplit::rows);

}  // namespace synelix::mpi
