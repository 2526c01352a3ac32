// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/dense_pass.hpp"

#include "glm/pass/dense_store.hpp"
#include "glm/pass/dense_walk.hpp"
#include "glm/pass/given_vectors.hpp"
#include "launch/arrays.hpp"
#include "launch/host_space.hpp"
#include "machine/budget.hpp"
#include "machine/spaces.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace synelix::glm {
namespace {

template <class ExecutionSpace, class Feature>
class DensePass final : public MatrixPass {
 public:
  DensePass(const ExecutionSpace& exec, std::unique_ptr<RowPanels> panels,
            const DesignMatrixOptions& options, std::int64_t budget)
      : m_exec(exec), m_budget(budget) {
    m_choice.instruction_set = tile::select_set(options.machine.instruction_set);
    const bool keeps = wants_kept(*panels, options.keep);
    m_may_stop_keeping = options.keep == Keep::automatic;
    m_choice.source = keeps ? RowSource::kept : panels->source();
    m_choice.feature_bytes = feature_bytes(*panels);
    const bool needs_panel = panels->in_place().data == nullptr && !keeps;
    m_store = std::make_unique<Store>(exec, std::move(panels), m_choice.instruction_set, keeps);
    m_choice.rows_of_block = m_store->block_rows();
    const std::int64_t least =
        m_store->held_bytes() - Store::survey_bytes(rows(), columns()) +
        least_pass_bytes(rows(), columns(), stored_type<Feature>, !needs_panel);
    if (budget < least) refuse_budget("options.budget", budget, least);
    m_least = least;
  }

  [[nodiscard]] std::int64_t rows() const override { return m_store->rows(); }
  [[nodiscard]] std::int64_t columns() const override { return m_store->columns(); }
  [[nodiscard]] const std::vector<Term>& terms() const override {
    return m_store->panels().terms();
  }
  [[nodiscard]] const DesignMatrixChoice& choice() const override {
    m_choice.buffer_bytes = std::max(m_least, m_store->held_bytes() + m_memory.bytes()) -
                            m_store->panels().caller_bytes();
    return m_choice;
  }

  [[nodiscard]] PassCost cost() const override {
    const auto n = static_cast<double>(rows());
    const auto p = static_cast<double>(columns());
    const double bytes = n * p * sizeof(Feature);
    const double multiply_add = tune::fit_multiply_add * sizeof(Feature) / sizeof(float);
    PassCost cost;
    cost.rows = m_choice.source == RowSource::stored ? bytes * tune::fit_read_byte * 1e-9
                                                     : n * m_store->panels().row_seconds();
    cost.gradient = n * (2 * p * multiply_add + tune::fit_row) * 1e-9;
    cost.hessian = n * p * p / 2 * multiply_add * 1e-9;
    cost.set_ratios();
    const double measured = tune::fit_multiply_add_double;
    cost.gradient = n * (2 * p * measured + tune::fit_row_of_gradient) * 1e-9;
    cost.gram = n * p * p / 2 * measured * 1e-9;
    cost.hessian = cost.gram + n * tune::fit_row_of_hessian * 1e-9;
    return cost;
  }

  std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) override {
    return_share();
    std::int64_t needed = m_store->held_bytes() + least_walk_bytes(loss);
    if (m_budget < needed + least && m_may_stop_keeping && m_choice.source == RowSource::kept) {
      // Features that were kept only because they fit are dropped. This changes no bit of a result.
      m_store->stop_keeping();
      m_choice.source = m_store->panels().source();
      needed = m_store->held_bytes() + least_walk_bytes(loss);
    }
    const std::int64_t spare = m_budget - needed;
    if (spare < least) {
      // Panels get half of a larger budget, so it must grow by twice the missing bytes.
      const std::int64_t factor = m_choice.source == RowSource::stored ? 1 : 2;
      refuse_budget("options.budget", m_budget, m_budget + factor * (least - spare), " to fit");
    }
    m_aside = std::min(least + (spare - least) / 2, std::max(least, most));
    if (m_memory.bytes() > m_budget - m_aside - m_store->held_bytes()) release_memory();
    return m_aside;
  }
  void return_share() override { m_aside = 0; }
  [[nodiscard]] std::int64_t held_bytes() const override { return m_store->held_bytes(); }
  void release_memory() override { m_memory.release(); }
  [[nodiscard]] std::uint64_t way_of_products(Arithmetic arithmetic,
                                              std::int64_t predictors) const override {
    const bool is_float =
        std::is_same_v<Feature, float> && arithmetic == Arithmetic::float_products;
    const int lanes = is_float ? tile::table_of<float>(m_choice.instruction_set).lanes
                               : tile::table_of<double>(m_choice.instruction_set).lanes;
    return takes_one_by_one(predictors, lanes) ? 1 : 0;
  }

  [[nodiscard]] std::span<const std::uint64_t> valid() override {
    if (!m_store->is_surveyed(walked())) {
      const DenseCut cut =
          cut_within(m_budget - m_aside, m_store->held_bytes(), {1, m_store->blocks(), 0, 1, 0, 1},
                     [this](const DenseCut& asked) {
                       return m_store->panel_values(asked.blocks) * std::int64_t{sizeof(Feature)} +
                              plan::workspace_alignment;
                     });
      const std::int64_t bytes = m_store->panel_values(cut.blocks) * std::int64_t{sizeof(Feature)};
      auto* const panel = reinterpret_cast<Feature*>(m_memory.get(bytes));
      m_store->walk(walked(), 1, cut.blocks, panel, [this](const auto&) {
        if (watched() != nullptr) watched()->ask();
      });
    }
    return m_store->valid();
  }

