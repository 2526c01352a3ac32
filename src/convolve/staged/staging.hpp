// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/block_search.hpp"
#include "convolve/choice/choose.hpp"

#include <synelix/choice.hpp>

#include <cstdint>
#include <optional>

/// \file
/// Finds blocks of rows and channels that go through the device, for arguments that the kernels
/// cannot use in place. Pure functions, as in choose.hpp.

namespace synelix::chooser {

/// Bytes of a slot's buffer for samples, or for the events of a block.
std::int64_t staged_input_bytes(const ProblemSize& problem, const StagedBlocks& blocks);
/// Bytes of a slot's buffer for features.
std::int64_t staged_features_bytes(const ProblemSize& problem, const StagedBlocks& blocks);
/// Bytes of the lists of a number of channels and events: begins, samples, counts.
std::int64_t event_list_bytes(std::int64_t channels, std::int64_t events);
/// Bytes of the separate workspace of each slot.
std::int64_t slot_workspace_bytes(const ProblemSize& problem, const Resources& resources,
                                  const Choice& choice);

/// The choice with its blocks, if the smallest of them fit. The method is that of `make_choice`.
/// \param staged  the arguments to stage and the reason; the rest is filled in
std::optional<Choice> find_staged_choice(const ProblemSize& problem, const Resources& resources,
                                         const ConvolveOptions& options, const StagedBlocks& staged,
                                         blocks::Budgets room);

/// The same.
/// \throws Error with the required bytes if the smallest blocks do not fit
Choice make_staged_choice(const ProblemSize& problem, const Resources& resources,
                          const ConvolveOptions& options, const StagedBlocks& staged,
                          blocks::Budgets room);

}  // namespace synelix::chooser
