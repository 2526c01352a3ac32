// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Three ways to compute several things: one call for a list, plans on several execution-space
// instances that run at the same time, or one call for each in turn. An instance is a stream of a
// device, or some threads of a host (partition_space). Its work runs while work on other instances
// is started.
//
// Many small products are one list: one launch, whose work is cut evenly. Use instances for work
// that does not fit into one list, here a convolution and a product, of which each alone leaves a
// part of the machine idle. On a host, work on each instance is started from its own thread,
// because there a launch returns when its work is done.
//
// Expected output (times are those of a machine: two threads of a Xeon):
//     2000 small products: one list 0.34 ms, on 2 instances 0.69 ms, a call for each 16.66 ms
//         one list takes 0.50 of the time on instances, and 0.02 of that of calls
//     a convolution and a product: in turn 0.59 ms, on 2 instances 0.67 ms
//         side by side takes 1.13 of the time in turn: instances pay where that is below 1
//     the results are the same

#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <span>
#include <thread>
#include <vector>

namespace sx = synelix;

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;
using Batch = Kokkos::View<float****, Kokkos::LayoutRight, Exec>;

constexpr bool is_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;

// Integers, so that every order of sums gives the same result.
void fill(float* values, std::size_t count, int seed) {
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(0, count),
      KOKKOS_LAMBDA(const int i) { values[i] = static_cast<float>((i * 7 + seed) % 9 - 4); });
}

Matrix matrix(int rows, int columns, int seed) {
  Matrix m("matrix", rows, columns);
  fill(m.data(), m.size(), seed);
  return m;
}

// Seconds of a run: the median of 11 runs.
double seconds(const std::function<void()>& run) {
  std::vector<double> found;
  for (int i = 0; i < 11; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    Kokkos::fence();
    found.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(found.begin(), found.begin() + 5, found.end());
  return found[5];
}

// Starts work(i) on each instance, and waits for all. For streams of a device, one thread starts
// all work. For instances of a host, each has its own thread.
void on_each(const std::vector<Exec>& instances, const std::function<void(std::size_t)>& work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (is_host && i + 1 < instances.size()) {
      threads.emplace_back(work, i);
    } else {
      work(i);
    }
  }
  for (std::thread& thread : threads) thread.join();
  for (const Exec& exec : instances) exec.fence();
}

bool same(const Matrix& a, const Matrix& b) {
  int different = 0;
  Kokkos::parallel_reduce(
      "same", Kokkos::RangePolicy<Exec>(0, a.size()),
      KOKKOS_LAMBDA(const int i, int& sum) { sum += a.data()[i] != b.data()[i] ? 1 : 0; },
      different);
  return a.size() == b.size() && different == 0;
}

// Two thousand products of sides 4 to 35.
bool many_products(const Exec& exec, const std::vector<Exec>& instances) {
  constexpr int count = 2000;
  std::vector<Matrix> left, right, result, expected;
  std::vector<sx::Product> list;
  for (int i = 0; i < count; ++i) {
    const int rows = 4 + i % 32, inner = 4 + i * 5 % 32, columns = 4 + i * 11 % 32;
    left.push_back(matrix(rows, inner, i));
    right.push_back(matrix(inner, columns, i + 1));
    result.emplace_back("result", rows, columns);
    expected.emplace_back("expected", rows, columns);
    list.push_back(sx::product(left.back(), right.back(), result.back()));
  }
  const auto all_alike = [&] {
    bool ok = true;
    for (int i = 0; i < count; ++i) ok = ok && same(result[i], expected[i]);
    for (const Matrix& r : result) Kokkos::deep_copy(r, 0);
    return ok;
  };

  // A call for each: a plan, a launch and a wait for each of them.
  const double loop = seconds([&] {
    for (int i = 0; i < count; ++i) sx::matmul(exec, left[i], right[i], expected[i]);
  });

  const sx::MatmulPlan<float, Exec> plan(exec, list);
  const double one_list = seconds([&] { plan.run(exec); });
  bool ok = all_alike();

  std::vector<sx::MatmulPlan<float, Exec>> plans;  // a share of the list for each instance
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const std::size_t first = i * count / instances.size();
    const std::size_t end = (i + 1) * count / instances.size();
    plans.emplace_back(instances[i], std::span(list).subspan(first, end - first));
  }
  const double shares =
      seconds([&] { on_each(instances, [&](std::size_t i) { plans[i].run(instances[i]); }); });
  ok = all_alike() && ok;

  std::printf(
      "%d small products: one list %.2f ms, on %zu instances %.2f ms, a call for each %.2f ms\n",
      count, one_list * 1e3, instances.size(), shares * 1e3, loop * 1e3);
  std::printf("    one list takes %.2f of the time on instances, and %.2f of that of calls\n",
              one_list / shares, one_list / loop);
  return ok;
}

