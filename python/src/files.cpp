// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "models.hpp"
#include "options.hpp"
#include "python_code.hpp"
#include "python_streams.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/stream_features.hpp>

#include <memory>
#include <optional>

namespace synelix::python {
namespace {

using namespace nb::literals;

/// Calls Python's progress function after each block. Ctrl-C ends the stream there, and so does an
/// exception of the progress function.
StreamOptions stream_options(const nb::object& progress,
                             const std::optional<std::pair<std::int64_t, std::int64_t>>& samples) {
  StreamOptions options;
  if (samples) options.samples = Range{samples->first, samples->second};
  options.cancel = ending();
  options.progress = [&progress](const StreamProgress& done) {
    check_signals();
    if (progress.is_none()) return;
    run_python(
        [&] { progress(done.values_written, done.values, done.bytes_written, done.seconds); });
  };
  return options;
}

nb::dict described(const StreamPlan& plan) {
  nb::dict result;
  result["features"] =
      nb::make_tuple(plan.features.rows, plan.features.channels, plan.features.bases);
  result["block"] = nb::make_tuple(plan.block.rows, plan.block.channels, plan.block.bases);
  result["blocks"] = plan.blocks;
  result["total_bytes"] = plan.total_bytes;
  result["budget"] = plan.budget;
  result["input_bytes"] = plan.input_bytes;
  result["output_bytes"] = plan.output_bytes;
  result["workspace_bytes"] = plan.workspace_bytes;
  result["method"] = name_of(plan.choice.method);
  return result;
}

nb::dict described(const StreamReport& report) {
  nb::dict result = described(report.plan);
  result["blocks_written"] = report.blocks;
  result["blocks_before"] = report.blocks_before;
  result["bytes_read"] = report.bytes_read;
  result["bytes_written"] = report.bytes_written;
  result["seconds"] = report.seconds;
  result["seconds_read"] = report.seconds_read;
  result["seconds_compute"] = report.seconds_compute;
  result["seconds_write"] = report.seconds_write;
  return result;
}

template <class Body>
nb::dict streamed(bool is_double, int threads, const Body& body) {
  StreamReport report;
  for_type(is_double, [&]<class Scalar>(Scalar*) {
    compute(threads, [&](const Exec& exec) { report = body.template operator()<Scalar>(exec); });
  });
  return described(report);
}

std::unique_ptr<Source> open_source(const std::string& path, const std::optional<Ranges>& epochs,
                                    std::optional<std::int64_t> time_axis) {
  Hdf5SourceOptions options;
  options.time_axis = time_axis;
  options.epochs = epochs_of(epochs);
  std::unique_ptr<Source> source;
  // A fork during the call would leave HDF5 locked.
  run_in_flight([&] { source = std::make_unique<Hdf5Source>(parse_file_path(path), options); });
  return source;
}

std::unique_ptr<Source> make_source(nb::callable read, std::int64_t samples,
                                    const std::vector<std::int64_t>& extents, const Array& like,
                                    const std::optional<Ranges>& epochs,
                                    std::optional<double> rate_hz) {
  SeriesShape shape;
  shape.samples = samples;
  shape.channels = 1;
  shape.type = strided(like).type;
  for (const std::int64_t extent : extents) shape.channels *= extent;
  shape.epochs = epochs_of(epochs);
  if (shape.epochs.empty()) shape.epochs = {{0, samples}};
  SeriesDescription description;
  description.rate_hz = rate_hz;
  return std::make_unique<PythonSource>(std::move(read), std::move(shape), extents,
                                        std::move(description));
}

std::unique_ptr<Sink> open_sink(const std::string& path, const std::string& existing,
                                const std::string& filter, bool resume,
                                const std::string& history) {
  Hdf5SinkOptions options;
  options.output.existing = word<Existing>(
      "existing", nb::str(existing.c_str()),
      {{"refuse", Existing::refuse}, {"replace", Existing::replace}, {"append", Existing::append}});
  options.output.filter = parse_filter(filter);
  options.output.history = history;
  options.start = resume ? Start::resume : Start::anew;
  std::unique_ptr<Sink> sink;
  run_in_flight([&] { sink = std::make_unique<Hdf5Sink>(parse_file_path(path), options); });
  return sink;
}

nb::dict convolve_stream(const nb::object& source, Bank& bank, Sink& sink, bool is_double,
                         const nb::dict& keywords, const nb::object& progress,
                         const std::optional<std::pair<std::int64_t, std::int64_t>>& samples,
                         int threads) {
  const ConvolveOptions options = convolve_options(keywords);
  const StreamOptions stream = stream_options(progress, samples);
  const Events* events =
      nb::isinstance<Trains>(source) ? &nb::inst_ptr<Trains>(source)->get() : nullptr;
  Source* from = events == nullptr ? nb::cast<Source*>(source) : nullptr;
  return streamed(is_double, threads, [&]<class Scalar>(const Exec& exec) {
    const FilterBank<Scalar, Exec> filters = bank.in<Scalar>(exec);
    return events != nullptr ? stream_convolve(exec, *events, filters, sink, options, stream)
                             : stream_convolve(exec, *from, filters, sink, options, stream);
  });
}

nb::dict explain_stream(const Source& source, Bank& bank, const Sink& sink, bool is_double,
                        const nb::dict& keywords, int threads) {
  const ConvolveOptions options = convolve_options(keywords);
  StreamPlan plan;
  for_type(is_double, [&]<class Scalar>(Scalar*) {
    compute(threads, [&](const Exec& exec) {
      plan = plan_stream(exec, source, bank.in<Scalar>(exec), sink, options);
    });
  });
  return described(plan);
}

// `design` describes the computation as text, so that only an equal run is resumed; it is empty if
// an input has no fingerprint.
nb::dict features_stream(const Expression& expression, const nb::list& inputs, Sink& sink,
                         bool is_double, const nb::dict& keywords, const nb::object& progress,
                         const std::string& design, int threads) {
  std::vector<StreamInput> given;
  for (const nb::handle& input : inputs) given.push_back(stream_input(input));
  const FeaturesOptions options = features_options(keywords);
  StreamOptions stream = stream_options(progress, {});
  if (!design.empty()) stream.series.fingerprint = fingerprint_of_text("design", design);
  return streamed(is_double, threads, [&]<class Scalar>(const Exec& exec) {
    return stream_features<Scalar>(exec, expression, std::span<const StreamInput>(given), sink,
                                   options, stream);
  });
}

}  // namespace

void bind_files(nb::module_& module) {
  nb::class_<Source>(module, "Source", "A recording that is read block by block.")
      .def_prop_ro("shape",
                   [](const Source& source) {
                     std::vector<std::int64_t> shape{source.shape().samples};
                     for (const auto extent : source.channel_extents()) shape.push_back(extent);
                     return tuple_of(shape);
                   })
      .def_prop_ro("dtype",
                   [](const Source& source) { return std::string(name_of(source.shape().type)); })
      .def_prop_ro("rate_hz", [](const Source& source) { return source.description().rate_hz; })
      .def_prop_ro("start_seconds", [](const Source& source) {
        const SeriesDescription series = source.description();
        return series.rate_hz ? series.seconds_of(0) : 0.0;
      });
  nb::class_<Sink>(module, "Sink", "Where features are written block by block.");
  module.def("append_plugin_folder", &append_plugin_folder, "folder"_a);
  module.def("open_source", &open_source, "path"_a, "epochs"_a.none(), "time_axis"_a.none());
  module.def("make_source", &make_source, "read"_a, "samples"_a, "extents"_a, "like"_a,
             "epochs"_a.none(), "rate_hz"_a.none());
  module.def("open_sink", &open_sink, "path"_a, "existing"_a, "filter"_a, "resume"_a, "history"_a);
  module.def(
      "make_sink",
      [](nb::callable create, nb::callable write) -> std::unique_ptr<Sink> {
        return std::make_unique<PythonSink>(std::move(create), std::move(write));
      },
      "create"_a, "write"_a);
  module.def("stream_convolve", &convolve_stream, "source"_a, "bank"_a, "sink"_a, "is_double"_a,
             "options"_a, "progress"_a.none(), "samples"_a.none(), "threads"_a);
  module.def("plan_stream", &explain_stream, "source"_a, "bank"_a, "sink"_a, "is_double"_a,
             "options"_a, "threads"_a);
  module.def("stream_features", &features_stream, "expression"_a, "inputs"_a, "sink"_a,
             "is_double"_a, "options"_a, "progress"_a.none(), "design"_a, "threads"_a);
}

}  // namespace synelix::python
