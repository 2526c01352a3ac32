// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/lockstep.hpp"

#include "glm/sweep/host_items.hpp"

#include <algorithm>
#include <exception>

namespace synelix::glm {
namespace {

std::int64_t size_of_request(const Walks& walks) {
  return (walks.pass().columns() + 1) * walks.loss().classes();
}

}  // namespace

// ---- walks

void divide_by_weight(Sums& sums) {
  sums.loss /= sums.weight;
  for (std::vector<double>* values : {&sums.gradient, &sums.hessian, &sums.scale}) {
    for (double& value : *values) value /= sums.weight;
  }
}

std::int64_t Walks::bytes_of(const Request& request) const {
  const std::int64_t size = size_of_request(*this);
  const std::int64_t numbers =
      size + (request.wants_hessian ? size * size : 0) + (request.wants_scale ? size : 0);
  return m_pass.copies_of_sums() * numbers * static_cast<std::int64_t>(sizeof(double));
}

std::size_t Walks::fitting(std::span<const Request> requests) const {
  std::int64_t left = m_share;
  std::size_t count = 0;
  while (count < requests.size()) {
    left -= bytes_of(requests[count]);
    if (left < 0 && count > 0) break;
    ++count;
  }
  return count;
}

std::vector<Request> Walks::counted(std::span<const Request> requests) {
  std::vector<Request> all(requests.begin(), requests.end());
  for (Request& request : all) {
    if (request.together == 0) request.together = static_cast<std::int64_t>(all.size());
  }
  return all;
}

std::span<Sums> Walks::walk(std::span<const Request> requests, const WalkKind& kind) {
  m_sums.clear();  // frees the results of the previous walk: the budget is for one
  m_sums.resize(requests.size());
  m_pass.evaluate(m_loss, m_observed, requests, kind.arithmetic, kind.every, m_sums);
  ++m_count;
  return m_sums;
}

// ---- lock-step

std::size_t Lockstep::add(Job job) {
  m_jobs.push_back(std::move(job));
  return m_jobs.size() - 1;
}

std::vector<Lockstep::Open> Lockstep::open_questions() const {
  std::vector<Open> all;
  const std::int64_t size = size_of_request(m_walks);
  for (std::size_t i = 0; i < m_jobs.size(); ++i) {
    const Job& job = m_jobs[i];
    if (job.search == nullptr || job.search->is_done()) continue;
    const Question question = job.search->ask();
    Open open;
    open.job = i;
    open.kind = {question.every,
                 question.wants_double ? Arithmetic::double_products : Arithmetic::float_products};
    std::span<const double> point = question.parameters;
    if (!job.centers.empty()) {
      open.point.assign(point.begin(), point.end());
      to_given(job.centers, open.point, m_walks.loss().classes());
      point = open.point;
    }
    for (std::size_t block = 0; block < job.rows.size(); ++block) {
      Request request;
      request.parameters = point.data() + static_cast<std::int64_t>(block) * size;
      request.rows = job.rows[block];
      request.dispersion = job.dispersion[block];
      request.wants_hessian = question.wants_hessian;
      request.together = m_targets;  // including those that the budget leaves for later
      open.bytes += m_walks.bytes_of(request);
      open.requests.push_back(request);
    }
    all.push_back(std::move(open));
  }
  return all;
}

bool Lockstep::round() {
  const std::vector<Open> all = open_questions();
  std::vector<bool> is_answered(all.size(), false);
  const std::int64_t budget = m_walks.share();
  for (std::size_t first = 0; first < all.size(); ++first) {
    if (is_answered[first]) continue;
    if (m_listener.is_cancelled()) {
      m_is_cancelled = true;
      return false;
    }
    // One walk: this question and all later ones of its kind whose sums fit in memory together.
    std::vector<const Open*> together;
    std::int64_t left = budget;
    for (std::size_t i = first; i < all.size(); ++i) {
      if (is_answered[i] || !(all[i].kind == all[first].kind)) continue;
      if (!together.empty() && all[i].bytes > left) continue;
      left -= all[i].bytes;
      is_answered[i] = true;
      together.push_back(&all[i]);
    }
    if (!finishes(m_listener.cancel, [&] { answer(together); })) {
      m_is_cancelled = true;
      return false;
    }
    report();
  }
  return std::any_of(m_jobs.begin(), m_jobs.end(), [](const Job& job) {
    return job.search != nullptr && !job.search->is_done();
  });
}

void Lockstep::answer(std::span<const Open* const> open) {
  std::vector<Request> requests;
  std::vector<std::size_t> firsts;
  for (const Open* one : open) {
    firsts.push_back(requests.size());
    requests.insert(requests.end(), one->requests.begin(), one->requests.end());
  }
  const std::span<Sums> sums = m_walks.walk(requests, open.front()->kind);
  std::vector<std::exception_ptr> failures(open.size());
  sweep::run_host_loop(
      "synelix::fit::tell", static_cast<std::int64_t>(open.size()), [&](std::int64_t item) {
        const auto i = static_cast<std::size_t>(item);
        try {
          tell(m_jobs[open[i]->job], sums.subspan(firsts[i], open[i]->requests.size()),
               m_walks.loss().classes());
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (failures[i] != nullptr) std::rethrow_exception(failures[i]);
    if (is_done(open[i]->job)) {
      m_targets_done += static_cast<std::int64_t>(open[i]->requests.size());
    }
  }
}

void Lockstep::tell(const Job& job, std::span<Sums> sums, std::int64_t classes) {
  for (std::size_t block = 0; block < sums.size(); ++block) {
    divide_by_weight(sums[block]);
    if (!job.centers.empty()) center(job.centers[block], sums[block], classes);
  }
  Point point{sums[0].loss, sums[0].weight, sums[0].gradient, sums[0].hessian};
  std::vector<double> gradient;  // of several blocks, one after the other
  std::vector<double> hessian;
  if (sums.size() > 1) {
    for (const Sums& block : sums) {
      gradient.insert(gradient.end(), block.gradient.begin(), block.gradient.end());
      hessian.insert(hessian.end(), block.hessian.begin(), block.hessian.end());
    }
    for (const Sums& block : sums.subspan(1)) {
      point.loss += block.loss;
      point.weight = std::min(point.weight, block.weight);
    }
    point.gradient = gradient;
    point.hessian = hessian;
  }
  job.search->tell(point);
}

void Lockstep::report() {
  if (m_listener.progress == nullptr || !*m_listener.progress) return;
  FitProgress progress;
  progress.targets = m_targets;
  progress.targets_done = m_targets_done;
  progress.passes = m_walks.count();
  for (const Job& job : m_jobs) {
    if (job.search == nullptr || job.search->is_done()) continue;
    progress.worst_optimality = std::max(progress.worst_optimality, job.search->optimality());
  }
  progress.seconds = 1e-9 * static_cast<double>(plan::steady_nanoseconds() - m_start);
  (*m_listener.progress)(progress);
}

}  // namespace synelix::glm
