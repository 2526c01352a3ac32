// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parts of the package that a user's program needs: every public header, the library, LAPACK
// for OrthExponential, and HDF5 and MPI if these components exist.
#include <cmath>
#include <cstdio>
#include <synelix/kokkos_settings.hpp>
#include <synelix/scaled.hpp>
#include <synelix/stream.hpp>
#include <synelix/stream_design_matrix.hpp>
#include <synelix/stream_features.hpp>
#include <synelix/synelix.hpp>
#ifdef SYNELIX_HAVE_HDF5
#include <synelix/fit_file.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/join_parts.hpp>
#include <synelix/nwb.hpp>
#endif
#ifdef SYNELIX_HAVE_MPI
#include <synelix/mpi.hpp>
#include <synelix/mpi_fit.hpp>
#endif

namespace sx = synelix;

int main() {
  const sx::Session session;
  std::printf("synelix %s (headers %s) on %s\n", sx::build_description().version.c_str(),
              SYNELIX_VERSION_STRING, SYNELIX_KOKKOS_BACKENDS);
  const Kokkos::DefaultExecutionSpace exec;
  const Kokkos::View<double**> samples("samples", 50, 2);
  Kokkos::deep_copy(samples, 1.0);
  const sx::FilterBank<double> bank(exec, sx::OrthExponential{.decay_rates = {1.0, 2.0}},
                                    {.window = 10});
  const auto features = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), sx::convolve<Kokkos::LayoutRight>(exec, samples, bank));
  bool ok = std::isnan(features(9, 0, 0)) && std::isfinite(features(10, 1, 1));
#ifdef SYNELIX_HAVE_HDF5
  ok = ok && sx::parse_file_path("a.h5:/x").dataset == "/x";
  try {
    const sx::Hdf5Source source({.file = "no such file.h5", .dataset = "/x"});
    ok = false;
  } catch (const sx::Error& error) {
    std::printf("as it should: %s\n", error.what());
  }
#endif
#ifdef SYNELIX_HAVE_MPI
  MPI_Init(nullptr, nullptr);  // one rank, without mpirun
  {
    const sx::mpi::Ranks ranks;
    sx::mpi::OrderedSum sum(ranks, 1, 1);
    sum.add(0, std::vector<double>{3.0});
    ok = ok && ranks.size() == 1 && sum.sum() == std::vector<double>{3.0};
  }
  MPI_Finalize();
#endif
  return ok && sx::version() == SYNELIX_VERSION_STRING ? 0 : 1;
}
