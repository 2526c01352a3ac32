// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/neurons.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>

namespace synelix::tool {
namespace {

constexpr double own_seconds = 3e-3;
constexpr double own_strength = 5;
constexpr double trace_seconds = 20e-3;
constexpr double least_drive = -8;
constexpr double most_drive = 1.5;
constexpr double rate_spread = 2.5;
constexpr double most_mean = 40;  // counts above 255 have a probability below 1e-100

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t state = seed;
  state = splitmix64(state) ^ (stream * 0xd1342543de82ef95U);
  for (std::uint64_t& word : m_state) word = splitmix64(state);
}

std::uint64_t RandomStream::next() {
  auto& s = m_state;
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = std::rotl(s[3], 45);
  return result;
}

double portable_exp(double x) {
  // ln 2 in two parts, the first of 33 bits: exact times small integers
  constexpr auto ln2_high = std::bit_cast<double>(std::uint64_t{0x3fe62e42fee00000});
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  const double power = std::floor(x * std::numbers::log2e + 0.5);
  const double r = (x - power * ln2_high) - power * ln2_low;
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * (r * (1.0 / n));  // |r| < 0.35: r^15 / 15! < 1e-19
  const auto exponent = static_cast<std::uint64_t>(1023 + static_cast<std::int64_t>(power));
  return sum * std::bit_cast<double>(exponent << 52);
}

Neurons::Neurons(std::int64_t channels, std::uint64_t seed, double rate_hz, double bin_seconds)
    : m_traces(static_cast<std::size_t>(channels), 0.0),
      m_own_decay(portable_exp(-std::min(bin_seconds / own_seconds, 600.0))),
      m_trace_decay(portable_exp(-std::min(bin_seconds / trace_seconds, 600.0))) {
  const double most = rate_hz * bin_seconds * rate_spread * portable_exp(most_drive);
  if (!(most <= most_mean)) {
    throw Error("--rate-hz times --bin",
                std::to_string(rate_hz * bin_seconds) + " counts a sample are too many",
                "Give a lower rate or shorter bins, so that there are at most " +
                    std::to_string(most_mean / rate_spread / portable_exp(most_drive)));
  }
  // ln(2.5), so that base rates are spread evenly in their logarithm
  constexpr double log_spread = 0.9162907318741551;
  const auto count = static_cast<std::size_t>(channels);
  m_neurons.reserve(count);
  for (std::size_t c = 0; c < count; ++c) {
    Neuron neuron{.random = RandomStream(seed, c), .base = 0, .own = 0, .trace = 0, .inputs = {}};
    neuron.base =
        rate_hz * bin_seconds * portable_exp(log_spread * (2 * neuron.random.uniform() - 1));
    for (Input& input : neuron.inputs) {
      input.source = static_cast<std::size_t>(neuron.random.next() % count);
      const double weight = 1.2 * neuron.random.uniform() - 0.5;
      input.weight = input.source == c ? 0 : weight;
    }
    m_neurons.push_back(neuron);
  }
}

int Neurons::draw(RandomStream& random, double mean) {
  const double u = random.uniform();
  if (u < 1 - mean) return 0;  // exp(-mean) is not below 1 - mean
  double probability = portable_exp(-mean);
  double sum = probability;
  int count = 0;
  while (u >= sum && count < 255) {
    ++count;
    probability *= mean / count;
    sum += probability;
  }
  return count;
}

void Neurons::fill(std::int64_t samples, std::uint8_t* counts) {
  for (std::int64_t t = 0; t < samples; ++t) {
    for (Neuron& neuron : m_neurons) {
      double drive = -own_strength * neuron.own;
      for (const Input& input : neuron.inputs) drive += input.weight * m_traces[input.source];
      drive = std::clamp(drive, least_drive, most_drive);
      const int count = draw(neuron.random, neuron.base * portable_exp(drive));
      neuron.own = neuron.own * m_own_decay + count;
      neuron.trace = neuron.trace * m_trace_decay + count;
      *counts++ = static_cast<std::uint8_t>(count);
    }
    for (std::size_t c = 0; c < m_neurons.size(); ++c) m_traces[c] = m_neurons[c].trace;
  }
}

}  // namespace synelix::tool
