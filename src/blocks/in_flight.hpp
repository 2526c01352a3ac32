// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

/// \file
/// The pipeline of all blocks: it starts a block in a free slot, waits for the oldest, and passes
/// it on.

namespace synelix::blocks {

/// Blocks that are being computed, each in a slot. So copies and kernels of all slots except one
/// run while the host prepares the next block or processes the result of the oldest.
template <class Item>
class InFlight {
 public:
  using Wait = std::function<void(std::size_t slot)>;
  using HandOn = std::function<void(const Item& item, std::size_t slot)>;

  /// \param wait     returns when the block of a slot is complete
  /// \param hand_on  takes a complete block, in the order of the starts
  InFlight(std::size_t slots, Wait wait, HandOn hand_on)
      : m_slots(slots), m_wait(std::move(wait)), m_hand_on(std::move(hand_on)) {}
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  /// Waits, because failed blocks may still use buffers.
  ~InFlight() {
    for (const Begun& begun : m_begun) {
      try {
        m_wait(begun.slot);
      } catch (...) {  // NOLINT(bugprone-empty-catch): the earlier error is more informative
      }
    }
  }

  /// Starts a block by `start(slot)`, then waits for the oldest if no slot is free.
  template <class Start>
  void add(Item item, const Start& start) {
    const std::size_t slot = m_next++ % m_slots;
    m_begun.push_back({std::move(item), slot});
    start(slot);
    if (m_begun.size() == m_slots) finish_oldest();
  }

  /// Waits for all blocks, and passes them on.
  void finish() {
    while (!m_begun.empty()) finish_oldest();
  }

 private:
  struct Begun {
    Item item;
    std::size_t slot;
  };

  void finish_oldest() {
    m_wait(m_begun.front().slot);
    const Begun begun = std::move(m_begun.front());
    m_begun.pop_front();
    m_hand_on(begun.item, begun.slot);
  }

  std::size_t m_slots;
  Wait m_wait;
  HandOn m_hand_on;
  std::deque<Begun> m_begun;  ///< oldest first
  std::size_t m_next = 0;
};

}  // namespace synelix::blocks
