// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where does a place cell fire, and how does running change that? B-splines of position times
// functions of speed are the columns of a design that is computed again in each pass over the rows.
// A Poisson model explains the spikes, and a Gaussian model a noisy trace. Both recover the rate
// map of the simulation.
//
// Expected output:
//     50000 rows x 40 columns
//     poisson: converged, map 0.10 away from the truth, pseudo-R2 of later rows 0.22
//     gaussian: converged, map 0.02 away from the truth, pseudo-R2 of later rows 0.98
//     both models are right: yes

#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace sx = synelix;

namespace {

constexpr int rows = 50'000;
constexpr int training_rows = 40'000;

using Column = Kokkos::View<double*, Kokkos::HostSpace>;

/// A bump at 60 cm that grows with the speed; on the scale of log rates.
double truth(double position, double speed) {
  return -2.0 + (1.0 + 0.04 * speed) * std::exp(-std::pow((position - 60) / 12, 2) / 2);
}

/// Random numbers that are the same on every machine.
class Numbers {
 public:
  /// Between 0 and 1.
  double uniform() {
    m_state = m_state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(m_state >> 11U) * 0x1p-53;
  }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform());
  }
  /// A count of this mean.
  double poisson(double mean) {
    double left = std::exp(-mean);
    int count = 0;
    for (double product = uniform(); product > left; product *= uniform()) ++count;
    return count;
  }

 private:
  std::uint64_t m_state = 1;
};

/// Root of the mean squared distance between the predictor of a model and the truth, over the
/// places of the animal.
double distance_to_truth(const sx::DesignMatrix& design, const sx::FitResult& model,
                         const Column& position, const Column& speed) {
  Column predictor("predictor", rows);
  const Kokkos::View<const double*, Kokkos::HostSpace> coefficients(model.coefficients.data(),
                                                                    model.coefficients.size());
  design.apply(sx::Strided(coefficients.data(), {design.columns()}),
               sx::StridedOutput(predictor.data(), {rows}));
  double sum = 0;
  for (int t = 0; t < rows; ++t) {
    const double away = predictor(t) + model.intercepts[0] - truth(position(t), speed(t));
    sum += away * away;
  }
  return std::sqrt(sum / rows);
}

bool fitted(const sx::DesignMatrix& design, sx::Family family, const Column& target,
            const Column& position, const Column& speed) {
  // Training and later rows, by weights of 1 and 0.
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> before("before", rows);
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> behind("behind", rows);
  for (int t = 0; t < rows; ++t) {
    before(t) = t < training_rows ? 1 : 0;
    behind(t) = 1 - before(t);
  }
  const sx::FitResult model = sx::fit(design, {.targets = target, .row_weights = before},
                                      {.loss = {.family = family}, .penalty = sx::Ridge{1e-5}});
  const sx::ScoreResult later =
      sx::score(design, {.targets = target, .row_weights = behind}, model);
  const double away = distance_to_truth(design, model, position, speed);
  std::printf("%s: %s, map %.2f away from the truth, pseudo-R2 of later rows %.2f\n",
              sx::name_of(family), sx::name_of(model.stop[0]), away, later.all.pseudo_r2_cohen);
  return model.stop[0] == sx::Stop::converged && away < 0.15 && later.all.pseudo_r2_cohen > 0.1;
}

}  // namespace

int main() try {
  const sx::Session session;
  const Kokkos::DefaultHostExecutionSpace exec;

  Column position("position", rows);  // cm
  Column speed("speed", rows);        // cm per second
  Column counts("counts", rows);
  Column trace("trace", rows);
  Numbers numbers;
  double phase = 0;
  for (int t = 0; t < rows; ++t) {
    speed(t) = 25 + 20 * std::sin(t * 0.0007) + 4 * std::sin(t * 0.013);
    phase += speed(t) * 0.0001;
    position(t) = 50 - 50 * std::cos(phase);
    const double predictor = truth(position(t), speed(t));
    counts(t) = numbers.poisson(std::exp(predictor));
    trace(t) = predictor + 0.1 * numbers.normal();
  }

  const auto place = sx::eval(sx::BSpline{.bases = 10}, {.bounds = {{0.0, 100.0}}});
  const auto running = sx::eval(sx::BSpline{.bases = 4}, {.bounds = {{0.0, 50.0}}});
  const sx::DesignMatrix design(exec, place * running, {position, speed});
  std::printf("%lld rows x %lld columns\n", static_cast<long long>(design.rows()),
              static_cast<long long>(design.columns()));

  const bool is_spiking = fitted(design, sx::Family::poisson, counts, position, speed);
  const bool is_traced = fitted(design, sx::Family::gaussian, trace, position, speed);
  const bool is_right = is_spiking && is_traced;
  std::printf("both models are right: %s\n", is_right ? "yes" : "no");
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
