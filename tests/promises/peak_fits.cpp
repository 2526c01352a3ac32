// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Promise: a fit's peak of private memory is at most the budget, the caller's arguments and a
// constant, as the operating system counts it. Designs are streamed from a file that is larger than
// the budget, or are lists of events. Each run is a separate process, started by this program:
// `peak_fits CASE FOLDER BUDGET`.

#include "files/made_file.hpp"
#include "promises/private_memory.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/session.hpp>
#include <synelix/stream_design_matrix.hpp>
#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

namespace sx = synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

/// In addition to the budget: the memory of the program, its libraries and their threads.
constexpr std::int64_t constant = sx::mebibytes(8);
constexpr std::int64_t rows = 24'000;
constexpr std::int64_t channels = 12;
constexpr std::int64_t bases = 30;  // 360 columns: 33 MiB of features, and 1 MiB for a Hessian
constexpr std::int64_t targets = 6;
/// Three segments, whose sums are in memory at the same time: 5 MiB for a Hessian of 800 columns.
constexpr std::int64_t long_rows = 1'200'000;

void make_recording(const std::string& file) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> samples(static_cast<std::size_t>(rows * channels));
  for (float& sample : samples) sample = normal(random);
  sx::SeriesShape shape;
  shape.samples = rows;
  shape.channels = channels;
  shape.type = sx::StoredType::float32;
  sx::Hdf5SeriesWriter writer({file, "/x"}, shape, 1000.0);
  writer.write({0, rows}, samples.data());
  writer.finish();
}

/// Lists of events, and for how many targets.
struct Trains {
  std::int64_t rows = 0;
  int channels = 0;
  std::int64_t gap = 0;  ///< mean rows from one event of a channel to the next
  std::int64_t targets = 0;
};
constexpr Trains short_trains{rows, 40, 100, targets};
constexpr Trains long_trains{long_rows, 100, 3000, 1};

/// Counts of each target: the argument of a fit.
std::vector<std::uint8_t> counts(std::int64_t count) {
  std::mt19937 random(5);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(count));
  for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(random() % 3);
  return values;
}

sx::FitOptions options_of(const std::string& name) {
  sx::FitOptions options{.penalty = sx::Ridge{1e-2}, .most_evaluations = 6};
  if (name == "lbfgs") {
    options.solver = sx::Solver::lbfgs;
  } else if (name == "lasso" || name == "path" || name == "folds") {
    options.penalty = sx::Lasso{0.02};
  } else {
    options.solver = sx::Solver::newton;
  }
  return options;
}

void fit(const std::string& name, const sx::DesignMatrix& design,
         const std::vector<std::uint8_t>& values) {
  const std::int64_t target_count = std::ssize(values) / design.rows();
  const sx::Observations observations{
      .targets = sx::Strided(values.data(), {design.rows(), target_count})};
  sx::FitOptions options = options_of(name);
  if (name == "path") {
    static_cast<void>(sx::fit_path(design, observations, options, {.count = 3, .ratio = 0.5}));
  } else if (name == "gaussian_folds") {
    options.loss.family = sx::Family::gaussian;
    options.solver = sx::Solver::automatic;
    static_cast<void>(
        sx::cross_validate(design, observations, options, {.folds = 2, .path = {.count = 2}}));
  } else {
    static_cast<void>(sx::fit(design, observations, options));
  }
}

void run_file(const std::string& name, const std::string& folder, std::int64_t budget,
              const std::vector<std::uint8_t>& values) {
  sx::Hdf5Source source({folder + "/in.h5", "/x"});
  const std::vector<sx::StreamInput> inputs{source};
  const sx::DesignMatrix design = sx::stream_design_matrix(
      Space(), sx::conv(sx::RaisedCosineLinear{.bases = bases}, {.window = 60}), inputs,
      {.budget = budget});
  fit(name, design, values);
}

void run_events(const std::string& name, std::int64_t budget, const Trains& of,
                const std::vector<std::uint8_t>& values) {
  std::vector<sx::Events::Train> trains(static_cast<std::size_t>(of.channels));
  std::mt19937 random(9);
  for (auto& train : trains) {
    for (std::int64_t t = 0; t < of.rows; ++t) {
      if (random() % static_cast<std::uint32_t>(of.gap) == 0) train.samples.push_back(t);
    }
  }
  const sx::Events events(of.rows, trains);
  const sx::DesignMatrix design(Space(), sx::conv(sx::RaisedCosineLog{.bases = 8}, {.window = 50}),
                                {events}, {.budget = budget});
  fit(name, design, values);
}

/// The least budget that an error names.
std::int64_t least_in(const std::string& text) {
  return std::stoll(text.substr(text.find("at least ") + 9));
}

const std::string budget_is = "budget ";

/// A case: the source of rows, then the fitted problem.
int run_words(const std::vector<std::string>& words) {
  const sx::Session session;
  const std::string& name = words[1];
  std::int64_t budget = std::stoll(words[3]);
  const Trains& trains = name.starts_with("long_") ? long_trains : short_trains;
  const std::vector<std::uint8_t> values = counts(trains.rows * trains.targets);
  const auto run = [&] {
    if (name.starts_with("events_")) {
      run_events(name.substr(7), budget, trains, values);
    } else if (name.starts_with("long_")) {
      run_events(name.substr(5), budget, trains, values);
    } else {
      run_file(name, words[2], budget, values);
    }
  };
  // The budget in an error has to suffice: first that of the design, then that of the fit.
  for (int refusals = 0;; ++refusals) {
    try {
      run();
      break;
    } catch (const sx::Error& error) {
      std::cout << "  " << error.what() << std::endl;
      if (refusals == 2) throw;
      budget = least_in(error.what());
    }
  }
  std::cout << budget_is << budget << ", ";
  return 0;
}

int measure_words(const std::vector<std::string>& words) {
  const made::Folder folder;
  make_recording(folder / "in.h5");
  int broken = 0;
  for (const std::string name : {"newton", "lbfgs", "lasso", "path", "gaussian_folds",
                                 "events_newton", "events_lbfgs", "long_newton", "long_lbfgs"}) {
    for (const std::int64_t budget : {sx::mebibytes(1), sx::mebibytes(30)}) {
      const auto run = promises::run_of({words[0], name, folder / "", std::to_string(budget)});
      const std::int64_t taken =
          std::stoll(run.text.substr(run.text.rfind(budget_is) + budget_is.size()));
      const std::int64_t arguments = name.starts_with("long_") ? long_rows : rows * targets;
      const bool is_kept = run.peak <= taken + arguments + constant;
      std::cout << (is_kept ? "kept:   " : "BROKEN: ") << name << ": private peak "
                << (run.peak >> 10) << " KiB, budget " << (taken >> 10) << " KiB" << std::endl;
      if (!is_kept) ++broken;
    }
  }
  return broken == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return promises::main_of(argc, argv, 4, run_words, measure_words);
}
