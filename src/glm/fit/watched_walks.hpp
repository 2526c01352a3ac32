// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "launch/watched.hpp"

#include <synelix/error.hpp>
#include <synelix/types/glm.hpp>

#include <atomic>
#include <optional>

/// \file
/// The caller of a fit, who is asked while walks over the rows last.

namespace synelix::glm {

/// Whether the caller wants the fit to end.
inline bool is_cancelled(const FitOptions& options) {
  return options.cancel != nullptr && options.cancel->load();
}

/// For its lifetime, walks of the pass ask the caller of a fit.
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

/// body(), unless the caller ends the fit meanwhile: then false, and its results are unfinished.
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

}  // namespace synelix::glm
