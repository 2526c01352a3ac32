// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/stream.hpp>
#include <synelix/types/hdf5.hpp>

/// \file
/// Recordings and features in HDF5 files: a source, a sink, and small matrices.
///
///     sx::Hdf5Source source(sx::parse_file_path("recording.h5:/samples"));
///     sx::Hdf5Sink sink(sx::parse_file_path("features.h5:/features"));
///     sx::stream_convolve(exec, source, bank, sink, {.budget = sx::mebibytes(512)});
///
/// All calls of this library into HDF5 hold one lock. HDF5's own description of a failure is part
/// of the `Error` and is not printed. No HDF5 type appears here. Needs the target Synelix::hdf5.
