// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program that executes requests, so that a script can time the library and its peers in turn:
// one request a line on stdin, one answer a line on stdout, both JSON. Seconds are measured inside
// the call, without starting, reading and planning. perf/workers.py uses this protocol, and
// perf/peer_worker.py implements it for peers in Python.
//
//   {"do": "describe"}                                  -> versions, methods, threads
//   {"do": "roof", "roof": "stream", "seconds": 0.1}    -> {"rate"}
//   {"do": "taps", "bank": "cosines", "bases", "window", "file"} -> {"taps_in_support"}; writes
//   doubles
//   {"do": "prepare", "slot", "runner", "method", "samples", "channels", "bases", "window",
//    "scalar", "stored", "x" | "events", "taps", "staged", "calibrated"} -> {"detail",
//    "cut", "predicted_seconds"}
//   {"do": "prepare_products", "slot", "runner", "kind", "shapes": [[rows, inner, columns]...],
//    "count", "length", "scalar", "stored"}             -> {"detail"}
//   {"do": "prepare_conv", "slot", "runner", "operator", "batch", "channels", "results", "groups",
//    "space": [...], "taps": [...], "padding", "channels_last", "stored"} -> {"detail"}
//   {"do": "run", "slot", "times", "allocate"}          -> {"seconds": [...]}
//   {"do": "values", "slot", "points": [[t, c, b]...]}  -> {"values": [...]}, after a run; of
//   products [product, row, column], of convolutions by the dimensions of the result
//   {"do": "drop"}                                      -> {}; forgets all slots
//
// A request that cannot be executed gets {"absent": why} if a part is missing, otherwise {"error"}.

#include "cases.hpp"
#include "exec_array.hpp"
#include "large_pages.hpp"
#include "roofs/roofs.hpp"
#include "runners/conv_runner.hpp"
#include "runners/operator_runner.hpp"
#include "runners/products_runner.hpp"
#include "runners/runner.hpp"
#include "tile/select.hpp"

#include <synelix/session.hpp>
#include <synelix/version.hpp>

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace synelix::perf {
namespace {

using nlohmann::json;

LargeArray<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::streamoff bytes = file.tellg();
  LargeArray<std::byte> result(static_cast<std::size_t>(bytes));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(result.data()), bytes);
  if (!file) throw std::runtime_error("cannot read " + path);
  return result;
}

/// Events from a file of 64-bit integers: the number for each channel, then their samples.
std::shared_ptr<const Events> read_events(const std::string& path, std::int64_t samples,
                                          std::int64_t channels) {
  const LargeArray<std::byte> bytes = read_file(path);
  const auto* numbers = reinterpret_cast<const std::int64_t*>(bytes.data());
  const std::int64_t* next = numbers + channels;
  std::vector<Events::Train> trains(static_cast<std::size_t>(channels));
  for (std::size_t c = 0; c < trains.size(); ++c) {
    trains[c].samples.assign(next, next + numbers[c]);
    next += numbers[c];
  }
  return std::make_shared<const Events>(samples, trains);
}

/// Samples of a file, channel fastest, in the order of `places`.
LargeArray<std::byte> reordered(const LargeArray<std::byte>& file, const SamplePlaces& places,
                                std::int64_t width) {
  const std::int64_t count = places.count();
  if (count * width > static_cast<std::int64_t>(file.size())) {
    throw std::runtime_error("a file of samples is too short");
  }
  LargeArray<std::byte> result(static_cast<std::size_t>(count * width));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t to = places(i / places.channels, i % places.channels);
    std::copy_n(file.data() + i * width, width, result.data() + to * width);
  }
  return result;
}

#ifdef SYNELIX_HAVE_KERNELS
constexpr bool has_kernels = true;
#else
constexpr bool has_kernels = false;
#endif

/// Makes a runner by its name.
std::unique_ptr<Runner> make_runner(const std::string& name, Problem problem) {
  if (name == "fftw") return make_fftw(std::move(problem));
  if (name == "onednn") return make_onednn(std::move(problem));
  if (name == "vendor_fft") return make_vendor_fft(std::move(problem));
  if (name == "cudnn") return make_cudnn(std::move(problem));
  return make_synelix(std::move(problem));
}

class Worker {
 public:
  json answer(const json& request) {
    const std::string verb = request.at("do");
    if (verb == "describe") return describe();
    if (verb == "roof") return roof(request);
    if (verb == "taps") return write_taps(request);
    if (verb == "prepare") return prepare(request);
    if (verb == "prepare_products") return prepare_products(request);
    if (verb == "prepare_conv") return prepare_conv(request);
    if (verb == "run") return run(request);
    if (verb == "values") return values(request);
    if (verb == "drop") {
      m_slots.clear();
      m_operators.clear();
      m_inputs.clear();
      m_features.reset();
      return json::object();
    }
    throw std::runtime_error("nothing is called " + verb);
  }

