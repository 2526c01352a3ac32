// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/fit_state.hpp"

#include <synelix/error.hpp>

#include <bit>
#include <cstring>

namespace synelix::glm {
namespace {

[[noreturn]] void refuse_length() {
  throw Error("resume", "the state has another length than that of this fit",
              "Give the bytes as the checkpoint gave them");
}

}  // namespace

void StateWriter::append(const void* from, std::size_t size) {
  const auto* const bytes = static_cast<const std::byte*>(from);
  m_bytes.insert(m_bytes.end(), bytes, bytes + size);
}

void StateWriter::numbers(std::vector<double>& values) {
  auto count = static_cast<std::int64_t>(values.size());
  number(count);
  append(values.data(), values.size() * sizeof(double));
}

void StateReader::read(void* to, std::size_t size) {
  if (size > m_bytes.size()) refuse_length();
  if (size > 0) std::memcpy(to, m_bytes.data(), size);
  m_bytes = m_bytes.subspan(size);
}

void StateReader::numbers(std::vector<double>& values) {
  std::int64_t count = 0;
  number(count);
  if (count < 0 || static_cast<std::size_t>(count) > m_bytes.size() / sizeof(double)) {
    refuse_length();
  }
  values.resize(static_cast<std::size_t>(count));
  read(values.data(), values.size() * sizeof(double));
}

void StateReader::require_end() const {
  if (!m_bytes.empty()) refuse_length();
}

void exchange_indices(SolverState& state, std::vector<std::size_t>& indices) {
  std::vector<double> numbers(indices.begin(), indices.end());  // exact below 2^53
  state.numbers(numbers);
  indices.assign(numbers.begin(), numbers.end());
}

void Fingerprint::add(std::uint64_t value) {
  // FNV-1a of 64-bit words, with a rotation that moves high bits down.
  m_value = std::rotl((m_value ^ value) * 0x100000001b3ULL, 29);
}

void Fingerprint::add(double value) { add(std::bit_cast<std::uint64_t>(value)); }

void Fingerprint::add(std::span<const double> values) {
  add(static_cast<std::uint64_t>(values.size()));
  for (const double value : values) add(value);
}

}  // namespace synelix::glm
