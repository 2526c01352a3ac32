// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which units drive which? A Poisson model of each unit on the recent spikes of all units, with
// standard errors of the coupling filters. Features are never computed: products loop over the
// lists of events.
//
//     13_fit_spikes                       two simulated units, of which the first drives the second
//     13_fit_spikes A8604.nwb [BIN_MS]    the units of an NWB file, in bins of 1 ms or as given
//
// Expected output, without a file:
//     200000 rows, 2 units, 16 columns by their events
//       unit 0: converged
//       unit 1: converged
//     filters at their peaks, with standard errors:
//       unit 0 to unit 0: -0.15 +- 0.49, 3 bins later
//       unit 0 to unit 1: 0.74 +- 0.33, 1 bins later
//       unit 1 to unit 0: 0.30 +- 0.45, 3 bins later
//       unit 1 to unit 1: -0.12 +- 0.33, 5 bins later
//     coefficients agree with those of the network within their errors: yes

#include <synelix/synelix.hpp>
#ifdef SYNELIX_HAVE_HDF5
#include <synelix/nwb.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace sx = synelix;

namespace {

constexpr std::int64_t window = 50;
constexpr std::int64_t bases = 8;
constexpr double strongest = 0.6;  // of the one filter that is not 0, on the scale of log rates

struct Recording {
  sx::Events events;
  std::vector<std::int64_t> ids;  ///< of the units
  bool is_simulated = true;
};

/// The filter from unit 0 to unit 1: coefficients that fall along the bases.
double coupling_of(std::int64_t basis) { return strongest * std::exp(-static_cast<double>(basis)); }

Recording simulated(const sx::Taps& taps) {
  constexpr std::int64_t rows = 200'000;
  std::vector<double> coupling(2 * bases * 2, 0.0);  // (units * bases, units)
  for (std::int64_t b = 0; b < bases; ++b) {
    coupling[static_cast<std::size_t>(b * 2 + 1)] = coupling_of(b);
  }
  const std::vector<double> intercepts{std::log(0.02), std::log(0.02)};
  sx::RecurrentModel network;
  network.taps = sx::Strided(taps.values.data(), {window, bases});
  network.coupling = sx::Strided(coupling.data(), {2 * bases, 2});
  network.intercepts = sx::Strided(intercepts.data(), {2});
  network.inverse_link = sx::InverseLink::exp;
  return {sx::simulate_recurrent_events(network, rows, 1), {0, 1}, true};
}

Recording recording_of(int argc, char* argv[], const sx::Taps& taps) {
  if (argc < 2) return simulated(taps);
#ifdef SYNELIX_HAVE_HDF5
  const double bin = argc > 2 ? std::atof(argv[2]) / 1000 : 0.001;
  sx::Units units = sx::read_units(argv[1], {.bin_seconds = bin});
  return {std::move(units.events), std::move(units.ids), false};
#else
  throw sx::Error("FILE", std::string(argv[1]) + " cannot be read by a build without HDF5",
                  "Build with HDF5, or give no file");
#endif
}

/// Prints the value of each filter that is farthest from 0, with its error. Errors treat
/// coefficients as independent.
void print_filters(const sx::FitResult& model, const sx::Taps& taps,
                   const std::vector<std::int64_t>& ids) {
  for (std::int64_t from = 0; from < model.targets; ++from) {
    for (std::int64_t to = 0; to < model.targets; ++to) {
      double peak = 0;
      double error = 0;
      std::int64_t lag = 0;
      for (std::int64_t w = 0; w < window; ++w) {
        double value = 0;
        double variance = 0;
        for (std::int64_t b = 0; b < bases; ++b) {
          const auto at = static_cast<std::size_t>((from * bases + b) * model.targets + to);
          value += taps(w, b) * model.coefficients[at];
          variance += std::pow(taps(w, b) * model.standard_errors[at], 2);
        }
        if (std::abs(value) <= std::abs(peak)) continue;
        peak = value;
        error = std::sqrt(variance);
        lag = w + 1;
      }
      std::printf("  unit %lld to unit %lld: %.2f +- %.2f, %lld bins later\n",
                  static_cast<long long>(ids[static_cast<std::size_t>(from)]),
                  static_cast<long long>(ids[static_cast<std::size_t>(to)]), peak, error,
                  static_cast<long long>(lag));
    }
  }
}

/// Whether coefficients are within 4.5 standard errors of those of the simulated network.
bool agrees_with_truth(const sx::FitResult& model) {
  bool agrees = true;
  for (std::int64_t j = 0; j < model.columns; ++j) {
    for (std::int64_t to = 0; to < 2; ++to) {
      const bool is_coupled = j < bases && to == 1;
      const auto at = static_cast<std::size_t>(j * 2 + to);
      const double truth = is_coupled ? coupling_of(j) : 0.0;
      const double away = std::abs(model.coefficients[at] - truth) / model.standard_errors[at];
      agrees = agrees && away < 4.5;
    }
  }
  return agrees;
}

int run(int argc, char* argv[]) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const sx::RaisedCosineLog basis{.bases = bases};
  const sx::Taps taps = sx::evaluate_taps(basis, window);
  const Recording recording = recording_of(argc, argv, taps);
  const sx::Events& events = recording.events;

  const sx::DesignMatrix design(exec, sx::conv(basis, {.window = window, .label = "coupling"}),
                                {events}, {.method = sx::Method::events});
  std::printf("%lld rows, %lld units, %lld columns by their %s\n",
              static_cast<long long>(design.rows()),
              static_cast<long long>(events.shape().channels),
              static_cast<long long>(design.columns()), sx::name_of(design.choice().source));

  const sx::FitResult model =
      sx::fit(design, {.targets = events},
              {.loss = {.family = sx::Family::poisson}, .standard_errors = true});
  bool is_converged = true;
  for (std::int64_t i = 0; i < model.targets; ++i) {
    const sx::Stop stop = model.stop[static_cast<std::size_t>(i)];
    std::printf("  unit %lld: %s\n",
                static_cast<long long>(recording.ids[static_cast<std::size_t>(i)]),
                sx::name_of(stop));
    is_converged = is_converged && stop == sx::Stop::converged;
  }
  std::printf("filters at their peaks, with standard errors:\n");
  print_filters(model, taps, recording.ids);
  if (!recording.is_simulated) return is_converged ? EXIT_SUCCESS : EXIT_FAILURE;
  const bool agrees = agrees_with_truth(model);
  std::printf("coefficients agree with those of the network within their errors: %s\n",
              agrees ? "yes" : "no");
  return is_converged && agrees ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const sx::Session session(argc, argv);
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
