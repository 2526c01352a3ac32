// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/dense_pass.hpp"
#include "glm/pass/device_given.hpp"
#include "glm/pass/device_walk.hpp"
#include "glm/pass/pass.hpp"
#include "launch/arrays.hpp"
#include "tile/select.hpp"
#include "tune/device.hpp"
#include "vocabulary/budget.hpp"

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
class DevicePass : public WalkingPass {
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

  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override {
    const std::int64_t classes = loss.classes();
    const auto n = static_cast<std::size_t>((columns() + 1) * classes);
    for (std::size_t r = 0; r < requests.size(); ++r) {
      Sums& to = sums[r];
      to.gradient.assign(n, 0.0);
      to.scale.assign(requests[r].wants_scale ? n : 0, 0.0);
      to.hessian.assign(requests[r].wants_hessian ? n * n : 0, 0.0);
    }
    std::size_t count = requests.size();
    for (std::size_t first = 0; first < requests.size(); first += count) {
      count = std::min(count, requests.size() - first);
      const auto job = [&] {
        DeviceJob some;
        some.observed = &observed;
        some.loss = &loss;
        some.requests = requests.subspan(first, count);
        some.sums = sums.subspan(first, count);
        some.every = std::max<std::int64_t>(1, every);
        some.product_rows = {0, columns() + 1};
        some.is_triangle = true;
        for (std::size_t r = 0; r < count; ++r) {
          if (some.requests[r].wants_hessian) add_products(some, static_cast<std::int64_t>(r));
        }
        return some;
      };
      while (count > 1 && blocks_of(job(), arithmetic) < least_blocks()) count = (count + 1) / 2;
      walk(job(), arithmetic);
    }
    for (Sums& to : sums) {
      if (!to.hessian.empty()) mirror(to.hessian.data(), columns() + 1, classes);
    }
  }

  void gram(const Observed& observed, const RowsOf& wanted, Arithmetic arithmetic,
            double* result) override {
    const std::int64_t size = columns() + 1;
    DeviceJob job;
    job.observed = &observed;
    job.product_rows = {0, size};
    job.is_triangle = true;
    job.products.push_back(product(-1, wanted, result));
    walk(std::move(job), arithmetic);
    mirror(result, size, 1);
  }

  void gram_rows(const Observed& observed, const RowsOf& wanted, Range some,
                 double* result) override {
    DeviceJob job;
    job.observed = &observed;
    job.products.push_back(product(-1, wanted, result));
    walk_rows(std::move(job), some);
  }

  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range some, double* result) override {
    if (loss.classes() != 1) {
      throw Error("loss", "rows of the Hessian of categorical targets are not supported",
                  "Use Pass::evaluate");
    }
    Request alone = request;
    alone.wants_scale = false;
    DeviceJob job;
    job.observed = &observed;
    job.loss = &loss;
    job.requests = {&alone, 1};
    job.products.push_back(product(0, {}, result));
    walk_rows(std::move(job), some);
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
  std::int64_t blocks_of(DeviceJob job, Arithmetic arithmetic) {
    if (is_float(arithmetic)) {
      return DeviceWalk<ExecutionSpace, Launch, float>(room(), std::move(job)).blocks();
    }
    return DeviceWalk<ExecutionSpace, Launch, double>(room(), std::move(job)).blocks();
  }

  /// The least bytes of a walk of one right-hand side with its Hessian.
  std::int64_t least_walk_bytes(const RowLoss& loss) {
    const Request request = [] {
      Request all;
      all.wants_scale = true;
      all.wants_hessian = true;
      return all;
    }();
    Sums sums;
    DeviceJob job;
    job.loss = &loss;
    job.requests = {&request, 1};
    job.sums = {&sums, 1};
    job.product_rows = {0, columns() + 1};
    job.is_triangle = true;
    const std::int64_t classes = loss.classes();
    const auto pairs = static_cast<std::size_t>(classes * (classes + 1) / 2);
    job.products.assign(pairs, product(0, {}, nullptr));
    return DeviceWalk<ExecutionSpace, Launch, double>(room(), std::move(job)).least_bytes();
  }

  void walk(DeviceJob job, Arithmetic arithmetic) {
    if (is_float(arithmetic)) {
      return DeviceWalk<ExecutionSpace, Launch, float>(room(), std::move(job)).run();
    }
    DeviceWalk<ExecutionSpace, Launch, double>(room(), std::move(job)).run();
  }

  [[nodiscard]] bool is_float(Arithmetic arithmetic) const {
    return m_is_float && arithmetic == Arithmetic::float_products;
  }

  /// Computes some rows of a product with weights.
  void walk_rows(DeviceJob job, Range some) {
    plan::check_range("columns", some, columns() + 1);
    if (some.size() == 0) return;
    job.product_rows = some;
    walk(std::move(job), Arithmetic::float_products);
  }

  [[nodiscard]] DeviceProduct product(std::int64_t side, const RowsOf& wanted,
                                      double* result) const {
    DeviceProduct product;
    product.side = side;
    product.rows = wanted;
    product.result = result;
    product.row_stride = columns() + 1;
    return product;
  }

  /// Adds the blocks of a Hessian, one for each pair of classes.
  void add_products(DeviceJob& job, std::int64_t side) const {
    const std::int64_t classes = job.loss->classes();
    const std::int64_t n = (columns() + 1) * classes;
    double* const result = job.sums[static_cast<std::size_t>(side)].hessian.data();
    for (std::int64_t c = 0; c < classes; ++c) {
      for (std::int64_t d = c; d < classes; ++d) {
        DeviceProduct of_pair = product(side, {}, result + c * n + d);
        of_pair.row_class = c;
        of_pair.column_class = d;
        of_pair.row_stride = classes * n;
        of_pair.column_stride = classes;
        job.products.push_back(of_pair);
      }
    }
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
