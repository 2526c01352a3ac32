// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/solvers/search.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// \file
/// The state of searches as bytes, in the byte order of the machine.

namespace synelix::glm {

/// Appends the values that it is given.
class StateWriter final : public SolverState {
 public:
  void number(double& value) override { append(&value, sizeof value); }
  void number(std::int64_t& value) override { append(&value, sizeof value); }
  void numbers(std::vector<double>& values) override;
  [[nodiscard]] std::vector<std::byte> take() { return std::move(m_bytes); }

 private:
  void append(const void* from, std::size_t size);

  std::vector<std::byte> m_bytes;
};

/// Reads what a StateWriter wrote. \throws Error if bytes are missing
class StateReader final : public SolverState {
 public:
  explicit StateReader(std::span<const std::byte> bytes) : m_bytes(bytes) {}
  void number(double& value) override { read(&value, sizeof value); }
  void number(std::int64_t& value) override { read(&value, sizeof value); }
  void numbers(std::vector<double>& values) override;
  /// \throws Error if bytes are left
  void require_end() const;

 private:
  void read(void* to, std::size_t size);

  std::span<const std::byte> m_bytes;
};

/// A list of indices, as numbers of a state.
void exchange_indices(SolverState& state, std::vector<std::size_t>& indices);

/// A number that identifies numbers by their bits.
class Fingerprint {
 public:
  void add(std::uint64_t value);
  void add(double value);
  void add(std::span<const double> values);
  [[nodiscard]] std::int64_t value() const { return static_cast<std::int64_t>(m_value); }

 private:
  std::uint64_t m_value = 0x53796e656c6978ULL;
};

}  // namespace synelix::glm
