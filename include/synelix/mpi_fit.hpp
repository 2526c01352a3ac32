// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/glm.hpp>
#include <synelix/glm_path.hpp>
#include <synelix/mpi.hpp>
#include <synelix/types/mpi_fit.hpp>

/// \file
/// Component `mpi`: models that the ranks of a communicator fit together, with the bits of one
/// process.
///
///     const sx::mpi::Ranks ranks(MPI_COMM_WORLD);
///     const sx::DesignMatrix design = ...;  // of the entire recording, on each rank
///     const sx::FitResult model = sx::mpi::fit(ranks, design, {.targets = counts}, options);
///
/// Each rank has a design of all rows: lists of events, or sources that read a file. The ranks
/// share the walks over the rows: a rank reads and computes the features of its own rows, and the
/// windows before them. Searches run identically on all ranks, from the same sums, and give the
/// same result.
