// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/kokkos_events.hpp"

#include <synelix/stream.hpp>
#include <synelix/stream_features.hpp>
#include <synelix/stream_products.hpp>
#include <synelix/synelix.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What a profiler sees of each verb: kernels, memory, copies and fences that say whose they are,
// within regions that say which verb and step they are for.

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

/// "verb::step" behind the library's name.
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

/// Kernels of Kokkos' own, which set up Views and their memory, and (5.0) its fences before memory
/// is given back.
bool is_of_kokkos(const std::string& label) {
  return label.starts_with("Kokkos::") || label.starts_with("HostSpace::");
}

std::string path_of(const Names& regions) {
  std::string path;
  for (const std::string& region : regions) path += (path.empty() ? "" : " > ") + region;
  return path;
}

/// All that the call does is named; its kernels lie in these paths of regions, and in no others.
void expect_named(const char* verb, const Names& paths, const std::function<void()>& call) {
  SCOPED_TRACE(verb);
  const KokkosEvents events;
  call();
  EXPECT_THAT(events.within, IsEmpty()) << "each region ends";
  Names found;
  for (const auto& launch : events.launches) {
    EXPECT_TRUE(is_named(launch.label) || is_of_kokkos(launch.label)) << launch.label;
    if (!is_of_kokkos(launch.label)) found.push_back(path_of(launch.within));
  }
  EXPECT_THAT(found, IsSupersetOf(paths));
  for (const std::string& path : found) EXPECT_THAT(paths, testing::Contains(path));
  for (const std::string& region : events.regions) EXPECT_THAT(region, StartsWith("synelix::"));
  for (const auto& allocation : events.allocations) {
    EXPECT_TRUE(is_named(allocation.label) || is_result(allocation.label))
        << "memory of " << allocation.bytes << " bytes, '" << allocation.label << "'";
  }
  for (const std::string& label : events.copies) EXPECT_THAT(label, StartsWith("synelix::"));
  for (const std::string& label : events.copied) EXPECT_THAT(label, StartsWith("synelix::"));
  for (const std::string& label : events.fences) {
    EXPECT_TRUE(label.starts_with("synelix::") || is_of_kokkos(label))
        << "a fence '" << label << "'";
  }
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
  const std::string stream = "synelix::stream_quadratic_forms";
  expect_named("a stream of them", {stream + " > " + once[0]}, [&] {
    MemorySource source{StridedSeries(vectors)};
    stream_quadratic_forms<float>(m_exec, source, matrix, forms, {.budget = mebibytes(1)});
  });
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
