// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/design/arguments.hpp"
#include "glm/score/model_view.hpp"
#include "glm/score/rate_walk.hpp"
#include "glm/score/recurrent_network.hpp"
#include "launch/region.hpp"

#include <synelix/error.hpp>
#include <synelix/types/glm_score.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace synelix {

namespace {

void check_rows(const RecurrentModel& model, std::int64_t rows) {
  if (rows < 1) {
    throw Error("rows", std::to_string(rows) + " is not above 0", "Use 1 or more");
  }
  if (!model.feedforward || model.feedforward->rows() == rows) return;
  throw Error("rows",
              std::to_string(rows) + " does not match the " +
                  std::to_string(model.feedforward->rows()) + " of the feed-forward features",
              "Use as many rows");
}

/// Refuses counts and rates that overlap each other or an array of the model.
void check_results(const RecurrentModel& model, const StridedOutput& counts,
                   const StridedOutput& rates) {
  plan::check_apart(plan::Arguments()
                        .writes("counts", counts)
                        .writes("rates", rates)
                        .reads("taps", model.taps)
                        .reads("coupling", model.coupling)
                        .reads("intercepts", model.intercepts)
                        .reads("initial_activity", model.initial_activity)
                        .reads("feedforward_coefficients", model.feedforward_coefficients));
  if (!model.feedforward) return;
  glm::check_result_apart(model.feedforward->pass(), "counts", counts, {});
  glm::check_result_apart(model.feedforward->pass(), "rates", rates, {});
}

/// Refuses a row without features: it has no rate, and neither do the following rows.
void check_drive(const double* drive, std::int64_t units, std::int64_t row) {
  for (std::int64_t i = 0; i < units; ++i) {
    if (std::isfinite(drive[i])) continue;
    throw Error("feedforward", "row " + std::to_string(row) + " has no finite linear predictor",
                "Use features that are finite in all rows, such as a stored matrix");
  }
}

/// Draws all rows, and calls take(row) after each.
template <class Take>
void simulate_rows(const RecurrentModel& model, glm::RecurrentNetwork& network, std::int64_t rows,
                   std::uint64_t seed, const Take& take) {
  const std::int64_t units = network.units();
  if (!model.feedforward) {
    for (std::int64_t t = 0; t < rows; ++t) {
      network.step(network.intercepts().data(), seed);
      take(t);
    }
    return;
  }
  const std::vector<double> coefficients =
      glm::host_values("feedforward_coefficients", model.feedforward_coefficients,
                       {model.feedforward->columns(), units});
  const glm::ModelView view{.targets = units,
                            .classes = 1,
                            .coefficients = coefficients.data(),
                            .intercepts = network.intercepts().data()};
  glm::RateWalk walk(model.feedforward->pass(), view);
  walk.each([&](const glm::WalkedRows& part) {
    for (std::int64_t t = part.rows.begin; t < part.rows.end; ++t) {
      const double* const drive = part.of(t, 0, 1);
      check_drive(drive, units, t);
      network.step(drive, seed);
      take(t);
    }
  });
}

}  // namespace

void simulate_recurrent(const RecurrentModel& model, std::int64_t rows, std::uint64_t seed,
                        const StridedOutput& counts, const StridedOutput& rates) {
  const plan::Region region("synelix::simulate_recurrent");
  check_rows(model, rows);
  glm::RecurrentNetwork network(model);
  const std::int64_t units = network.units();
  glm::check_rows_by_targets("counts", counts, rows, units);
  if (rates.rank > 0) glm::check_rows_by_targets("rates", rates, rows, units);
  check_results(model, counts, rates);
  const glm::OutputRows to_counts(counts, 1);
  const glm::OutputRows to_rates = rates.rank > 0 ? glm::OutputRows(rates, 1) : glm::OutputRows();
  simulate_rows(model, network, rows, seed, [&](std::int64_t t) {
    for (std::int64_t i = 0; i < units; ++i) {
      const auto unit = static_cast<std::size_t>(i);
      to_counts.write(t, i, 0, network.counts()[unit]);
      if (to_rates.is_given()) to_rates.write(t, i, 0, network.rates()[unit]);
    }
  });
}

Events simulate_recurrent_events(const RecurrentModel& model, std::int64_t rows,
                                 std::uint64_t seed) {
  const plan::Region region("synelix::simulate_recurrent_events");
  check_rows(model, rows);
  glm::RecurrentNetwork network(model);
  std::vector<Events::Train> trains(static_cast<std::size_t>(network.units()));
  simulate_rows(model, network, rows, seed, [&](std::int64_t t) {
    for (std::size_t i = 0; i < trains.size(); ++i) {
      const double count = network.counts()[i];
      if (count == 0) continue;
      trains[i].samples.push_back(t);
      trains[i].counts.push_back(static_cast<float>(count));
    }
  });
  return {rows, trains};
}

}  // namespace synelix
