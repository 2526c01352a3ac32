// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/error.hpp>
#include <synelix/types/scaled.hpp>

#include <cmath>
#include <cstdint>
#include <string>

/// \file
/// Operands: the results and errors of `scaled`.

namespace synelix {

void PerChannel::require_side_by_side(std::int64_t stride) {
  if (stride == 1) return;
  throw Error("scaled", "the numbers of channels lie " + std::to_string(stride) + " apart",
              "Use a View whose numbers lie side by side");
}

void seam::require_finite(const PerChannel& scale, const PerChannel& offset) {
  if (std::isfinite(scale.all()) && std::isfinite(offset.all())) return;
  throw Error(
      "scaled",
      std::to_string(scale.all()) + " and " + std::to_string(offset.all()) + " are not both finite",
      "Use a finite scale and a finite offset");
}

Operand scaled(const Operand& operand, const PerChannel& scale, const PerChannel& offset) {
  seam::require_finite(scale, offset);
  if (operand.is_scaled()) {
    throw Error("scaled", "an operand that is scaled already cannot be scaled again",
                "Pass stored values");
  }
  Operand result = operand;
  result.m_scale = scale;
  result.m_offset = offset;
  result.m_channels_are_rows = false;
  return result;
}

std::int64_t Operand::count() const {
  std::int64_t count = 1;
  for (int i = 0; i + 2 < rank(); ++i) count *= extent(i);
  return count;
}

}  // namespace synelix