 private:
  static json describe() {
    const BuildDescription build = build_description();
    return {{"name", "synelix"},
            {"version", build.version},
            {"compiler", build.compiler},
            {"build_type", build.build_type},
            {"kokkos", build.kokkos_version},
            {"space", Exec::name()},
            {"threads", Exec().concurrency()},
            {"on_device", on_device},
            {"has_kernels", has_kernels},
            {"configuration", configuration()},
            {"instruction_set", name_of(tile::select_set(InstructionSet::automatic))},
            {"methods", method_names()},
            {"peers",
             {{"fftw", fftw_version()},
              {"onednn", onednn_version()},
              {"vendor_fft", vendor_fft_version()},
              {"cudnn", cudnn_version()}}}};
  }

  static json roof(const json& request) {
    for (const auto& [roof, name] : all_roofs) {
      if (request.at("roof") == name) return {{"rate", measure_roof(roof, request.at("seconds"))}};
    }
    throw std::runtime_error("no such roof");
  }

  static json write_taps(const json& request) {
    const Bank bank = request.at("bank") == "random" ? Bank::random : Bank::cosines;
    const Taps taps = taps_of(bank, request.at("bases"), request.at("window"));
    std::ofstream file(request.at("file").get<std::string>(), std::ios::binary);
    file.write(reinterpret_cast<const char*>(taps.values.data()),
               static_cast<std::streamsize>(taps.values.size() * sizeof(double)));
    if (!file) throw std::runtime_error("cannot write the taps");
    return {{"taps_in_support", taps_in_support(taps)}};
  }

  /// The samples of a file, read once. For a device in its memory and order, separately for each
  /// length.
  Strided input(const std::string& path, const std::string& stored, std::int64_t samples,
                std::int64_t channels, bool is_staged) {
    const SamplePlaces places{samples, channels};
    Strided result = places.input(static_cast<const float*>(nullptr));
    for (const StoredType type : {StoredType::float32, StoredType::float64, StoredType::int8,
                                  StoredType::uint8, StoredType::int16, StoredType::uint16}) {
      if (name_of(type) == stored) result.type = type;
    }
    const std::int64_t width = size_of(result.type);
    const std::string key = on_device ? path + " " + std::to_string(samples) : path;
    if (!m_inputs.contains(key)) {
      LargeArray<std::byte> bytes = read_file(path);
      if (on_device) bytes = reordered(bytes, places, width);
      ExecArray<std::byte> made(std::move(bytes));
      m_inputs.emplace(key, std::move(made));
    }
    const ExecArray<std::byte>& bytes = m_inputs.at(key);
    if (samples * channels * width > static_cast<std::int64_t>(bytes.size())) {
      throw std::runtime_error(path + " is too short");
    }
    result.data = is_staged ? bytes.host() : bytes.data();
    return result;
  }

  json prepare(const json& request) {
    Problem problem;
    problem.samples = request.at("samples");
    problem.channels = request.at("channels");
    problem.bases = request.at("bases");
    problem.window = request.at("window");
    problem.is_double = request.at("scalar") == "float64";
    problem.method = request.value("method", "automatic");
    problem.is_calibrated = request.value("calibrated", false);
    const LargeArray<std::byte> bytes = read_file(request.at("taps"));
    const auto* taps = reinterpret_cast<const double*>(bytes.data());
    problem.taps = std::make_shared<const Taps>(evaluate_taps(
        CustomTaps{problem.window, problem.bases, {taps, taps + problem.window * problem.bases}}));
    if (request.contains("events")) {
      problem.events = read_events(request.at("events"), problem.samples, problem.channels);
    } else {
      problem.is_staged = request.value("staged", false);
      problem.x = input(request.at("x"), request.at("stored"), problem.samples, problem.channels,
                        problem.is_staged);
    }
    std::unique_ptr<Runner> made = make_runner(request.at("runner"), std::move(problem));
    const std::size_t needed = made->problem().feature_bytes();
    if (!m_features || m_features->size() < needed) {
      m_features.reset();
      m_features = std::make_unique<ExecArray<std::byte>>(needed);
    }
    Runner& kept = *(m_slots[request.at("slot")] = std::move(made));
    return {{"detail", kept.detail()},
            {"cut", kept.cut()},
            {"predicted_seconds", kept.predicted_seconds()}};
  }

