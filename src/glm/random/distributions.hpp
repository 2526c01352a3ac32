// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/random/philox.hpp"

#include <cstdint>

/// \file
/// Draws from distributions.

namespace synelix::glm {

/// A standard normal number. Source: Box and Muller, 1958; the second number of a pair is
/// discarded, so that a draw needs no state except the stream.
double draw_normal(RandomStream& stream);

/// A number of the gamma distribution with this shape and scale 1. Source: Marsaglia and Tsang, "A
/// simple method for generating gamma variables", 2000; shapes below 1 by a power, as described
/// there.
double draw_gamma(RandomStream& stream, double shape);

/// A Poisson count. Means below 10 by inversion, others by PTRS. Source: Hoermann, "The transformed
/// rejection method for generating Poisson random variables", 1993.
double draw_poisson(RandomStream& stream, double mean);

/// A class, drawn by its probability; NaN if a probability is not finite.
double draw_class(RandomStream& stream, const double* probabilities, std::int64_t classes);

}  // namespace synelix::glm
