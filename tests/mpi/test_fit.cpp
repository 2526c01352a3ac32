// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/mpi_fit.hpp>
#include <synelix/stream_design_matrix.hpp>
#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

// Models of many ranks have the bits of one process.

namespace fit_tests {
namespace {

using namespace synelix;
using mpi::FitSplit;
using mpi::RankError;
using mpi::Ranks;
using testing::Each;
using testing::HasSubstr;

using Space = Kokkos::DefaultHostExecutionSpace;
constexpr std::int64_t rows = 9 * (std::int64_t{1} << 19) / 4;  // three segments
constexpr std::int64_t targets = 2;

/// A recording and its counts.
struct Recording {
  Events events;
  std::vector<float> counts;

  static Recording make() {
    std::mt19937 random(11);
    std::vector<std::vector<std::int64_t>> trains(2);
    std::vector<float> counts(static_cast<std::size_t>(rows * targets), 0.0F);
    for (auto& train : trains) {
      for (int i = 0; i < 6000; ++i) {
        const auto t = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(rows - 60));
        train.push_back(t);
        if (random() % 3 == 0) counts[static_cast<std::size_t>((t + 5 + random() % 20) * 2)] += 1;
        counts[random() % counts.size()] += 1;
      }
    }
    return {Events::from_unsorted(rows, std::move(trains)), std::move(counts)};
  }
};

const Recording& recording() {
  static const Recording made = Recording::make();
  return made;
}

Strided counts_of(const std::vector<float>& counts) { return {counts.data(), {rows, targets}}; }

Expression expression() { return conv(RaisedCosineLog{.bases = 3}, {.window = 40}); }

DesignMatrix design_of(const DesignMatrixOptions& options = {}) {
  return {Space(), expression(), {recording().events}, options};
}

Observations observed() { return {.targets = counts_of(recording().counts)}; }

/// Whether lists have the same bits, NaN among them.
bool same_bits(const std::vector<double>& left, const std::vector<double>& right) {
  return left.size() == right.size() &&
         (left.empty() ||
          std::memcmp(left.data(), right.data(), left.size() * sizeof(double)) == 0);
}

void expect_same(const FitResult& found, const FitResult& expected) {
  EXPECT_TRUE(same_bits(found.coefficients, expected.coefficients));
  EXPECT_TRUE(same_bits(found.intercepts, expected.intercepts));
  EXPECT_TRUE(same_bits(found.standard_errors, expected.standard_errors));
  EXPECT_TRUE(same_bits(found.mean_loss, expected.mean_loss));
  EXPECT_TRUE(same_bits(found.scale, expected.scale));
  EXPECT_TRUE(same_bits(found.dispersion, expected.dispersion));
  EXPECT_EQ(found.stop, expected.stop);
  EXPECT_EQ(found.evaluations, expected.evaluations);
}

/// The bytes of a list of rank 0 on all ranks.
template <class Value>
void share(const Ranks& ranks, std::vector<Value>& values) {
  auto count = static_cast<std::int64_t>(values.size());
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, ranks.comm());
  values.resize(static_cast<std::size_t>(count));
  MPI_Bcast(values.data(), static_cast<int>(count * std::int64_t{sizeof(Value)}), MPI_BYTE, 0,
            ranks.comm());
}

void share(const Ranks& ranks, FitResult& result) {
  for (auto* list : {&result.coefficients, &result.intercepts, &result.standard_errors,
                     &result.mean_loss, &result.scale, &result.dispersion}) {
    share(ranks, *list);
  }
  share(ranks, result.stop);
  share(ranks, result.evaluations);
}

void share(const Ranks& ranks, PathResult& result) {
  for (auto* list : {&result.coefficients, &result.intercepts, &result.strengths}) {
    share(ranks, *list);
  }
}

void share(const Ranks& ranks, CrossValidationResult& result) {
  share(ranks, result.scores);
  share(ranks, result.chosen);
  share(ranks, result.model);
}

/// The result of rank 0 alone, on all ranks: the other ranks use the cores meanwhile.
template <class Call>
auto of_one_process(const Ranks& ranks, const Call& call) {
  decltype(call()) result;
  if (ranks.rank() == 0) result = call();
  share(ranks, result);
  return result;
}

/// The message of a call that all ranks refuse.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const RankError& error) {
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

constexpr FitSplit splits[] = {FitSplit::rows, FitSplit::targets};

