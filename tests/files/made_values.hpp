// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/hdf5.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Numbers that fill test files, and everything that a source gives.

namespace made {

template <class Value>
std::vector<Value> numbers(std::int64_t count) {
  std::vector<Value> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Value>((i * 37) % 101);
  return values;
}

/// Everything of a source, which stores Value.
template <class Value>
std::vector<Value> all_of(synelix::Source& source) {
  const synelix::SeriesShape& shape = source.shape();
  EXPECT_EQ(shape.type, synelix::stored_type<Value>);
  std::vector<Value> values(static_cast<std::size_t>(shape.samples * shape.channels));
  source.read({0, shape.samples}, {0, shape.channels}, values.data());
  return values;
}

inline synelix::FilePath at(const std::string& file, const std::string& dataset) {
  return {file, dataset};
}

}  // namespace made
