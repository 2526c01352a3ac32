// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/event_pass.hpp"
#include "glm/pass/forwarding_pass.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// \file
/// `RoutedPass`: a pass over lists of events, and a dense one for losses of several classes, which
/// events do not support. The dense one is made when it is first needed. Both share one budget:
/// only one of them uses memory of walks at a time, and each uses only what the other leaves.

namespace synelix::glm {

class RoutedPass final : public ForwardingPass {
 public:
  /// Makes a dense pass that leaves this many bytes of the budget to others.
  using Make = std::function<std::shared_ptr<Pass>(std::int64_t held)>;

  RoutedPass(std::shared_ptr<EventPass> events, Make make_dense)
      : ForwardingPass(*events), m_events(std::move(events)), m_make_dense(std::move(make_dense)) {}

  std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) override {
    if (EventPass::takes(loss)) return m_events->take_share(loss, least, most);
    const std::int64_t share = dense().take_share(loss, least, most);
    try {
      // Gram matrices are computed by the pass over events, with the same share.
      return m_events->take_share(loss, share, share);
    } catch (...) {
      dense().return_share();
      throw;
    }
  }
  void return_share() override {
    m_events->return_share();
    if (m_dense) m_dense->return_share();
  }
  [[nodiscard]] std::int64_t held_bytes() const override {
    return m_events->held_bytes() + (m_dense ? m_dense->held_bytes() : 0);
  }
  void set_watched(plan::Watched* watched) override {
    m_watched = watched;
    m_events->set_watched(watched);
    if (m_dense) m_dense->set_watched(watched);
  }
  void set_rows(Range wanted) override {
    m_walked = wanted;
    m_events->set_rows(wanted);
    if (m_dense) m_dense->set_rows(wanted);
  }
  void release_memory() override {
    m_events->release_memory();
    if (m_dense) m_dense->release_memory();
  }
  [[nodiscard]] std::uint64_t way_of_products(Arithmetic arithmetic,
                                              std::int64_t predictors) const override {
    return m_dense ? m_dense->way_of_products(arithmetic, predictors) : 0;
  }

  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override {
    pass_for(loss).evaluate(loss, observed, requests, arithmetic, every, sums);
  }
  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range columns, double* result) override {
    pass_for(loss).hessian_rows(loss, observed, request, columns, result);
  }

 protected:
  Pass& walker() override {
    if (m_dense) m_dense->release_memory();
    return *m_events;
  }

 private:
  Pass& pass_for(const RowLoss& loss) { return EventPass::takes(loss) ? walker() : dense(); }
  Pass& dense() {
    m_events->release_memory();
    if (!m_dense) {
      static_cast<void>(m_events->valid());
      m_dense = m_make_dense(m_events->most_held_bytes());
      m_events->set_others(m_dense->held_bytes());
      m_dense->set_watched(m_watched);
      m_dense->set_rows(m_walked);
    }
    return *m_dense;
  }

  std::shared_ptr<EventPass> m_events;
  Make m_make_dense;
  std::shared_ptr<Pass> m_dense;
  plan::Watched* m_watched = nullptr;
  Range m_walked;
};

}  // namespace synelix::glm
