// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The performance suite. Every benchmark checks its answer once, and gives its rates as shares of
// roofs that are measured around it; the roofs at the start of the run are in the report's context.

#include "cases.hpp"
#include "exec_array.hpp"
#include "roofs/roofs.hpp"

#include <synelix/session.hpp>
#include <synelix/version.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace {

std::string in_billions(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value * 1e-9);
  return text;
}

/// Removes `--goals` from the arguments: it runs the shortened goals of a device on a host, too.
bool takes_goals(int& argc, char* argv[]) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--goals") argv[kept++] = argv[i];
  }
  const bool found = kept != argc;
  argc = kept;
  return found;
}

}  // namespace

int main(int argc, char* argv[]) {
  std::optional<synelix::Session> session;
  try {
    session.emplace(argc, argv);
    const synelix::perf::Cases cases = synelix::perf::read_cases();
    synelix::perf::register_convolve(cases);
    if (takes_goals(argc, argv) || synelix::perf::on_device) synelix::perf::register_goals(cases);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "synelix_perf: %s\n", error.what());
    return 1;
  }
  const synelix::perf::Roofs roofs = synelix::perf::measure_roofs();
  const synelix::perf::Exec exec;
  const synelix::BuildDescription build = synelix::build_description();
  benchmark::AddCustomContext("synelix", build.version);
  benchmark::AddCustomContext("compiler", build.compiler + ", " + build.build_type);
  benchmark::AddCustomContext("kokkos", build.kokkos_version);
  benchmark::AddCustomContext("space", exec.name());
  benchmark::AddCustomContext("configuration", synelix::perf::configuration());
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
