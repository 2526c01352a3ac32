// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One case of counts.json on the device, for the emulator that counts what its kernel does:
//
//     synelix_counted CASE [TIMES]
//
// It prints what the case needs at least, as JSON: numbers of the result, multiply-adds, bytes of
// arguments and results, each once, and bytes that its kernels must read and write. TIMES runs are
// timed, and their median is printed, in microseconds: for a device, not for the emulator.
#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace {

namespace sx = synelix;
using Space = Kokkos::DefaultExecutionSpace;
using Array = Kokkos::View<float*, Space>;
constexpr std::int64_t value_bytes = sizeof(float);

/// The least work of a case, and its run.
struct Case {
  std::int64_t results = 0;   ///< numbers
  double multiply_adds = 0;   ///< 0: not relevant for the case
  std::int64_t read = 0;      ///< bytes of arguments
  std::int64_t written = 0;   ///< bytes of results
  std::function<void()> run;  ///< asynchronous on Space()
  std::int64_t between = 0;   ///< bytes that kernels write for each other and read, or read again
};

Array drawn(std::int64_t size, std::uint64_t seed) {
  Array made(Kokkos::view_alloc(Kokkos::WithoutInitializing, "values"),
             static_cast<std::size_t>(size));
  const auto host = Kokkos::create_mirror_view(made);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  for (std::int64_t i = 0; i < size; ++i) host(i) = number(random);
  Kokkos::deep_copy(made, host);
  return made;
}
Array empty(std::int64_t size) {
  return Array(Kokkos::view_alloc(Kokkos::WithoutInitializing, "results"),
               static_cast<std::size_t>(size));
}

/// A basis of taps, none of which is 0.
sx::Basis full_bank(std::int64_t window, std::int64_t bases) {
  sx::CustomTaps bank{.window = window, .bases = bases, .taps = {}};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(0.25, 1);
  bank.taps.resize(static_cast<std::size_t>(window * bases));
  for (double& tap : bank.taps) tap = number(random);
  return bank;
}

struct Sizes {
  std::int64_t samples, channels, bases, window;
};

/// For all bases and channels of a series, in which every window is complete.
double taps_that_count(const sx::FilterBank<float, Space>& bank) {
  const std::vector<double>& taps = bank.taps().values;
  return static_cast<double>(taps.size() - static_cast<std::size_t>(std::ranges::count(taps, 0.0)));
}

/// `convolve` of a dense series, sample fastest, as is natural on a device.
Case dense(const Sizes& n, const sx::Basis& basis, sx::Method method) {
  const Space exec;
  const bool is_custom = std::holds_alternative<sx::CustomTaps>(basis);
  const sx::FilterBank<float, Space> bank(
      exec, basis, {.window = is_custom ? std::optional<std::int64_t>() : n.window});
  const Array x = drawn(n.samples * n.channels, 1);
  const sx::StridedSeries series(sx::Strided(x.data(), {n.samples, n.channels}, {1, n.samples}));
  const auto plan = std::make_shared<sx::ConvolvePlan<float, Space>>(
      exec, series, bank, sx::ConvolveOptions{.method = method});
  const std::int64_t rows = plan->rows();
  const std::int64_t results = rows * n.channels * n.bases;
  const Array y = empty(results);
  const sx::StridedOutput features(y.data(), {rows, n.channels, n.bases},
                                   {1, rows, rows * n.channels});
  const std::int64_t whole_windows = rows - n.window + 1;
  return {results, static_cast<double>(whole_windows * n.channels) * taps_that_count(bank),
          n.samples * n.channels * value_bytes, results * value_bytes, [=] {
            static_cast<void>(x), plan->run(Space(), series, features), static_cast<void>(y);
          }};
}
Case with_all_taps(const Sizes& n, sx::Method method) {
  return dense(n, full_bank(n.window, n.bases), method);
}

/// `convolve` of spikes at a rate in hertz, in bins of 1 ms.
Case spikes(const Sizes& n, double rate) {
  const Space exec;
  std::mt19937_64 random(3);
  std::bernoulli_distribution has_spike(rate / 1000);
  std::vector<sx::Events::Train> trains(static_cast<std::size_t>(n.channels));
  std::int64_t count = 0;
  for (sx::Events::Train& train : trains) {
    for (std::int64_t t = 0; t < n.samples; ++t) {
      if (has_spike(random)) train.samples.push_back(t), train.counts.push_back(1), ++count;
    }
  }
  const auto near =
      std::make_shared<sx::Events>(sx::copy_events(exec, sx::Events(n.samples, trains)));
  const sx::FilterBank<float, Space> bank(exec, full_bank(n.window, n.bases), {});
  const auto plan = std::make_shared<sx::ConvolvePlan<float, Space>>(
      exec, *near, bank, sx::ConvolveOptions{.method = sx::Method::events});
  const std::int64_t rows = plan->rows();
  const std::int64_t results = rows * n.channels * n.bases;
  const Array y = empty(results);
  const sx::StridedOutput features(y.data(), {rows, n.channels, n.bases},
                                   {1, rows, rows * n.channels});
  return {results, static_cast<double>(count * n.window * n.bases), count * 12,
          results * value_bytes,
          [=] { plan->run(Space(), *near, features), static_cast<void>(y); }};
}

