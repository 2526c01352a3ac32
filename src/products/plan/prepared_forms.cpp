// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/plan/prepared_forms.hpp"

#include "launch/host_space.hpp"
#include "launch/plan_memory.hpp"
#include "launch/start_watched.hpp"
#include "machine/spaces.hpp"
#include "products/sweep/bilinear_forms.hpp"
#include "products/sweep/device_forms.hpp"
#include "products/sweep/form_panels.hpp"
#include "tile/select.hpp"
#include "tune/device_tile.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <string>

namespace synelix::plan {
namespace {

const std::string forms_region = "synelix::bilinear_forms";
const std::string forms_plan_region = "synelix::bilinear_forms::plan";
const std::string panels_label = "synelix::bilinear_forms::panels";
const std::string forms_tiles_label = "synelix::bilinear_forms::tiles";

}  // namespace

template <class Scalar, class ExecutionSpace>
PreparedForms<Scalar, ExecutionSpace>::PreparedForms(const ExecutionSpace& exec,
                                                     const sweep::FormProblem<Scalar>& problem,
                                                     const BilinearFormsOptions& options,
                                                     FirstLaunch first_launch)
    : m_problem(problem),
      m_cutting(choose_forms(problem, options, execution_resources_of(exec, options.budget))) {
  const Kokkos::Profiling::ScopedRegion region(forms_plan_region);
  if (m_cutting.choice.parts == 0) return;
  const std::int64_t bytes = m_cutting.panels_bytes + m_cutting.choice.teams * m_cutting.team_bytes;
  if (bytes > 0) {
    m_memory = workspace_memory<MemorySpace>(exec, "synelix::bilinear_forms::workspace", bytes);
    m_workspace = first_line(m_memory.data());
  }
  if (first_launch == FirstLaunch::now) start(exec, Work::none, nullptr);
}

template <class Scalar, class ExecutionSpace>
void PreparedForms<Scalar, ExecutionSpace>::start(const ExecutionSpace& exec, Work work,
                                                  Watched* watched) const {
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
                                    {},
                                    {}};
    if (work == Work::none) sweep.cut.items = 0;
    const sweep::Workspace workspace{m_workspace + m_cutting.panels_bytes, m_cutting.team_bytes,
                                     choice.teams};
    start_watched(SweepLaunch<ExecutionSpace>{exec, forms_tiles_label, workspace, 1}, sweep,
                  choice.teams, sweep.cut.items, watched);
  } else {
    static_cast<void>(watched);
    const std::int64_t parts = work == Work::all ? choice.parts : 0;
    const sweep::Workspace workspace{nullptr, 0, choice.teams};
    start_sweep(SweepLaunch<ExecutionSpace>{exec, forms_tiles_label, workspace,
                                            tune::device_form_tile(sizeof(Scalar)).threads()},
                sweep::DeviceFormsSweep<Scalar>{m_problem, parts, {}},
                std::max<std::int64_t>(1, parts));
  }
}

template <class Scalar, class ExecutionSpace>
std::int64_t PreparedForms<Scalar, ExecutionSpace>::items() const {
  if constexpr (is_host_space<ExecutionSpace>) {
    return m_cutting.choice.parts > 0 ? m_cutting.cut.items : 0;
  } else {
    return m_cutting.choice.parts;
  }
}

template <class Scalar, class ExecutionSpace>
void PreparedForms<Scalar, ExecutionSpace>::launch(const ExecutionSpace& exec,
                                                   Watched* watched) const {
  const Kokkos::Profiling::ScopedRegion region(forms_region);
  if (watched != nullptr && !is_host_space<ExecutionSpace>) watched->count(items());
  if (m_cutting.choice.parts > 0) start(exec, Work::all, watched);
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class PreparedForms<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
