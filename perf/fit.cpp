// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One fit in a separate process, for perf/compare/fits.py: the question is one argument of JSON,
// the answer one line of JSON. perf/compare/fit_problems.py lists the files of a problem.
//
//   {"task": "fit", "design": "stored" | "events", "folder", "family", "strength", "solver", ...}
//   {"task": "path", "strengths": [...], "ratio"}       elastic net
//   {"task": "group_path", "strengths", "group"}        group lasso, "group" columns each
//   {"task": "grid", "strengths", "ratio"}              three contiguous folds, all targets
//   {"task": "strength_max"}                            -> {"strength_max"}
//   {"task": "pass", "rounds"}                          shares of the roofs, measured in turn
//
// Answers: seconds of the processor, of the wall, peak MiB of the process from before the fit on.

#include "roofs/roofs.hpp"

#include <synelix/basis.hpp>
#include <synelix/design_matrix.hpp>
#include <synelix/expression.hpp>
#include <synelix/glm.hpp>
#include <synelix/glm_path.hpp>
#include <synelix/series.hpp>
#include <synelix/session.hpp>
#ifdef SYNELIX_HAVE_HDF5
#include <synelix/hdf5.hpp>
#include <synelix/stream_design_matrix.hpp>
#endif

#include <nlohmann/json.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace synelix::perf {
namespace {

using nlohmann::json;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class T>
std::vector<T> read_file(const std::string& path, std::int64_t most = -1) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  auto count = static_cast<std::int64_t>(file.tellg()) / static_cast<std::int64_t>(sizeof(T));
  if (most >= 0) count = std::min(count, most);
  std::vector<T> values(static_cast<std::size_t>(count));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

void write_file(const std::string& path, const std::vector<double>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file) throw std::runtime_error("cannot write " + path);
}

/// The largest resident set since the last reset, in MiB.
double peak_mib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The arrays of a problem, and its design.
struct Problem {
  std::vector<float> features;
  std::vector<double> targets;
  std::unique_ptr<Events> events;
  std::unique_ptr<Events> target_events;
#ifdef SYNELIX_HAVE_HDF5
  std::unique_ptr<Hdf5Source> source;
#endif
  std::unique_ptr<DesignMatrix> design;
  std::unique_ptr<Observations> observations;
  std::int64_t columns = 0;
  std::int64_t target_count = 1;
};

Events::Train train_of(const std::vector<std::int64_t>& numbers, const std::vector<float>& counts,
                       std::int64_t unit) {
  const std::int64_t units = numbers[0];
  std::int64_t first = 0;
  for (std::int64_t u = 0; u < unit; ++u) first += numbers[static_cast<std::size_t>(2 + u)];
  const std::int64_t many = numbers[static_cast<std::size_t>(2 + unit)];
  Events::Train train;
  const auto at = numbers.begin() + 2 + units + first;
  train.samples.assign(at, at + many);
  train.counts.assign(counts.begin() + first, counts.begin() + first + many);
  return train;
}

void read_events(const json& question, const Host& exec, Problem& problem) {
  const std::string folder = question.at("folder");
  {
    const auto numbers = read_file<std::int64_t>(folder + "/events.i64");
    const auto counts = read_file<float>(folder + "/counts.f32");
    std::vector<Events::Train> trains;
    trains.reserve(static_cast<std::size_t>(numbers[0]));
    for (std::int64_t u = 0; u < numbers[0]; ++u) trains.push_back(train_of(numbers, counts, u));
    problem.target_count = question.value("targets", std::int64_t{1});
    const auto first = trains.begin() + question.value("first_target", 0);
    problem.target_events = std::make_unique<Events>(
        numbers[1], std::vector<Events::Train>(first, first + problem.target_count));
    problem.events = std::make_unique<Events>(numbers[1], trains);
  }
  const auto window = question.at("window").get<std::int64_t>();
  const auto bases = question.at("bases").get<std::int64_t>();
  problem.design = std::make_unique<DesignMatrix>(
      exec, conv(RaisedCosineLog{.bases = bases}, {.window = window}),
      std::initializer_list<AnySeries>{*problem.events});
  problem.observations = std::make_unique<Observations>(Observations{*problem.target_events});
}