/// An operator over images, (batch, channels, height, width), with a window of 3 x 3.
Case images(sx::ConvOperator op, std::int64_t batch, std::int64_t channels, std::int64_t side) {
  constexpr std::int64_t taps = 3;
  const std::int64_t inner = side - taps + 1;
  const std::int64_t x_size = batch * channels * side * side;
  const std::int64_t y_size = batch * channels * inner * inner;
  const std::int64_t w_size = channels * channels * taps * taps;
  const Array x = drawn(x_size, 1);
  const Array y = drawn(y_size, 2);
  const Array w = drawn(w_size, 3);
  const std::initializer_list<std::int64_t> of_x{batch, channels, side, side};
  const std::initializer_list<std::int64_t> of_y{batch, channels, inner, inner};
  const std::initializer_list<std::int64_t> of_w{channels, channels, taps, taps};
  sx::ConvArrays arrays{.op = op, .dimensions = 2};
  std::int64_t results = 0;
  switch (op) {
    case sx::ConvOperator::forward:
      arrays.first = sx::Strided(x.data(), of_x), arrays.second = sx::Strided(w.data(), of_w);
      arrays.result = sx::StridedOutput(y.data(), of_y), results = y_size;
      break;
    case sx::ConvOperator::grad_input:
      arrays.first = sx::Strided(y.data(), of_y), arrays.second = sx::Strided(w.data(), of_w);
      arrays.result = sx::StridedOutput(x.data(), of_x), results = x_size;
      break;
    default:
      arrays.first = sx::Strided(x.data(), of_x), arrays.second = sx::Strided(y.data(), of_y);
      arrays.result = sx::StridedOutput(w.data(), of_w), results = w_size;
  }
  const auto plan = std::make_shared<sx::ConvPlan<float, Space>>(Space(), arrays);
  return {results, static_cast<double>(y_size * channels * taps * taps),
          (x_size + y_size + w_size - results) * value_bytes, results * value_bytes, [=] {
            static_cast<void>(x), plan->run(Space()), static_cast<void>(y), static_cast<void>(w);
          }};
}

/// An operator over sequences, (batch, channels, length), by transforms.
Case sequences(std::int64_t batch, std::int64_t channels, std::int64_t length, std::int64_t taps) {
  const std::int64_t rows = length - taps + 1;
  const Array x = drawn(batch * channels * length, 1);
  const Array w = drawn(channels * channels * taps, 2);
  const Array y = empty(batch * channels * rows);
  const auto results = batch * channels * rows;
  const sx::ConvArrays arrays{.op = sx::ConvOperator::forward,
                              .dimensions = 1,
                              .first = sx::Strided(x.data(), {batch, channels, length}),
                              .second = sx::Strided(w.data(), {channels, channels, taps}),
                              .result = sx::StridedOutput(y.data(), {batch, channels, rows})};
  const auto plan = std::make_shared<sx::ConvPlan<float, Space>>(
      Space(), arrays, sx::ConvOptions{.method = sx::ConvMethod::fft});
  return {results, static_cast<double>(results * channels * taps),
          (batch * channels * length + channels * channels * taps) * value_bytes,
          results * value_bytes, [=] {
            static_cast<void>(x), plan->run(Space()), static_cast<void>(y), static_cast<void>(w);
          }};
}

/// Products of a list, each of `side` x `inner` by `inner` x `side` matrices.
Case products(std::int64_t count, std::int64_t side, std::int64_t inner) {
  const Array a = drawn(count * side * inner, 1);
  const Array b = drawn(count * inner * side, 2);
  const Array c = empty(count * side * side);
  std::vector<sx::Product> list;
  list.reserve(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    list.push_back({sx::Operand(sx::Strided(a.data() + k * side * inner, {side, inner})),
                    sx::Operand(sx::Strided(b.data() + k * inner * side, {inner, side})),
                    sx::StridedOutput(c.data() + k * side * side, {side, side}),
                    Array::memory_space::name()});
  }
  const auto plan = std::make_shared<sx::MatmulPlan<float, Space>>(
      Space(), list, sx::MatmulOptions{.multiplier = sx::Multiplier::tiles});
  const std::int64_t results = count * side * side;
  return {results, static_cast<double>(results * inner), 2 * count * side * inner * value_bytes,
          results * value_bytes, [=] {
            static_cast<void>(a), plan->run(Space()), static_cast<void>(b), static_cast<void>(c);
          }};
}

