// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/slots.hpp"
#include "convolve/plan/prepared_convolution.hpp"
#include "convolve/sweep/host_copy.hpp"

#include <synelix/choice.hpp>
#include <synelix/convolve.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// A convolution whose samples, features or both pass through the device in blocks of rows and
/// channels. While one block is computed, the next one is copied in and the previous one is copied
/// out.

namespace synelix::plan {

template <class Scalar, class ExecutionSpace>
class ThroughDevice {
 public:
  using Bank = FilterBank<Scalar, ExecutionSpace>;

  /// \param choice  with blocks, from make_staged_choice
  ThroughDevice(const ExecutionSpace& exec, const SeriesShape& shape, RowTable rows,
                const Bank& bank, const ConvolveOptions& options, const Choice& choice);

  [[nodiscard]] const Choice& choice() const { return m_convolution.choice(); }
  [[nodiscard]] bool has_short_epoch() const { return m_convolution.has_short_epoch(); }

  /// Returns when the features are stored. \throws Error as ConvolvePlan::run
  /// \throws Cancelled if watch.cancel requests it
  void convolve(const StridedSeries& series, const StridedOutput& features,
                const Watch& watch = {});
  void convolve(const Events& events, const StridedOutput& features, const Watch& watch = {});

 private:
  using Convolution = PreparedConvolution<Scalar, ExecutionSpace>;
  /// Host memory of a slot: the buffers for its copies.
  struct Pinned {
    blocks::Buffer input;
    blocks::Buffer output;
  };

  [[nodiscard]] const StagedBlocks& blocks() const { return choice().staging; }
  /// The rows from `begin` on that are staged together, for channels of a block.
  template <class Input>
  [[nodiscard]] Range rows_from(std::int64_t begin, Range channels, const Input& input) const;
  [[nodiscard]] std::int64_t whole_strips(std::int64_t begin, std::int64_t end) const;
  [[nodiscard]] bool fits(Range rows, Range channels, const StridedSeries& series) const;
  [[nodiscard]] bool fits(Range rows, Range channels, const Events& events) const;

  void use_workspace_of(std::size_t slot);
  template <class Input>
  void convolve_blocks(const Input& input, const StridedOutput& features, int sample_axis,
                       const Watch& watch);
  void launch(std::size_t slot, const Block& block, const StridedSeries& series,
              const sweep::FeatureTarget<Scalar>& features);
  void launch(std::size_t slot, const Block& block, const Events& events,
              const sweep::FeatureTarget<Scalar>& features);
  void bring(const StridedSeries&) {}
  void bring(const Events& events);

  [[nodiscard]] sweep::FeatureTarget<Scalar> features_for(std::size_t slot,
                                                          const Block& block) const;
  [[nodiscard]] StridedOutput block_on_device(std::size_t slot, const Block& block) const;
  void fetch(std::size_t slot, const Block& block) const;
  void scatter(std::size_t slot, const Block& block) const;

  ExecutionSpace m_exec;
  Convolution m_convolution;
  typename Convolution::Workspace m_first_workspace;  ///< the plan's own, of the first slot
  blocks::SlotBytes m_slot_bytes;
  blocks::Slots<ExecutionSpace> m_slots;
  std::vector<Pinned> m_pinned;  ///< of each slot
  pack::EventSource m_events;    ///< all of them, on the device
  Kokkos::View<std::byte*, typename ExecutionSpace::memory_space> m_event_lists;
  StridedOutput m_features;  ///< of the run
  int m_sample_axis = 0;
  std::string m_region = "synelix::convolve";
  std::string m_gather = "synelix::convolve::gather";
  std::string m_scatter = "synelix::convolve::scatter";
};

}  // namespace synelix::plan
