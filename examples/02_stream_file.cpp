// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a recording from disk and writes its features to disk, inside a budget that is smaller than
// either. The series is read, convolved and written block by block.
//
// Expected output (blocks depend on the budget only):
//     recording: 200000 samples x 16 channels
//     features: 200000 rows x 16 channels x 8 bases, 97.7 MiB through a budget of 16 MiB
//     first row with values: 100

#include "own_folder.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/synelix.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;

// Writes a recording with the library itself: a bank of one tap of 1, without shift, copies the
// samples.
void write_recording(const Exec& exec, const sx::FilePath& path) {
  std::vector<float> samples(200'000 * 16);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = std::sin(0.001F * static_cast<float>(i));
  }
  sx::MemorySource source(sx::StridedSeries(sx::Strided(samples.data(), {200'000, 16})));
  sx::Hdf5Sink sink(path, {.output = {.existing = sx::Existing::replace}});
  const sx::FilterBank<float, Exec> copy(
      exec, sx::CustomTaps{.window = 1, .bases = 1, .taps = {1.0}}, {});
  sx::stream_convolve(exec, source, copy, sink, {.shift = sx::Shift::off});
}

int run() {
  const Exec exec;
  const examples::OwnFolder folder("synelix_02_stream_file");
  const sx::FilePath recording{folder / "recording.h5", "/samples"};
  const sx::FilePath output{folder / "features.h5", "/features"};
  write_recording(exec, recording);

  // (samples, channels, 1) as it was written: the last dimension is read as a dimension of
  // channels.
  sx::Hdf5Source source(recording);
  std::printf("recording: %lld samples x %lld channels\n",
              static_cast<long long>(source.shape().samples),
              static_cast<long long>(source.shape().channels));

  const sx::FilterBank<float, Exec> bank(exec, sx::RaisedCosineLog{.bases = 8}, {.window = 100});
  sx::Hdf5Sink sink(output, {.output = {.existing = sx::Existing::replace}});
  const sx::StreamReport report =
      sx::stream_convolve(exec, source, bank, sink, {.budget = sx::mebibytes(16)});
  std::printf(
      "features: %lld rows x %lld channels x %lld bases, %.1f MiB through a budget of "
      "16 MiB\n",
      static_cast<long long>(report.plan.features.rows),
      static_cast<long long>(report.plan.features.channels),
      static_cast<long long>(report.plan.features.bases),
      static_cast<double>(report.bytes_written) / 1048576.0);

  // A file of features can be read like a recording: read its first rows.
  sx::Hdf5Source features(output);
  std::vector<float> rows(101 * 16 * 8);
  features.read({0, 101}, {0, 16 * 8}, rows.data());
  int first = 0;
  while (first < 101 && std::isnan(rows[static_cast<std::size_t>(first) * 16 * 8])) ++first;
  std::printf("first row with values: %d\n", first);
  return report.plan.total_bytes <= sx::mebibytes(16) && first == 100 ? 0 : 1;
}

int main(int argc, char* argv[]) try {
  const sx::Session session(argc, argv);
  return run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
