// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/segmented_pass.hpp"

#include <synelix/types/mpi_fit.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// \file
/// `RankedPass`: a pass whose walks are shared by ranks. Its functions are collective, and return
/// the same result on all ranks.
///
/// The first collective step of each function is an agreement that no rank has failed. So a rank
/// that throws elsewhere takes part in this agreement at the end of the call, and the others learn
/// of the error.

namespace synelix::mpi {

class RankedPass final : public glm::SegmentedPass {
 public:
  /// Collective. All arguments must outlive it.
  /// \param cancel  of the caller of this rank; may be null
  RankedPass(const Ranks& ranks, const glm::SegmentedPass& whole, FitSplit split,
             const std::atomic<bool>* cancel);

  /// True on all ranks once it is true on one.
  [[nodiscard]] const std::atomic<bool>* agreed_cancel() const { return &m_agreed_cancel; }
  /// \throws Cancelled once the caller of this rank cancels
  void ask() const;
  /// Runs a step of this rank, and agrees that none has failed. Collective.
  /// \throws RankError on all ranks if one failed; Cancelled if the caller of one cancels
  void take_step(const std::function<void()>& step) const override;

  std::int64_t take_share(const glm::RowLoss& loss, std::int64_t least, std::int64_t most) override;
  [[nodiscard]] std::span<const std::uint64_t> valid() override;
  void evaluate(const glm::RowLoss& loss, const glm::Observed& observed,
                std::span<const glm::Request> requests, glm::Arithmetic arithmetic,
                std::int64_t every, std::span<glm::Sums> sums) override;
  /// Callers request a few rows at a time, in order. More rows are computed at once and stored,
  /// because messages of few rows would take most of the time.
  void apply(const double* coefficients, std::int64_t n, Range rows, double* predictors) override;

 protected:
  [[nodiscard]] bool is_alone() const override { return m_is_local; }
  [[nodiscard]] Range own_segments() const override;
  [[nodiscard]] std::vector<double> total(glm::SumNodes nodes, std::int64_t numbers) const override;

 private:
  /// Predictors of rows that will be requested next.
  struct Ahead {
    std::vector<double> coefficients;
    Range rows;
    std::vector<double> predictors;

    [[nodiscard]] bool holds(std::span<const double> asked, Range wanted) const;
  };
  /// Sends the predictors of rows to all ranks, each from the rank that has it.
  void share_predictors(const double* coefficients, std::int64_t n, Range wanted,
                        double* predictors) const;
  /// Rows of the segments of a rank.
  [[nodiscard]] Range rows_of(int rank) const;
  void require_same_question() const;
  /// The rank of a request, with FitSplit::targets.
  [[nodiscard]] int owner_of(std::size_t request) const;
  /// Sends the sums of each request from the rank that has it to the others.
  /// \param counts  numbers of each
  void share_sums(std::span<glm::Sums> sums, std::span<const std::int64_t> counts) const;

  const Ranks& m_ranks;
  FitSplit m_split;
  const std::atomic<bool>* m_cancel;
  mutable std::atomic<bool> m_agreed_cancel{false};
  bool m_is_local = false;  ///< whether this rank walks alone
  std::uint64_t m_question = 0;
  std::vector<std::uint64_t> m_valid;
  Ahead m_ahead;
};

/// The store of rank 0, for all ranks. Rank 0 decides what is kept, because the clocks of ranks
/// differ; the others get its answers. So all ranks make the same walks.
class RankedAnswers final : public AnswerStore {
 public:
  /// \param answers  of rank 0; not used on others
  RankedAnswers(const Ranks& ranks, const RankedPass& pass, AnswerStore* answers)
      : m_ranks(ranks), m_pass(pass), m_answers(ranks.rank() == 0 ? answers : nullptr) {}

  [[nodiscard]] bool is_worth(double seconds, std::int64_t bytes) const override {
    return m_answers != nullptr && m_answers->is_worth(seconds, bytes);
  }
  void keep(const Question& question, std::span<const std::byte> answer) override {
    if (m_answers != nullptr) m_answers->keep(question, answer);
  }
  /// Collective.
  [[nodiscard]] std::vector<std::byte> find(const Question& question) override;

 private:
  const Ranks& m_ranks;
  const RankedPass& m_pass;
  AnswerStore* m_answers;
};

/// The sum of the nodes of all ranks, on all ranks. Collective.
/// \throws RankError on all ranks if a block of [0, blocks) is missing, or was added by two ranks
std::vector<double> sum_of_ranks(const Ranks& ranks, glm::SumNodes nodes, std::int64_t blocks,
                                 std::int64_t numbers);

}  // namespace synelix::mpi