TEST(RankedFit, HasTheBitsOfOneProcess) {
  const Ranks ranks;
  // Dense features and lists of events. Budgets differ by rank, and so do the numbers of walks that
  // a rank alone would make.
  for (const Method method : {Method::automatic, Method::direct}) {
    const DesignMatrix whole = design_of({.method = method});
    const DesignMatrix own =
        design_of({.method = method, .budget = mebibytes(24) + ranks.rank() * mebibytes(8)});
    for (const Solver solver : {Solver::newton, Solver::lbfgs}) {
      FitOptions options{.loss = {.family = Family::poisson}, .solver = solver};
      options.penalty = Ridge{1e-6};
      options.standard_errors = solver == Solver::newton;
      // Walks over dense features take long, and a search need not end to have its bits.
      if (method == Method::direct) options.most_evaluations = 3;
      const FitResult expected =
          of_one_process(ranks, [&] { return fit(whole, observed(), options); });
      if (method == Method::automatic) {
        EXPECT_THAT(expected.stop, Each(Stop::converged));
      }
      for (const FitSplit split : splits) {
        expect_same(mpi::fit(ranks, own, observed(), options, split), expected);
      }
    }
  }
}

TEST(RankedFit, FindsDispersionsAndScales) {
  const Ranks ranks;
  const DesignMatrix design = design_of();
  FitOptions options{.loss = {.family = Family::negative_binomial},
                     .estimate_dispersion = true,
                     .most_evaluations = 4};
  expect_same(mpi::fit(ranks, design, observed(), options),
              of_one_process(ranks, [&] { return fit(design, observed(), options); }));
  std::vector<float> positive = recording().counts;
  for (float& count : positive) count += 1;
  options = {.loss = {.family = Family::gamma}, .most_evaluations = 4};
  const Observations above{.targets = counts_of(positive)};
  expect_same(mpi::fit(ranks, design, above, options),
              of_one_process(ranks, [&] { return fit(design, above, options); }));
}

TEST(RankedFit, TakesStoredRowsWithGapsThroughAllRanks) {
  const Ranks ranks;
  std::vector<float> features(static_cast<std::size_t>(rows * 2));
  for (std::size_t i = 0; i < features.size(); ++i) {
    features[i] = static_cast<float>(i * 2654435761U % 1000) / 1000;
  }
  for (std::int64_t t = 0; t < rows; t += 100003) {
    features[static_cast<std::size_t>(2 * t)] = std::numeric_limits<float>::quiet_NaN();
  }
  Strided array = counts_of(features);
  const DesignMatrix design(Space(), array);
  const FitOptions options{.loss = {.family = Family::poisson}, .most_evaluations = 3};
  const FitResult expected =
      of_one_process(ranks, [&] { return fit(design, observed(), options); });
  for (const FitSplit split : splits) {
    expect_same(mpi::fit(ranks, DesignMatrix(Space(), array), observed(), options, split),
                expected);
  }
}

TEST(RankedFit, PathsAndFoldsHaveTheBitsOfOneProcess) {
  const Ranks ranks;
  const DesignMatrix design = design_of();
  FitOptions options{.loss = {.family = Family::poisson}};
  options.penalty = Lasso{};
  const PathOptions path{.count = 2, .ratio = 0.2};
  const PathResult expected =
      of_one_process(ranks, [&] { return fit_path(design, observed(), options, path); });
  const PathResult found = mpi::fit_path(ranks, design, observed(), options, path);
  EXPECT_TRUE(same_bits(found.coefficients, expected.coefficients));
  EXPECT_TRUE(same_bits(found.intercepts, expected.intercepts));
  EXPECT_TRUE(same_bits(found.strengths, expected.strengths));
  for (const Family family : {Family::poisson, Family::gaussian}) {
    options.loss.family = family;
    const CrossValidationOptions validation{.folds = 2, .path = path};
    const CrossValidationResult chosen = of_one_process(
        ranks, [&] { return cross_validate(design, observed(), options, validation); });
    const CrossValidationResult ranked =
        mpi::cross_validate(ranks, design, observed(), options, validation, FitSplit::targets);
    EXPECT_TRUE(same_bits(ranked.scores, chosen.scores));
    EXPECT_EQ(ranked.chosen, chosen.chosen);
    expect_same(ranked.model, chosen.model);
  }
}

