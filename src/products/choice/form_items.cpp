// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/choice/form_items.hpp"

#include "index/segment.hpp"
#include "index/team_memory.hpp"
#include "machine/budget.hpp"
#include "pack/matrix.hpp"
#include "tile/select.hpp"
#include "tune/device_tile.hpp"
#include "tune/tiles.hpp"

#include <algorithm>

namespace synelix::plan {
namespace {

using index::workspace_alignment;

/// Counts the forms, operations and bytes.
template <class Scalar>
void count_forms(const sweep::FormProblem<Scalar>& problem, BilinearFormsChoice& choice) {
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

/// Sets the rows of a part, such that there are several parts for each team if there are enough
/// rows.
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

/// Decides what a host copies within the budget.
template <class Scalar>
void share_budget_of_forms(const sweep::FormProblem<Scalar>& problem,
                           const ExecutionResources& resources, FormCutting& cutting) {
  BilinearFormsChoice& choice = cutting.choice;
  const auto room_of = [](const sweep::FormCut& cut) {
    return index::whole_lines(sweep::FormTeamMemory<Scalar>::bytes(cut));
  };
  sweep::FormCut packed = cutting.cut;
  packed.has_panels = true;
  const std::int64_t panels_bytes = index::whole_lines(
      problem.matrices * packed.panels.values(problem) * std::int64_t{sizeof(Scalar)});
  const std::int64_t packed_bytes =
      workspace_alignment + panels_bytes + choice.teams * room_of(packed);
  const std::int64_t least = workspace_alignment + room_of(cutting.cut);
  const std::int64_t budget = resources.budget(std::max(packed_bytes, least));
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

template <class Scalar>
FormCutting choose_forms(const sweep::FormProblem<Scalar>& problem,
                         const BilinearFormsOptions& options, const ExecutionResources& resources) {
  FormCutting cutting;
  BilinearFormsChoice& choice = cutting.choice;
  count_forms(problem, choice);
  if (choice.forms == 0) return cutting;
  if (resources.is_device) {
    choice.parts =
        problem.matrices * index::ceil_divide(problem.rows, std::int64_t{tune::device_tile_part});
    choice.teams = choice.parts;
    return cutting;
  }
  choice.instruction_set = tile::select_set(options.machine.instruction_set);
  const auto& table = tile::table_of<Scalar>(choice.instruction_set);
  sweep::FormCut& cut = cutting.cut;
  cut.panels = sweep::FormPanels::of(problem.columns, table.lanes, table.matrix_packs);
  cut.packs_left = !lies_in_rows<Scalar>(problem.left);
  cut.packs_right = !lies_in_rows<Scalar>(problem.right);
  cut_rows(problem, resources.concurrency, cut);
  choice.parts = cut.items;
  choice.teams = std::clamp<std::int64_t>(cut.items, 1, resources.concurrency);
  share_budget_of_forms(problem, resources, cutting);
  return cutting;
}

template FormCutting choose_forms(const sweep::FormProblem<float>&, const BilinearFormsOptions&,
                                  const ExecutionResources&);
template FormCutting choose_forms(const sweep::FormProblem<double>&, const BilinearFormsOptions&,
                                  const ExecutionResources&);

}  // namespace synelix::plan
