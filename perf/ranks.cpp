// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cost of MPI ranks, for perf/compare/ranks.py: `mpirun -n N synelix_perf_ranks TASK
// [NUMBER...]`. Rank 0 prints one line of JSON.
//
//   halo CHANNELS WINDOW ROWS ROUNDS   a convolution of ROWS samples on each rank, beside the same
//                                      rows of samples that lie on the rank, and beside the
//                                      messages
//   sums NUMBERS BLOCKS ROUNDS         OrderedSum of BLOCKS blocks, beside MPI_Allreduce
//   fit ROWS CHANNELS TARGETS          a fit on rows that are shared; one process where N is 1

#include <synelix/mpi.hpp>
#include <synelix/mpi_fit.hpp>
#include <synelix/synelix.hpp>

#include <nlohmann/json.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace synelix::perf {
namespace {

using mpi::Ranks;
using nlohmann::json;
using Host = Kokkos::DefaultHostExecutionSpace;
constexpr int bases = 8;

double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double reduced(const Ranks& ranks, double value, MPI_Op how) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, how, ranks.comm());
  return value;
}

/// Seconds of body() on the slowest rank.
double seconds_of(const Ranks& ranks, const std::function<void()>& body) {
  MPI_Barrier(ranks.comm());
  const double start = MPI_Wtime();
  body();
  return reduced(ranks, MPI_Wtime() - start, MPI_MAX);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Rounds in which all bodies run in turn: medians of the seconds of each.
std::vector<double> in_turn(const Ranks& ranks, std::int64_t rounds,
                            const std::vector<std::function<void()>>& bodies) {
  std::vector<std::vector<double>> all(bodies.size());
  for (std::int64_t round = -2; round < rounds; ++round) {  // two to warm up
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const double seconds = seconds_of(ranks, bodies[i]);
      if (round >= 0) all[i].push_back(seconds);
    }
  }
  std::vector<double> medians;
  for (const auto& seconds : all) medians.push_back(median(seconds));
  return medians;
}

float value(std::int64_t t, std::int64_t c) { return static_cast<float>((t * 31 + c * 17) % 101); }

json halo(const Ranks& ranks, std::int64_t channels, std::int64_t window, std::int64_t rows,
          std::int64_t rounds) {
  const Host exec;
  SeriesShape whole;
  whole.samples = rows * ranks.size();
  whole.channels = channels;
  const Range own{rows * ranks.rank(), rows * (ranks.rank() + 1)};
  const FilterBank<float, Host> bank(exec, RaisedCosineLog{.bases = bases}, {.window = window});
  const ConvolveOptions options{.border = Border::zero, .method = Method::direct};
  mpi::ConvolvePlan<float, Host> plan(ranks, exec, whole, own, bank, options);
  // The same rows of a series that also has the window before them.
  const std::int64_t before = std::min(window - 1, own.begin);
  SeriesShape alone = whole;
  alone.samples = before + rows;
  ConvolvePlan<float, Host> local(exec, alone, bank, options);

  const Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> x("x", alone.samples,
                                                                        channels);
  for (std::int64_t t = 0; t < alone.samples; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) x(t, c) = value(own.begin - before + t, c);
  }
  const auto mine = Kokkos::subview(x, std::pair(before, alone.samples), Kokkos::ALL);
  using Features = Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace>;
  const Features features("features", plan.rows().size(), channels, bases);
  const Features all("all", alone.samples, channels, bases);
  std::vector<std::byte> to(static_cast<std::size_t>(plan.halo_bytes()));
  std::vector<std::byte> from((static_cast<std::size_t>(window) - 1) *
                              static_cast<std::size_t>(channels) * sizeof(float));
  const int behind = ranks.rank() + 1 < ranks.size() ? ranks.rank() + 1 : MPI_PROC_NULL;
  const int ahead = ranks.rank() > 0 ? ranks.rank() - 1 : MPI_PROC_NULL;
  const std::vector<double> medians =
      in_turn(ranks, rounds,
              {[&] {
                 plan.start(exec, mine, features);
                 plan.finish(exec);
                 exec.fence();
               },
               [&] {
                 local.run(exec, Series(x), all);
                 exec.fence();
               },
               [&] {
                 MPI_Sendrecv(from.data(), static_cast<int>(from.size()), MPI_BYTE, behind, 9,
                              to.data(), static_cast<int>(to.size()), MPI_BYTE, ahead, 9,
                              ranks.comm(), MPI_STATUS_IGNORE);
               }});
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t k = 0; k < bases; ++k) {
      if (features(t, channels - 1, k) != all(before + t, channels - 1, k)) {
        throw std::runtime_error("rows of ranks differ from those of one process");
      }
    }
  }
  return {{"exchanged_seconds", medians[0]},
          {"alone_seconds",
           medians[1] * static_cast<double>(rows) / static_cast<double>(alone.samples)},
          {"message_seconds", medians[2]},
          {"halo_bytes", reduced(ranks, static_cast<double>(plan.halo_bytes()), MPI_MAX)},
          {"interior_rows", plan.interior().size()},
          {"rows", rows}};
}

