// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which of 20 units drive a unit? Two do. Each model of a path of group lasso penalties includes or
// excludes entire filters, and cross-validation chooses the strength.
//
// Expected output:
//     path of 30 strengths: from 0 filters to 12
//     cross-validation of 5 folds chooses strength 11 of 30 by the rule 1se
//     filters that are not 0: 3 8
//     they are those of the network: yes

#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace sx = synelix;

namespace {

constexpr std::int64_t rows = 100'000;
constexpr std::int64_t units = 20;
constexpr std::int64_t bases = 5;
constexpr std::int64_t window = 40;

/// Units 3 and 8 drive the target; all others are independent of it.
bool drives(std::int64_t unit) { return unit == 3 || unit == 8; }

/// Numbers between 0 and 1 that are the same on every machine.
class Numbers {
 public:
  double next() {
    m_state = m_state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(m_state >> 11U) * 0x1p-53;
  }

 private:
  std::uint64_t m_state = 7;
};

/// For one strength of a path, the filters with a coefficient that is not 0.
std::vector<std::int64_t> filters_in(const double* coefficients) {
  std::vector<std::int64_t> found;
  for (std::int64_t unit = 0; unit < units; ++unit) {
    const double* const filter = coefficients + unit * bases;
    if (std::any_of(filter, filter + bases, [](double value) { return value != 0; })) {
      found.push_back(unit);
    }
  }
  return found;
}

}  // namespace

int main() try {
  const sx::Session session;
  const Kokkos::DefaultHostExecutionSpace exec;

  Numbers numbers;
  std::vector<sx::Events::Train> trains(units);
  for (auto& train : trains) {
    for (std::int64_t t = 0; t < rows; ++t) {
      if (numbers.next() < 0.02) train.samples.push_back(t);
    }
  }
  const sx::Events spikes(rows, trains);
  const sx::DesignMatrix design(
      exec, sx::conv(sx::RaisedCosineLog{.bases = bases}, {.window = window}), {spikes});

  // The target: a model with the two filters draws it.
  sx::FitResult network;
  network.columns = design.columns();
  network.targets = 1;
  network.loss = sx::resolved({.family = sx::Family::poisson});
  network.coefficients.assign(static_cast<std::size_t>(units * bases), 0.0);
  for (std::int64_t unit = 0; unit < units; ++unit) {
    if (!drives(unit)) continue;
    for (std::int64_t b = 0; b < bases; ++b) {
      network.coefficients[static_cast<std::size_t>(unit * bases + b)] = unit == 3 ? 0.5 : -0.5;
    }
  }
  network.intercepts = {std::log(0.05)};
  const sx::Events target = sx::simulate_events(design, network, 1);

  const sx::GroupLasso penalty{.strength = 1.0, .groups = sx::groups_of_channels(design.terms())};
  const sx::CrossValidationResult found =
      sx::cross_validate(design, {.targets = target}, {.penalty = penalty},
                         {.folds = 5,
                          .gap = window,
                          .path = {.count = 30, .ratio = 1e-2},
                          .choose = sx::Choose::one_standard_error});

  const sx::PathResult& path = found.path;
  const auto first = filters_in(path.coefficients.data());
  const auto last = filters_in(path.coefficients.data() + (path.count - 1) * path.columns);
  std::printf("path of %lld strengths: from %zu filters to %zu\n",
              static_cast<long long>(path.count), first.size(), last.size());
  std::printf("cross-validation of %lld folds chooses strength %lld of %lld by the rule 1se\n",
              static_cast<long long>(found.folds), static_cast<long long>(found.chosen[0] + 1),
              static_cast<long long>(path.count));
  const auto chosen = filters_in(found.model.coefficients.data());
  std::printf("filters that are not 0:");
  for (const std::int64_t unit : chosen) std::printf(" %lld", static_cast<long long>(unit));
  const bool is_right = chosen == std::vector<std::int64_t>{3, 8} && first.empty();
  std::printf("\nthey are those of the network: %s\n", is_right ? "yes" : "no");
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
