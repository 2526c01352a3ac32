// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Promise: fits, paths and cross-validation have the same bits for every number of threads, every
// budget, in memory or from a file, with features kept or not, and after a kill: resumed by a
// store that has all answers or some.
#include "files/made_file.hpp"
#include "oracle/answer_store.hpp"
#include "oracle/least_budget.hpp"
#include "oracle/matchers.hpp"
#include "oracle/processes.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/stream_design_matrix.hpp>
#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace fit_bits_tests {
namespace {

namespace sx = synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t rows = 19'000;  // three blocks of a dense design
constexpr std::int64_t channels = 2;
constexpr std::int64_t targets = 2;

enum class From { kept, computed, file, stored, events };

const char* name_of(From from) {
  constexpr const char* names[] = {"kept", "computed", "file", "stored", "events"};
  return names[static_cast<int>(from)];
}

sx::Expression small_expression() {
  return sx::conv(sx::RaisedCosineLog{.bases = 4}, {.window = 20});
}

/// Samples in memory and in a file, events, and counts that depend on the samples.
struct Recording {
  made::Folder folder;
  std::vector<float> samples;
  std::vector<float> features;  // of the stored design
  std::vector<double> counts;
  std::optional<sx::Events> events;

  Recording() {
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < rows * channels; ++i) samples.push_back(normal(random));
    for (std::int64_t i = 0; i < rows * 6; ++i) features.push_back(normal(random));
    std::vector<sx::Events::Train> trains(channels);
    for (std::int64_t t = 0; t < rows; ++t) {
      for (std::int64_t i = 0; i < targets; ++i) {
        const double drive = 0.4 * samples[static_cast<std::size_t>(t * channels + i)] - 0.5;
        counts.push_back(std::poisson_distribution<int>(std::exp(drive))(random));
      }
      for (auto& train : trains) {
        if (random() % 40 == 0) train.samples.push_back(t);
      }
    }
    events.emplace(rows, trains, sx::Epochs{{0, 9000}, {9100, rows}});
    sx::SeriesShape shape;
    shape.samples = rows;
    shape.channels = channels;
    shape.type = sx::StoredType::float32;
    sx::Hdf5SeriesWriter writer({folder / "in.h5", "/x"}, shape, 1000.0);
    writer.write({0, rows}, samples.data());
    writer.finish();
  }
  [[nodiscard]] sx::Observations observations() const {
    return {.targets = sx::Strided(counts.data(), {rows, targets})};
  }
};

/// A design, and the data that it refers to.
struct Made {
  std::unique_ptr<sx::Hdf5Source> source;
  std::unique_ptr<sx::DesignMatrix> matrix;
};

