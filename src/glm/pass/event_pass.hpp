// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/event_blocks.hpp"
#include "glm/pass/event_design.hpp"
#include "glm/pass/event_gram.hpp"
#include "glm/pass/pass.hpp"
#include "glm/sweep/host_items.hpp"

#include <synelix/types/design_matrix.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// \file
/// `EventPass`: products with designs that are sums of bases in conv mode on lists of events. The
/// features are never computed: predictors are sums of the windows of events, gradients are
/// gathered from the rows of the window of each event, and Hessians come from pairs of events.
///
/// Taps are double and are not rounded to float, so features are exact in double; those of
/// `compute_features<float>` are not. With `Arithmetic::float_products` windows and rows are float,
/// and sums of a block of rows are float too.

namespace synelix::glm {

/// Starts items of work on `teams` threads, and waits for them.
using StartItems = std::function<void(const std::string& label, std::int64_t items,
                                      std::int64_t teams, const sweep::HostItems&)>;

/// The resources of an EventPass.
struct EventMachine {
  InstructionSet instruction_set = InstructionSet::automatic;  ///< as `tile::select_set` returned
  std::int64_t threads = 1;
  std::int64_t budget = 0;  ///< bytes
  StartItems start = {};
};

class EventPass : public WalkingPass {
 public:
  /// \throws Error if the budget is too small for one thread
  EventPass(EventDesign design, EventMachine machine);

  /// Whether it supports this loss: all except categorical, which has a predictor for each class.
  static bool takes(const RowLoss& loss) { return loss.classes() == 1; }

  [[nodiscard]] std::int64_t rows() const override { return m_design.rows; }
  [[nodiscard]] std::int64_t columns() const override { return m_design.columns; }
  [[nodiscard]] const std::vector<Term>& terms() const override { return m_design.terms; }
  [[nodiscard]] const DesignMatrixChoice& choice() const override { return m_choice; }
  [[nodiscard]] PassCost cost() const override;
  std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) override;
  void return_share() override { m_aside = 0; }
  [[nodiscard]] std::int64_t held_bytes() const override;
  void release_memory() override;
  /// The same after a Gram matrix was computed.
  [[nodiscard]] std::int64_t most_held_bytes() const;
  /// Bytes of the budget that another pass on the same budget holds.
  void set_others(std::int64_t bytes) { m_others = bytes; }
  [[nodiscard]] std::span<const std::uint64_t> valid() override;

  /// `every` counts tiles of `tune::event_tile_rows` rows, not of 512: with shorter tiles, most
  /// events would belong to two tiles.
  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override;
  void gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
            double* result) override;
  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range columns, double* result) override;
  void gram_rows(const Observed& observed, const RowsOf& rows, Range columns,
                 double* result) override;
  void apply(const double* coefficients, std::int64_t n, Range rows, double* predictors) override;
  void apply_adjoint(const Strided& residuals, double* sums) override;

 private:
  static constexpr std::int64_t items_of_team = 4;  ///< all threads end at about the same time

  /// The wanted results of one right-hand side.
  struct Goal {
    Request request = {};
    Sums* sums = nullptr;       ///< null: only rows of X' D X
    double* hessian = nullptr;  ///< (columns.size(), columns() + 1); or null
    Range columns = {};         ///< of the wanted rows; columns() is the intercept's
    bool is_whole = true;
    /// For a part of the rows: pairs whose later event is of another column; shaped as `hessian`.
    double* backward = nullptr;

    [[nodiscard]] bool is_like(const Goal& other) const;
    [[nodiscard]] int sets() const;
  };
  template <class Scalar>
  struct Group;
  /// How many right-hand sides are computed together, and by how many teams.
  struct Share {
    std::int64_t group = 1;
    std::int64_t teams = 1;
  };

  template <class Scalar>
  void walk(const RowLoss* loss, const Observed& observed, std::span<const Goal> goals,
            std::int64_t every);
  template <class Scalar>
  void make_kernels(std::span<const double* const> coefficients, std::int64_t step,
                    std::int64_t teams, Scalar* kernels);
  template <class Scalar>
  void run_group(Group<Scalar>& group);
  template <class Scalar>
  void add_pairs(Group<Scalar>& group);
  template <class Scalar>
  void start_pairs(const Group<Scalar>& group, PairItems<Scalar>& items);
  void run_rows(const RowLoss* loss, const Observed& observed, Goal goal);
  /// Starts items and waits for them; with breaks if the walk can be cancelled.
  void start(const std::string& label, std::int64_t items, std::int64_t teams,
             const sweep::HostItems& work) const;
  [[nodiscard]] Range columns_of_events(const Goal& goal) const;
  void add_transpose(const Goal& goal) const;
  void add_sums(const BlockSums& layout, const Goal& goal, const double* sums) const;
  /// The largest share that fits the budget: `fixed` bytes, `of_each` bytes for each right-hand
  /// side and `of_team` for each team.
  [[nodiscard]] Share share(std::int64_t goals, std::int64_t blocks, std::int64_t fixed,
                            std::int64_t of_each, std::int64_t of_team) const;
  std::byte* memory(std::int64_t bytes);
  /// Bytes of a walk: for all right-hand sides together, for each of them, and for each team.
  struct Need {
    std::int64_t weights = 0;  ///< values of the weights of a chunk
    std::int64_t fixed = 0;
    std::int64_t of_each = 0;
    std::int64_t scratch = 0;  ///< of a team, for blocks of rows
    std::int64_t of_team = 0;
  };
  template <class Scalar>
  [[nodiscard]] Need need_of(bool has_hessian, const BlockSums& layout) const;

  EventDesign m_design;
  EventMachine m_machine;
  DesignMatrixChoice m_choice;
  std::int64_t m_aside = 0;   ///< of the budget: set aside for a caller
  std::int64_t m_others = 0;  ///< of the budget: held by another pass
  std::vector<std::uint64_t> m_valid;
  std::optional<LagTaps> m_lag_taps;
  std::optional<PairGrouping> m_groups;
  LineVector<std::byte> m_memory;
};

/// A pass over the lists of events of an expression; null if the expression is not a sum of bases
/// in conv mode, an input is not a list of events on the host, another method or stored features
/// are requested, or so many events overlap that features are cheaper.
/// \throws Error if inputs do not fit the expression, or the budget is too small
template <class ExecutionSpace>
std::shared_ptr<EventPass> make_event_pass(const ExecutionSpace& exec, const Expression& expression,
                                           std::span<const AnySeries> inputs,
                                           const DesignMatrixOptions& options);

}  // namespace synelix::glm
