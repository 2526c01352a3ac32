// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/watched.hpp"

#include <synelix/error.hpp>

#include <chrono>
#include <utility>

namespace synelix::plan {

std::int64_t steady_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Watched::Watched(std::string verb, Watch watch, std::int64_t items, std::int64_t nanoseconds)
    : m_verb(std::move(verb)),
      m_watch(std::move(watch)),
      m_items(items),
      m_time(nanoseconds),
      m_begin(steady_nanoseconds()),
      m_next(m_begin + nanoseconds) {}

void Watched::look() const {
  if (m_watch.cancel == nullptr || !m_watch.cancel->load()) return;
  std::string parts = std::to_string(m_done);
  if (m_items > 0) parts += " of " + std::to_string(m_items);
  throw Cancelled(m_verb + ": cancelled after " + parts + " parts");
}

void Watched::ask() {
  if (m_is_telling) {
    throw StateError(m_verb,
                     "a progress function called back into the computation that reports to it",
                     "Make that call after this one has returned");
  }
  if (steady_nanoseconds() < m_next) return;
  look();
  tell();
}

void Watched::tell() {
  if (m_watch.progress) {
    const double seconds = 1e-9 * static_cast<double>(steady_nanoseconds() - m_begin);
    m_is_telling = true;
    try {
      m_watch.progress({m_done, m_items, seconds});
    } catch (...) {
      m_is_telling = false;
      throw;
    }
    m_is_telling = false;
  }
  m_next = steady_nanoseconds() + m_time;
}

}  // namespace synelix::plan
