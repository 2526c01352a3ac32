// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/dense_pass.hpp"
#include "glm/pass/device_given.hpp"
#include "glm/pass/device_walk.hpp"
#include "glm/pass/pass.hpp"
#include "launch/arrays.hpp"
#include "machine/budget.hpp"
#include "tile/select.hpp"
#include "tune/device.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// \file
/// `DevicePass`: the pass over a dense design on a device. Observations and results are in memory
/// of the host, as for any pass, and are copied wave by wave.

namespace synelix::glm {

/// The pass. `Launch` starts sweeps: DeviceLaunch, or that of a test.
template <class ExecutionSpace, class Launch>
class DevicePass : public MatrixPass {
 public:
  DevicePass(const ExecutionSpace& exec, const Launch& launch, std::unique_ptr<RowPanels> panels,
             const DesignMatrixOptions& options, std::int64_t budget)
      : m_exec(exec),
        m_launch(launch),
        m_budget(budget),
        m_memory(exec, "synelix::design_matrix::workspace") {
    const std::int64_t feature_bytes = panels->rows() * Store::row_bytes(*panels);
    // A device reads features faster than it computes them.
    const bool pays = options.keep == Keep::automatic && feature_bytes <= budget / 2 &&
                      least_bytes(*panels, true) <= budget;
    const bool keeps = panels->matrix() == nullptr && (options.keep == Keep::features || pays);
    m_may_stop_keeping = keeps && options.keep == Keep::automatic;
    m_is_float = panels->type() == StoredType::float32;
    m_choice.instruction_set = tile::select_set(options.machine.instruction_set);
    m_choice.source = keeps ? RowSource::kept : panels->source();
    m_choice.feature_bytes = feature_bytes;
    m_choice.rows_of_block = sweep::block_rows_of(panels->columns());
    const std::int64_t least = least_bytes(*panels, keeps);
    if (budget < least) {
      refuse_budget("options.budget", budget, least, keeps ? " to keep features" : "");
    }
    m_choice.buffer_bytes = least;
    m_store = std::make_unique<Store>(m_exec, m_launch, std::move(panels), keeps);
    m_observed = std::make_unique<DeviceObserved<ExecutionSpace>>(m_exec, m_store->rows(),
                                                                  m_store->block_rows());
  }

  [[nodiscard]] std::int64_t rows() const override { return m_store->rows(); }
  [[nodiscard]] std::int64_t columns() const override { return m_store->columns(); }
  [[nodiscard]] const std::vector<Term>& terms() const override {
    return m_store->panels().terms();
  }
  [[nodiscard]] const DesignMatrixChoice& choice() const override { return m_choice; }

  [[nodiscard]] PassCost cost() const override {
    const auto n = static_cast<double>(rows());
    const auto p = static_cast<double>(columns());
    const double multiply_add = tune::device_fit_multiply_add * (m_is_float ? 1 : 2);
    PassCost cost;
    // Features are counted by multiply-adds, which are those of a core or of the device.
    cost.rows =
        m_choice.source == RowSource::stored
            ? static_cast<double>(m_choice.feature_bytes) * tune::device_fit_read_byte * 1e-9
            : n * m_store->panels().row_seconds() * tune::device_fit_multiply_add /
                  tune::fit_multiply_add;
    cost.gradient = n * (2 * p * multiply_add + tune::device_fit_row) * 1e-9;
    cost.hessian = n * p * p / 2 * multiply_add * 1e-9;
    cost.gram = cost.hessian;
    cost.set_ratios();
    return cost;
  }

  std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) override {
    return_share();
    m_memory.release();  // the memory of earlier walks, which had the entire budget
    std::int64_t needed = m_store->held_bytes() + least_walk_bytes(loss);
    if (m_budget < needed && m_may_stop_keeping) {
      // Features that were kept only because they fit are dropped. This changes no bit of a result.
      m_store->stop_keeping();
      m_may_stop_keeping = false;
      m_choice.source = m_store->panels().source();
      needed = m_store->held_bytes() + least_walk_bytes(loss);
    }
    if (m_budget < needed) {
      // Panels get half of a larger budget, so it must grow by twice the missing bytes.
      const std::int64_t factor = m_choice.source == RowSource::stored ? 1 : 2;
      refuse_budget("options.budget", m_budget, m_budget + factor * (needed - m_budget), " to fit");
    }
    // Models and searches are in memory of the host, which the budget of a device does not include.
    const std::int64_t host = default_budget();
    if (host < least) {
      throw BudgetError("memory of the host",
                        "the " + std::to_string(host) + " bytes that a fit may take are not the " +
                            std::to_string(least) + " of its searches",
                        "Free memory, or fit fewer targets");
    }
    // Waves get the rest.
    m_observed->keep((m_budget - needed) / 2);
    return std::clamp(most, least, host);
  }
  void return_share() override { m_observed->release(); }
  [[nodiscard]] std::int64_t held_bytes() const override {
    return m_store->held_bytes() + m_observed->bytes();
  }

