// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/expression.hpp>
#include <synelix/types/features.hpp>
#include <synelix/types/stream.hpp>

/// \file
/// What stream_features.hpp declares, without Kokkos: an input. Programs include
/// stream_features.hpp.

namespace synelix {

/// One input of a design: a source, or events in memory. It refers to them.
class StreamInput {
 public:
  /// A source. A source of several bases is listed for each of them, and read once.
  StreamInput(Source& source)  // NOLINT(google-explicit-constructor): a list of inputs
      : m_source(&source) {}
  /// Events on the host. They do not count toward the budget; their copy on a device does.
  StreamInput(const Events& events)  // NOLINT(google-explicit-constructor)
      : m_events(&events) {}

  /// The source; null for events.
  [[nodiscard]] Source* source() const { return m_source; }
  /// The events; null for a source.
  [[nodiscard]] const Events* events() const { return m_events; }
  /// The shape that a plan needs.
  [[nodiscard]] InputShape shape() const;

 private:
  Source* m_source = nullptr;
  const Events* m_events = nullptr;
};

}  // namespace synelix