  Runner& slot(const json& request) {
    const auto found = m_slots.find(request.at("slot").get<std::string>());
    if (found == m_slots.end()) throw std::runtime_error("no such slot");
    return *found->second;
  }

  json prepare_products(const json& request) {
    ProductsProblem problem;
    problem.kind = request.at("kind");
    for (const json& shape : request.at("shapes")) {
      problem.shapes.push_back({shape.at(0), shape.at(1), shape.at(2)});
    }
    problem.count = request.value("count", std::int64_t{1});
    problem.length = request.value("length", std::int64_t{0});
    problem.is_double = request.at("scalar") == "float64";
    problem.is_int8 = request.value("stored", "") == "int8";
    auto& kept = m_operators[request.at("slot")];
    kept.reset();
    kept = make_products(request.at("runner"), problem);
    return {{"detail", kept->detail()}};
  }

  json prepare_conv(const json& request) {
    ConvProblem problem;
    problem.op = request.at("operator");
    problem.batch = request.at("batch");
    problem.channels = request.at("channels");
    problem.results = request.at("results");
    problem.groups = request.at("groups");
    problem.space = request.at("space").get<std::vector<std::int64_t>>();
    problem.taps = request.at("taps").get<std::vector<std::int64_t>>();
    problem.padding = request.at("padding");
    problem.channels_last = request.at("channels_last");
    problem.is_int8 = request.at("stored") == "int8";
    auto& kept = m_operators[request.at("slot")];
    kept.reset();
    kept = make_conv(request.at("runner"), problem);
    return {{"detail", kept->detail()}};
  }

  static json run_operator(OperatorRunner& runner, int times) {
    json seconds = json::array();
    for (int i = 0; i < times; ++i) {
      const auto start = std::chrono::steady_clock::now();
      runner.run();
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return {{"seconds", seconds}};
  }

  static json values_of_operator(OperatorRunner& runner, const json& points) {
    runner.run();
    json found = json::array();
    for (const json& point : points) {
      found.push_back(runner.value(point.get<std::vector<std::int64_t>>()));
    }
    return {{"values", found}};
  }

  json run(const json& request) {
    const auto found = m_operators.find(request.at("slot"));
    if (found != m_operators.end()) return run_operator(*found->second, request.at("times"));
    Runner& runner = slot(request);
    const bool allocates = request.value("allocate", false);
    json seconds = json::array();
    for (int i = 0; i < request.at("times").get<int>(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      if (allocates) {
        runner.run_with_allocation();
      } else {
        runner.run(features_of(runner));
      }
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      runner.release();
    }
    return {{"seconds", seconds}};
  }

  [[nodiscard]] void* features_of(const Runner& runner) const {
    return runner.problem().is_staged ? m_features->host() : m_features->data();
  }

  json values(const json& request) {
    const auto found = m_operators.find(request.at("slot"));
    if (found != m_operators.end()) {
      return values_of_operator(*found->second, request.at("points"));
    }
    Runner& runner = slot(request);
    return runner.problem().is_double ? values_of<double>(runner, request.at("points"))
                                      : values_of<float>(runner, request.at("points"));
  }

  template <class Scalar>
  json values_of(Runner& runner, const json& points) {
    auto* features = reinterpret_cast<Scalar*>(m_features->host());
    const auto place = [&](const json& point) -> Scalar& {
      return features[runner.place(point.at(0), point.at(1), point.at(2))];
    };
    for (const json& point : points) place(point) = std::numeric_limits<Scalar>::quiet_NaN();
    if (!runner.problem().is_staged) m_features->to_exec();
    runner.run(features_of(runner));
    if (!runner.problem().is_staged) m_features->to_host();
    json found = json::array();
    for (const json& point : points) found.push_back(static_cast<double>(place(point)));
    return {{"values", found}};
  }

  std::map<std::string, std::unique_ptr<Runner>> m_slots;
  std::map<std::string, std::unique_ptr<OperatorRunner>> m_operators;
  std::map<std::string, ExecArray<std::byte>> m_inputs;
  std::unique_ptr<ExecArray<std::byte>> m_features;
};

/// Answers until stdin ends.
void serve() {
  Worker worker;
  std::string line;
  while (std::getline(std::cin, line)) {
    json answer;
    try {
      answer = worker.answer(json::parse(line));
    } catch (const Absent& absent) {
      answer = {{"absent", absent.what()}};
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    std::cout << answer.dump() << '\n' << std::flush;
  }
}

}  // namespace
}  // namespace synelix::perf

int main(int argc, char* argv[]) {
  try {
    const synelix::Session session(argc, argv);
    synelix::perf::serve();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "synelix_perf_worker: %s\n", error.what());
    return 1;
  }
}
