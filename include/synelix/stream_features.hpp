// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/expression.hpp>
#include <synelix/features.hpp>
#include <synelix/stream.hpp>
#include <synelix/types/stream_features.hpp>

#include <initializer_list>
#include <span>
#include <vector>

/// \file
/// Designs of recordings that do not fit into memory: the columns of an expression of bases
/// (expression.hpp), block by block, from several sources and events to one sink.
///
///     sx::Hdf5Source position(sx::parse_file_path("behaviour.h5:/position"));
///     auto coupling = sx::conv(sx::RaisedCosineLog{.bases = 8}, {.window = 25});
///     auto place = sx::eval(sx::BSpline{.bases = 10}, {.bounds = {{0.0, 100.0}}});
///     sx::stream_features<float>(exec, coupling + place, {units.events, position}, sink);
///
/// Values have the same bits as `compute_features` gives in memory, for every budget. Blocks are
/// rows of all columns. Each source is read once, for any number of bases that use it. If a basis
/// in eval mode has no bounds, its source is read once more before. Of each source, a block holds
/// the samples that its rows need.

namespace synelix {

/// How `stream_features` with the same arguments would be cut. Reads nothing.
/// \throws Error as stream_features, before it reads
/// @{
template <class Scalar, class ExecutionSpace>
StreamPlan plan_features_stream(const ExecutionSpace& exec, const Expression& expression,
                                std::span<const StreamInput> inputs, const Sink& sink,
                                const FeaturesOptions& options = {},
                                const StreamOptions& stream = {});
template <class Scalar, class ExecutionSpace>
StreamPlan plan_features_stream(const ExecutionSpace& exec, const Expression& expression,
                                std::initializer_list<StreamInput> inputs, const Sink& sink,
                                const FeaturesOptions& options = {},
                                const StreamOptions& stream = {}) {
  return plan_features_stream<Scalar>(exec, expression, std::span(inputs.begin(), inputs.size()),
                                      sink, options, stream);
}
/// @}

/// The statistics of all samples of each input that a stream of this design needs: the ranges of
/// the inputs whose bases have no bounds, by one pass over each such source. `stream_features`
/// computes them itself if they are not given. For processes that compute parts of one design.
///
/// \param plan    of `plan_features_stream` with the same arguments: memory and staging of the pass
/// \param stream  `cancel` is used
/// \throws Error      as stream_features
/// \throws Cancelled  if stream.cancel is set
template <class ExecutionSpace>
std::vector<InputStatistics> find_statistics(const ExecutionSpace& exec,
                                             const Expression& expression,
                                             std::span<const StreamInput> inputs,
                                             const StreamPlan& plan,
                                             const StreamOptions& stream = {});

/// Computes the columns of an expression, block by block, into a sink of one channel whose bases
/// are the columns: (rows, columns). `batch.samples` of the options bounds the samples of a block.
///
/// \param exec        the instance that computes
/// \param expression  what the columns are
/// \param inputs      one for each input that the expression consumes, from left to right
/// \param sink        gets the terms and their columns
/// \param options     border, rows, budget; staging and the host's budget as for stream_convolve
/// \param stream      rows, progress, cancelling; its description is passed to the sink if it has a
///                    rate, else that of the first source
/// \param statistics  from `find_statistics`, one entry for each input; empty: computed here
/// \throws Error      as FeaturesPlan; if the budget is too small, naming the smallest that works;
///                    if a basis needs all samples at once (OrthExponential in eval mode), there is
///                    no column, or a source or the sink fails
/// \throws Cancelled  if stream.cancel is set
/// @{
template <class Scalar, class ExecutionSpace>
StreamReport stream_features(const ExecutionSpace& exec, const Expression& expression,
                             std::span<const StreamInput> inputs, Sink& sink,
                             const FeaturesOptions& options = {}, const StreamOptions& stream = {},
                             const std::vector<InputStatistics>& statistics = {});
template <class Scalar, class ExecutionSpace>
StreamReport stream_features(const ExecutionSpace& exec, const Expression& expression,
                             std::initializer_list<StreamInput> inputs, Sink& sink,
                             const FeaturesOptions& options = {},
                             const StreamOptions& stream = {}) {
  return stream_features<Scalar>(exec, expression, std::span(inputs.begin(), inputs.size()), sink,
                                 options, stream);
}
/// @}

}  // namespace synelix
