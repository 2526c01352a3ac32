// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The performance suite. Every benchmark checks its answer once, and gives its rates as shares of
// roofs that are measured around it; those of the start of the run stand in the report's context.

#include "cases.hpp"
#include "roofs.hpp"

#include <synelix/session.hpp>
#include <synelix/version.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

std::string in_billions(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value * 1e-9);
  return text;
}

}  // namespace

int main(int argc, char* argv[]) {
  const synelix::Session session(argc, argv);
  try {
    synelix::perf::register_convolve(synelix::perf::read_cases());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "synelix_perf: %s\n", error.what());
    return 1;
  }
  const synelix::perf::Roofs roofs = synelix::perf::measure_roofs();
  const Kokkos::DefaultHostExecutionSpace exec;
  const synelix::BuildDescription build = synelix::build_description();
  benchmark::AddCustomContext("synelix", build.version);
  benchmark::AddCustomContext("compiler", build.compiler + ", " + build.build_type);
  benchmark::AddCustomContext("kokkos", build.kokkos_version);
  benchmark::AddCustomContext("space", exec.name());
  benchmark::AddCustomContext("threads", std::to_string(exec.concurrency()));
  benchmark::AddCustomContext("instruction_set", synelix::name_of(roofs.set));
  benchmark::AddCustomContext("roof_float_gflops", in_billions(roofs.flops_float));
  benchmark::AddCustomContext("roof_double_gflops", in_billions(roofs.flops_double));
  benchmark::AddCustomContext("roof_read_gbytes", in_billions(roofs.read_bytes));
  benchmark::AddCustomContext("roof_store_gbytes", in_billions(roofs.store_bytes));
  benchmark::AddCustomContext("roof_stream_gbytes", in_billions(roofs.stream_bytes));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
