// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Promise: for any shape of the chunks, filters, channels, epochs and units, a stream's peak of
// private memory, as counted by the operating system, is at most the budget and a constant. Each
// run is a separate process, started by this program: `peak_grid CASE FOLDER BUDGET`. CI runs a
// part of the grid. `peak_grid all` runs the entire grid, by hand, in a few minutes.

#include "files/made_file.hpp"
#include "promises/private_memory.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/nwb.hpp>
#include <synelix/session.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

namespace sx = synelix;

/// In addition to the budget: the memory of the program, its libraries and their threads.
constexpr std::int64_t constant = sx::mebibytes(8);

/// A dataset of a recording, and how its features are written.
struct Case {
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::vector<hsize_t> chunk;  ///< empty: contiguous
  unsigned level = 0;          ///< of deflate; 0: no filter
  sx::Hdf5SinkOptions writing;
  std::int64_t every = 1;
};

sx::Hdf5SinkOptions written(std::optional<sx::BlockShape> chunk, sx::Compression compression) {
  sx::Hdf5SinkOptions options{.output = {.existing = sx::Existing::replace}};
  options.output.filter.compression = compression;
  options.output.filter.level = 1;
  options.chunk = chunk;
  return options;
}

std::map<std::string, Case> cases(bool is_all) {
  using enum sx::Compression;
  std::map<std::string, Case> made;
  const auto add = [&](const std::string& name, Case one) { made.emplace(name, std::move(one)); };
  add("contiguous", {400'000, 16, {}, 0, written({}, none), 2});
  add("dust_across", {50'000, 4, {4, 1}, 0, written({}, none), 8});
  add("dust_along", {50'000, 16, {1, 16}, 0, written({}, none), 64});
  add("packed", {400'000, 64, {4096, 64}, 1, written({}, none), 64});
  add("packed_wide", {60'000, 256, {8192, 32}, 1, written({}, shuffle_deflate), 64});
  add("packed_dust", {100'000, 8, {64, 1}, 1, written({}, none), 32});
  add("dust_out", {100'000, 8, {}, 0, written(sx::BlockShape{16, 1, 1}, none), 8});
  add("packed_dust_out", {25'000, 8, {}, 0, written(sx::BlockShape{16, 1, 1}, deflate), 16});
  if (!is_all) return made;
  for (const std::int64_t channels : {1, 3, 64, 500}) {
    for (const hsize_t rows : {hsize_t{1}, hsize_t{64}, hsize_t{5000}, hsize_t{100'000}}) {
      for (const hsize_t across : {hsize_t{1}, hsize_t{16}, hsize_t{500}}) {
        for (const unsigned level : {0U, 1U}) {
          if (across > static_cast<hsize_t>(channels) && across > 1) continue;
          const std::string name = std::to_string(channels) + "_channels_" + std::to_string(rows) +
                                   "x" + std::to_string(across) + "_level_" + std::to_string(level);
          const auto chunk_values = static_cast<std::int64_t>(rows * across);
          const std::int64_t values = std::min<std::int64_t>(6'000'000, 50'000 * chunk_values);
          const std::int64_t samples = values / channels;
          const auto out =
              level == 0 ? written({}, deflate) : written(sx::BlockShape{256, 2, 2}, deflate);
          add(name, {samples, channels, {rows, across}, level, out, 32});
        }
      }
    }
  }
  return made;
}

/// Writes consecutive rows of chunks: for all at once, HDF5 takes 5 KB for each chunk.
void write_in_parts(const made::File& file, const Case& one) {
  const auto channels = static_cast<hsize_t>(one.channels);
  const auto samples = static_cast<hsize_t>(one.samples);
  const hsize_t extents[] = {samples, channels};
  const hid_t list =
      one.chunk.empty() ? H5Pcreate(H5P_DATASET_CREATE) : made::chunked(one.chunk, one.level);
  const hid_t in_file = H5Screate_simple(2, extents, nullptr);
  const hid_t dataset =
      H5Dcreate2(file.id(), "/x", H5T_NATIVE_INT16, in_file, H5P_DEFAULT, list, H5P_DEFAULT);
  const hsize_t rows = std::max<hsize_t>(one.chunk.empty() ? 0 : one.chunk[0], 200);
  std::vector<std::int16_t> values(rows * channels);
  for (hsize_t begin = 0; begin < samples; begin += rows) {
    const hsize_t count[] = {std::min(rows, samples - begin), channels};
    const hsize_t start[] = {begin, 0};
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::int16_t>((begin + i) * 7 % 99);
    }
    const hid_t in_memory = H5Screate_simple(2, count, nullptr);
    H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, nullptr, count, nullptr);
    H5Dwrite(dataset, H5T_NATIVE_INT16, in_memory, in_file, H5P_DEFAULT, values.data());
    H5Sclose(in_memory);
  }
  H5Dclose(dataset);
  H5Sclose(in_file);
  H5Pclose(list);
}

void run(const Case& one, const std::string& folder, std::int64_t budget) {
  const sx::FilterBank<float> bank(sx::RaisedCosineLog{.bases = 8}, {.window = 100});
  sx::Hdf5Source source({folder + "/in.h5", "/x"});
  sx::Hdf5Sink sink({folder + "/out.h5", "/f"}, one.writing);
  sx::ConvolveOptions options;
  options.budget = budget;
  options.every = one.every;
  sx::stream_convolve(Kokkos::DefaultExecutionSpace(), source, bank, sink, options);
}

/// The least budget that an error names.
std::int64_t least_in(const std::string& text) {
  return std::stoll(text.substr(text.find("at least ") + 9));
}

constexpr std::int64_t epoch_step = 5;
constexpr std::int64_t units = 20;

/// A number of epochs with gaps between them, within the least budget of an error.
std::int64_t run_epochs(const std::string& folder, std::int64_t epochs) {
  sx::Hdf5SourceOptions reading;
  for (std::int64_t k = 0; k < epochs; ++k) {
    reading.epochs.push_back({k * epoch_step, (k + 1) * epoch_step - 1});
  }
  const sx::FilterBank<float> bank(sx::RaisedCosineLinear{.bases = 2}, {.window = 3});
  sx::Hdf5Source source({folder + "/in.h5", "/x"}, reading);
  sx::Hdf5Sink sink({folder + "/out.h5", "/f"}, written({}, sx::Compression::none));
  sx::ConvolveOptions options;
  options.method = sx::Method::direct;
  options.budget = 1;
  const Kokkos::DefaultExecutionSpace exec;
  try {
    (void)sx::plan_stream(exec, source, bank, sink, options);
  } catch (const sx::Error& error) {
    options.budget = least_in(error.what());
  }
  sx::stream_convolve(exec, source, bank, sink, options);
  return *options.budget;
}

/// Spike trains inside the least budget that is named for them, which holds them once.
std::int64_t run_units(const std::string& folder) {
  sx::UnitsOptions reading{.bin_seconds = 0.01, .budget = sx::mebibytes(16)};
  try {
    (void)sx::read_units(folder + "/in.h5", reading);
  } catch (const sx::Error& error) {
    reading.budget = least_in(error.what());
  }
  const sx::Units read = sx::read_units(folder + "/in.h5", reading);
  // Besides these, memory for the times of one of 20 units, or of a part of it.
  const std::int64_t once = read.events.bytes() + read.events.bytes() / 16 + sx::mebibytes(1);
  if (*reading.budget > once) {
    throw std::runtime_error("the least budget is " + std::to_string(*reading.budget) + ", for " +
                             std::to_string(read.events.bytes()) + " bytes of spike trains");
  }
  return *reading.budget;
}

/// \param is_sorted  whether the spikes of a unit are sorted
void make_units(const std::string& file, std::int64_t spikes, bool is_sorted) {
  const made::File made(file);
  std::vector<double> times;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> ends;
  for (std::int64_t unit = 0; unit < units; ++unit) {
    for (std::int64_t i = 0; i < spikes; ++i) {
      times.push_back(static_cast<double>(is_sorted ? i : spikes - i) * 0.013);
    }
    ids.push_back(unit);
    ends.push_back(static_cast<std::int64_t>(times.size()));
  }
  made.dataset("/units/id", {units}, ids);
  made.dataset("/units/spike_times", {times.size()}, times);
  made.dataset("/units/spike_times_index", {units}, ends);
}

const std::string budget_is = "budget ";

/// Tables of epochs, and spike trains, in runs that find their own budget.
int measure_tables(const char* program, const std::string& folder, bool is_all) {
  int broken = 0;
  for (const std::string word : {"epochs", "units", "shuffled"}) {
    const bool has_epochs = word == "epochs";
    const std::int64_t count = is_all ? 1'000'000 : has_epochs ? 300'000 : 150'000;
    if (has_epochs) {
      write_in_parts(made::File(folder + "/in.h5"), {count * epoch_step, 1, {}, 0, {}, 1});
    } else {
      make_units(folder + "/in.h5", count, word == "units");
    }
    const auto run = promises::run_of({program, word, folder, std::to_string(count)});
    const std::int64_t budget =
        std::stoll(run.text.substr(run.text.rfind(budget_is) + budget_is.size()));
    // The caller's own list of epochs, as it grew.
    const std::int64_t arguments = has_epochs ? 2 * count * 16 : 0;
    const bool is_kept = run.peak <= budget + arguments + constant;
    std::cout << (is_kept ? "kept:   " : "BROKEN: ") << count << " " << word << ": private peak "
              << (run.peak >> 10) << " KiB, budget " << (budget >> 10) << " KiB" << std::endl;
    if (!is_kept) ++broken;
  }
  return broken;
}

int measure(const char* program, const std::string& folder, bool is_all) {
  int broken = measure_tables(program, folder, is_all);
  for (const auto& [name, one] : cases(is_all)) {
    write_in_parts(made::File(folder + "/in.h5"), one);
    for (const std::int64_t budget : {sx::mebibytes(8), sx::mebibytes(24)}) {
      const std::int64_t peak =
          promises::peak_of_run({program, name, folder, std::to_string(budget)});
      const bool is_kept = peak <= budget + constant;
      std::cout << (is_kept ? "kept:   " : "BROKEN: ") << name << ": private peak " << (peak >> 10)
                << " KiB, budget " << (budget >> 10) << " KiB" << std::endl;
      if (!is_kept) ++broken;
    }
  }
  return broken == 0 ? 0 : 1;
}

int run_words(const std::vector<std::string>& words) {
  const sx::Session session;
  const std::int64_t number = std::stoll(words[3]);
  if (words[1] == "epochs") {
    std::cout << budget_is << run_epochs(words[2], number) << ", ";
  } else if (words[1] == "units" || words[1] == "shuffled") {
    std::cout << budget_is << run_units(words[2]) << ", ";
  } else {
    run(cases(true).at(words[1]), words[2], number);
  }
  return 0;
}

int measure_words(const std::vector<std::string>& words) {
  const made::Folder folder;
  return measure(words[0].c_str(), folder / "", words.size() == 2 && words[1] == "all");
}

}  // namespace

int main(int argc, char** argv) {
  return promises::main_of(argc, argv, 4, run_words, measure_words);
}
