// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/convolve.hpp>
#include <synelix/error.hpp>
#include <synelix/expression.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/seam/stream.hpp>
#include <synelix/series.hpp>
#include <synelix/time_bins.hpp>
#include <synelix/types/stream.hpp>

/// \file
/// Convolution of recordings that do not fit into memory: blocks of samples come from a `Source`,
/// are convolved, and go to a `Sink`; reading, computing and writing overlap.
///
///     sx::Hdf5Source source(sx::parse_file_path("recording.h5:/samples"));
///     sx::Hdf5Sink sink(sx::parse_file_path("features.h5:/features"));
///     sx::stream_convolve(exec, source, bank, sink, {.budget = sx::mebibytes(512)});
///
/// Values have the same bits as `convolve` gives in memory, for every budget and batch. All memory
/// except the bank (buffers, the plan's workspace, the chunk caches of files) stays within the
/// budget, for any length of the recording. On a host two blocks of features are resident: one is
/// computed while the previous one is written.

namespace synelix {

/// How `stream_convolve` with the same arguments would be cut.
/// \throws Error as stream_convolve, before it reads
/// @{
template <class Scalar, class ExecutionSpace>
StreamPlan plan_stream(const ExecutionSpace& exec, const Source& source,
                       const FilterBank<Scalar, ExecutionSpace>& bank, const Sink& sink,
                       const ConvolveOptions& options = {}, const StreamOptions& stream = {});
template <class Scalar, class ExecutionSpace>
StreamPlan plan_stream(const ExecutionSpace& exec, const Events& events,
                       const FilterBank<Scalar, ExecutionSpace>& bank, const Sink& sink,
                       const ConvolveOptions& options = {}, const StreamOptions& stream = {});
/// @}

/// Convolves a source, or events on the host, with a bank, block by block, into a sink. Events do
/// not count toward the budget; their copy on a device does.
///
/// Batches in the options bound what is resident: `batch.samples` the input samples of a block,
/// halo included, `batch.channels` and `batch.bases` its other extents. If the sink needs complete
/// chunks, blocks hold complete chunks as far as these bounds and the budget allow.
///
/// On a device, blocks go through its memory (ConvolveOptions::staging): up to three are in flight,
/// copied in, computed and copied out at the same time. `budget` then bounds the device memory, and
/// `host_budget` the host memory except the tables of epochs. The plan's choice has the details.
///
/// Two threads are started: one reads, one writes; the caller's thread computes. An exception on
/// any of them ends the stream: the sink's `abandon` is called, and the exception is thrown to the
/// caller.
///
/// \throws Error      as ConvolvePlan; if the budget is too small, naming the smallest that works;
///                    if the source or the sink fails
/// \throws Cancelled  if stream.cancel is set
/// @{
template <class Scalar, class ExecutionSpace>
StreamReport stream_convolve(const ExecutionSpace& exec, Source& source,
                             const FilterBank<Scalar, ExecutionSpace>& bank, Sink& sink,
                             const ConvolveOptions& options = {}, const StreamOptions& stream = {});
template <class Scalar, class ExecutionSpace>
StreamReport stream_convolve(const ExecutionSpace& exec, const Events& events,
                             const FilterBank<Scalar, ExecutionSpace>& bank, Sink& sink,
                             const ConvolveOptions& options = {}, const StreamOptions& stream = {});
/// @}

}  // namespace synelix
