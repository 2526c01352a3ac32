// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `compute_features` with a plan that is made once: a filter bank alone and as a term of a design,
// whose rows are farther apart; bases in eval mode; products. Rates are of outputs, and of stored
// bytes relative to the roof at that time.

#include "exec_array.hpp"
#include "roofs/roofs.hpp"

#include <synelix/synelix.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace synelix::perf {
namespace {

using Layout = std::conditional_t<natural_order == Order::sample_fastest, Kokkos::LayoutLeft,
                                  Kokkos::LayoutRight>;
using Samples = Kokkos::View<float**, Layout, Exec::memory_space>;
template <class Scalar>
using Columns = Kokkos::View<Scalar**, Layout, Exec::memory_space>;

Samples samples_of(std::int64_t samples, std::int64_t channels) {
  const Samples x("samples", static_cast<std::size_t>(samples), static_cast<std::size_t>(channels));
  const auto here = Kokkos::create_mirror_view(x);
  for (std::int64_t t = 0; t < samples; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) {
      here(t, c) = static_cast<float>((t * 7919 + c * 104'729) % 10'007) / 10'007;
    }
  }
  Kokkos::deep_copy(x, here);
  return x;
}

/// Rows of an array, for the blocks of a plan.
template <class View>
auto rows_of(const View& array, std::int64_t begin, std::int64_t end) {
  const auto rows = std::pair(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  return Kokkos::subview(array, rows, Kokkos::ALL);
}

/// Bounds for samples_of.
EvalTerm unit() { return {.bounds = {{0.0, 1.0}}}; }

struct Case {
  std::string name;
  Expression expression;
  std::int64_t samples;
  std::vector<std::int64_t> channels;  ///< of each input
};

std::vector<Case> cases() {
  const Expression bank = conv(RaisedCosineLog{.bases = 8}, {.window = 100});
  const auto spline = [] { return eval(BSpline{.bases = 10}, unit()); };
  return {
      {"conv", bank, 200'000, {20}},
      {"conv_beside_another_column", bank + eval(Identity{}), 200'000, {20, 1}},
      {"eval_identity", eval(Identity{}), 2'000'000, {4}},
      {"eval_raised_cosine_linear", eval(RaisedCosineLinear{.bases = 10}, unit()), 500'000, {4}},
      {"eval_raised_cosine_log", eval(RaisedCosineLog{.bases = 10}, unit()), 500'000, {4}},
      {"eval_bspline", spline(), 500'000, {4}},
      {"eval_cyclic_bspline", eval(CyclicBSpline{.bases = 10}, unit()), 500'000, {4}},
      {"eval_fourier",
       eval(Fourier{.frequencies = {frequencies_between(1, 6)}}, unit()),
       500'000,
       {4}},
      {"product_of_splines", spline() * spline(), 500'000, {1, 1}},
      {"product_of_conv_and_spline", bank * spline(), 500'000, {1, 1}},
  };
}

/// The last row, computed by a plan for a few rows around it, which gives the same bits.
template <class Scalar>
bool is_right(const Case& problem, const FeaturesPlan<Scalar, Exec>& plan,
              const std::vector<Samples>& x, const Columns<Scalar>& y) {
  const Range rows{problem.samples - 3, problem.samples};
  std::vector<InputBlock> blocks;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Range needed = plan.samples_for(static_cast<std::int64_t>(i), rows);
    const auto part = rows_of(x[i], needed.begin, needed.end);
    blocks.push_back({Strided(part.data(), {needed.size(), problem.channels[i]},
                              {static_cast<std::int64_t>(part.stride(0)),
                               static_cast<std::int64_t>(part.stride(1))}),
                      needed.begin, nullptr});
  }
  const Columns<Scalar> found("found", 3, static_cast<std::size_t>(plan.columns()));
  plan.run_block(Exec(), rows, blocks, StridedOutput(seam::strided_of(found)));
  Exec().fence("synelix::perf: the last rows");
  const auto block = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  const Columns<Scalar> last("last", 3, static_cast<std::size_t>(plan.columns()));
  Kokkos::deep_copy(last, rows_of(y, rows.begin, rows.end));
  const auto whole = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), last);
  return std::equal(block.data(), block.data() + block.size(), whole.data());
}

template <class Scalar>
void run_case(benchmark::State& state, const Case& problem) {
  const Exec exec;
  std::vector<Samples> x;
  std::vector<AnySeries> inputs;
  std::vector<InputShape> shapes;
  for (const std::int64_t channels : problem.channels) {
    x.push_back(samples_of(problem.samples, channels));
    inputs.emplace_back(x.back());
    shapes.push_back(inputs.back().shape());
  }
  const FeaturesPlan<Scalar, Exec> plan(exec, problem.expression, shapes);
  const Columns<Scalar> y("features", static_cast<std::size_t>(plan.rows()),
                          static_cast<std::size_t>(plan.columns()));
  const StridedOutput output(seam::strided_of(y));
  const auto run = [&] {
    plan.run(exec, inputs, output);
    exec.fence("perf: the run is timed to its end");
  };
  run();
  if (!is_right(problem, plan, x, y)) return state.SkipWithError("the features are wrong");
  const Roofs before = measure_roofs();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) run();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
      static_cast<double>(state.iterations());
  const Roofs after = measure_roofs();
  const auto bytes = static_cast<double>(y.size() * sizeof(Scalar));
  state.counters["ns_per_output"] = seconds * 1e9 / static_cast<double>(y.size());
  state.counters["stored_gbytes"] = bytes / seconds * 1e-9;
  state.counters["of_store_roof"] =
      bytes / seconds / ((before.store_bytes + after.store_bytes) / 2);
}

[[maybe_unused]] const bool is_registered = [] {
  for (const Case& problem : cases()) {
    benchmark::RegisterBenchmark(
        ("features/" + problem.name + "/float").c_str(),
        [problem](benchmark::State& state) { run_case<float>(state, problem); })
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(
        ("features/" + problem.name + "/double").c_str(),
        [problem](benchmark::State& state) { run_case<double>(state, problem); })
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace synelix::perf