Made design_from(const Recording& recording, From from, std::optional<std::int64_t> budget,
                 const sx::Expression& expression = small_expression()) {
  Made made;
  sx::DesignMatrixOptions options{.keep = sx::Keep::nothing, .budget = budget};
  if (from == From::kept) options.keep = sx::Keep::features;
  if (from == From::stored) {
    made.matrix = std::make_unique<sx::DesignMatrix>(
        Space(), sx::Strided(recording.features.data(), {rows, 6}), options);
  } else if (from == From::file) {
    made.source = std::make_unique<sx::Hdf5Source>(sx::FilePath{recording.folder / "in.h5", "/x"});
    const std::vector<sx::StreamInput> inputs{*made.source};
    made.matrix = std::make_unique<sx::DesignMatrix>(
        sx::stream_design_matrix(Space(), expression, inputs, options));
  } else if (from == From::events) {
    made.matrix = std::make_unique<sx::DesignMatrix>(
        Space(), expression, std::vector<sx::AnySeries>{*recording.events}, options);
  } else {
    const sx::StridedSeries series(sx::Strided(recording.samples.data(), {rows, channels}));
    made.matrix = std::make_unique<sx::DesignMatrix>(Space(), expression,
                                                     std::vector<sx::AnySeries>{series}, options);
  }
  return made;
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<double> numbers_of(const sx::FitResult& result) {
  std::vector<double> all;
  for (const auto* values : {&result.coefficients, &result.intercepts, &result.standard_errors,
                             &result.mean_loss, &result.objective, &result.optimality,
                             &result.standard_errors_away, &result.residual_degrees_of_freedom}) {
    append(all, *values);
  }
  for (const std::int64_t count : result.evaluations) all.push_back(static_cast<double>(count));
  return all;
}

std::vector<double> numbers_of(const sx::PathResult& result) {
  std::vector<double> all;
  for (const auto* values : {&result.strengths, &result.coefficients, &result.intercepts,
                             &result.objective, &result.optimality}) {
    append(all, *values);
  }
  return all;
}

/// One of the verbs with all that it finds.
using Verb = std::function<std::vector<double>(const Recording&, const sx::DesignMatrix&,
                                               const sx::FitOptions&)>;

std::vector<double> fitted(const Recording& recording, const sx::DesignMatrix& design,
                           sx::FitOptions options) {
  return numbers_of(sx::fit(design, recording.observations(), options));
}

const std::map<std::string, Verb>& verbs() {
  static const std::map<std::string, Verb> all{
      {"newton",
       [](const auto& recording, const auto& design, sx::FitOptions options) {
         options.solver = sx::Solver::newton;
         options.standard_errors = true;
         return fitted(recording, design, options);
       }},
      {"lbfgs",
       [](const auto& recording, const auto& design, sx::FitOptions options) {
         options.solver = sx::Solver::lbfgs;
         options.penalty = sx::Ridge{1e-3};
         return fitted(recording, design, options);
       }},
      {"proximal_newton",
       [](const auto& recording, const auto& design, sx::FitOptions options) {
         options.solver = sx::Solver::proximal_newton;
         options.penalty = sx::Lasso{0.01};
         return fitted(recording, design, options);
       }},
      {"path",
       [](const auto& recording, const auto& design, sx::FitOptions options) {
         options.penalty = sx::ElasticNet{1.0, 0.5};
         return numbers_of(
             sx::fit_path(design, recording.observations(), options, {.count = 5, .ratio = 0.01}));
       }},
      {"folds",
       [](const auto& recording, const auto& design, sx::FitOptions options) {
         options.penalty = sx::Lasso{};
         const sx::CrossValidationResult found =
             sx::cross_validate(design, recording.observations(), options,
                                {.folds = 3, .path = {.count = 3, .ratio = 0.05}});
         std::vector<double> numbers = numbers_of(found.path);
         append(numbers, found.scores);
         append(numbers, numbers_of(found.model));
         return numbers;
       }},
      {"gaussian_path", [](const auto& recording, const auto& design, sx::FitOptions options) {
         options.penalty = sx::Ridge{};
         options.loss.family = sx::Family::gaussian;
         return numbers_of(sx::fit_path(design, recording.observations(), options, {.count = 4}));
       }}};
  return all;
}

/// The least budget of a verb, as the library names it: first for the design, then for the verb.
std::int64_t least_budget(const Recording& recording, From from, const Verb& verb) {
  std::int64_t budget = oracle::least_budget_of([&] { design_from(recording, from, 1); });
  const std::int64_t of_verb = oracle::least_budget_of([&] {
    const Made made = design_from(recording, from, budget);
    static_cast<void>(verb(recording, *made.matrix, {}));
  });
  return std::max(budget, of_verb);
}

testing::AssertionResult are_same(const std::vector<double>& found,
                                  const std::vector<double>& expected) {
  return oracle::same_bits(found, expected, {static_cast<std::int64_t>(expected.size())});
}

TEST(FitBits, AreTheSameForEveryBudgetAndSource) {
  const Recording recording;
  for (const auto& [name, verb] : verbs()) {
    std::vector<double> expected;  // of features that the library computes
    for (const From from : {From::kept, From::computed, From::file, From::stored, From::events}) {
      SCOPED_TRACE(name + ", " + name_of(from));
      std::vector<double> own = verb(recording, *design_from(recording, from, {}).matrix, {});
      const bool is_computed = from != From::stored && from != From::events;
      if (is_computed) {
        if (expected.empty()) expected = own;
        EXPECT_TRUE(are_same(own, expected));
      }
      const std::int64_t least = least_budget(recording, from, verb);
      ASSERT_GT(least, 0);
      for (const std::int64_t budget : {least, 2 * least}) {
        const Made made = design_from(recording, from, budget);
        EXPECT_TRUE(are_same(verb(recording, *made.matrix, {}), own)) << budget;
      }
    }
  }
}

TEST(FitBits, Hash) {
  const char* const path = std::getenv("SYNELIX_HASH_FILE");
  if (path == nullptr) GTEST_SKIP() << "the part of a child of AreTheSameForEveryThreadCount";
  std::ofstream file(path);
  const Recording recording;
  for (const From from : {From::computed, From::file, From::stored, From::events}) {
    const Made made = design_from(recording, from, {});
    for (const auto& [name, verb] : verbs()) {
      file << name << ' ' << name_of(from) << ' '
           << oracle::hash_of(verb(recording, *made.matrix, {})) << '\n';
    }
  }
}

TEST(FitBits, AreTheSameForEveryThreadCount) {
  const std::string expected = oracle::hashes_of(1, "FitBits.Hash");
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 4 * verbs().size());
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(oracle::hashes_of(threads, "FitBits.Hash"), expected) << threads;
  }
}

constexpr const char* crossed[] = {"newton", "lbfgs", "folds"};

TEST(FitBits, CrossedHash) {
  const char* const path = std::getenv("SYNELIX_HASH_FILE");
  if (path == nullptr) GTEST_SKIP() << "the part of a child of AreTheSameWhereAllDiffersAtOnce";
  std::ofstream file(path);
  const Recording recording;
  for (const char* const name : crossed) {
    const Verb& verb = verbs().at(name);
    for (const From from : {From::kept, From::computed, From::file}) {
      const std::int64_t least = least_budget(recording, from, verb);
      for (const std::optional<std::int64_t> budget :
           {std::optional(least), std::optional(3 * least), std::optional<std::int64_t>()}) {
        const Made made = design_from(recording, from, budget);
        file << name << ' ' << oracle::hash_of(verb(recording, *made.matrix, {})) << ' '
             << name_of(from) << ' ' << budget.value_or(0) << '\n';
      }
    }
  }
}

