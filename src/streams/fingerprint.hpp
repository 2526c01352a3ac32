// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>
#include <synelix/types/stream.hpp>

#include <string>

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

}  // namespace synelix::stream
