// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/output.hpp"
#include "tool/text/progress.hpp"
#include "tool/text/report.hpp"

#include <synelix/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace synelix::tool {
namespace {

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

/// Spike counts of coupled Poisson neurons, for examples and tests.
///
///     counts(t, c) ~ Poisson(bin * base(c) * exp(drive(t, c)))
///     drive(t, c)  = -5 * own(t, c) + sum over k of weight(c, k) * trace(t, source(c, k))
///
/// `own` is the refractoriness of a neuron, which decays over 3 ms. `trace` is its effect on
/// others, which decays over 20 ms. Each neuron has inputs from up to four others. Base rates are
/// within a factor of 2.5 around the given one, and a drive is limited to -8 to 1.5.
///
/// The counts are computed only by additions, multiplications, divisions and a separate generator.
/// So a seed gives the same recording on every machine, and a longer recording begins like a
/// shorter one.
class Neurons {
 public:
  /// Throws Error if a sample could have more counts than fit in eight bits.
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
  std::vector<double> m_traces;  ///< of the previous sample
  double m_own_decay;
  double m_trace_decay;
};

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

constexpr std::int64_t bytes_written_at_a_time = std::int64_t{4} << 20;

/// The result of a simulation.
struct Simulated {
  std::int64_t spikes = 0;
  double seconds = 0;
};

void require_room_for_recording(const SimulateRequest& request, std::int64_t bytes) {
  const std::int64_t free = free_bytes_beside(request.output.file);
  if (request.existing == Existing::append) bytes += bytes_of_file(request.output.file);
  if (bytes > free) {
    throw Error("output " + request.output.file,
                "its disk has " + format_bytes(static_cast<double>(free)) +
                    " free, but the recording takes " + format_bytes(static_cast<double>(bytes)),
                "Free disk space, or give a name on another one");
  }
}

Simulated write_recording(const SimulateRequest& request, Neurons& neurons,
                          Hdf5SeriesWriter& writer, ProgressDisplay& display) {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t rows_at_a_time =
      std::clamp<std::int64_t>(bytes_written_at_a_time / request.channels, 1, request.samples);
  std::vector<std::uint8_t> counts(static_cast<std::size_t>(rows_at_a_time * request.channels));
  Simulated done;
  Advance advance{.blocks = (request.samples + rows_at_a_time - 1) / rows_at_a_time};
  for (std::int64_t t = 0; t < request.samples; t += rows_at_a_time) {
    if (stop_requested()) throw Cancelled("nothing was left behind");
    const Range rows{.begin = t, .end = std::min(t + rows_at_a_time, request.samples)};
    neurons.fill(rows.size(), counts.data());
    writer.write(rows, counts.data());
    for (std::int64_t i = 0; i < rows.size() * request.channels; ++i) {
      done.spikes += counts[static_cast<std::size_t>(i)];
    }
    ++advance.block;
    advance.bytes += rows.size() * request.channels;
    advance.fraction = static_cast<double>(rows.end) / static_cast<double>(request.samples);
    done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    advance.seconds = done.seconds;
    display.show(advance);
  }
  writer.finish();
  return done;
}

constexpr std::array simulation_lines{
    ReportLine{"recording",
               "{shape} uint8 counts, {recorded_seconds/seconds} in bins of "
               "{bin_seconds/seconds}, to {path}"},
    ReportLine{"spikes", "{spikes}, {mean_rate_hz/%.3g} Hz in the mean"},
};

}  // namespace

void run_simulate(const SimulateRequest& request, const std::string& command_line) {
  constexpr std::int64_t most_channels = std::int64_t{1} << 24;  // each has a state in memory
  if (request.channels > most_channels) {
    throw Error("--channels", std::to_string(request.channels) + " channels are too many",
                "Give at most " + std::to_string(most_channels));
  }
  if (request.samples > std::numeric_limits<std::int64_t>::max() / 16 / request.channels) {
    throw Error("--samples times --channels",
                std::to_string(request.samples) + " times " + std::to_string(request.channels) +
                    " makes too many counts",
                "Give less than 2^59 counts");
  }
  Neurons neurons(request.channels, static_cast<std::uint64_t>(request.seed), request.rate_hz,
                  request.bin_seconds);
  require_free_place(request.output, request.existing);
  if (request.existing == Existing::replace) {
    require_other_file(request.output, request.config, "options");
  }
  require_room_for_recording(request, request.samples * request.channels);
  Hdf5OutputOptions options = output_options(request.existing, command_line);
  options.attributes = {{"seed", request.seed},
                        {"units", std::string("counts per bin")},
                        {"bin_seconds", request.bin_seconds},
                        {"source", std::string("synelix simulate: coupled Poisson neurons")}};
  SeriesShape shape;
  shape.samples = request.samples;
  shape.channels = request.channels;
  shape.type = StoredType::uint8;
  Hdf5SeriesWriter writer(file_path(request.output), shape, 1 / request.bin_seconds, options);
  note_part(part_of(request.output.file), Rest::removed);
  Simulated done;
  {
    ProgressDisplay display(
        request.messages.quiet ? ProgressStyle::none : request.messages.progress, "simulate");
    done = write_recording(request, neurons, writer, display);
  }
  const double recorded = static_cast<double>(request.samples) * request.bin_seconds;
  const double rate = static_cast<double>(done.spikes) / recorded;
  print_result(request.messages,
               {{"path", request.output.text()},
                {"shape", {request.samples, request.channels}},
                {"type", "uint8"},
                {"seed", request.seed},
                {"bin_seconds", request.bin_seconds},
                {"recorded_seconds", recorded},
                {"spikes", done.spikes},
                {"mean_rate_hz", rate / static_cast<double>(request.channels)},
                {"seconds", done.seconds}},
               simulation_lines);
}

}  // namespace synelix::tool
