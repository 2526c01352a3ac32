// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "crash/scenarios.hpp"

#include "files/made_file.hpp"

#include <synelix/stream_features.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <numeric>
#include <random>

namespace crash {
namespace {

namespace sx = synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t samples = 400;

std::vector<float> made_series(std::int64_t channels) {
  std::mt19937_64 random(17);
  std::vector<float> values(static_cast<std::size_t>(samples * channels));
  for (float& value : values) value = static_cast<float>(random() % 1013);
  return values;
}

sx::Events made_events(std::int64_t channels) {
  std::mt19937_64 random(23);
  std::vector<sx::Events::Train> trains(static_cast<std::size_t>(channels));
  for (auto& train : trains) {
    for (std::int64_t t = 0; t < samples; ++t) {
      if (random() % 3 == 0) train.samples.push_back(t);
    }
  }
  return {samples, trains};
}

sx::StreamReport compute(const Scenario& scenario, sx::Sink& sink,
                         const sx::StreamOptions& stream) {
  const Space exec;
  const std::int64_t channels = scenario.chunk.channels;
  const std::vector<float> values = made_series(channels);
  sx::MemorySource source(sx::StridedSeries(sx::Strided(values.data(), {samples, channels})));
  const sx::Events events = made_events(channels);
  if (scenario.input == Input::design) {
    const auto design = sx::conv(sx::RaisedCosineLog{.bases = 3}, {.window = 9}) +
                        sx::eval(sx::BSpline{.bases = 5}, {.bounds = {{0.0, 1013.0}}});
    sx::FeaturesOptions options;
    options.batch = scenario.batch;
    return sx::stream_features<float>(exec, design, {events, source}, sink, options, stream);
  }
  const sx::FilterBank<float, Space> bank(exec,
                                          sx::evaluate_taps(sx::RaisedCosineLog{.bases = 4}, 9));
  sx::ConvolveOptions options;
  options.batch = scenario.batch;
  if (scenario.input == Input::events) {
    return sx::stream_convolve(exec, events, bank, sink, options, stream);
  }
  return sx::stream_convolve(exec, source, bank, sink, options, stream);
}

sx::SeriesDescription series_of(const Scenario& scenario) {
  return {.rate_hz = 100.0, .fingerprint = {{"input", "made"}, {"name", scenario.name}}};
}

herr_t add_dataset(hid_t file, const char* name, const H5O_info2_t* info, void* to) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t type = H5Dget_type(dataset);
  const hid_t space = H5Dget_space(dataset);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  std::string bytes(count * H5Tget_size(type), '\0');
  const herr_t status = H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  std::string shape;
  for (const hsize_t extent : extents) shape += std::to_string(extent) + " ";
  const std::string words = status < 0 ? "cannot be read" : shape + ": ";
  (*static_cast<std::map<std::string, std::string>*>(to))[name] = words + bytes;
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(dataset);
  return 0;
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  const sx::Filter filter = sx::parse_filter("shuffle,deflate:1");
  // Blocks of two channels write each chunk in two parts; of three, and other rows, in more.
  const sx::Batch halves{.samples = 72, .channels = 2};
  const sx::Batch parts{.samples = 100, .channels = 3};
  static const std::vector<Scenario> all = {
      {.name = "dense"},
      {.name = "dense-stopped", .stop_at = 4},
      {.name = "dense-parts", .chunk = {64, 4, 4}, .batch = halves},
      {.name = "events", .input = Input::events},
      {.name = "design", .input = Input::design},
      {.name = "filtered", .filter = filter},
      {.name = "filtered-stopped", .filter = filter, .stop_at = 4},
      {.name = "filtered-parts", .filter = filter, .chunk = {64, 4, 4}, .batch = parts},
      {.name = "filtered-design", .input = Input::design, .filter = filter},
      {.name = "appended", .existing = sx::Existing::append},
      {.name = "appended-filtered", .filter = filter, .existing = sx::Existing::append},
      {.name = "replaced", .existing = sx::Existing::replace},
      {.name = "shared", .parts = 2},
      {.name = "shared-blocks", .chunk = {64, 4, 4}, .batch = halves, .parts = 2},
      {.name = "shared-replaced", .existing = sx::Existing::replace, .parts = 2},
  };
  return all;
}

namespace {

/// All parts in turn; a run that finds everything finished is not counted.
Done run_parts(const Scenario& scenario, const std::string& folder, sx::Start start) {
  const std::int64_t of = scenario.parts + (start == sx::Start::resume ? 1 : 0);
  Done done{.is_at_end = true};
  for (std::int64_t number = 0; number < of; ++number) {
    sx::Hdf5SinkOptions options;
    options.output.existing = scenario.existing;
    options.part = sx::OutputPart{.number = number, .of = of};
    sx::Hdf5Sink sink(sx::FilePath{folder + "/out.h5", "/g/f"}, options);
    const sx::StreamReport report = compute(scenario, sink, {.series = series_of(scenario)});
    if (number == 0) done.was_finished = sink.was_finished();
    done.blocks_before += report.blocks_before;
    done.blocks += report.blocks;
  }
  return done;
}

}  // namespace

Done run(const Scenario& scenario, const std::string& folder, sx::Start start) {
  if (scenario.parts > 0) return run_parts(scenario, folder, start);
  sx::Hdf5SinkOptions options;
  options.output.filter = scenario.filter;
  options.output.existing = scenario.existing;
  options.chunk = scenario.chunk;
  options.start = start;
  sx::Hdf5Sink sink(sx::FilePath{folder + "/out.h5", "/g/f"}, options);
  std::atomic<bool> cancel{false};
  sx::StreamOptions stream{.series = series_of(scenario)};
  stream.cancel = &cancel;
  stream.progress = [&](const sx::StreamProgress& progress) {
    if (start == sx::Start::anew && scenario.stop_at > 0 &&
        progress.blocks_written >= scenario.stop_at) {
      cancel = true;
    }
  };
  try {
    const sx::StreamReport report = compute(scenario, sink, stream);
    return {.is_at_end = true,
            .was_finished = sink.was_finished(),
            .blocks_before = report.blocks_before,
            .blocks = report.blocks};
  } catch (const sx::Cancelled&) {
    return {};
  }
}

void make_standing_file(const std::string& file) {
  std::vector<double> values(2000);
  std::iota(values.begin(), values.end(), 0.0);
  const made::File made(file);
  made.dataset("old/values", {values.size()}, values);
}

std::map<std::string, std::string> datasets_of(const std::string& file) {
  std::map<std::string, std::string> found;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (opened < 0) return found;
  H5Ovisit3(opened, H5_INDEX_NAME, H5_ITER_INC, add_dataset, &found, H5O_INFO_BASIC);
  H5Fclose(opened);
  return found;
}

}  // namespace crash
