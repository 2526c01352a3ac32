// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

/// \file
/// `Handoff`: passes items from one thread to another, until it is ended or stopped.

namespace synelix::blocks {

template <class Item>
class Handoff {
 public:
  /// Adds an item; drops it if the handoff is stopped.
  void give(Item item) {
    {
      const std::scoped_lock lock(m_mutex);
      if (m_stopped) return;
      m_items.push_back(std::move(item));
    }
    m_changed.notify_one();
  }

  /// Waits for an item. No value once the handoff is stopped, or ended and empty.
  std::optional<Item> take() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_stopped || m_ended || !m_items.empty(); });
    if (m_stopped || m_items.empty()) return std::nullopt;
    std::optional<Item> item(std::move(m_items.front()));
    m_items.pop_front();
    return item;
  }

  /// No more items will be added; existing ones may still be taken.
  void end() { set(m_ended); }
  /// From now on no item is taken.
  void stop() { set(m_stopped); }

 private:
  void set(bool& flag) {
    {
      const std::scoped_lock lock(m_mutex);
      flag = true;
    }
    m_changed.notify_all();
  }

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<Item> m_items;
  bool m_ended = false;
  bool m_stopped = false;
};

}  // namespace synelix::blocks
