// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/plan/conv_options.hpp"

#include "launch/arrays.hpp"

#include <synelix/error.hpp>
#include <synelix/types/conv.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// \file
/// Convolution operators: their options, the names of options, and flipped weights.

namespace synelix {

PerDimension::PerDimension(std::initializer_list<std::int64_t> values)
    : m_count(static_cast<int>(values.size())) {
  if (values.size() < 1 || values.size() > m_values.size()) {
    throw Error("numbers of dimensions",
                std::to_string(values.size()) + " numbers are not supported", "Give 1, 2 or 3");
  }
  std::copy(values.begin(), values.end(), m_values.begin());
}

Operand flipped(const Operand& weights) {
  Operand result = weights;
  Strided& array = result.m_array;
  if (array.rank < 3) {
    throw Error("flipped", plan::extents_text(array) + " has too few dimensions",
                "Pass weights of three dimensions or more");
  }
  plan::check_array("flipped", array, plan::ArrayMemory::not_needed);
  const char* data = static_cast<const char*>(array.data);
  for (int i = 2; i < array.rank; ++i) {
    const std::int64_t last = array.extents[static_cast<std::size_t>(i)] - 1;
    if (last < 1) continue;
    if (data != nullptr)
      data += last * array.strides[static_cast<std::size_t>(i)] * size_of(array.type);
    array.strides[static_cast<std::size_t>(i)] = -array.strides[static_cast<std::size_t>(i)];
  }
  array.data = data;
  return result;
}

const char* name_of(PaddingKind kind) { return known_name(kind); }
const char* name_of(ConvMethod method) { return known_name(method); }

}  // namespace synelix