/// A source in memory that counts the data read from it.
class CountedSource final : public Source {
 public:
  [[nodiscard]] const SeriesShape& shape() const override { return m_shape; }
  void read(Range samples, Range /*channels*/, void* buffer) override {
    auto* const to = static_cast<float*>(buffer);
    for (std::int64_t t = samples.begin; t < samples.end; ++t) {
      to[t - samples.begin] = static_cast<float>(t * 2654435761U % 1000) / 1000;
    }
    m_read += samples.size();
    if (m_fails) throw Error("disk", "it is gone", "Bring it back");
  }
  [[nodiscard]] std::int64_t read_samples() const { return m_read; }
  void fail() { m_fails = true; }

 private:
  SeriesShape m_shape{.samples = rows, .channels = 1, .type = StoredType::float32, .epochs = {}};
  std::int64_t m_read = 0;
  bool m_fails = false;
};

TEST(RankedFit, ReadsTheRowsOfItsRankAlone) {
  const Ranks ranks;
  CountedSource source;
  const DesignMatrix design = stream_design_matrix(
      Space(), expression(), {source}, {.keep = Keep::nothing, .budget = mebibytes(32)});
  const FitOptions options{.loss = {.family = Family::poisson}, .most_evaluations = 2};
  static_cast<void>(mpi::fit(ranks, design, observed(), options));
  const std::int64_t of_rank = source.read_samples();
  std::int64_t all = of_rank;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, ranks.comm());
  const std::int64_t segment = std::int64_t{1} << 19;
  const std::int64_t own = ranks.share((rows + segment - 1) / segment).size() * segment;
  // Of all walks together, so that it is a share: halos and blocks read ahead come on top.
  EXPECT_LE(static_cast<double>(of_rank),
            1.3 * static_cast<double>(all) * static_cast<double>(own) / rows);
  if (own == 0) {
    EXPECT_EQ(of_rank, 0);
  }
}

TEST(RankedFit, ErrorsOfOneRankAreThoseOfAll) {
  const Ranks ranks;
  const int last = ranks.size() - 1;
  const DesignMatrix design = design_of();
  std::vector<float> wrong = recording().counts;
  if (ranks.rank() == last) wrong[5] = -1;
  const FitOptions poisson{.loss = {.family = Family::poisson}};
  EXPECT_THAT(refusal_of([&] {
                static_cast<void>(mpi::fit(ranks, design, {.targets = counts_of(wrong)}, poisson));
              }),
              HasSubstr("rank " + std::to_string(last) + ": "));
  // A budget of one rank.
  EXPECT_THAT(refusal_of([&] {
                const std::int64_t budget = ranks.rank() == last ? 700000 : mebibytes(64);
                const DesignMatrix own = design_of({.budget = budget});
                static_cast<void>(mpi::fit(ranks, own, observed(), poisson));
              }),
              HasSubstr("Give at least"));
  // Reading, in the middle of a walk.
  CountedSource source;
  const DesignMatrix streamed = stream_design_matrix(Space(), expression(), {source}, {});
  if (ranks.rank() == 0) source.fail();
  EXPECT_THAT(
      refusal_of([&] { static_cast<void>(mpi::fit(ranks, streamed, observed(), poisson)); }),
      HasSubstr("rank 0: disk: it is gone"));
  // A function of the caller, between walks.
  FitOptions thrown = poisson;
  thrown.progress = [](const FitProgress&) { throw std::runtime_error("enough"); };
  EXPECT_THAT(refusal_of([&] { static_cast<void>(mpi::fit(ranks, design, observed(), thrown)); }),
              HasSubstr("rank 0: enough"));
  // MPI works normally after all of them.
  expect_same(mpi::fit(ranks, design, observed(), poisson), fit(design, observed(), poisson));
}

TEST(RankedFit, RefusesArgumentsThatDiffer) {
  const Ranks ranks;
  if (ranks.size() == 1) GTEST_SKIP() << "one rank differs from nobody";
  const DesignMatrix design = design_of();
  const bool is_last = ranks.rank() == ranks.size() - 1;
  FitOptions options{.loss = {.family = Family::poisson}};
  options.penalty = Ridge{is_last ? 1e-3 : 1e-2};
  EXPECT_THAT(refusal_of([&] { static_cast<void>(mpi::fit(ranks, design, observed(), options)); }),
              HasSubstr("arguments: options.penalty.strength is '0.001', and '0.01' on rank 0"));
  options.penalty = NoPenalty{};
  options.feature_mask.assign(static_cast<std::size_t>(design.columns() * targets), 1);
  if (is_last) options.feature_mask[1] = 0;
  EXPECT_THAT(refusal_of([&] { static_cast<void>(mpi::fit(ranks, design, observed(), options)); }),
              HasSubstr("options.feature_mask"));
  options.feature_mask = {};
  EXPECT_THAT(refusal_of([&] {
                static_cast<void>(mpi::fit(ranks, design, observed(), options,
                                           is_last ? FitSplit::targets : FitSplit::rows));
              }),
              HasSubstr("split"));
  // Targets are not compared, but a start that follows from them is.
  std::vector<float> other = recording().counts;
  if (is_last) other[static_cast<std::size_t>(rows)] += 1;  // in the middle
  EXPECT_THAT(refusal_of([&] {
                static_cast<void>(mpi::fit(ranks, design, {.targets = counts_of(other)}, options));
              }),
              HasSubstr("the point that a walk evaluates"));
}

