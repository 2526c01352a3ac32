// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/hdf5.hpp>
#include <synelix/types/join_parts.hpp>

/// \file
/// Joins compressed features into one file. Several processes have written them, each part into a
/// separate file.
///
///     sx::Hdf5SinkOptions options;
///     options.output.filter = sx::parse_filter("shuffle,deflate:4");
///     options.part = sx::OutputPart{.number = 0, .of = 4};   // and 1, 2, 3 in other processes
///     sx::Hdf5Sink sink(sx::parse_file_path("features.h5:/features"), options);
///     ...
///     sx::join_parts(sx::parse_file_path("features.h5"));
///
/// Chunks are copied as they are stored, so they are not compressed again. Needs the target
/// Synelix::hdf5.
