// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/block_search.hpp"
#include "convolve/choice/choose.hpp"

#include <synelix/choice.hpp>

#include <cstdint>
#include <optional>

/// \file
/// From a problem whose arguments the kernels do not use where they lie to blocks of rows and
/// channels that go through the device: pure functions, as in choose.hpp.

namespace synelix::chooser {

/// Bytes of a slot's buffer for samples, or for the events of a block.
std::int64_t staged_input_bytes(const ProblemSize& problem, const StagedBlocks& blocks);
/// Bytes of a slot's buffer for features.
std::int64_t staged_features_bytes(const ProblemSize& problem, const StagedBlocks& blocks);
/// Bytes of the lists of so many channels and events: begins, samples, counts.
std::int64_t event_list_bytes(std::int64_t channels, std::int64_t events);
/// Bytes of the workspace that each slot has of its own.
std::int64_t slot_workspace_bytes(const ProblemSize& problem, const Resources& resources,
                                  const Choice& choice);

/// The choice with its blocks, where the smallest of them fit. The method is the one that
/// `make_choice` takes.
/// \param staged  what is staged and why; the rest is filled in
std::optional<Choice> find_staged_choice(const ProblemSize& problem, const Resources& resources,
                                         const ConvolveOptions& options, const StagedBlocks& staged,
                                         blocks::Budgets room);

/// The same.
/// \throws Error where the smallest blocks do not fit, naming what they take
Choice make_staged_choice(const ProblemSize& problem, const Resources& resources,
                          const ConvolveOptions& options, const StagedBlocks& staged,
                          blocks::Budgets room);

}  // namespace synelix::chooser