/// Of a design of stored features, column fastest, with 8 targets: its Gram matrix, or one
/// evaluation of a Poisson model.
Case design(std::int64_t rows, std::int64_t columns, bool is_gram) {
  const Space exec;
  constexpr std::int64_t targets = 8;
  const Array x = drawn(rows * columns, 1);
  const auto made =
      std::make_shared<sx::DesignMatrix>(exec, sx::Strided(x.data(), {rows, columns}));
  if (is_gram) {
    const std::int64_t size = columns + 1;
    const auto gram = std::make_shared<std::vector<double>>(static_cast<std::size_t>(size * size));
    return {size * size, static_cast<double>(rows * columns * (columns + 1)) / 2,
            rows * columns * value_bytes, size * size * std::int64_t{sizeof(double)}, [=] {
              static_cast<void>(x), made->gram(sx::StridedOutput(gram->data(), {size, size}));
            }};
  }
  const auto counts =
      std::make_shared<std::vector<double>>(static_cast<std::size_t>(rows * targets));
  std::mt19937_64 random(5);
  for (double& count : *counts) count = std::poisson_distribution<int>(0.5)(random);
  std::vector<sx::RightHandSide> sides;
  for (std::int64_t k = 0; k < targets; ++k) {
    sx::RightHandSide& side = sides.emplace_back(sx::RightHandSide{.target = k});
    side.parameters.assign(static_cast<std::size_t>(columns + 1), 0.01);
  }
  return {targets * (columns + 2), static_cast<double>(2 * rows * columns * targets),
          rows * columns * value_bytes + rows * targets * std::int64_t{sizeof(double)},
          targets * (columns + 2) * std::int64_t{sizeof(double)},
          [=] {
            static_cast<void>(x);
            static_cast<void>(made->evaluate(
                {}, {.targets = sx::Strided(counts->data(), {rows, targets})}, sides));
          },
          // Features once more: a row's residual needs all of its predictor. Predictors and
          // residuals are written and read.
          rows * columns * value_bytes + 4 * rows * targets * std::int64_t{sizeof(double)}};
}

using Make = std::function<Case()>;
const std::map<std::string_view, Make>& all_cases() {
  using enum sx::Method;
  static const std::map<std::string_view, Make> cases{
      {"direct_100", [] { return with_all_taps({20'000, 16, 8, 100}, direct); }},
      {"direct_1000", [] { return with_all_taps({6'000, 16, 8, 1000}, direct); }},
      {"direct_one_basis", [] { return with_all_taps({20'000, 16, 1, 100}, direct); }},
      {"direct_10", [] { return with_all_taps({20'000, 50, 4, 10}, direct); }},
      {"direct_cosines",
       [] { return dense({20'000, 16, 8, 100}, sx::RaisedCosineLog{.bases = 8}, direct); }},
      {"fft_100", [] { return with_all_taps({20'000, 16, 8, 100}, fft); }},
      {"fft_1000", [] { return with_all_taps({20'000, 16, 8, 1000}, fft); }},
      {"events_5_hz", [] { return spikes({40'000, 16, 8, 100}, 5); }},
      {"conv2d", [] { return images(sx::ConvOperator::forward, 2, 64, 34); }},
      {"conv2d_grad_input", [] { return images(sx::ConvOperator::grad_input, 2, 64, 34); }},
      {"conv2d_grad_weights", [] { return images(sx::ConvOperator::grad_weights, 2, 64, 34); }},
      {"conv1d_fft", [] { return sequences(2, 16, 8000, 128); }},
      {"matmul_500", [] { return products(1, 500, 2000); }},
      {"matmul_ragged", [] { return products(200, 64, 64); }},
      {"gram", [] { return design(20'000, 128, true); }},
      {"evaluate", [] { return design(20'000, 128, false); }}};
  return cases;
}

double microseconds_of(const Case& what) {
  const auto start = std::chrono::steady_clock::now();
  what.run();
  Kokkos::fence("synelix::counted");
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

int run(std::string_view name, int times) {
  const auto found = all_cases().find(name);
  if (found == all_cases().end()) {
    std::fprintf(stderr,
                 "synelix_counted: there is no case %s. Name one of:", std::string(name).c_str());
    for (const auto& [known, make] : all_cases())
      std::fprintf(stderr, " %s", std::string(known).c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  const Case what = found->second();
  std::vector<double> took{microseconds_of(what)};
  for (int i = 0; i < times; ++i) took.push_back(microseconds_of(what));
  std::printf(
      R"({"results": %lld, "multiply_adds": %.0f, "read": %lld, "written": %lld, "moved": %lld)",
      static_cast<long long>(what.results), what.multiply_adds, static_cast<long long>(what.read),
      static_cast<long long>(what.written),
      static_cast<long long>(what.read + what.written + what.between));
  if (times > 0) {
    std::sort(took.begin() + 1, took.end());  // the first run is warm-up
    std::printf(R"(, "microseconds": %.3f)", took[(took.size() + 1) / 2]);
  }
  std::printf("}\n");
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const sx::Session session(argc, argv);
    return run(argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "synelix_counted: %s\n", error.what());
    return 1;
  }
}