  [[nodiscard]] std::span<const std::uint64_t> valid() override {
    if (!m_store->is_surveyed(walked())) {
      const std::int64_t row_bytes = m_store->panel_row_bytes() * m_store->block_rows();
      const std::int64_t blocks =
          room().blocks_within([=](std::int64_t count) { return count * row_bytes; });
      m_store->walk(walked(), 1, std::max<std::int64_t>(1, blocks),
                    m_memory.get(std::max<std::int64_t>(1, blocks) * row_bytes),
                    [this](const auto&) {
                      if (watched() != nullptr) watched()->ask();
                    });
    }
    return m_store->valid();
  }

  void apply(const double* coefficients, std::int64_t n, Range some, double* predictors) override {
    plan::check_range("rows", some, rows());
    if (some.size() > 0 && n > 0) apply_on_device(room(), coefficients, n, some, predictors);
  }

  void apply_adjoint(const Strided& residuals, double* sums) override {
    adjoint_on_device(room(), residuals, sums);
  }

 private:
  using Store = DeviceStore<ExecutionSpace, Launch>;

  /// The least bytes for the gradient of one right-hand side.
  static std::int64_t least_bytes(const RowPanels& panels, bool keeps) {
    const std::int64_t row_bytes = panels.matrix() != nullptr ? 0 : Store::row_bytes(panels);
    const std::int64_t kept = keeps ? panels.rows() * row_bytes : 0;
    return panels.held_bytes() + kept +
           least_device_pass_bytes(panels.rows(), panels.columns(), keeps ? 0 : row_bytes);
  }

  [[nodiscard]] DeviceRoom<ExecutionSpace, Launch> room() {
    return {m_exec,      m_launch, *m_store,       m_memory,
            *m_observed, m_budget, this->walked(), this->watched()};
  }

  /// The number of blocks of a wave that occupies a device.
  [[nodiscard]] std::int64_t least_blocks() const {
    return std::min<std::int64_t>(m_store->blocks(), tune::device_fit_blocks);
  }

  /// The number of blocks of a wave that fits the budget.
  std::int64_t blocks_of(WalkJob job, Arithmetic arithmetic) {
    if (is_float(arithmetic)) {
      return DeviceWalk<ExecutionSpace, Launch, float>(room(), std::move(job)).blocks();
    }
    return DeviceWalk<ExecutionSpace, Launch, double>(room(), std::move(job)).blocks();
  }

  std::size_t requests_of_walk(const WalkJob& job, Arithmetic arithmetic) override {
    std::size_t count = job.requests.size();
    const auto some = [&] {
      WalkJob fewer = job;
      fewer.requests = job.requests.first(count);
      fewer.sums = job.sums.first(count);
      std::erase_if(fewer.products, [&](const WeightedProduct& product) {
        return product.side >= static_cast<std::int64_t>(count);
      });
      return fewer;
    };
    while (count > 1 && blocks_of(some(), arithmetic) < least_blocks()) count = (count + 1) / 2;
    return count;
  }

  /// The least bytes of a walk of one right-hand side with its Hessian.
  std::int64_t least_walk_bytes(const RowLoss& loss) {
    Request request;
    request.wants_scale = true;
    request.wants_hessian = true;
    Sums sums;
    return DeviceWalk<ExecutionSpace, Launch, double>(
               room(), job_of(loss, nullptr, {&request, 1}, {&sums, 1}))
        .least_bytes();
  }

  void walk(WalkJob job, Arithmetic arithmetic) override {
    if (is_float(arithmetic)) {
      return DeviceWalk<ExecutionSpace, Launch, float>(room(), std::move(job)).sum_rows();
    }
    DeviceWalk<ExecutionSpace, Launch, double>(room(), std::move(job)).sum_rows();
  }

  [[nodiscard]] bool is_float(Arithmetic arithmetic) const {
    return m_is_float && arithmetic == Arithmetic::float_products;
  }

  ExecutionSpace m_exec;
  Launch m_launch;
  std::int64_t m_budget;
  bool m_may_stop_keeping = false;  ///< features are kept because there is room
  bool m_is_float = true;
  DesignMatrixChoice m_choice;
  std::unique_ptr<Store> m_store;
  std::unique_ptr<DeviceObserved<ExecutionSpace>> m_observed;  ///< during a fit
  DeviceMemory<ExecutionSpace> m_memory;
};

}  // namespace synelix::glm
