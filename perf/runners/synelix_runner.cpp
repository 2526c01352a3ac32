// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The library as a runner: a plan that stores in the caller's memory, and one call that plans and
// allocates.

#include "cases.hpp"
#include "runners/runner.hpp"

#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace synelix::perf {
namespace {

ConvolveOptions options_of(const Problem& problem) {
  const std::optional<Method> method = method_of(problem.method);
  if (!method) throw Absent("the library has no method '" + problem.method + "'");
  ConvolveOptions options{.shift = Shift::off, .method = *method};
  if (problem.is_calibrated) {
    static const Machine machine = calibrate(Exec());
    options.machine = machine;
  }
  return options;
}

template <class Scalar>
class SynelixRunner : public Runner {
 public:
  explicit SynelixRunner(Problem problem)
      : Runner(std::move(problem)),
        m_options(options_of(this->problem())),
        m_bank(m_exec, *this->problem().taps),
        m_plan(m_exec, shape(), m_bank, m_options) {
    if (this->problem().is_staged) m_options.staging = Staging::always;
  }

  void run(void* features) override {
    const Problem& p = problem();
    const StridedOutput output = p.places().output(static_cast<Scalar*>(features));
    if (p.is_staged) {
      convolve(m_exec, StridedSeries(p.x), m_bank, output, m_options);
      return;
    }
    if (p.events) {
      m_plan.run(m_exec, *p.events, output);
    } else {
      m_plan.run(m_exec, StridedSeries(p.x), output);
    }
    m_exec.fence("synelix::perf: one run");
  }

  void run_with_allocation() override {
    const Problem& p = problem();
    m_features = Features(Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "features"),
                          static_cast<std::size_t>(p.samples), static_cast<std::size_t>(p.channels),
                          static_cast<std::size_t>(p.bases));
    if (p.events) {
      if constexpr (takes_host_arguments) {
        convolve(m_exec, *p.events, m_bank, m_features, m_options);
      } else {
        throw Absent("convolve takes no events on a device yet");
      }
    } else {
      convolve(m_exec, StridedSeries(p.x), m_bank, m_features, m_options);
    }
  }
  void release() override { m_features = Features(); }

  [[nodiscard]] std::string detail() const override { return name_of(m_plan.choice().method); }
  [[nodiscard]] std::string cut() const override {
    const Choice& choice = m_plan.choice();
    std::string text = detail();
    for (const std::int64_t number :
         {choice.strips, choice.strip_rows, choice.batch_channels, choice.batch_bases}) {
      text += " " + std::to_string(number);
    }
    return text;
  }
  [[nodiscard]] double predicted_seconds() const override { return m_plan.choice().seconds; }

 private:
  using Layout = std::conditional_t<natural_order == Order::sample_fastest, Kokkos::LayoutLeft,
                                    Kokkos::LayoutRight>;
  using Features = Kokkos::View<Scalar***, Layout, Exec>;

  [[nodiscard]] SeriesShape shape() const {
    return problem().events ? problem().events->shape() : StridedSeries(problem().x).shape();
  }

  Exec m_exec;
  ConvolveOptions m_options;
  FilterBank<Scalar, Exec> m_bank;
  ConvolvePlan<Scalar, Exec> m_plan;
  Features m_features;
};

}  // namespace

std::unique_ptr<Runner> make_synelix(Problem problem) {
  if (problem.is_double) return std::make_unique<SynelixRunner<double>>(std::move(problem));
  return std::make_unique<SynelixRunner<float>>(std::move(problem));
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  const std::string none = name_of(static_cast<Method>(63));
  for (int number = 0; number < 63; ++number) {
    const std::string name = name_of(static_cast<Method>(number));
    if (name != none) names.push_back(name);
  }
  return names;
}

}  // namespace synelix::perf
