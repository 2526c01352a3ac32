// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/event_pass.hpp"

#include "index/segment.hpp"
#include "launch/watched.hpp"
#include "machine/budget.hpp"
#include "tile/event_products.hpp"
#include "tile/select.hpp"
#include "tune/fit.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace synelix::glm {
namespace {

const std::string evaluate_label = "synelix::design_matrix::evaluate";
const std::string pairs_label = "synelix::design_matrix::pairs";
const std::string kernels_label = "synelix::design_matrix::kernels";
const std::string apply_label = "synelix::design_matrix::apply";

template <class Scalar>
EventTables<Scalar> tables_of(InstructionSet set) {
  return {&tile::event_table_of<Scalar>(set), &tile::table_of<double>(set)};
}

/// Takes parts of one piece of memory, each aligned to a cache line.
class Parts {
 public:
  explicit Parts(std::byte* memory) : m_next(memory) {}
  template <class Value>
  Value* take(std::int64_t values) {
    auto* const begin = reinterpret_cast<Value*>(m_next);
    m_next += bytes_of<Value>(values);
    return begin;
  }
  template <class Value>
  static std::int64_t bytes_of(std::int64_t values) {
    return whole_lines<std::byte>(values * static_cast<std::int64_t>(sizeof(Value)));
  }

 private:
  std::byte* m_next;
};

std::int64_t event_blocks_of(Range rows) {
  return index::ceil_divide(rows.end, tune::event_block_rows) - rows.begin / tune::event_block_rows;
}

/// Calls body(chunk) for the parts of the rows with work: valid rows in the part, or valid rows
/// after its end that windows of its events reach. Pairs of events belong to the chunk in which the
/// window of the later event begins.
template <class Body>
void for_each_chunk(const EventDesign& design, Range rows, const Body& body) {
  const std::int64_t step = tune::event_chunk_rows;
  for (std::int64_t t = rows.begin; t < rows.end; t = (t / step + 1) * step) {
    const Range chunk{t, std::min((t / step + 1) * step, rows.end)};
    if (has_valid(design.valid, {chunk.begin, chunk.end + design.halo})) body(chunk);
  }
}

}  // namespace

bool EventPass::Goal::is_like(const Goal& other) const {
  return sets() == other.sets() && (hessian == nullptr) == (other.hessian == nullptr);
}

int EventPass::Goal::sets() const {
  return 1 + (hessian != nullptr ? 1 : 0) + (request.wants_scale ? 1 : 0);
}

/// Right-hand sides that are computed together, in one chunk.
template <class Scalar>
struct EventPass::Group {
  const RowLoss* loss = nullptr;
  const Observed* observed = nullptr;
  std::span<const Goal> goals = {};
  std::int64_t every = 1;
  Range rows = {};
  std::int64_t teams = 1;
  BlockSums layout = {};
  Scalar* kernels = nullptr;
  double* sums = nullptr;
  ChunkWeights<Scalar> weights = {};
  std::byte* scratch = nullptr;
  std::int64_t scratch_bytes = 0;
};

EventPass::EventPass(EventDesign design, EventMachine machine)
    : m_design(std::move(design)), m_machine(std::move(machine)) {
  m_choice.source = RowSource::events;
  m_choice.instruction_set = m_machine.instruction_set;
  m_choice.rows_of_block = tune::event_block_rows;
  m_choice.feature_bytes = m_design.rows * m_design.columns * 4;
  m_choice.buffer_bytes = m_design.bytes();
}

void EventPass::start(const std::string& label, std::int64_t items, std::int64_t teams,
                      const sweep::HostItems& work) const {
  if (watched() == nullptr) return m_machine.start(label, items, teams, work);
  watched()->in_turns(items, teams, [&](sweep::TeamTurn* turns, sweep::TurnEnd end) {
    m_machine.start(label, teams, teams,
                    sweep::HostItemsWithBreaks(work, items, teams, turns, end));
  });
}

