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
/// rows of all columns. Each source is read once, however many bases see it, and once more before
/// where a basis in eval mode has no bounds; of each, a block holds the samples that its rows see.

namespace synelix {

/// How a design would be cut: of `stream_features` with the same arguments. Reads nothing.
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

/// What a stream of this design has to know of the whole of its inputs, one entry for each: the
/// ranges of those whose bases have no bounds, by one pass over each such source. `stream_features`
/// finds it by itself where it is not given. For processes that compute parts of one design.
///
/// \param plan    of `plan_features_stream` with the same arguments: memory and staging of the pass
/// \param stream  `cancel` is used
/// \throws Error      as stream_features
/// \throws Cancelled  where stream.cancel asked for it
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
/// \param sink        is told the terms and where their columns lie
/// \param options     border, rows, budget; staging and the host's budget as for stream_convolve
/// \param stream      rows, progress, cancelling; its description is the sink's, where it has a
///                    rate, and else that of the first source
/// \param statistics  from `find_statistics`, one entry for each input; empty: found here
/// \throws Error      as FeaturesPlan; where the budget is too small, naming the smallest that
///                    works; where a basis needs all samples at once (OrthExponential in eval
///                    mode), there is no column, or a source or the sink fails
/// \throws Cancelled  where stream.cancel asked for it
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