void read_dense(const json& question, const Host& exec, Problem& problem) {
  const std::string folder = question.at("folder");
  const auto rows = question.at("rows").get<std::int64_t>();
  const auto all_rows = question.at("all_rows").get<std::int64_t>();
  const auto columns = question.at("columns").get<std::int64_t>();
  if (question.contains("targets")) {
    problem.target_count = question.at("targets");
    problem.targets = read_file<double>(folder + "/targets.f64", problem.target_count * all_rows);
  } else {
    problem.targets =
        read_file<double>(folder + "/" + question.at("family").get<std::string>() + ".f64", rows);
  }
  problem.observations = std::make_unique<Observations>(
      Observations{Strided(problem.targets.data(), {rows, problem.target_count}, {1, all_rows})});
  DesignMatrixOptions options;
  if (question.contains("budget_mib")) options.budget = mebibytes(question.at("budget_mib"));
  const Expression samples =
      conv(CustomTaps{.window = 1, .bases = 1, .taps = {1.0}}, {.shift = Shift::off});
  if (question.contains("file")) {
#ifdef SYNELIX_HAVE_HDF5
    options.keep = Keep::nothing;
    problem.source =
        std::make_unique<Hdf5Source>(FilePath{question.at("file").get<std::string>(), "/features"});
    problem.design = std::make_unique<DesignMatrix>(
        stream_design_matrix(exec, samples, {*problem.source}, options));
    return;
#else
    throw std::runtime_error("this build reads no files: SYNELIX_ENABLE_HDF5 is off");
#endif
  }
  problem.features = read_file<float>(folder + "/features.f32", rows * columns);
  if (question.at("design") == "series") {
    options.keep = Keep::nothing;
    problem.design = std::make_unique<DesignMatrix>(
        exec, samples,
        std::initializer_list<AnySeries>{Strided(problem.features.data(), {rows, columns})},
        options);
    return;
  }
  problem.design =
      std::make_unique<DesignMatrix>(exec, Strided(problem.features.data(), {rows, columns}));
}

FitOptions options_of(const json& question) {
  FitOptions options;
  const std::string family = question.at("family");
  options.loss.family = family == "gaussian"    ? Family::gaussian
                        : family == "bernoulli" ? Family::bernoulli
                                                : Family::poisson;
  const std::string solver = question.value("solver", "automatic");
  options.solver = solver == "newton"  ? Solver::newton
                   : solver == "lbfgs" ? Solver::lbfgs
                                       : Solver::automatic;
  const double strength = question.value("strength", 1.0);  // paths multiply it
  if (question.contains("group")) {
    const auto group = question.at("group").get<std::int64_t>();
    GroupLasso penalty;
    penalty.strength = strength;
    const auto columns = question.at("units").get<std::int64_t>() * group;
    for (std::int64_t j = 0; j < columns; ++j) penalty.groups.push_back(j / group);
    options.penalty = penalty;
  } else if (question.contains("ratio")) {
    options.penalty = ElasticNet{strength, question.at("ratio").get<double>()};
  } else {
    options.penalty = Ridge{strength};
  }
  return options;
}

/// Coefficients and intercept of each answer, consecutive.
std::vector<double> answers_of(const FitResult& fit) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < fit.targets; ++i) {
    for (std::int64_t j = 0; j < fit.columns; ++j) {
      out.push_back(fit.coefficients[static_cast<std::size_t>(j * fit.targets + i)]);
    }
    out.push_back(fit.intercepts[static_cast<std::size_t>(i)]);
  }
  return out;
}

json run_fit(const Problem& problem, const json& question) {
  const FitResult result = fit(*problem.design, *problem.observations, options_of(question));
  if (question.contains("out")) write_file(question.at("out"), answers_of(result));
  std::int64_t evaluations = 0;
  for (const std::int64_t one : result.evaluations) evaluations += one;
  std::int64_t hessians = 0;
  for (const std::int64_t one : result.hessians) hessians += one;
  const auto converged = std::count(result.stop.begin(), result.stop.end(), Stop::converged);
  return {{"evaluations", evaluations},
          {"hessians", hessians},
          {"converged", converged},
          {"predicted", result.choice.seconds},
          {"optimality", *std::max_element(result.optimality.begin(), result.optimality.end())},
          {"solver", name_of(result.choice.solver)}};
}

PathOptions path_of(const json& question) {
  return {.strengths = question.at("strengths").get<std::vector<double>>()};
}

