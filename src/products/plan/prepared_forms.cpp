// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/plan/prepared_forms.hpp"

#include "launch/host_space.hpp"
#include "launch/start_sweep.hpp"
#include "launch/workspace_memory.hpp"
#include "products/sweep/device_forms.hpp"
#include "products/sweep/form_panels.hpp"
#include "tile/select.hpp"
#include "vocabulary/budget.hpp"
#include "vocabulary/device_memory.hpp"
#include "vocabulary/spaces.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <string>

namespace synelix::plan {
namespace {

const std::string region_name = "synelix::bilinear_forms";
const std::string plan_region_name = "synelix::bilinear_forms::plan";
const std::string panels_label = "synelix::bilinear_forms::panels";
const std::string tiles_label = "synelix::bilinear_forms::tiles";

/// What is computed, and of how much.
template <class Scalar>
void count_work(const sweep::FormProblem<Scalar>& problem, BilinearFormsChoice& choice) {
  choice.method = problem.is_triangle ? FormMethod::triangle : FormMethod::product;
  choice.forms = problem.matrices * problem.rows;
  const auto forms = static_cast<double>(choice.forms);
  const auto rows = static_cast<double>(problem.rows);
  const auto inner = static_cast<double>(problem.inner);
  const auto columns = static_cast<double>(problem.columns);
  const double products = problem.is_triangle ? columns * (columns + 1) / 2 : inner * columns;
  choice.flops = forms * 2 * (products + columns);
  choice.bytes = rows * inner * static_cast<double>(size_of(problem.left.type)) +
                 static_cast<double>(problem.matrices) * inner * columns *
                     static_cast<double>(size_of(problem.matrix.type)) +
                 forms * static_cast<double>(sizeof(Scalar));
  if (!problem.is_triangle) {
    choice.bytes += rows * columns * static_cast<double>(size_of(problem.right.type));
  }
}

template <class Scalar>
bool lies_in_rows(const pack::MatrixSource& source) {
  return pack::is_plain<Scalar>(source) && source.column_stride == 1;
}

/// Rows of a part, of which there are several for each team where there are rows enough.
template <class Scalar>
void cut_rows(const sweep::FormProblem<Scalar>& problem, std::int64_t teams, sweep::FormCut& cut) {
  const auto count = [&] {
    return problem.matrices * index::ceil_divide(problem.rows, cut.part_rows);
  };
  cut.part_rows = tune::host_form_rows;
  while (teams > 1 && count() < 4 * teams && cut.part_rows / 2 >= tune::most_matrix_rows) {
    cut.part_rows /= 2;
  }
  cut.items = count();
}

/// What a host copies, as the budget has room.
template <class Scalar, class ExecutionSpace>
void share_budget(const ExecutionSpace& exec, const sweep::FormProblem<Scalar>& problem,
                  const BilinearFormsOptions& options, FormCutting& cutting) {
  BilinearFormsChoice& choice = cutting.choice;
  const auto room_of = [](const sweep::FormCut& cut) {
    return index::round_up(sweep::FormTeamMemory<Scalar>::bytes(cut), workspace_alignment);
  };
  sweep::FormCut packed = cutting.cut;
  packed.has_panels = true;
  const std::int64_t panels_bytes = index::round_up(
      problem.matrices * packed.panels.values(problem) * static_cast<std::int64_t>(sizeof(Scalar)),
      workspace_alignment);
  const std::int64_t packed_bytes =
      workspace_alignment + panels_bytes + choice.teams * room_of(packed);
  const std::int64_t least = workspace_alignment + room_of(cutting.cut);
  const std::int64_t budget = budget_for(exec, options.budget, std::max(packed_bytes, least));
  // The copy of one small matrix may take less memory than one panel. A budget that suffices for
  // many rows must suffice for few.
  if ((cutting.cut.items > problem.matrices || budget < least) && packed_bytes <= budget) {
    cutting.cut = packed;
    cutting.panels_bytes = panels_bytes;
    cutting.team_bytes = room_of(packed);
    choice.is_packed = true;
    choice.workspace_bytes = packed_bytes;
    return;
  }
  if (budget < least) refuse_budget("budget", budget, std::min(least, packed_bytes));
  cutting.team_bytes = room_of(cutting.cut);
  choice.teams = teams_within(budget, workspace_alignment, cutting.team_bytes, choice.teams);
  choice.workspace_bytes = workspace_alignment + choice.teams * cutting.team_bytes;
}

}  // namespace

template <class Scalar, class ExecutionSpace>
FormCutting cut_forms(const ExecutionSpace& exec, const sweep::FormProblem<Scalar>& problem,
                      const BilinearFormsOptions& options) {
  FormCutting cutting;
  BilinearFormsChoice& choice = cutting.choice;
  count_work(problem, choice);
  if (choice.forms == 0) return cutting;
  if constexpr (is_host_space<ExecutionSpace>) {
    choice.instruction_set = tile::select_set(options.machine.instruction_set);
    const auto& table = tile::table_of<Scalar>(choice.instruction_set);
    sweep::FormCut& cut = cutting.cut;
    cut.panels = sweep::FormPanels::of(problem.columns, table.lanes, table.matrix_packs);
    cut.packs_left = !lies_in_rows<Scalar>(problem.left);
    cut.packs_right = !lies_in_rows<Scalar>(problem.right);
    cut_rows(problem, exec.concurrency(), cut);
    choice.parts = cut.items;
    choice.teams = std::clamp<std::int64_t>(cut.items, 1, exec.concurrency());
    share_budget(exec, problem, options, cutting);
  } else {
    choice.parts = problem.matrices *
                   index::ceil_divide(problem.rows, sweep::DeviceFormsSweep<Scalar>::part_rows);
    choice.teams = choice.parts;
  }
  return cutting;
}

template <class Scalar, class ExecutionSpace>
PreparedForms<Scalar, ExecutionSpace>::PreparedForms(const ExecutionSpace& exec,
                                                     const sweep::FormProblem<Scalar>& problem,
                                                     const BilinearFormsOptions& options,
                                                     FirstLaunch first_launch)
    : m_problem(problem), m_cutting(cut_forms(exec, problem, options)) {
  const Kokkos::Profiling::ScopedRegion region(plan_region_name);
  if (m_cutting.choice.parts == 0) return;
  const std::int64_t bytes = m_cutting.panels_bytes + m_cutting.choice.teams * m_cutting.team_bytes;
  if (bytes > 0) {
    m_memory = workspace_memory<MemorySpace>(exec, "synelix::bilinear_forms::workspace", bytes);
    m_workspace = first_line(m_memory.data());
  }
  if (first_launch == FirstLaunch::now) start(exec, Work::none);
}

template <class Scalar, class ExecutionSpace>
void PreparedForms<Scalar, ExecutionSpace>::start(const ExecutionSpace& exec, Work work) const {
  const BilinearFormsChoice& choice = m_cutting.choice;
  if constexpr (is_host_space<ExecutionSpace>) {
    const sweep::FormCut& cut = m_cutting.cut;
    auto* const panels = reinterpret_cast<Scalar*>(m_workspace);
    if (cut.has_panels) {
      sweep::FormPanelsSweep<Scalar> copy{m_problem, cut.panels, panels, 0, {}};
      if (work == Work::all) copy.items = copy.count(m_problem, cut.panels);
      const sweep::Workspace all{nullptr, 0, exec.concurrency()};
      start_sweep(SweepLaunch<ExecutionSpace>{exec, panels_label, all, 1}, copy, all.teams);
    }
    sweep::FormsSweep<Scalar> sweep{m_problem,
                                    cut,
                                    cut.has_panels ? panels : nullptr,
                                    &tile::table_of<Scalar>(choice.instruction_set),
                                    {}};
    if (work == Work::none) sweep.cut.items = 0;
    const sweep::Workspace workspace{m_workspace + m_cutting.panels_bytes, m_cutting.team_bytes,
                                     choice.teams};
    start_sweep(SweepLaunch<ExecutionSpace>{exec, tiles_label, workspace, 1}, sweep, choice.teams);
  } else {
    const std::int64_t parts = work == Work::all ? choice.parts : 0;
    const sweep::Workspace workspace{nullptr, 0, choice.teams};
    start_sweep(
        SweepLaunch<ExecutionSpace>{exec, tiles_label, workspace, tune::device_matrix_threads},
        sweep::DeviceFormsSweep<Scalar>{m_problem, parts, {}}, std::max<std::int64_t>(1, parts));
  }
}

template <class Scalar, class ExecutionSpace>
void PreparedForms<Scalar, ExecutionSpace>::run(const ExecutionSpace& exec) const {
  const Kokkos::Profiling::ScopedRegion region(region_name);
  if (m_cutting.choice.parts > 0) start(exec, Work::all);
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                        \
  template FormCutting cut_forms(const SPACE&, const sweep::FormProblem<SCALAR>&, \
                                 const BilinearFormsOptions&);                    \
  template class PreparedForms<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
