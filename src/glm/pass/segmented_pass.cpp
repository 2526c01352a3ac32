// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/segmented_pass.hpp"

#include "glm/rows/row_loss.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "tune/fit.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace synelix::glm {
namespace {

void add_to(std::vector<double>& left, const std::vector<double>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
}

/// Whether two nodes that follow each other are the children of one node.
bool are_siblings(const SumNode& left, const SumNode& right) {
  return left.level == right.level && left.end() == right.begin &&
         left.begin % (std::int64_t{2} << left.level) == 0;
}

}  // namespace

bool SumNodes::add(SumNode node) {
  auto place = std::lower_bound(
      m_nodes.begin(), m_nodes.end(), node.begin,
      [](const SumNode& other, std::int64_t begin) { return other.begin < begin; });
  if (place != m_nodes.end() && place->begin < node.end()) return false;
  if (place != m_nodes.begin() && std::prev(place)->end() > node.begin) return false;
  place = m_nodes.insert(place, std::move(node));
  for (;;) {
    if (place != m_nodes.begin() && are_siblings(*std::prev(place), *place)) {
      --place;
    } else if (std::next(place) == m_nodes.end() || !are_siblings(*place, *std::next(place))) {
      return true;
    }
    add_to(place->sum, std::next(place)->sum);
    ++place->level;
    place = std::prev(m_nodes.erase(std::next(place)));
  }
}

std::int64_t SumNodes::missing(std::int64_t blocks) const {
  std::int64_t next = 0;
  for (const SumNode& node : m_nodes) {
    if (node.begin != next) break;
    next = node.end();
  }
  return std::min(next, blocks);
}

std::vector<double> SumNodes::total(std::int64_t numbers) const {
  if (m_nodes.empty()) return std::vector<double>(static_cast<std::size_t>(numbers), 0.0);
  std::vector<double> sum = m_nodes.back().sum;
  for (std::size_t k = m_nodes.size() - 1; k-- > 0;) {
    std::vector<double> left = m_nodes[k].sum;
    add_to(left, sum);
    sum = std::move(left);
  }
  return sum;
}

namespace {

static_assert(tune::fit_segment_rows % tune::event_chunk_rows == 0 &&
                  tune::fit_segment_rows % tune::fit_block_rows == 0,
              "a segment is made of whole chunks of events and whole blocks of rows");

}  // namespace

Segments::Segments(std::int64_t all_rows) : rows(all_rows), segment_rows(tune::fit_segment_rows) {
  while (count() > tune::fit_most_segments) segment_rows *= 2;
}

std::int64_t Segments::count() const {
  return std::max<std::int64_t>(1, index::ceil_divide(rows, segment_rows));
}

Range Segments::rows_of(Range segments) const {
  return {std::min(rows, segments.begin * segment_rows),
          std::min(rows, segments.end * segment_rows)};
}

SegmentedPass::SegmentedPass(std::shared_ptr<Pass> pass)
    : ForwardingPass(*pass), m_pass(std::move(pass)), m_segments(m_pass->rows()) {}

std::int64_t SegmentedPass::take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) {
  const std::int64_t share = m_pass->take_share(loss, least, most);
  m_is_shared = true;
  return share;
}

void SegmentedPass::return_share() {
  m_pass->return_share();
  m_is_shared = false;
}

/// In addition to the result: at most one node of each level, and their sum.
std::int64_t SegmentedPass::copies_of_sums() const {
  if (is_one()) return 1;
  return 2 +
         static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(m_segments.count())));
}

/// A share of the budget for the sums of one call. A few bytes need no share.
class SegmentedPass::OwnShare {
 public:
  OwnShare(SegmentedPass& pass, const RowLoss& loss, std::int64_t numbers) : m_pass(pass) {
    constexpr std::int64_t few_bytes = std::int64_t{4} << 20;
    const std::int64_t bytes =
        pass.copies_of_sums() * numbers * static_cast<std::int64_t>(sizeof(double));
    if (pass.m_is_shared || bytes <= few_bytes) return;
    static_cast<void>(pass.take_share(loss, bytes, bytes));
    m_is_taken = true;
  }
  OwnShare(const OwnShare&) = delete;
  OwnShare& operator=(const OwnShare&) = delete;
  ~OwnShare() {
    if (m_is_taken) m_pass.return_share();
  }

 private:
  SegmentedPass& m_pass;
  bool m_is_taken = false;
};

Range SegmentedPass::walked_for(const Observed& observed) const {
  const Range counted = observed.counted_rows();
  if (counted.size() <= 0) return {0, 0};
  const std::int64_t step =
      choice().source == RowSource::events ? tune::event_chunk_rows : tune::fit_block_rows;
  return {counted.begin / step * step, std::min(rows(), index::round_up(counted.end, step))};
}

