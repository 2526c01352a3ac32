// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/kokkos_events.hpp"

#include <synelix/glm_path.hpp>
#include <synelix/glm_score.hpp>
#include <synelix/stream.hpp>
#include <synelix/stream_design_matrix.hpp>
#include <synelix/stream_features.hpp>
#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// The events of each verb for a profiler: kernels, memory, copies and fences with names of the
// library, in regions that name the verb and the step.

namespace profiling_tests {
namespace {

using namespace synelix;
using promises::KokkosEvents;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::StartsWith;

using Space = Kokkos::DefaultHostExecutionSpace;
using Names = std::vector<std::string>;

constexpr std::int64_t samples = 3000;
constexpr std::int64_t channels = 3;
constexpr std::int64_t bases = 4;

/// "verb::step" after the library's name.
bool is_named(const std::string& label) {
  const std::string name = "synelix::";
  if (!label.starts_with(name)) return false;
  const auto middle = label.find("::", name.size());
  return middle != std::string::npos && middle > name.size() && label.size() > middle + 2 &&
         label.find("::", middle + 2) == std::string::npos &&
         label.find_first_not_of("abcdefghijklmnopqrstuvwxyz_:") == std::string::npos;
}

/// The memory of a result, which is the caller's then.
bool is_result(const std::string& label) {
  return label == "synelix::features" || label == "synelix::product" || label == "synelix::forms";
}

/// Kernels of Kokkos' own, which set up Views and their memory, (5.0) its fences before memory is
/// given back, and the scratch that its first launch takes.
bool is_of_kokkos(const std::string& label) {
  return label.starts_with("Kokkos::") || label.starts_with("HostSpace::");
}

std::string path_of(const Names& regions) {
  std::string path;
  for (const std::string& region : regions) path += (path.empty() ? "" : " > ") + region;
  return path;
}

/// Everything that the call does has a name. `call` makes it, and checks the events.
void expect_all_named(const std::function<void(const KokkosEvents&)>& call) {
  const KokkosEvents events;
  call(events);
  EXPECT_THAT(events.within, IsEmpty()) << "each region ends";
  for (const auto& launch : events.launches) {
    EXPECT_TRUE(is_named(launch.label) || is_of_kokkos(launch.label)) << launch.label;
  }
  for (const std::string& region : events.regions) EXPECT_THAT(region, StartsWith("synelix::"));
  for (const auto& allocation : events.allocations) {
    EXPECT_TRUE(is_named(allocation.label) || is_result(allocation.label) ||
                is_of_kokkos(allocation.label))
        << "memory of " << allocation.bytes << " bytes, '" << allocation.label << "'";
  }
  for (const std::string& label : events.copies) EXPECT_THAT(label, StartsWith("synelix::"));
  for (const std::string& label : events.copied) EXPECT_THAT(label, StartsWith("synelix::"));
  for (const std::string& label : events.fences) {
    EXPECT_TRUE(label.starts_with("synelix::") || is_of_kokkos(label))
        << "a fence '" << label << "'";
  }
}

/// The same, and its kernels are in these paths of regions, and in no others.
void expect_named(const char* verb, const Names& paths, const std::function<void()>& call) {
  SCOPED_TRACE(verb);
  expect_all_named([&](const KokkosEvents& events) {
    call();
    Names found;
    for (const auto& launch : events.launches) {
      if (!is_of_kokkos(launch.label)) found.push_back(path_of(launch.within));
    }
    EXPECT_THAT(found, IsSupersetOf(paths));
    for (const std::string& path : found) EXPECT_THAT(paths, testing::Contains(path));
  });
}

/// The kernels of a call are in its region, in any inner regions. A call of a model passes over
/// rows in the pass of its design, whose kernels have no separate region.
void expect_within(const std::string& region, const std::function<void()>& call) {
  SCOPED_TRACE(region);
  expect_all_named([&](const KokkosEvents& events) {
    call();
    std::size_t found = 0;
    for (const auto& launch : events.launches) {
      if (is_of_kokkos(launch.label)) continue;
      ASSERT_FALSE(launch.within.empty()) << launch.label;
      EXPECT_EQ(launch.within.front(), region) << launch.label;
      ++found;
    }
    EXPECT_GT(found, 0U);
  });
}

/// Samples, spikes and a bank, and room for their features.
class Profiling : public testing::Test {
 protected:
  [[nodiscard]] StridedSeries series() const {
    return StridedSeries(Strided(m_x.data(), {samples, channels}));
  }
  [[nodiscard]] static Events events() {
    std::vector<Events::Train> trains(channels);
    for (auto& train : trains) train.samples = {3, 50, 77, 400};
    return {samples, trains};
  }
  [[nodiscard]] StridedOutput features() { return {m_y.data(), {samples, channels, bases}}; }

  const Space m_exec;
  const FilterBank<float, Space> m_bank{m_exec, RaisedCosineLog{.bases = bases}, {.window = 20}};

