// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>
#include <synelix/types/stream.hpp>

#include <string>

/// \file
/// What the bytes of a result depend on, in words.

namespace synelix::stream {

/// Of a series: what its source says of itself, extents, type, epochs, scaling, time, channels, and
/// the checksum of events. \param events  null where it is an array
Fingerprint fingerprint_of(const SeriesShape& shape, const SeriesDescription& description,
                           const Events* events);

/// Of rows of its features.
Fingerprint fingerprint_of(const Taps& taps, const ConvolveOptions& options, const Choice& choice,
                           const FeaturesShape& features, Range rows);

/// What outputs hold of the centers of bins; empty: nothing, as those of versions without them.
std::string centers_text(const SeriesDescription& description);

/// The first behind the second.
Fingerprint joined(Fingerprint first, const Fingerprint& second);

}  // namespace synelix::stream