template <class Scalar>
EventPass::Need EventPass::need_of(bool has_hessian, const BlockSums& layout) const {
  const int lanes = tile::table_of<double>(m_machine.instruction_set).lanes;
  const std::int64_t rows_of_chunk = std::min(rows(), tune::event_chunk_rows);
  const std::int64_t blocks = event_blocks_of({0, rows_of_chunk});
  Need need;
  need.weights = ChunkWeights<Scalar>::size(m_design, rows_of_chunk);
  if (has_hessian) {
    need.fixed =
        Parts::bytes_of<Scalar>(need.weights) + Parts::bytes_of<std::int32_t>(need.weights);
  }
  need.of_each = Parts::bytes_of<Scalar>(m_design.windows<Scalar>()) +
                 Parts::bytes_of<double>(blocks * layout.values());
  need.scratch = EventScratch<Scalar>::bytes(m_design, lanes, layout.sets);
  need.of_team = need.scratch;
  // `walk` and `take_share` make the groups first.
  if (has_hessian) {
    const PairGrouping& groups = *m_groups;  // NOLINT(bugprone-unchecked-optional-access): made
    need.of_team =
        std::max(need.scratch, PairItems<Scalar>::bytes_of_team(m_design, groups, lanes));
  }
  return need;
}

template <class Scalar>
void EventPass::make_kernels(std::span<const double* const> coefficients, std::int64_t step,
                             std::int64_t teams, Scalar* kernels) {
  KernelItems<Scalar> items;
  items.design = &m_design;
  items.coefficients = coefficients.data();
  items.step = step;
  items.kernels = kernels;
  const auto count = static_cast<std::int64_t>(coefficients.size() * m_design.channels.size());
  start(kernels_label, count, std::min(teams, count), items);
}

/// The columns of the goal without the intercept.
Range EventPass::columns_of_events(const Goal& goal) const {
  return {std::min(goal.columns.begin, columns()), std::min(goal.columns.end, columns())};
}

void EventPass::add_sums(const BlockSums& layout, const Goal& goal, const double* sums) const {
  const std::int64_t size = columns() + 1;
  const auto add = [&](int set, std::vector<double>& to) {
    const double* const from = sums + layout.set(set);
    for (std::int64_t j = 0; j < size; ++j) to[static_cast<std::size_t>(j)] += from[j];
  };
  if (goal.sums != nullptr) {
    goal.sums->loss += sums[BlockSums::loss];
    goal.sums->weight += sums[BlockSums::weight];
    add(0, goal.sums->gradient);
    if (goal.request.wants_scale) add(goal.hessian != nullptr ? 2 : 1, goal.sums->scale);
  }
  if (goal.hessian == nullptr) return;
  const double* const last = sums + layout.set(1);
  const Range own = columns_of_events(goal);
  for (std::int64_t j = own.begin; j < own.end; ++j) {
    goal.hessian[(j - goal.columns.begin) * size + columns()] += last[j];
  }
  if (goal.columns.end == own.end) return;
  double* const row = goal.hessian + (columns() - goal.columns.begin) * size;
  for (std::int64_t j = 0; j < size; ++j) row[j] += last[j];
}

/// Computes one chunk of rows: first the blocks, then the pairs of events.
template <class Scalar>
void EventPass::run_group(Group<Scalar>& group) {
  const auto tables = tables_of<Scalar>(m_machine.instruction_set);
  std::vector<Request> requests;
  std::vector<const double*> coefficients;
  for (const Goal& goal : group.goals) {
    requests.push_back(goal.request);
    coefficients.push_back(goal.request.parameters);
  }
  if (group.loss != nullptr) make_kernels<Scalar>(coefficients, 1, group.teams, group.kernels);
  const bool has_hessian = group.goals.front().hessian != nullptr;
  EvaluateItems<Scalar> items;
  items.work = {&m_design,
                tables,
                group.scratch,
                group.scratch_bytes,
                group.layout.sets,
                group.rows,
                event_blocks_of(group.rows),
                group.kernels};
  items.loss = group.loss;
  items.observed = group.observed;
  items.requests = requests;
  items.every = group.every;
  items.layout = group.layout;
  items.wants_curvatures = has_hessian;
  items.sums = group.sums;
  items.curvatures = has_hessian ? group.weights.values + m_design.halo : nullptr;
  const std::int64_t blocks = items.work.blocks;
  const auto count = static_cast<std::int64_t>(requests.size()) * blocks;
  start(evaluate_label, count, std::min(group.teams, count), items);
  for (std::int64_t i = 0; i < count; ++i) {  // blocks of a right-hand side in order
    add_sums(group.layout, group.goals[static_cast<std::size_t>(i / blocks)],
             group.sums + i * group.layout.values());
  }
  if (has_hessian) add_pairs(group);
}