/// Threads, budgets, and memory or file at once: each verb has one hash. The least budget follows
/// from the number of threads.
TEST(FitBits, AreTheSameWhereAllDiffersAtOnce) {
  std::map<std::string, std::string> expected;
  for (const int threads : {1, 2, 3, 7}) {
    std::istringstream lines(oracle::hashes_of(threads, "FitBits.CrossedHash"));
    int count = 0;
    for (std::string name, hash, rest; lines >> name >> hash && std::getline(lines, rest);) {
      ++count;
      EXPECT_EQ(hash, expected.emplace(name, hash).first->second)
          << name << rest << ", " << threads << " threads";
    }
    EXPECT_EQ(count, 27) << threads << " threads";
  }
  EXPECT_EQ(expected.size(), std::size(crossed));
}

/// The reason for the end of a run.
struct Killed {};

/// Answers in memory: all, or a random part of them.
class Store final : public oracle::MemoryStore {
 public:
  explicit Store(double part, unsigned seed) : m_part(part), m_random(seed) {}
  [[nodiscard]] bool is_worth(double /*seconds*/, std::int64_t /*bytes*/) const override {
    return std::uniform_real_distribution<double>()(m_random) < m_part;
  }

 private:
  double m_part;
  mutable std::mt19937 m_random;
};

TEST(FitBits, AreTheSameAfterKillsWithAStore) {
  const Recording recording;
  for (const From from : {From::computed, From::events}) {
    for (const auto& [name, verb] : verbs()) {
      const Made made = design_from(recording, from, {});
      const std::vector<double> whole = verb(recording, *made.matrix, {});
      for (const double part : {1.0, 0.5, 0.2}) {
        Store store(part, 3);
        for (const int after : {1, 4, 9}) {  // walks until the kill
          int walks = 0;
          const auto kill = [&](const sx::FitProgress&) {
            if (++walks == after) throw Killed();
          };
          try {
            static_cast<void>(verb(recording, *made.matrix, {.progress = kill, .answers = &store}));
          } catch (const Killed&) {
          }
        }
        EXPECT_TRUE(are_same(verb(recording, *made.matrix, {.answers = &store}), whole))
            << name << ", " << name_of(from) << ", " << part << " of the answers";
        if (from == From::computed) {
          const std::int64_t budget = 2 * least_budget(recording, From::file, verb);
          const Made smaller = design_from(recording, From::file, budget);
          EXPECT_TRUE(are_same(verb(recording, *smaller.matrix, {.answers = &store}), whole))
              << name << ", of a file in a smaller budget";
        }
        if (part == 1.0) {
          EXPECT_GT(store.found, 0);
        }
      }
    }
  }
}

// For several hundred columns, newton and lbfgs cost about the same. The choice has to follow from
// the problem: seconds are equal, so that no design is at a border for only one source.
TEST(FitBits, TheSolverFollowsFromTheProblem) {
  const Recording recording;
  for (const std::int64_t bases : {20, 100, 200, 300}) {
    const sx::Expression expression =
        sx::conv(sx::RaisedCosineLinear{.bases = bases}, {.window = 2 * bases});
    const auto choose = [&](From from, std::optional<std::int64_t> budget) {
      const Made made = design_from(recording, from, budget, expression);
      return sx::choose_fit(*made.matrix, recording.observations(), {.penalty = sx::Ridge{1e-3}});
    };
    const sx::FitChoice expected = choose(From::computed, {});
    for (const From from : {From::computed, From::kept, From::file}) {
      const std::int64_t of_design =
          oracle::least_budget_of([&] { design_from(recording, from, 1, expression); });
      const std::int64_t least = std::max(of_design, oracle::least_budget_of([&] {
                                            static_cast<void>(choose(from, 2 * of_design));
                                          }));
      for (const std::int64_t budget : {2 * least, 8 * least, sx::mebibytes(2000)}) {
        const sx::FitChoice found = choose(from, budget);
        EXPECT_EQ(found.solver, expected.solver) << name_of(from) << ", " << budget;
        EXPECT_EQ(found.candidates, expected.candidates) << name_of(from) << ", " << budget;
      }
    }
  }
}

// A wide design with the automatic choice, at both ends of the range of budgets.
TEST(FitBits, OfAWideDesignAreTheSame) {
  const Recording recording;
  const sx::Expression expression = sx::conv(sx::RaisedCosineLinear{.bases = 150}, {.window = 300});
  const sx::FitOptions options{.penalty = sx::Ridge{1e-2}, .optimality_tolerance = 1e-4};
  const auto fit_from = [&](From from, std::optional<std::int64_t> budget) {
    const Made made = design_from(recording, from, budget, expression);
    return fitted(recording, *made.matrix, options);
  };
  const std::vector<double> expected = fit_from(From::kept, {});
  EXPECT_TRUE(are_same(fit_from(From::file, sx::mebibytes(40)), expected));
}

}  // namespace
}  // namespace fit_bits_tests
