// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Promise: a stream's peak of private memory, as counted by the operating system, grows by at most
// the growth of its budget, and does not grow with the length of the recording. Each run is a
// separate process, started by this program: `peak_memory run IN OUT BUDGET`. It ends by printing
// its peak.

#include "files/made_file.hpp"
#include "promises/private_memory.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/session.hpp>
#include <synelix/stream.hpp>

#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

namespace sx = synelix;

constexpr std::int64_t channels = 16;
constexpr std::int64_t short_samples = 131'072;  // 64 MiB of features
constexpr std::int64_t times_longer = 16;
/// The kernel counts pages for each processor, and sums them in batches.
constexpr std::int64_t counted_later = std::int64_t{512} << 10;

void make_recording(const std::string& file, std::int64_t samples) {
  sx::SeriesShape shape;
  shape.samples = samples;
  shape.channels = channels;
  shape.type = sx::StoredType::int16;
  sx::Hdf5SeriesWriter writer({file, "/x"}, shape, 1000.0);
  std::vector<std::int16_t> block(static_cast<std::size_t>(8192 * channels));
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::int16_t>(i * 7 % 999);
  for (std::int64_t t = 0; t < samples; t += 8192) writer.write({t, t + 8192}, block.data());
  writer.finish();
}

int run(const std::string& in, const std::string& out, std::int64_t budget) {
  const sx::Session session;
  const sx::FilterBank<float> bank(sx::RaisedCosineLog{.bases = 8}, {.window = 100});
  sx::Hdf5Source source({in, "/x"});
  sx::Hdf5Sink sink({out, "/features"}, {.output = {.existing = sx::Existing::replace}});
  sx::ConvolveOptions options;
  options.budget = budget;
  const sx::StreamReport report =
      sx::stream_convolve(Kokkos::DefaultExecutionSpace(), source, bank, sink, options);
  std::cout << "  block of " << report.plan.block.rows << " rows, " << report.plan.block.channels
            << " channels, " << report.plan.block.bases << " bases, " << report.blocks
            << " blocks, " << (report.plan.total_bytes >> 10) << " KiB of " << (budget >> 10)
            << " KiB planned" << std::endl;
  return 0;
}

std::int64_t peak_of(const char* program, const std::string& in, const std::string& out,
                     std::int64_t budget) {
  const std::int64_t peak =
      promises::peak_of_run({program, "run", in, out, std::to_string(budget)});
  std::cout << in << ", budget " << (budget >> 20) << " MiB: private peak " << (peak >> 10)
            << " KiB" << std::endl;
  return peak;
}

int compare(const char* program, const std::string& folder) {
  const std::string brief = folder + "/short.h5";
  const std::string longer = folder + "/long.h5";
  const std::string out = folder + "/out.h5";
  make_recording(brief, short_samples);
  make_recording(longer, short_samples * times_longer);
  int broken = 0;
  const auto promise = [&](bool kept, const std::string& text) {
    std::cout << (kept ? "kept:   " : "BROKEN: ") << text << std::endl;
    if (!kept) ++broken;
  };
  const std::vector<std::int64_t> budgets{sx::mebibytes(6), sx::mebibytes(20), sx::mebibytes(31)};
  std::vector<std::int64_t> peaks;
  for (const std::int64_t budget : budgets) peaks.push_back(peak_of(program, brief, out, budget));
  for (std::size_t i = 1; i < budgets.size(); ++i) {
    promise(peaks[i] - peaks[i - 1] <= budgets[i] - budgets[i - 1] + counted_later,
            "peak grows by " + std::to_string((peaks[i] - peaks[i - 1]) >> 10) +
                " KiB, the budget by " + std::to_string((budgets[i] - budgets[i - 1]) >> 10) +
                " KiB");
  }
  const std::int64_t peak = peak_of(program, longer, out, budgets.back());
  promise(std::abs(peak - peaks.back()) <= peak / 50 + counted_later,
          "peak within 2 % and 512 KiB at " + std::to_string(times_longer) + " times the length");
  return broken == 0 ? 0 : 1;
}

int run_words(const std::vector<std::string>& words) {
  return run(words[2], words[3], std::stoll(words[4]));
}

int compare_words(const std::vector<std::string>& words) {
  const made::Folder folder;
  return compare(words[0].c_str(), folder / "");
}

}  // namespace

int main(int argc, char** argv) {
  return promises::main_of(argc, argv, 5, run_words, compare_words);
}