template <class Scalar>
void EventPass::add_pairs(Group<Scalar>& group) {
  const Goal& goal = group.goals.front();
  const PairGrouping& groups = *m_groups;  // NOLINT(bugprone-unchecked-optional-access): by walk
  group.weights.rows = group.rows;
  group.weights.clear_halo(m_design);
  PairItems<Scalar> items;
  items.design = &m_design;
  items.tables = tables_of<Scalar>(m_machine.instruction_set);
  items.lag_tables = &tile::event_table_of<double>(m_machine.instruction_set);
  items.scratch = group.scratch;
  items.scratch_bytes =
      PairItems<Scalar>::bytes_of_team(m_design, groups, items.tables.products->lanes);
  items.columns = columns_of_events(goal);
  items.every = group.every;
  if constexpr (sizeof(Scalar) == sizeof(double)) {
    if (group.loss == nullptr) {
      const Range behind{group.rows.end, std::min(rows(), group.rows.end + m_design.halo)};
      double* const values = group.weights.values + m_design.halo + group.rows.size();
      if (behind.size() > 0) {
        group.observed->read_weights(goal.request.rows, behind, values);
        mask_invalid(m_design.valid, behind, values);
      }
      group.weights.is_known_behind = true;
      if (m_lag_taps && !m_lag_taps->is_empty()) {
        group.weights.find_runs(m_design);
        items.lag_taps = &*m_lag_taps;
        items.kinds = tile::PairKinds::one_weight;
        items.later_groups = items.earlier_groups = &groups.wide;
        items.weights = group.weights;
        start_pairs(group, items);
        items.kinds = tile::PairKinds::others;
      }
    }
  }
  items.weights = group.weights;
  items.later_groups = &groups.single;
  items.earlier_groups = &groups.narrow;
  start_pairs(group, items);
}

template <class Scalar>
void EventPass::start_pairs(const Group<Scalar>& group, PairItems<Scalar>& items) {
  const Goal& goal = group.goals.front();
  const Range all{0, static_cast<std::int64_t>(m_design.channels.size())};
  if (items.columns.size() == 0) return;  // only the row of the intercept: it has no events
  const Range own = channels_of(m_design, items.columns);
  items.least_items = group.teams == 1 ? 1 : items_of_team * group.teams;
  const std::int64_t teams = std::min(group.teams, items.items());
  std::fill(group.scratch, group.scratch + teams * items.scratch_bytes, std::byte{0});
  items.laters = goal.is_whole ? all : own;
  items.earliers = all;
  items.is_transposed = false;
  items.result = goal.hessian;
  start(pairs_label, items.items(), teams, items);
  if (goal.is_whole) return;
  items.laters = all;
  items.earliers = own;
  items.is_transposed = true;
  items.result = goal.backward;
  start(pairs_label, items.items(), teams, items);
}

