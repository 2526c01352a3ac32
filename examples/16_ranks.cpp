// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One series on the ranks of MPI: each holds a range of the samples, and gets the features of its
// rows. Then a sum over all rows, with the same bits for every number of ranks.
//
//     mpirun -n 4 16_ranks

#include <synelix/mpi.hpp>
#include <synelix/synelix.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace sx = synelix;

namespace {

constexpr std::int64_t samples = 100'000;
constexpr std::int64_t channels = 8;
constexpr std::int64_t bases = 5;
constexpr std::int64_t block = 4096;  // rows that are summed together

float value(std::int64_t t, std::int64_t c) {  // represents a recording
  return static_cast<float>(std::sin(0.001 * static_cast<double>((c + 1) * t)));
}

void run(const sx::mpi::Ranks& ranks) {
  const Kokkos::DefaultHostExecutionSpace exec;
  sx::SeriesShape whole;
  whole.samples = samples;
  whole.channels = channels;
  // Ranges of whole blocks, so that each block of the sum is on one rank.
  const sx::Range blocks = ranks.share((samples + block - 1) / block);
  const sx::Range own{blocks.begin * block, std::min(samples, blocks.end * block)};
  const sx::FilterBank<float, Kokkos::DefaultHostExecutionSpace> bank(
      exec, sx::RaisedCosineLog{.bases = static_cast<int>(bases)}, {.window = 200});
  sx::mpi::ConvolvePlan<float, Kokkos::DefaultHostExecutionSpace> plan(
      ranks, exec, whole, own, bank, {.border = sx::Border::zero});

  const Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> x("x", own.size(), channels);
  const Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace> features(
      "features", plan.rows().size(), channels, bases);
  for (std::int64_t t = own.begin; t < own.end; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) x(t - own.begin, c) = value(t, c);
  }
  plan.start(exec, x, features);  // the halo travels while interior rows are computed
  plan.finish(exec);
  exec.fence();

  sx::mpi::OrderedSum sum(ranks, (samples + block - 1) / block, bases);
  for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
    std::vector<double> of_block(static_cast<std::size_t>(bases), 0.0);
    for (std::int64_t t = b * block; t < std::min(samples, (b + 1) * block); ++t) {
      for (std::int64_t k = 0; k < bases; ++k) {
        of_block[static_cast<std::size_t>(k)] += features(t - own.begin, 0, k);
      }
    }
    sum.add(b, of_block);
  }
  const std::vector<double> total = sum.sum();
  if (ranks.rank() != 0) return;
  std::printf("sums of the features of channel 0:");
  for (const double number : total) std::printf(" %.17g", number);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int result = 0;
  try {
    const sx::Session session(argc, argv);
    const sx::mpi::Ranks ranks(MPI_COMM_WORLD);
    try {
      run(ranks);
    } catch (const sx::Error& error) {  // the same on all ranks, where all made the same calls
      if (ranks.rank() == 0) std::fprintf(stderr, "%s\n", error.what());
      result = 1;
    }
  } catch (const sx::Error& error) {  // of this rank's machine, for example a missing device
    std::fprintf(stderr, "%s\n", error.what());
    result = 1;
  }
  MPI_Finalize();
  return result;
}
