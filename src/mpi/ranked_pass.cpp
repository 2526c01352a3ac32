// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/ranked_pass.hpp"

#include "mpi/calls.hpp"
#include "streams/fingerprint.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace synelix::mpi {
namespace {

/// During its lifetime, a rank walks alone.
class Local {
 public:
  explicit Local(bool& is_local) : m_is_local(is_local) { m_is_local = true; }
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  ~Local() { m_is_local = false; }

 private:
  bool& m_is_local;
};

/// A walk must evaluate the same point on all ranks, or else it finds nothing of use.
void require_same_point(const Ranks& ranks, std::uint64_t checksum) {
  require_same(ranks, "fit", {{"the point that a walk evaluates", std::to_string(checksum)}});
}

void broadcast_numbers(const Ranks& ranks, int from, double* numbers, std::int64_t count) {
  in_messages(count, [&](std::int64_t at, int length) {
    check(MPI_Bcast(numbers + at, length, MPI_DOUBLE, from, ranks.comm()), "MPI_Bcast");
  });
}

}  // namespace

RankedPass::RankedPass(const Ranks& ranks, const glm::SegmentedPass& whole, FitSplit split,
                       const std::atomic<bool>* cancel)
    : SegmentedPass(whole), m_ranks(ranks), m_split(split), m_cancel(cancel) {
  // Each rank determines only its own valid rows before the first walk.
  const Range own = own_segments();
  take_step([&] {
    if (own.size() == 0) return;
    const glm::SomeRows some(inner(), segments().rows_of(own));
    const std::span<const std::uint64_t> found = inner().valid();
    m_valid.assign(found.begin(), found.end());
  });
  const Range rows = segments().rows_of(own);
  constexpr std::int64_t bits = 64;
  m_valid.resize(static_cast<std::size_t>((this->rows() + bits - 1) / bits), 0);
  // Segments begin and end at complete words. Rows of other ranks are not known here.
  for (std::size_t word = 0; word < m_valid.size(); ++word) {
    const auto first = static_cast<std::int64_t>(word) * bits;
    if (own.size() == 0 || first < rows.begin || first >= rows.end) m_valid[word] = 0;
  }
  in_messages(std::ssize(m_valid), [&](std::int64_t at, int length) {
    check(MPI_Allreduce(MPI_IN_PLACE, m_valid.data() + at, length, MPI_UINT64_T, MPI_BOR,
                        ranks.comm()),
          "MPI_Allreduce");
  });
}

void RankedPass::ask() const {
  if (m_cancel != nullptr && m_cancel->load()) {
    throw Cancelled("the fit was cancelled on rank " + std::to_string(m_ranks.rank()));
  }
}

void RankedPass::take_step(const std::function<void()>& step) const {
  if (m_is_local) return step();
  try {
    together(m_ranks, [&] {
      ask();
      step();
    });
  } catch (const RankError& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    m_agreed_cancel = true;
    throw Cancelled(error.what());
  }
}

Range RankedPass::own_segments() const {
  if (m_is_local) return {0, segments().count()};
  return m_ranks.share(segments().count());
}

Range RankedPass::rows_of(int rank) const {
  return segments().rows_of(share_of(segments().count(), rank, m_ranks.size()));
}

void RankedPass::require_same_question() const { require_same_point(m_ranks, m_question); }

std::vector<double> RankedPass::total(glm::SumNodes nodes, std::int64_t numbers) const {
  if (m_is_local) return SegmentedPass::total(std::move(nodes), numbers);
  require_same_question();
  return sum_of_ranks(m_ranks, std::move(nodes), segments().count(), numbers);
}

/// The share is the same on all ranks, because it determines the number of walks.
std::int64_t RankedPass::take_share(const glm::RowLoss& loss, std::int64_t least,
                                    std::int64_t most) {
  if (m_is_local) return SegmentedPass::take_share(loss, least, most);
  std::int64_t share = 0;
  take_step([&] { share = SegmentedPass::take_share(loss, least, most); });
  check(MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_INT64_T, MPI_MIN, m_ranks.comm()),
        "MPI_Allreduce");
  return share;
}

std::span<const std::uint64_t> RankedPass::valid() { return m_valid; }