// A convolution and a product that are independent.
bool two_kinds(const Exec& exec, const std::vector<Exec>& instances) {
  const Batch x("x", 1, 32, 56, 56), w("w", 32, 32, 3, 3), y("y", 1, 32, 54, 54);
  fill(x.data(), x.size(), 3);
  fill(w.data(), w.size(), 4);
  const Matrix a = matrix(300, 300, 1), b = matrix(300, 300, 2);
  const Matrix c("c", 300, 300), expected_c("expected_c", 300, 300);
  const Matrix expected_y("expected_y", 32, 54 * 54);

  const sx::ConvArrays conv{
      sx::ConvOperator::forward, 2, x, w, {}, sx::StridedOutput(y.data(), {1, 32, 54, 54})};
  const Exec& one = instances.front();
  const Exec& other = instances.back();
  const sx::ConvPlan<float, Exec> conv_here(exec, conv), conv_there(one, conv);
  const sx::MatmulPlan<float, Exec> product_here(exec, a, b, c,
                                                 {.multiplier = sx::Multiplier::tiles});
  const sx::MatmulPlan<float, Exec> product_there(other, a, b, c,
                                                  {.multiplier = sx::Multiplier::tiles});

  const double in_turn = seconds([&] {
    conv_here.run(exec);
    product_here.run(exec);
  });
  const Matrix flat_y(y.data(), 32, 54 * 54);
  Kokkos::deep_copy(expected_y, flat_y);
  Kokkos::deep_copy(expected_c, c);
  Kokkos::deep_copy(y, 0);
  Kokkos::deep_copy(c, 0);
  const double beside = seconds([&] {
    on_each(instances, [&](std::size_t i) {
      if (i == 0) conv_there.run(one);
      if (i + 1 == instances.size()) product_there.run(other);
    });
  });
  std::printf("a convolution and a product: in turn %.2f ms, on %zu instances %.2f ms\n",
              in_turn * 1e3, instances.size(), beside * 1e3);
  std::printf(
      "    side by side takes %.2f of the time in turn: instances pay where that is below 1\n",
      beside / in_turn);
  return same(flat_y, expected_y) && same(c, expected_c);
}

// Instances with equal shares of a host's threads, or streams of a device. A host has at most as
// many instances as threads.
std::vector<Exec> instances_of(const Exec& exec, int most) {
  const int count = is_host ? std::min(most, exec.concurrency()) : most;
  return Kokkos::Experimental::partition_space(
      exec, std::vector<int>(static_cast<std::size_t>(count), 1));
}

int run() {
  const Exec exec;
  const bool products = many_products(exec, instances_of(exec, 4));
  const bool kinds = two_kinds(exec, instances_of(exec, 2));
  std::printf("the results are %s\n", products && kinds ? "the same" : "DIFFERENT");
  return products && kinds ? 0 : 1;
}

int main(int argc, char* argv[]) try {
  const sx::Session session(argc, argv);
  return run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
