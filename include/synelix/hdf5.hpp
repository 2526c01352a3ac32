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
/// All calls into HDF5 that this library makes are made under one lock, and what HDF5 has to say
/// about a failure is part of the `Error` and printed nowhere. No HDF5 type appears here. Needs the
/// target Synelix::hdf5.