void RankedPass::evaluate(const glm::RowLoss& loss, const glm::Observed& observed,
                          std::span<const glm::Request> requests, glm::Arithmetic arithmetic,
                          std::int64_t every, std::span<glm::Sums> sums) {
  const std::int64_t parameters = (columns() + 1) * loss.classes();
  stream::Checksum checksum;
  for (const glm::Request& request : requests) {
    checksum.add(request.parameters, static_cast<std::size_t>(parameters) * sizeof(double));
    checksum.add(&request.dispersion, sizeof(double));
  }
  m_question = checksum.add(&every, sizeof(every)).add(&arithmetic, sizeof(arithmetic)).value();
  if (m_split == FitSplit::rows) {
    return SegmentedPass::evaluate(loss, observed, requests, arithmetic, every, sums);
  }
  take_step([&] {
    std::vector<glm::Request> own;
    std::vector<glm::Sums> found;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (owner_of(i) != m_ranks.rank()) continue;
      own.push_back(requests[i]);
      own.back().together = glm::together_of(requests);
      found.push_back(std::move(sums[i]));
    }
    const Local local(m_is_local);
    if (!own.empty()) {
      SegmentedPass::evaluate(loss, observed, own, arithmetic, every, found);
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (owner_of(i) == m_ranks.rank()) sums[i] = std::move(found[next++]);
    }
  });
  require_same_question();
  std::vector<std::int64_t> counts;
  counts.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    counts.push_back(glm::size_for(requests[i], parameters, sums[i]));
  }
  share_sums(sums, counts);
}

int RankedPass::owner_of(std::size_t request) const {
  return static_cast<int>(request % static_cast<std::size_t>(m_ranks.size()));
}

void RankedPass::share_sums(std::span<glm::Sums> sums, std::span<const std::int64_t> counts) const {
  std::vector<double> numbers;
  for (int rank = 0; rank < m_ranks.size(); ++rank) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) count += owner_of(i) == rank ? counts[i] : 0;
    numbers.resize(static_cast<std::size_t>(count));
    const auto each = [&](const auto& copy) {
      double* next = numbers.data();
      for (std::size_t i = 0; i < sums.size(); ++i) {
        if (owner_of(i) == rank) next = glm::for_each_number({&sums[i], 1}, next, copy);
      }
    };
    if (rank == m_ranks.rank()) each([](double from, double& to) { to = from; });
    broadcast_numbers(m_ranks, rank, numbers.data(), count);
    if (rank != m_ranks.rank()) each([](double& to, double from) { to = from; });
  }
}

void RankedPass::apply(const double* coefficients, std::int64_t n, Range wanted,
                       double* predictors) {
  constexpr std::int64_t ahead_bytes = std::int64_t{2} << 20;
  const std::span<const double> asked(coefficients, static_cast<std::size_t>(columns() * n));
  if (!m_ahead.holds(asked, wanted)) {
    const std::int64_t most =
        ahead_bytes / (std::max<std::int64_t>(1, n) * std::int64_t{sizeof(double)});
    m_ahead.rows = {};
    const Range rows{wanted.begin,
                     std::max(wanted.end, std::min(this->rows(), wanted.begin + most))};
    m_ahead.predictors.resize(static_cast<std::size_t>(rows.size() * n));
    share_predictors(coefficients, n, rows, m_ahead.predictors.data());
    m_ahead.coefficients.assign(asked.begin(), asked.end());
    m_ahead.rows = rows;
  }
  std::copy_n(m_ahead.predictors.data() + (wanted.begin - m_ahead.rows.begin) * n,
              wanted.size() * n, predictors);
}

bool RankedPass::Ahead::holds(std::span<const double> asked, Range wanted) const {
  return wanted.begin >= rows.begin && wanted.end <= rows.end &&
         std::equal(asked.begin(), asked.end(), coefficients.begin(), coefficients.end());
}

void RankedPass::share_predictors(const double* coefficients, std::int64_t n, Range wanted,
                                  double* predictors) const {
  const auto part_of = [&](int rank) {
    const Range own = rows_of(rank);
    const std::int64_t begin = std::max(own.begin, wanted.begin);
    return Range{begin, std::max(begin, std::min(own.end, wanted.end))};
  };
  take_step([&] {
    const Range part = part_of(m_ranks.rank());
    if (part.size() == 0) return;
    inner().apply(coefficients, n, part, predictors + (part.begin - wanted.begin) * n);
  });
  for (int rank = 0; rank < m_ranks.size(); ++rank) {
    const Range part = part_of(rank);
    broadcast_numbers(m_ranks, rank, predictors + (part.begin - wanted.begin) * n, part.size() * n);
  }
}

std::vector<std::byte> RankedAnswers::find(const Question& question) {
  std::vector<std::byte> bytes;
  m_pass.take_step([&] {
    if (m_answers != nullptr) bytes = m_answers->find(question);
  });
  require_same_point(m_ranks, question[0]);
  std::int64_t count = std::ssize(bytes);
  check(MPI_Bcast(&count, 1, MPI_INT64_T, 0, m_ranks.comm()), "MPI_Bcast");
  bytes.resize(static_cast<std::size_t>(count));
  in_messages(count, [&](std::int64_t at, int length) {
    check(MPI_Bcast(bytes.data() + at, length, MPI_BYTE, 0, m_ranks.comm()), "MPI_Bcast");
  });
  return bytes;
}

}  // namespace synelix::mpi