std::vector<double> SegmentedPass::sum_of(Range counted, std::int64_t numbers, const Walk& walk) {
  SumNodes nodes;
  take_step([&] {
    const Range own = own_segments();
    for (std::int64_t s = own.begin; s < own.end; ++s) {
      SumNode node{s, 0, std::vector<double>(static_cast<std::size_t>(numbers))};
      const Range rows = index::common(m_segments.rows_of({s, s + 1}), counted);
      if (rows.size() > 0) {
        const SomeRows some(*m_pass, rows);
        walk(node.sum.data());
      }
      static_cast<void>(nodes.add(std::move(node)));  // each segment is added once
    }
  });
  return total(std::move(nodes), numbers);
}

void SegmentedPass::add_up(Range counted, std::int64_t numbers, const Walk& walk, double* result) {
  const OwnShare share(*this, bind(Loss{}, choice().instruction_set), numbers);
  const std::vector<double> sums = sum_of(counted, numbers, walk);
  std::copy(sums.begin(), sums.end(), result);
}

std::int64_t size_for(const Request& request, std::int64_t parameters, Sums& sums) {
  const std::int64_t hessian = request.wants_hessian ? parameters * parameters : 0;
  const std::int64_t scale = request.wants_scale ? parameters : 0;
  sums.gradient.resize(static_cast<std::size_t>(parameters));
  sums.hessian.resize(static_cast<std::size_t>(hessian));
  sums.scale.resize(static_cast<std::size_t>(scale));
  return 2 + parameters + hessian + scale;
}

void SegmentedPass::evaluate_segments(const RowLoss& loss, const Observed& observed,
                                      std::span<const Request> requests, Arithmetic arithmetic,
                                      std::int64_t every, std::span<Sums> sums) {
  const std::int64_t size = (columns() + 1) * loss.classes();
  std::int64_t numbers = 0;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    numbers += size_for(requests[r], size, sums[r]);
  }
  const OwnShare share(*this, loss, numbers);
  const std::vector<double> all = sum_of(walked_for(observed), numbers, [&](double* to) {
    m_pass->evaluate(loss, observed, requests, arithmetic, every, sums);
    for_each_number(sums, to, [](double from, double& number) { number = from; });
  });
  for_each_number(sums, all.data(), [](double& value, double from) { value = from; });
}

void SegmentedPass::evaluate(const RowLoss& loss, const Observed& observed,
                             std::span<const Request> requests, Arithmetic arithmetic,
                             std::int64_t every, std::span<Sums> sums) {
  if (is_one()) {
    const SomeRows counted(*m_pass, walked_for(observed));
    return m_pass->evaluate(loss, observed, requests, arithmetic, every, sums);
  }
  evaluate_segments(loss, observed, requests, arithmetic, every, sums);
}

void SegmentedPass::gram(const Observed& observed, const RowsOf& wanted, Arithmetic arithmetic,
                         double* result) {
  if (is_one()) {
    const SomeRows counted(*m_pass, walked_for(observed));
    return m_pass->gram(observed, wanted, arithmetic, result);
  }
  const std::int64_t size = columns() + 1;
  add_up(
      walked_for(observed), size * size,
      [&](double* to) { m_pass->gram(observed, wanted, arithmetic, to); }, result);
}

void SegmentedPass::hessian_rows(const RowLoss& loss, const Observed& observed,
                                 const Request& request, Range some, double* result) {
  if (is_one()) {
    const SomeRows counted(*m_pass, walked_for(observed));
    return m_pass->hessian_rows(loss, observed, request, some, result);
  }
  add_up(
      walked_for(observed), some.size() * (columns() + 1),
      [&](double* to) { m_pass->hessian_rows(loss, observed, request, some, to); }, result);
}

void SegmentedPass::gram_rows(const Observed& observed, const RowsOf& wanted, Range some,
                              double* result) {
  if (is_one()) {
    const SomeRows counted(*m_pass, walked_for(observed));
    return m_pass->gram_rows(observed, wanted, some, result);
  }
  add_up(
      walked_for(observed), some.size() * (columns() + 1),
      [&](double* to) { m_pass->gram_rows(observed, wanted, some, to); }, result);
}

void SegmentedPass::apply_adjoint(const Strided& residuals, double* sums) {
  if (is_one()) return m_pass->apply_adjoint(residuals, sums);
  const std::int64_t n = residuals.rank > 1 ? residuals.extents[1] : 1;
  add_up(
      {0, rows()}, columns() * n, [&](double* to) { m_pass->apply_adjoint(residuals, to); }, sums);
}

std::shared_ptr<Pass> in_segments(std::shared_ptr<Pass> pass) {
  return std::make_shared<SegmentedPass>(std::move(pass));
}

}  // namespace synelix::glm
