// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <string>
#include <vector>

// The features of Kokkos on a device that the library uses: copies, fills, loops, reductions, teams
// with both kinds of scratch, atomics, instances. Each is compared with the host.

namespace {

using Space = Kokkos::Cuda;
using View = Kokkos::View<double*, Space>;
constexpr int n = 3000;

int wrong = 0;

void expect(const std::string& what, double found, double wanted) {
  if (found == wanted) return;
  ++wrong;
  std::printf("BAD: %s: %.17g, and not %.17g\n", what.c_str(), found, wanted);
}

double sum_of(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  double sum = 0;
  for (std::size_t i = 0; i < host.extent(0); ++i) sum += host(i);
  return sum;
}

View numbers() {
  View x("x", n);
  Kokkos::parallel_for(
      "numbers", Kokkos::RangePolicy<Space>(0, n), KOKKOS_LAMBDA(int i) { x(i) = i; });
  return x;
}

void loops() {
  constexpr double all = n * (n - 1) / 2.0;
  const View x = numbers();
  expect("copy to the host", sum_of(x), all);
  expect("a new view is zero", sum_of(View("zero", n)), 0);
  double sum = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy<Space>(0, n), KOKKOS_LAMBDA(int i, double& s) { s += x(i); }, sum);
  expect("reduction to the host", sum, all);
  View on_device("sum", 1);
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy<Space>(0, n), KOKKOS_LAMBDA(int i, double& s) { s += x(i); },
      Kokkos::subview(on_device, 0));
  expect("reduction to a view", sum_of(on_device), all);
  double most = 0;
  Kokkos::parallel_reduce(
      "max", Kokkos::RangePolicy<Space>(0, n),
      KOKKOS_LAMBDA(int i, double& m) { m = x(i) > m ? x(i) : m; }, Kokkos::Max<double>(most));
  expect("largest", most, n - 1);
  const View table("table", 60 * 50);
  Kokkos::parallel_for(
      "table", Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({0, 0}, {60, 50}),
      KOKKOS_LAMBDA(int i, int j) { table(i * 50 + j) = 1; });
  expect("two dimensions", sum_of(table), n);
}

void teams() {
  using Teams = Kokkos::TeamPolicy<Space>;
  using Member = Teams::member_type;
  for (const int level : {0, 1}) {
    double sum = 0;
    Kokkos::parallel_reduce(
        "teams", Teams(20, 64).set_scratch_size(level, Kokkos::PerTeam(64 * 8)),
        KOKKOS_LAMBDA(const Member& team, double& s) {
          auto* const own = static_cast<double*>(team.team_scratch(level).get_shmem(64 * 8));
          own[team.team_rank()] = team.league_rank();
          team.team_barrier();
          double mine = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(team, 64), [&](int i, double& t) { t += own[63 - i]; }, mine);
          Kokkos::single(Kokkos::PerTeam(team), [&] { s += mine; });
        },
        sum);
    expect("teams with scratch of level " + std::to_string(level), sum, 64 * 190);
  }
}

struct Pair {
  double a, b;
};

void atomics() {
  const View counts("counts", 7);
  const Kokkos::View<Pair, Space> pair("pair");
  Kokkos::parallel_for(
      "atomics", Kokkos::RangePolicy<Space>(0, n), KOKKOS_LAMBDA(int i) {
        Kokkos::atomic_add(&counts(i % 7), 1.0);
        if (i == 5) Kokkos::atomic_store(&pair(), Pair{2, 3});  // wider than the device's own
      });
  expect("atomic sums", sum_of(counts), n);
  Pair found{};
  Kokkos::deep_copy(found, pair);
  expect("a wide atomic", found.a + found.b, 5);
}

void instances() {
  const auto two = Kokkos::Experimental::partition_space(Space(), std::vector<int>{1, 1});
  const View a("a", n);
  const View b("b", n);
  for (const auto& [space, view] : {std::pair{two[0], a}, {two[1], b}}) {
    Kokkos::parallel_for(
        "instance", Kokkos::RangePolicy<Space>(space, 0, n), KOKKOS_LAMBDA(int i) { view(i) = 2; });
  }
  Kokkos::deep_copy(two[0], a, 1.0);
  two[0].fence();
  two[1].fence();
  expect("instances", sum_of(a) + sum_of(b), 3 * n);
  Kokkos::View<double*, Kokkos::CudaHostPinnedSpace> pinned("pinned", n);
  Kokkos::deep_copy(two[1], pinned, b);
  two[1].fence();
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += pinned(i);
  expect("copy to pinned memory", sum, 2 * n);
  Kokkos::View<double*, Kokkos::CudaUVMSpace> managed("managed", n);
  Kokkos::deep_copy(managed, 4.0);
  Kokkos::fence();
  expect("managed memory", managed(n - 1), 4);
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  loops();
  teams();
  atomics();
  instances();
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
