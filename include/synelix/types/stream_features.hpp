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
  /// A source. One that several bases see is named for each, and read once.
  StreamInput(Source& source)  // NOLINT(google-explicit-constructor): a list of inputs
      : m_source(&source) {}
  /// Events on the host. They are an argument, and no part of the budget; their copy on a device
  /// is.
  StreamInput(const Events& events)  // NOLINT(google-explicit-constructor)
      : m_events(&events) {}

  /// The source; null for events.
  [[nodiscard]] Source* source() const { return m_source; }
  /// The events; null for a source.
  [[nodiscard]] const Events* events() const { return m_events; }
  /// What a plan is made for.
  [[nodiscard]] InputShape shape() const;

 private:
  Source* m_source = nullptr;
  const Events* m_events = nullptr;
};

}  // namespace synelix