TEST(RankedFit, RefusesWhatRanksCannotShare) {
  const Ranks ranks;
  FitOptions options{.loss = {.family = Family::poisson}};
  EXPECT_THAT(refusal_of([&] {
                static_cast<void>(
                    mpi::fit(ranks, design_of(), observed(), options, static_cast<FitSplit>(7)));
              }),
              HasSubstr("split: 7 is no FitSplit"));
}

TEST(RankedFit, EndsOnAllRanksWhenOneCancels) {
  const Ranks ranks;
  const DesignMatrix design = design_of({.method = Method::direct});
  std::atomic<bool> cancel{false};
  FitOptions options{.loss = {.family = Family::poisson}, .cancel = &cancel};
  // Of one rank alone, in the middle of a walk. It has rows and a target in both splits.
  options.during_walk = [&] {
    if (ranks.rank() == std::min(1, ranks.size() - 1)) cancel = true;
  };
  for (const FitSplit split : splits) {
    cancel = false;
    const FitResult result = mpi::fit(ranks, design, observed(), options, split);
    EXPECT_THAT(result.stop, Each(Stop::cancelled));
  }
}

/// A store of rank 0 that must not be asked on other ranks.
class FirstStore final : public AnswerStore {
 public:
  FirstStore(const Ranks& ranks, int most) : m_is_first(ranks.rank() == 0), m_most(most) {}
  [[nodiscard]] bool is_worth(double seconds, std::int64_t /*bytes*/) const override {
    EXPECT_TRUE(m_is_first);
    return seconds >= 0 && kept < m_most;
  }
  void keep(const Question& question, std::span<const std::byte> answer) override {
    EXPECT_TRUE(m_is_first);
    m_answers[question] = {answer.begin(), answer.end()};
    ++kept;
  }
  [[nodiscard]] std::vector<std::byte> find(const Question& question) override {
    EXPECT_TRUE(m_is_first);
    if (fails) throw Error("answers", "they are gone", "Bring them back");
    const auto place = m_answers.find(question);
    if (place == m_answers.end()) return {};
    ++found;
    return place->second;
  }
  bool fails = false;
  int kept = 0;
  int found = 0;

 private:
  bool m_is_first;
  int m_most;
  std::map<Question, std::vector<std::byte>> m_answers;
};

TEST(RankedFit, GoesOnWithTheAnswersOfOneProcessAndOfRanks) {
  const Ranks ranks;
  const DesignMatrix design = design_of();
  FitOptions options{.loss = {.family = Family::poisson}};
  const FitResult expected =
      of_one_process(ranks, [&] { return fit(design, observed(), options); });
  for (const int most : {0, 5, 1000}) {
    for (const bool begins_alone : {true, false}) {
      FirstStore store(ranks, most);
      options.answers = &store;
      if (begins_alone) {
        expect_same(of_one_process(ranks, [&] { return fit(design, observed(), options); }),
                    expected);
      } else {
        expect_same(mpi::fit(ranks, design, observed(), options, FitSplit::targets), expected);
      }
      const int kept = store.kept;
      EXPECT_EQ(kept > 0, most > 0 && ranks.rank() == 0);
      // Only rank 0 has to give its store.
      if (ranks.rank() != 0 && begins_alone) options.answers = nullptr;
      expect_same(mpi::fit(ranks, design, observed(), options), expected);
      EXPECT_GE(store.found, kept);
      if (most == 1000) {
        EXPECT_EQ(store.kept, kept) << "every question had an answer";
      }
    }
  }
  FirstStore broken(ranks, 0);
  broken.fails = true;
  options.answers = &broken;
  EXPECT_THAT(refusal_of([&] { static_cast<void>(mpi::fit(ranks, design, observed(), options)); }),
              HasSubstr("rank 0: answers: they are gone"));
}

}  // namespace
}  // namespace fit_tests
