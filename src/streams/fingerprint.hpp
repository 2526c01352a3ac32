// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>
#include <synelix/types/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What the bytes of a result depend on, as text.

namespace synelix::stream {

/// The fingerprint of a series: that of its source, extents, type, epochs, scaling, time, channels,
/// and the checksum of events. \param events null for an array
Fingerprint fingerprint_of(const SeriesShape& shape, const SeriesDescription& description,
                           const Events* events);

/// The fingerprint of rows of its features.
Fingerprint fingerprint_of(const Taps& taps, const ConvolveOptions& options, const Choice& choice,
                           const FeaturesShape& features, Range rows);

/// Text on the centers of bins in outputs; empty without centers, as for versions without them.
std::string centers_text(const SeriesDescription& description);

/// The concatenation of both.
Fingerprint joined(Fingerprint first, const Fingerprint& second);

/// FNV-1a, 64 bits: detects accidental differences of bytes.
class Checksum {
 public:
  Checksum& add(const void* bytes, std::size_t size);
  template <class Value>
  Checksum& add(const std::vector<Value>& values) {
    return add(values.data(), values.size() * sizeof(Value));
  }
  [[nodiscard]] std::uint64_t value() const { return m_value; }
  /// Sixteen hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t m_value = 0xcbf29ce484222325U;
};

}  // namespace synelix::stream