json run_path(const Problem& problem, const json& question) {
  const PathResult path =
      fit_path(*problem.design, *problem.observations, options_of(question), path_of(question));
  std::vector<double> out;
  for (std::int64_t i = 0; i < path.count; ++i) {
    const std::vector<double> one = answers_of(path.model(i));
    out.insert(out.end(), one.begin(), one.end());
  }
  if (question.contains("out")) write_file(question.at("out"), out);
  return {{"walks", path.walks},
          {"optimality", *std::max_element(path.optimality.begin(), path.optimality.end())}};
}

json run_strength_max(const Problem& problem, const json& question) {
  json unit = question;
  unit["strength"] = 1.0;
  const PathResult path = fit_path(*problem.design, *problem.observations, options_of(unit),
                                   {.count = 2, .ratio = 0.99});
  return {{"strength_max", path.strength_max.front()}};
}

/// Three folds of consecutive rows: for each strength the held-out log-likelihood of each target.
json run_grid(const Problem& problem, const json& question) {
  const CrossValidationResult found =
      cross_validate(*problem.design, *problem.observations, options_of(question),
                     {.folds = 3, .path = path_of(question), .score = ScoreKind::log_likelihood});
  const std::int64_t targets = found.path.targets;
  json scores = json::array();
  for (std::int64_t i = 0; i < found.path.count; ++i) {
    const auto begin = found.mean.begin() + i * targets;
    scores.push_back(std::vector<double>(begin, begin + targets));
  }
  return {{"scores", scores}};
}

/// Medians of the shares of a pass and its roof, measured in turn.
json run_pass(const Problem& problem, const json& question) {
  const std::int64_t columns = problem.design->columns();
  const std::int64_t rows = problem.design->rows();
  RightHandSide side;
  side.parameters.assign(static_cast<std::size_t>(columns + 1), 0.0);
  side.parameters.back() = -2.0;
  const Loss loss{.family = Family::poisson};
  const auto seconds_of = [&](bool hessian) {
    side.wants_hessian = hessian;
    const double start = wall_seconds();
    static_cast<void>(
        problem.design->evaluate(loss, *problem.observations, std::span(&side, 1), false));
    return wall_seconds() - start;
  };
  static_cast<void>(seconds_of(true));
  std::vector<double> gradient, hessian, gradient_seconds, hessian_seconds;
  const double bytes = 4.0 * static_cast<double>(rows * columns);
  const double flops = static_cast<double>(rows) * static_cast<double>(columns + 1) *
                       static_cast<double>(columns + 2);
  for (int round = 0; round < question.value("rounds", 15); ++round) {
    gradient_seconds.push_back(seconds_of(false));
    const double read = measure_roof(Roof::read, gradient_seconds.back());
    gradient.push_back(bytes / gradient_seconds.back() / read);
    hessian_seconds.push_back(seconds_of(true) - gradient_seconds.back());
    const double peak = measure_roof(Roof::multiply_adds_float, hessian_seconds.back());
    hessian.push_back(flops / hessian_seconds.back() / peak);
  }
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  return {{"gradient_share", median(gradient)},
          {"hessian_share", median(hessian)},
          {"gradient_seconds", median(gradient_seconds)},
          {"hessian_seconds", median(hessian_seconds)}};
}

json answer(const json& question) {
  const Session session;
  const Host exec;
  Problem problem;
  if (question.at("design") == "events") {
    read_events(question, exec, problem);
  } else {
    read_dense(question, exec, problem);
  }
  const double events_mib = peak_mib();
  reset_peak();
  const std::string task = question.at("task");
  const double wall = wall_seconds();
  const double processor = processor_seconds();
  json found;
  if (task == "fit") {
    found = run_fit(problem, question);
  } else if (task == "path" || task == "group_path") {
    found = run_path(problem, question);
  } else if (task == "grid") {
    found = run_grid(problem, question);
  } else if (task == "strength_max") {
    found = run_strength_max(problem, question);
  } else if (task == "pass") {
    found = run_pass(problem, question);
  } else {
    throw std::runtime_error("no task is called " + task);
  }
  found["seconds"] = processor_seconds() - processor;
  found["wall"] = wall_seconds() - wall;
  found["peak_mib"] = peak_mib();
  found["events_mib"] = events_mib;
  return found;
}

}  // namespace
}  // namespace synelix::perf

int main(int count, char** words) {
  try {
    if (count != 2) throw std::runtime_error("give one argument: the question as JSON");
    std::puts(synelix::perf::answer(nlohmann::json::parse(words[1])).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