 private:
  std::vector<float> m_x = std::vector<float>(samples * channels, 0.5F);
  std::vector<float> m_y = std::vector<float>(samples * channels * bases);
};

const std::string plan_region = "synelix::convolve::plan";
const std::string run_region = "synelix::convolve";

TEST_F(Profiling, Convolve) {
  for (const Method method : {Method::automatic, Method::direct, Method::fft}) {
    expect_named("a series", {plan_region, run_region},
                 [&] { convolve(m_exec, series(), m_bank, features(), {.method = method}); });
  }
  for (const Method method : {Method::events, Method::direct, Method::fft}) {
    expect_named("events", {plan_region, run_region},
                 [&] { convolve(m_exec, events(), m_bank, features(), {.method = method}); });
  }
  expect_named("a long window in parts", {plan_region, run_region}, [&] {
    convolve(m_exec, series(), m_bank, features(), {.method = Method::fft, .fft_parts = 3});
  });
  const Kokkos::View<float**, Kokkos::LayoutRight, Space> view("mine", samples, channels);
  expect_named("into features of its own", {plan_region, run_region},
               [&] { (void)convolve<Kokkos::LayoutRight>(m_exec, view, m_bank); });
}

TEST_F(Profiling, Trials) {
  std::vector<Kokkos::View<float**, Kokkos::LayoutRight, Space>> trials;
  for (const std::int64_t length : {50, 7, 300}) trials.emplace_back("mine", length, channels);
  expect_named("trials", {plan_region, run_region},
               [&] { (void)convolve<Kokkos::LayoutRight>(m_exec, trials, m_bank); });
}

TEST_F(Profiling, BlocksOfAStream) {
  SeriesShape longest;
  longest.samples = samples;
  longest.channels = channels;
  longest.type = StoredType::float32;
  expect_named("push and finish", {plan_region, run_region}, [&] {
    ConvolveStream stream(m_exec, longest, m_bank, choose_stream(m_exec, longest, m_bank));
    stream.push(m_exec, series().data(), features());
    stream.finish(m_exec, features());
  });
}

TEST_F(Profiling, Features) {
  const Expression expression = conv(RaisedCosineLog{.bases = bases}, {.window = 20}) +
                                eval(BSpline{.bases = 5}) * conv(History{}, {.window = 2}) +
                                eval(Identity{});
  const std::vector<AnySeries> inputs{series(), series(), series(), series()};
  expect_named(
      "compute_features",
      {"synelix::find_ranges", "synelix::compute_features::plan", "synelix::compute_features"},
      [&] { (void)compute_features(m_exec, expression, inputs); });
}

TEST_F(Profiling, Matmul) {
  const Names once{"synelix::matmul"};
  const Names bound{"synelix::matmul::plan", "synelix::matmul"};
  std::vector<float> a(10 * 20, 1.0F);
  std::vector<float> b(20 * 300, 1.0F);
  std::vector<float> c(281 * 10 * 20);
  const Operand left(Strided(a.data(), {10, 20}));
  const Operand right(Strided(b.data(), {20, 300}));
  const StridedOutput result(c.data(), {10, 300});
  expect_named("a product", once, [&] { matmul(m_exec, left, right, result); });
  expect_named("a product of its own", once, [&] {
    (void)matmul<Kokkos::View<float**, Kokkos::LayoutRight, Space>>(m_exec, left, right);
  });
  const std::vector<Product> products{
      {left, right, result}, {left, transposed(left), StridedOutput(c.data() + 3000, {10, 10})}};
  expect_named("a list", once, [&] { matmul(m_exec, std::span<const Product>(products)); });
  expect_named("a plan of a list", bound, [&] {
    const MatmulPlan<float, Space> plan(m_exec, products);
    plan.run(m_exec);
    m_exec.fence("synelix::test: done");
  });
  expect_named("slices of windows", bound, [&] {
    const MatmulPlan<float, Space> plan(m_exec, left, windows(right, 20),
                                        StridedOutput(c.data(), {281, 10, 20}));
    ASSERT_TRUE(plan.choice().is_sliced);
    plan.run(m_exec);
    m_exec.fence("synelix::test: done");
  });
}

TEST_F(Profiling, Forms) {
  const Names once{"synelix::bilinear_forms"};
  const Names bound{"synelix::bilinear_forms::plan", "synelix::bilinear_forms"};
  std::vector<float> x(40 * 20, 1.0F);
  std::vector<float> a(20 * 20, 1.0F);
  std::vector<float> q(40);
  const Strided vectors(x.data(), {40, 20});
  const Strided matrix(a.data(), {20, 20});
  const StridedOutput forms(q.data(), {40});
  expect_named("quadratic forms", once, [&] { quadratic_forms(m_exec, vectors, matrix, forms); });
  expect_named("bilinear forms", once,
               [&] { bilinear_forms(m_exec, vectors, matrix, vectors, forms); });
  expect_named("forms of their own", once, [&] {
    (void)quadratic_forms<Kokkos::View<float*, Space>>(m_exec, vectors, matrix);
  });
  expect_named("a plan of them", bound, [&] {
    const BilinearFormsPlan<float, Space> plan(m_exec, vectors, matrix, forms);
    plan.run(m_exec);
    m_exec.fence("synelix::test: done");
  });
}

/// Features by each kind of pass, and counts of a target.
TEST_F(Profiling, DesignMatrices) {
  const std::string verb = "synelix::design_matrix::";
  const Expression filters = conv(RaisedCosineLog{.bases = bases}, {.window = 20});
  const StridedSeries input = series();
  const Events spikes = events();
  std::vector<double> coefficients(channels * bases, 0.01);
  std::vector<double> rows(samples);
  std::vector<double> weights(samples, 1.0);
  std::vector<double> square(13 * 13);
  const Strided b(coefficients.data(), {channels * bases});
  const Strided w(weights.data(), {samples});
  const StridedOutput predictor(rows.data(), {samples});
  const StridedOutput gram(square.data(), {13, 13});
  RightHandSide side{.parameters = std::vector<double>(13, 0.01), .wants_hessian = true};
  for (const AnySeries& one : {AnySeries(input), AnySeries(spikes)}) {
    SCOPED_TRACE(one.events() == nullptr ? "a series" : "events");
    const Method method = one.events() == nullptr ? Method::automatic : Method::events;
    const DesignMatrix design(m_exec, filters, {one}, {.method = method});
    expect_within(verb + "apply", [&] { design.apply(b, predictor); });
    expect_within(verb + "apply_adjoint", [&] {
      design.apply_adjoint(w, StridedOutput(coefficients.data(), {channels * bases}));
    });
    expect_within(verb + "gram", [&] { design.gram(gram); });
    expect_within(verb + "gram", [&] { design.gram_weighted(w, gram); });
    expect_within(verb + "gram_rows",
                  [&] { design.gram_rows({0, 2}, w, StridedOutput(square.data(), {2, 13})); });
    expect_within(verb + "evaluate",
                  [&] { (void)design.evaluate({}, {.targets = w}, {&side, 1}); });
  }
  expect_within(verb + "plan", [&] { const DesignMatrix design(m_exec, filters, {input}); });
  const DesignMatrix fresh(m_exec, filters, {input});
  expect_within(verb + "valid_rows", [&] { (void)fresh.valid_rows(); });
  expect_within("synelix::stream_design_matrix", [&] {
    MemorySource source(series());
    (void)stream_design_matrix(m_exec, filters, {source}, {.budget = mebibytes(64)});
  });
}

TEST_F(Profiling, Models) {
  const Expression filters = conv(RaisedCosineLog{.bases = bases}, {.window = 20});
  std::vector<Events::Train> trains(channels);
  for (std::int64_t t = 0; t < samples; ++t) {
    const auto c = static_cast<std::size_t>(t % channels);
    if (t * t % 17 < 5) trains[c].samples.push_back(t);
  }
  const Events spikes(samples, trains);
  std::vector<double> counts(samples);
  for (std::size_t t = 0; t < counts.size(); ++t) counts[t] = t * t * t % 13 < 3 ? 1 : 0;
  const Observations observations{.targets = Strided(counts.data(), {samples})};
  const FitOptions options{.penalty = Ridge{0.01}};
  for (const Method method : {Method::events, Method::direct}) {
    const DesignMatrix design(m_exec, filters, {spikes}, {.method = method});
    FitResult model;
    expect_within("synelix::fit", [&] { model = fit(design, observations, options); });
    expect_within("synelix::fit_path", [&] {
      (void)fit_path(design, observations, {.penalty = Lasso{}}, {.count = 3, .ratio = 0.1});
    });
    expect_within("synelix::cross_validate", [&] {
      (void)cross_validate(design, observations, {.penalty = Ridge{}},
                           {.folds = 2, .path = {.strengths = {0.1, 0.01}}});
    });
    std::vector<double> rates(samples);
    const StridedOutput result(rates.data(), {samples});
    expect_within("synelix::predict", [&] { predict(design, model, result); });
    expect_within("synelix::score", [&] { (void)score(design, observations, model); });
    expect_within("synelix::simulate", [&] { simulate(design, model, 3, result); });
    expect_within("synelix::simulate_events", [&] { (void)simulate_events(design, model, 3); });
  }
}

TEST_F(Profiling, FromSourcesToSinks) {
  const std::string stream = "synelix::stream_convolve";
  expect_named("stream_convolve", {stream + " > " + plan_region, stream + " > " + run_region}, [&] {
    MemorySource source(series());
    MemorySink sink(features());
    stream_convolve(m_exec, source, m_bank, sink, {.budget = mebibytes(1)});
  });
  const std::string design = "synelix::stream_features";
  const Expression expression = eval(BSpline{.bases = bases});
  std::vector<float> columns(samples * channels * bases);
  expect_named("stream_features",
               {design + " > synelix::find_ranges", design + " > synelix::compute_features::plan",
                design + " > synelix::compute_features"},
               [&] {
                 MemorySource source(series());
                 MemorySink sink(StridedOutput(columns.data(), {samples, 1, channels * bases}));
                 const std::vector<StreamInput> inputs{source};
                 stream_features<float>(m_exec, expression, inputs, sink, {.budget = mebibytes(1)});
               });
}

}  // namespace
}  // namespace profiling_tests