json sums(const Ranks& ranks, std::int64_t numbers, std::int64_t blocks, std::int64_t rounds) {
  const Range own = ranks.share(blocks);
  std::vector<double> block(static_cast<std::size_t>(numbers), 1.0);
  std::vector<double> plain(block.size());
  std::vector<double> ordered;
  mpi::OrderedSum sum(ranks, blocks, numbers);
  const std::vector<double> medians =
      in_turn(ranks, rounds,
              {[&] {
                 for (std::int64_t b = own.begin; b < own.end; ++b) sum.add(b, block);
                 ordered = sum.sum();
               },
               [&] {
                 std::fill(plain.begin(), plain.end(), 0.0);
                 for (std::int64_t b = own.begin; b < own.end; ++b) {
                   for (std::size_t i = 0; i < plain.size(); ++i) plain[i] += block[i];
                 }
                 MPI_Allreduce(MPI_IN_PLACE, plain.data(), static_cast<int>(numbers), MPI_DOUBLE,
                               MPI_SUM, ranks.comm());
               }});
  if (ordered != plain) throw std::runtime_error("sums of ones differ");
  return {{"ordered_seconds", medians[0]}, {"allreduce_seconds", medians[1]}};
}

json fit(const Ranks& ranks, std::int64_t rows, std::int64_t channels, std::int64_t targets) {
  std::mt19937 random(7);
  std::vector<std::vector<std::int64_t>> trains(static_cast<std::size_t>(channels));
  for (auto& train : trains) {
    for (std::int64_t i = 0; i < rows / 100; ++i) {
      train.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(rows)));
    }
  }
  const Events spikes = Events::from_unsorted(rows, std::move(trains));
  std::vector<float> counts(static_cast<std::size_t>(rows * targets));
  for (float& count : counts) count = random() % 50 == 0 ? 1.0F : 0.0F;
  const Observations observed{.targets = Strided(counts.data(), {rows, targets})};
  // Features of events, computed densely, which cost as much as a recording in a file.
  const DesignMatrix design(Host(), conv(RaisedCosineLog{.bases = bases}, {.window = 100}),
                            {spikes}, {.keep = Keep::nothing, .method = Method::direct});
  const FitOptions options{.loss = {.family = Family::poisson}};
  const double begin = processor_seconds();
  FitResult model;
  const double wall = seconds_of(ranks, [&] {
    model = ranks.size() == 1 ? synelix::fit(design, observed, options)
                              : mpi::fit(ranks, design, observed, options);
  });
  const double taken = reduced(ranks, processor_seconds() - begin, MPI_SUM);
  double first = 0;
  for (const double value : model.coefficients) first += value;
  return {{"processor_seconds", taken}, {"seconds", wall}, {"coefficients", first}};
}

json run(const Ranks& ranks, const std::string& task, const std::vector<std::int64_t>& n) {
  if (task == "halo" && n.size() == 4) return halo(ranks, n[0], n[1], n[2], n[3]);
  if (task == "sums" && n.size() == 3) return sums(ranks, n[0], n[1], n[2]);
  if (task == "fit" && n.size() == 3) return fit(ranks, n[0], n[1], n[2]);
  throw std::runtime_error("the tasks are halo (4 numbers), sums (3) and fit (3)");
}

}  // namespace
}  // namespace synelix::perf

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    const synelix::Session session;
    const synelix::mpi::Ranks ranks;
    std::vector<std::int64_t> numbers;
    for (int i = 2; i < argc; ++i) numbers.push_back(std::stoll(argv[i]));
    const auto answer = synelix::perf::run(ranks, argc > 1 ? argv[1] : "", numbers);
    if (ranks.rank() == 0) std::printf("%s\n", answer.dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks may wait for this one
  }
  MPI_Finalize();
  return 0;
}