/// Loops over chunks of rows, and in each of them over groups of right-hand sides.
template <class Scalar>
void EventPass::walk(const RowLoss* loss, const Observed& observed, std::span<const Goal> goals,
                     std::int64_t every) {
  if (!m_groups.has_value()) m_groups.emplace(m_design);
  const std::int64_t blocks = event_blocks_of({0, std::min(rows(), tune::event_chunk_rows)});
  for_each_chunk(m_design, walked(), [&](Range chunk) {
    observed.begin({chunk.begin, std::min(rows(), chunk.end + m_design.halo)});
    for (std::size_t first = 0; first < goals.size();) {
      const Goal& goal = goals[first];
      const bool has_hessian = goal.hessian != nullptr;
      Group<Scalar> group{.loss = loss, .observed = &observed, .every = every, .rows = chunk};
      group.layout = {columns() + 1, goal.sets()};
      std::size_t last = first + 1;
      while (!has_hessian && last < goals.size() && goals[last].is_like(goal)) ++last;
      const Need need = need_of<Scalar>(has_hessian, group.layout);
      group.scratch_bytes = need.scratch;
      const Share taken = share(static_cast<std::int64_t>(last - first), blocks, need.fixed,
                                need.of_each, need.of_team);
      group.teams = taken.teams;
      last = std::min(last, first + static_cast<std::size_t>(taken.group));
      group.goals = goals.subspan(first, last - first);
      Parts parts(memory(need.fixed + taken.group * need.of_each + taken.teams * need.of_team));
      if (has_hessian) {
        group.weights.values = parts.take<Scalar>(need.weights);
        group.weights.run_ends = parts.take<std::int32_t>(need.weights);
      }
      group.kernels = parts.take<Scalar>(taken.group * m_design.windows<Scalar>());
      group.sums = parts.take<double>(taken.group * blocks * group.layout.values());
      group.scratch = parts.take<std::byte>(taken.teams * need.of_team);
      run_group(group);
      first = last;
    }
  });
  for (const Goal& goal : goals) add_transpose(goal);
}

/// X' D X is the sum over pairs of a later and an earlier event, plus its transpose.
void EventPass::add_transpose(const Goal& goal) const {
  if (goal.hessian == nullptr) return;
  const std::int64_t size = columns() + 1;
  const Range own = columns_of_events(goal);
  for (std::int64_t j = own.begin; j < own.end; ++j) {
    double* const row = goal.hessian + (j - goal.columns.begin) * size;
    if (!goal.is_whole) {
      const double* const backward = goal.backward + (j - goal.columns.begin) * size;
      for (std::int64_t k = 0; k < columns(); ++k) row[k] += backward[k];
    } else {
      for (std::int64_t k = 0; k <= j; ++k) {
        double& other = goal.hessian[k * size + j];
        row[k] = other = row[k] + other;
      }
    }
  }
}

void EventPass::evaluate(const RowLoss& loss, const Observed& observed,
                         std::span<const Request> requests, Arithmetic arithmetic,
                         std::int64_t every, std::span<Sums> sums) {
  const auto size = static_cast<std::size_t>(columns() + 1);
  std::vector<Goal> goals;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    sums[i].loss = 0;
    sums[i].weight = 0;
    sums[i].gradient.assign(size, 0.0);
    sums[i].hessian.assign(requests[i].wants_hessian ? size * size : 0, 0.0);
    sums[i].scale.assign(requests[i].wants_scale ? size : 0, 0.0);
    double* const hessian = requests[i].wants_hessian ? sums[i].hessian.data() : nullptr;
    goals.push_back({requests[i], &sums[i], hessian, {0, columns() + 1}, true});
  }
  if (arithmetic == Arithmetic::float_products) return walk<float>(&loss, observed, goals, every);
  walk<double>(&loss, observed, goals, every);
}

void EventPass::gram(const Observed& observed, const RowsOf& rows_of, Arithmetic /*arithmetic*/,
                     double* result) {
  const std::int64_t size = columns() + 1;
  if (!m_lag_taps.has_value()) m_lag_taps.emplace(m_design);
  std::fill(result, result + size * size, 0.0);
  Goal goal{{}, nullptr, result, {0, columns() + 1}, true};
  goal.request.rows = rows_of;
  walk<double>(nullptr, observed, {&goal, 1}, 1);
}

void EventPass::run_rows(const RowLoss* loss, const Observed& observed, Goal goal) {
  const auto values = static_cast<std::size_t>(goal.columns.size() * (columns() + 1));
  std::fill(goal.hessian, goal.hessian + values, 0.0);
  std::vector<double> backward(values, 0.0);
  goal.backward = backward.data();
  goal.is_whole = false;
  walk<double>(loss, observed, {&goal, 1}, 1);
}

