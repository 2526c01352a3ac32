// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/column_centers.hpp"
#include "glm/pass/pass.hpp"
#include "glm/solvers/search.hpp"
#include "launch/watched.hpp"

#include <synelix/error.hpp>
#include <synelix/types/glm.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// \file
/// `Lockstep`: many searches, and the walks over the rows that answer all of them at once.

namespace synelix::glm {

/// Whether the caller wants the fit to end.
inline bool is_cancelled(const FitOptions& options) {
  return options.cancel != nullptr && options.cancel->load();
}

/// During its lifetime, walks of the pass check whether the caller cancels the fit.
class WatchedWalks {
 public:
  WatchedWalks(Pass& pass, const FitOptions& options) : m_pass(pass) {
    if (options.cancel == nullptr && !options.during_walk) return;
    Watch watch{.cancel = options.cancel};
    if (options.during_walk) {
      watch.progress = [&options](const CallProgress&) { options.during_walk(); };
    }
    m_watched.emplace("fit", watch, 0);
    m_pass.set_watched(&*m_watched);
  }
  WatchedWalks(const WatchedWalks&) = delete;
  WatchedWalks& operator=(const WatchedWalks&) = delete;
  ~WatchedWalks() { m_pass.set_watched(nullptr); }

 private:
  Pass& m_pass;
  std::optional<plan::Watched> m_watched;
};

/// Calls body(). Returns false if the caller cancels the fit meanwhile; its results are then
/// incomplete.
template <class Body>
bool finishes(const std::atomic<bool>* cancel, const Body& body) {
  try {
    body();
  } catch (const Cancelled&) {
    if (cancel == nullptr || !cancel->load()) throw;  // a source was cancelled, not the fit
    return false;
  }
  return true;
}

/// One search and its rows.
struct Job {
  std::unique_ptr<Search> search;
  std::vector<RowsOf> rows;        ///< of each block of its parameters
  std::vector<double> dispersion;  ///< of each block
  /// The coordinates of the search, for each block. Empty: those of the design.
  BlockCenters centers = {};
};

/// Questions that one walk can answer together.
struct WalkKind {
  std::int64_t every = 1;
  Arithmetic arithmetic = Arithmetic::double_products;
  friend bool operator==(const WalkKind&, const WalkKind&) = default;
};

/// Turns sums into means, in place.
void divide_by_weight(Sums& sums);

/// Evaluates requests of one kind in as few walks as the memory for their sums allows, and passes
/// on the sums of each request as soon as a walk is done. Requests of a group stay together.
class Walks {
 public:
  Walks(Pass& pass, const RowLoss& loss, const Observed& observed)
      : m_pass(pass), m_loss(loss), m_observed(observed) {}

  /// Bytes that the sums of one walk may take. At least one request is always answered.
  void set_share(std::int64_t bytes) { m_share = bytes; }
  [[nodiscard]] std::int64_t share() const { return m_share; }
  /// Frees the sums of the last walk.
  void release() { m_sums = {}; }
  /// Bytes of the sums of a request.
  [[nodiscard]] std::int64_t bytes_of(const Request& request) const;
  /// One walk. Sums of other walks are overwritten.
  std::span<Sums> walk(std::span<const Request> requests, const WalkKind& kind);
  /// Walks until all requests are answered, and calls `take(first, sums)` for the requests of each
  /// walk.
  template <class Take>
  void batches(std::span<const Request> requests, const WalkKind& kind, const Take& take) {
    const std::vector<Request> all = counted(requests);
    const std::span<const Request> open(all);
    std::size_t first = 0;
    while (first < open.size()) {
      const std::size_t count = fitting(open.subspan(first));
      take(first, walk(open.subspan(first, count), kind));
      first += count;
    }
  }
  /// The same, with `take(i, sums)` for each request in order.
  template <class Take>
  void all(std::span<const Request> requests, const WalkKind& kind, const Take& take) {
    batches(requests, kind, [&take](std::size_t first, std::span<Sums> sums) {
      for (std::size_t i = 0; i < sums.size(); ++i) take(first + i, sums[i]);
    });
  }

  [[nodiscard]] Pass& pass() const { return m_pass; }
  [[nodiscard]] const RowLoss& loss() const { return m_loss; }
  [[nodiscard]] const Observed& observed() const { return m_observed; }
  /// Walks so far.
  [[nodiscard]] std::int64_t count() const { return m_count; }

 private:
  /// How many of the requests one walk can answer: at least one.
  [[nodiscard]] std::size_t fitting(std::span<const Request> requests) const;
  /// The same requests with `together` set to their number.
  [[nodiscard]] static std::vector<Request> counted(std::span<const Request> requests);

  Pass& m_pass;
  const RowLoss& m_loss;
  const Observed& m_observed;
  std::vector<Sums> m_sums;
  std::int64_t m_share = 0;
  std::int64_t m_count = 0;
};

/// What a lock-step reports between walks, and how it is cancelled.
struct WalkListener {
  const std::function<void(const FitProgress&)>* progress = nullptr;
  const std::atomic<bool>* cancel = nullptr;

  [[nodiscard]] bool is_cancelled() const { return cancel != nullptr && cancel->load(); }
};

/// Searches that advance together. One `round` answers the open question of each of them; finished
/// searches are skipped. The answers of a search do not depend on the others.
class Lockstep {
 public:
  /// \param targets  blocks of all jobs that will be added, for progress
  Lockstep(Walks& walks, std::int64_t targets, WalkListener listener)
      : m_walks(walks),
        m_listener(listener),
        m_targets(targets),
        m_start(plan::steady_nanoseconds()) {}

  /// Adds a job and returns its number: 0, 1, 2, ...
  std::size_t add(Job job);
  /// Answers one question of each unfinished search. Returns whether unfinished searches remain;
  /// false once cancelled.
  bool round();
  [[nodiscard]] bool is_cancelled() const { return m_is_cancelled; }
  /// Runs an additional walk, body(), until the caller cancels the fit.
  template <class Body>
  void walk_beside(const Body& body) {
    m_is_cancelled = m_is_cancelled || !finishes(m_listener.cancel, body);
  }
  [[nodiscard]] bool is_done(std::size_t job) const { return m_jobs[job].search->is_done(); }
  [[nodiscard]] const Job& job(std::size_t number) const { return m_jobs[number]; }
  [[nodiscard]] std::size_t jobs() const { return m_jobs.size(); }
  /// Removes a search, so that its memory can be freed.
  std::unique_ptr<Search> take(std::size_t job) { return std::move(m_jobs[job].search); }
  /// Counts targets without a search as done.
  void count_done(std::int64_t targets) { m_targets_done += targets; }

 private:
  /// A search's open question.
  struct Open {
    std::size_t job = 0;
    WalkKind kind = {};
    std::vector<double> point = {};  ///< in coordinates of the design, if the search has others
    std::vector<Request> requests = {};
    std::int64_t bytes = 0;  ///< of their sums
  };

  [[nodiscard]] std::vector<Open> open_questions() const;
  /// One walk, then each search on its own thread: most of the time outside of walks is in their
  /// factors and solves.
  void answer(std::span<const Open* const> open);
  static void tell(const Job& job, std::span<Sums> sums, std::int64_t classes);
  void report();

  Walks& m_walks;
  WalkListener m_listener;
  std::vector<Job> m_jobs;
  std::int64_t m_targets = 0;
  std::int64_t m_targets_done = 0;
  bool m_is_cancelled = false;
  std::int64_t m_start;  ///< nanoseconds of the steady clock
};

}  // namespace synelix::glm
