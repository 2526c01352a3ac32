// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <vector>

/// \file
/// `Neurons`: spike counts of coupled Poisson neurons, for examples and tests.
///
///     counts(t, c) ~ Poisson(bin * base(c) * exp(drive(t, c)))
///     drive(t, c)  = -5 * own(t, c) + sum over k of weight(c, k) * trace(t, source(c, k))
///
/// `own` is a neuron's refractoriness, which decays over 3 ms, `trace` what it gives to others,
/// which decays over 20 ms; each neuron listens to up to four others. Base rates lie within a
/// factor of 2.5 around the given one, and a drive is held between -8 and 1.5.
///
/// Nothing but additions, multiplications, divisions and one generator of its own goes into the
/// counts: a seed gives the same recording on every machine, and a longer one begins as a shorter.

namespace synelix::tool {

/// xoshiro256++ of Blackman and Vigna (2019), seeded by splitmix64.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream);
  std::uint64_t next();
  /// In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::array<std::uint64_t, 4> m_state{};
};

/// exp(x) for |x| < 700 with the same bits everywhere; within 2 units in the last place.
double portable_exp(double x);

class Neurons {
 public:
  /// Throws Error where a sample would hold more counts than eight bits do.
  Neurons(std::int64_t channels, std::uint64_t seed, double rate_hz, double bin_seconds);

  /// The next samples: samples x channels counts, row-major.
  void fill(std::int64_t samples, std::uint8_t* counts);

 private:
  static constexpr std::size_t inputs_of_each = 4;
  struct Input {
    std::size_t source;
    double weight;
  };
  struct Neuron {
    RandomStream random;
    double base;  ///< counts a sample without drive
    double own;
    double trace;
    std::array<Input, inputs_of_each> inputs;
  };

  static int draw(RandomStream& random, double mean);

  std::vector<Neuron> m_neurons;
  std::vector<double> m_traces;  ///< of the sample before
  double m_own_decay;
  double m_trace_decay;
};

}  // namespace synelix::tool
