// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products, forms and operators whose caller watches: breaks change no bit, the caller may end the
// call at any of them, and the plan then computes as before.

#include "launch/watched.hpp"
#include "operators/plan/prepared_operator.hpp"
#include "products/plan/prepared_forms.hpp"
#include "products/plan/prepared_products.hpp"
#include "products/plan/product_arguments.hpp"

#include <synelix/synelix.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace watched_tests {
namespace {

using namespace synelix;
using Exec = Kokkos::DefaultHostExecutionSpace;
using plan::FirstLaunch;
using plan::Watched;

constexpr std::int64_t no_time = 0;  // a break after each step

/// Values of an array, all different from 0.
std::vector<float> values_of(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(static_cast<float>(i % 4099) * 0.37F) + 0.1F;
  }
  return values;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Runs with a break after each step, and then ends runs at some of these breaks.
template <class Bound>
void expect_breaks_change_nothing(const Bound& bound, std::vector<float>& result) {
  const Exec exec;
  const auto run = [&](Watched* watched) {
    std::fill(result.begin(), result.end(), -7.0F);
    bound.launch(exec, watched);
    exec.fence("synelix::test: done");
  };
  run(nullptr);
  const std::vector<float> whole = result;
  std::int64_t questions = 0;
  std::int64_t done = 0;
  const auto count = [&](const CallProgress& progress) {
    ++questions;
    EXPECT_GE(progress.rows_done, done);
    done = progress.rows_done;
    EXPECT_EQ(progress.rows, bound.items());
  };
  Watched watched("test", {.progress = count}, bound.items(), no_time);
  run(&watched);
  EXPECT_TRUE(same_bits(result, whole)) << "breaks changed a bit";
  watched.tell();
  EXPECT_EQ(done, bound.items());
  ASSERT_GE(questions, 4) << "there are no breaks";
  for (const std::int64_t last : {std::int64_t{1}, questions / 2, questions - 2}) {
    SCOPED_TRACE(last);
    std::atomic<bool> cancel = false;
    std::int64_t asked = 0;
    Watched ended("test",
                  {.progress =
                       [&](const CallProgress&) {
                         if (++asked == last) cancel = true;
                       },
                   .cancel = &cancel},
                  bound.items(), no_time);
    EXPECT_THROW(run(&ended), Cancelled);
    EXPECT_EQ(asked, last);
    EXPECT_FALSE(same_bits(result, whole)) << "all was computed";
    run(nullptr);
    EXPECT_TRUE(same_bits(result, whole)) << "the plan computes otherwise now";
  }
}

/// A batch of products (rows, inner) (inner, columns).
void expect_products(std::int64_t batch, std::int64_t rows, std::int64_t inner,
                     std::int64_t columns) {
  const std::vector<float> a = values_of(batch * rows * inner);
  const std::vector<float> b = values_of(batch * inner * columns);
  std::vector<float> c(static_cast<std::size_t>(batch * rows * columns));
  const MatmulOptions options{.multiplier = Multiplier::tiles};
  const plan::PreparedProducts<float, Exec> bound(
      Exec(),
      plan::list_batch<float>(Strided(a.data(), {batch, rows, inner}),
                              Strided(b.data(), {batch, inner, columns}),
                              StridedOutput(c.data(), {batch, rows, columns}), options),
      options, FirstLaunch::now);
  expect_breaks_change_nothing(bound, c);
}

TEST(Watched, WhatItAsksMayNotUseWhatIsComputed) {
  Watched* inner = nullptr;
  int calls = 0;
  const auto use = [&](const CallProgress&) {
    ++calls;
    inner->ask();
  };
  Watched watched("fit", {.progress = use}, 0, no_time);
  inner = &watched;
  EXPECT_THROW(watched.ask(), StateError);
  EXPECT_THROW(watched.ask(), StateError) << "the first one has ended";
  EXPECT_EQ(calls, 2);
}

TEST(Watched, CancelledWorkOfUnknownLength) {
  std::atomic<bool> stop = true;
  const Watched watched("fit", {.cancel = &stop}, 0, no_time);
  try {
    watched.look();
    FAIL() << "it was cancelled";
  } catch (const Cancelled& cancelled) {
    EXPECT_STREQ(cancelled.what(), "fit: cancelled after 0 parts");
  }
}

TEST(Watched, ProductsOfManyParts) { expect_products(1, 600, 200, 500); }
TEST(Watched, OnePartThatIsLong) { expect_products(1, 9, 30'000, 11); }
TEST(Watched, ManySmallProducts) { expect_products(1024 * Exec().concurrency(), 4, 5, 6); }

TEST(Watched, ListsOfProducts) {
  const std::vector<float> a = values_of(400 * 700);
  std::vector<float> c(90'000);
  std::vector<Product> products;
  float* to = c.data();
  for (const std::int64_t rows : {300, 2, 50, 1, 150, 400}) {
    const StridedOutput result(to, {rows, 40});
    products.push_back({Strided(a.data(), {rows, 700}), Strided(a.data(), {700, 40}), result});
    to += rows * 40;
  }
  c.resize(static_cast<std::size_t>(to - c.data()));
  const MatmulOptions options{.multiplier = Multiplier::tiles};
  const plan::PreparedProducts<float, Exec> bound(
      Exec(), plan::list_products<float>(products, options, std::int64_t{1} << 30), options,
      FirstLaunch::now);
  expect_breaks_change_nothing(bound, c);
}

TEST(Watched, WindowsThatAreSlicesOfOneProduct) {
  const std::vector<float> a = values_of(10 * 20);
  const std::vector<float> b = values_of(20 * 2000);
  const Operand windowed = windows(Strided(b.data(), {20, 2000}), 20);
  const std::int64_t places = windowed.array().extents[0];
  std::vector<float> c(static_cast<std::size_t>(places * 10 * 20));
  const MatmulOptions options{.multiplier = Multiplier::tiles};
  const plan::PreparedProducts<float, Exec> bound(
      Exec(),
      plan::list_batch<float>(Strided(a.data(), {10, 20}), windowed,
                              StridedOutput(c.data(), {places, 10, 20}), options),
      options, FirstLaunch::now);
  ASSERT_TRUE(bound.choice().is_sliced);
  expect_breaks_change_nothing(bound, c);
}

TEST(Watched, Forms) {
  const std::int64_t count = 3000;
  const std::int64_t size = 301;
  const std::vector<float> x = values_of(count * size);
  const std::vector<float> a = values_of(size * size);
  std::vector<float> q(static_cast<std::size_t>(count));
  for (const FormMethod method : {FormMethod::product, FormMethod::triangle}) {
    SCOPED_TRACE(name_of(method));
    const BilinearFormsOptions options{.method = method};
    const plan::PreparedForms<float, Exec> bound(
        Exec(),
        plan::form_problem<float>(Strided(x.data(), {count, size}), Strided(a.data(), {size, size}),
                                  nullptr, StridedOutput(q.data(), {count}), options),
        options, FirstLaunch::now);
    expect_breaks_change_nothing(bound, q);
  }
}

/// An operator along one dimension: x (batch, channels, length), w (results, channels / groups,
/// taps), y (batch, results, length - taps + 1).
struct ConvCase {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t results = 1;
  std::int64_t length = 1;
  std::int64_t taps = 1;
  std::int64_t groups = 1;
};

void expect_operator(ConvOperator op, const ConvCase& of, ConvMethod method) {
  const std::vector<std::int64_t> x{of.batch, of.channels, of.length};
  const std::vector<std::int64_t> w{of.results, of.channels / of.groups, of.taps};
  const std::vector<std::int64_t> y{of.batch, of.results, of.length - of.taps + 1};
  const auto size = [](const std::vector<std::int64_t>& e) { return e[0] * e[1] * e[2]; };
  const std::vector<float> first = values_of(std::max(size(x), size(y)));
  const std::vector<float> second = values_of(std::max(size(w), size(y)));
  const std::vector<std::int64_t>* arrays[] = {&x, &w, &y};
  if (op == ConvOperator::grad_input) std::swap(arrays[0], arrays[2]);
  if (op == ConvOperator::grad_weights) std::swap(arrays[1], arrays[2]);
  std::vector<float> result(static_cast<std::size_t>(size(*arrays[2])));
  const auto strided = [&](const std::vector<float>& values, int i) {
    return Strided(values.data(), {(*arrays[i])[0], (*arrays[i])[1], (*arrays[i])[2]});
  };
  const std::vector<std::int64_t>& to = *arrays[2];
  ConvArrays call{.op = op, .dimensions = 1};
  call.first = strided(first, 0);
  call.second = strided(second, 1);
  call.result = StridedOutput(result.data(), {to[0], to[1], to[2]});
  const ConvOptions options{.groups = of.groups, .method = method};
  const plan::PreparedOperator<float, Exec> bound(
      Exec(), plan::shape_of(call, options, StoredType::float32), options, FirstLaunch::now);
  expect_breaks_change_nothing(bound, result);
}

TEST(Watched, ConvolutionOperators) {
  const ConvCase wide{.batch = 2, .channels = 70, .results = 40, .length = 3000, .taps = 5};
  for (const ConvOperator op :
       {ConvOperator::forward, ConvOperator::grad_input, ConvOperator::grad_weights}) {
    SCOPED_TRACE(static_cast<int>(op));
    expect_operator(op, wide, ConvMethod::direct);
  }
}

TEST(Watched, DepthwiseConvolutions) {
  const ConvCase each{
      .batch = 4, .channels = 64, .results = 64, .length = 5000, .taps = 7, .groups = 64};
  expect_operator(ConvOperator::forward, each, ConvMethod::direct);
}

TEST(Watched, ConvolutionOperatorsByTransforms) {
  const ConvCase lengthy{.batch = 3, .channels = 3, .results = 5, .length = 150'000, .taps = 120};
  for (const ConvOperator op :
       {ConvOperator::forward, ConvOperator::grad_input, ConvOperator::grad_weights}) {
    SCOPED_TRACE(static_cast<int>(op));
    expect_operator(op, lengthy, ConvMethod::fft);
  }
}

/// The public forms: they report the end, respect a cancellation before the start, and let
/// exceptions pass.
template <class Run>
void expect_heeds_watch(const Run& run) {
  CallProgress last;
  run(Watch{.progress = [&](const CallProgress& progress) { last = progress; }});
  EXPECT_GT(last.rows, 0);
  EXPECT_EQ(last.rows_done, last.rows);
  const std::atomic<bool> cancel = true;
  EXPECT_THROW(run(Watch{.cancel = &cancel}), Cancelled);
  struct Stop {};
  EXPECT_THROW(run(Watch{.progress = [](const CallProgress&) { throw Stop(); }}), Stop);
  run(Watch{});
}

TEST(Watched, PublicCalls) {
  const Exec exec;
  const std::vector<float> a = values_of(60 * 60);
  std::vector<float> c(60 * 60);
  const Strided square(a.data(), {60, 60});
  const StridedOutput result(c.data(), {60, 60});
  const StridedOutput line(c.data(), {60});
  expect_heeds_watch(
      [&](const Watch& watch) { matmul(exec, square, square, result, {.watch = watch}); });
  const MatmulPlan<float, Exec> products(exec, square, square, result);
  expect_heeds_watch([&](const Watch& watch) { products.run_watched(exec, watch); });
  expect_heeds_watch(
      [&](const Watch& watch) { quadratic_forms(exec, square, square, line, {.watch = watch}); });
  const BilinearFormsPlan<float, Exec> forms(exec, square, square, line);
  expect_heeds_watch([&](const Watch& watch) { forms.run_watched(exec, watch); });
  ConvArrays call{.dimensions = 1};
  call.first = Strided(a.data(), {1, 1, 3600});
  call.second = Strided(a.data(), {1, 1, 1});
  call.result = StridedOutput(c.data(), {1, 1, 3600});
  expect_heeds_watch(
      [&](const Watch& watch) { convolve_arrays(exec, call, ConvOptions{.watch = watch}); });
  const ConvPlan<float, Exec> operators(exec, call);
  expect_heeds_watch([&](const Watch& watch) { operators.run_watched(exec, watch); });
}

}  // namespace
}  // namespace watched_tests