  void apply(const double* coefficients, std::int64_t n, Range some, double* predictors) override {
    plan::check_range("rows", some, rows());
    if (some.size() > 0 && n > 0) apply_rows(room(), coefficients, n, some, predictors);
  }

  void apply_adjoint(const Strided& residuals, double* sums) override {
    adjoint_rows(room(), residuals, sums);
  }

 private:
  using Store = DenseStore<ExecutionSpace, Feature>;

  static std::int64_t feature_bytes(const RowPanels& panels) {
    return panels.rows() * panels.columns() * std::int64_t{sizeof(Feature)};
  }

  /// Whether features are kept. \throws Error if they must be kept and do not fit
  [[nodiscard]] bool wants_kept(const RowPanels& panels, Keep keep) const {
    if (panels.source() == RowSource::stored || keep == Keep::nothing) return false;
    const std::int64_t bytes = feature_bytes(panels);
    const std::int64_t least_kept =
        bytes + panels.held_bytes() +
        least_pass_bytes(panels.rows(), panels.columns(), stored_type<Feature>, true);
    if (keep == Keep::features) {
      if (m_budget < least_kept) {
        refuse_budget("options.budget", m_budget, least_kept, " to keep features");
      }
      return true;
    }
    const double row_bytes = static_cast<double>(panels.columns()) * sizeof(Feature);
    return bytes <= m_budget / 2 && least_kept <= m_budget &&
           row_bytes * tune::fit_read_byte * 1e-9 < panels.row_seconds();
  }

  [[nodiscard]] DenseRoom<ExecutionSpace, Feature> room() {
    return {m_exec,   *m_store, m_memory, m_choice.instruction_set, m_budget - m_aside,
            walked(), watched()};
  }

  /// Bytes of the smallest walk for loss, gradient, its scale and a Hessian.
  [[nodiscard]] std::int64_t least_walk_bytes(const RowLoss& loss) {
    const std::vector<double> point(static_cast<std::size_t>((columns() + 1) * loss.classes()));
    Request request;
    request.parameters = point.data();
    request.wants_scale = true;
    request.wants_hessian = true;
    request.together = tune::fit_group;  // whose vectors fill complete packs
    Sums sums;
    const WalkJob job = job_of(loss, nullptr, {&request, 1}, {&sums, 1});
    std::int64_t bytes = DenseWalk<ExecutionSpace, Feature, double>(room(), job).least_bytes();
    if constexpr (std::is_same_v<Feature, float>) {
      bytes = std::max(bytes, DenseWalk<ExecutionSpace, float, float>(room(), job).least_bytes());
    }
    return bytes;
  }

  void walk(WalkJob job, Arithmetic arithmetic) override {
    if constexpr (std::is_same_v<Feature, float>) {
      if (arithmetic == Arithmetic::float_products) {
        DenseWalk<ExecutionSpace, float, float>(room(), std::move(job)).sum_rows();
        return;
      }
    }
    DenseWalk<ExecutionSpace, Feature, double>(room(), std::move(job)).sum_rows();
  }

  ExecutionSpace m_exec;
  std::int64_t m_budget;
  std::int64_t m_aside = 0;         ///< of the budget: set aside for a caller
  bool m_may_stop_keeping = false;  ///< features are kept because there was room
  std::int64_t m_least = 0;
  mutable DesignMatrixChoice m_choice;
  std::unique_ptr<Store> m_store;
  LineMemory m_memory{"synelix::design_matrix::workspace"};
};

template <class Feature>
std::int64_t least_bytes(std::int64_t rows, std::int64_t columns, bool is_in_place) {
  const std::int64_t block = std::min(rows, sweep::block_rows_of(columns));
  sweep::MemoryCursor cursor(nullptr);
  if (!is_in_place) static_cast<void>(cursor.take<Feature>(block * panel_stride<Feature>(columns)));
  static_cast<void>(cursor.take<double>(columns));
  static_cast<void>(cursor.take<double>(sweep::SideSums{columns, 1, false}.values()));
  const sweep::EvaluateMemory<Feature, double> team(cursor, columns, 1, 1, false);
  return cursor.bytes() + 2 * plan::workspace_alignment;
}

}  // namespace

std::int64_t least_pass_bytes(std::int64_t rows, std::int64_t columns, StoredType type,
                              bool is_in_place) {
  if (type == StoredType::float64) {
    return DenseStore<Kokkos::DefaultHostExecutionSpace, double>::survey_bytes(rows, columns) +
           least_bytes<double>(rows, columns, is_in_place);
  }
  return DenseStore<Kokkos::DefaultHostExecutionSpace, float>::survey_bytes(rows, columns) +
         least_bytes<float>(rows, columns, is_in_place);
}

template <class ExecutionSpace>
std::shared_ptr<Pass> make_dense_pass(const ExecutionSpace& exec, std::unique_ptr<RowPanels> panels,
                                      const DesignMatrixOptions& options, std::int64_t budget) {
  if constexpr (plan::is_host_space<ExecutionSpace>) {
    if (panels->type() == StoredType::float64) {
      return std::make_shared<DensePass<ExecutionSpace, double>>(exec, std::move(panels), options,
                                                                 budget);
    }
    return std::make_shared<DensePass<ExecutionSpace, float>>(exec, std::move(panels), options,
                                                              budget);
  } else {
    return make_device_pass(exec, std::move(panels), options, budget);
  }
}

#define SYNELIX_INSTANTIATE(SPACE)                                                                \
  template std::shared_ptr<Pass> make_dense_pass<SPACE>(const SPACE&, std::unique_ptr<RowPanels>, \
                                                        const DesignMatrixOptions&, std::int64_t);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::glm