void EventPass::hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                             Range columns_wanted, double* result) {
  Goal goal{request, nullptr, result, columns_wanted};
  goal.request.wants_scale = false;
  run_rows(&loss, observed, goal);
}

void EventPass::gram_rows(const Observed& observed, const RowsOf& rows_of, Range columns_wanted,
                          double* result) {
  if (!m_lag_taps.has_value()) m_lag_taps.emplace(m_design);
  Goal goal{{}, nullptr, result, columns_wanted};
  goal.request.rows = rows_of;
  run_rows(nullptr, observed, goal);
}

void EventPass::apply(const double* coefficients, std::int64_t n, Range rows_wanted,
                      double* predictors) {
  std::fill(predictors, predictors + rows_wanted.size() * n,
            std::numeric_limits<double>::quiet_NaN());
  const auto tables = tables_of<double>(m_machine.instruction_set);
  const std::int64_t scratch = EventScratch<double>::bytes(m_design, tables.products->lanes, 1);
  const std::int64_t of_each = Parts::bytes_of<double>(m_design.windows<double>());
  for_each_chunk(m_design, rows_wanted, [&](Range chunk) {
    const std::int64_t blocks = event_blocks_of(chunk);
    for (std::int64_t first = 0; first < n;) {
      const Share taken = share(n - first, blocks, 0, of_each, scratch);
      Parts parts(memory(taken.group * of_each + taken.teams * scratch));
      ApplyItems<double> items;
      auto* const kernels = parts.take<double>(taken.group * m_design.windows<double>());
      items.work = {&m_design, tables, parts.take<std::byte>(taken.teams * scratch),
                    scratch,   1,      chunk,
                    blocks,    kernels};
      items.right_hand_sides = n;
      items.predictors = predictors + (chunk.begin - rows_wanted.begin) * n + first;
      std::vector<const double*> each;
      each.reserve(static_cast<std::size_t>(taken.group));
      for (std::int64_t r = 0; r < taken.group; ++r) each.push_back(coefficients + first + r);
      make_kernels<double>(each, n, taken.teams, kernels);
      const std::int64_t count = taken.group * blocks;
      start(apply_label, count, std::min(taken.teams, count), items);
      first += taken.group;
    }
  });
}

void EventPass::apply_adjoint(const Strided& residuals, double* sums) {
  const std::int64_t n = residuals.rank > 1 ? residuals.extents[1] : 1;
  std::fill(sums, sums + columns() * n, 0.0);
  const auto tables = tables_of<double>(m_machine.instruction_set);
  const std::int64_t scratch = EventScratch<double>::bytes(m_design, tables.products->lanes, 1);
  for_each_chunk(m_design, walked(), [&](Range chunk) {
    const std::int64_t blocks = event_blocks_of(chunk);
    const std::int64_t of_each = Parts::bytes_of<double>(blocks * columns());
    for (std::int64_t first = 0; first < n;) {
      const Share taken = share(n - first, blocks, 0, of_each, scratch);
      Parts parts(memory(taken.group * of_each + taken.teams * scratch));
      AdjointItems<double> items;
      items.sums = parts.take<double>(taken.group * blocks * columns());
      items.work = {&m_design, tables, parts.take<std::byte>(taken.teams * scratch),
                    scratch,   1,      chunk,
                    blocks,    nullptr};
      items.residuals = residuals;
      items.first_right_hand_side = first;
      const std::int64_t count = taken.group * blocks;
      start(apply_label, count, std::min(taken.teams, count), items);
      for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < columns(); ++j) {
          sums[j * n + first + i / blocks] += items.sums[i * columns() + j];
        }
      }
      first += taken.group;
    }
  });
}

template EventPass::Need EventPass::need_of<float>(bool, const BlockSums&) const;
template EventPass::Need EventPass::need_of<double>(bool, const BlockSums&) const;

}  // namespace synelix::glm
