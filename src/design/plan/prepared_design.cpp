// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "design/plan/prepared_design.hpp"

#include "convolve/plan/bank_taps.hpp"
#include "launch/launch.hpp"
#include "launch/plan_memory.hpp"
#include "machine/budget.hpp"
#include "machine/device_memory.hpp"
#include "machine/spaces.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace synelix::plan {
namespace {

std::int64_t segment_bytes(const RowTable& rows) {
  return static_cast<std::int64_t>(rows.segments.size() * sizeof(index::Segment));
}

/// Rows of factors that are resident at a time: as many as fit in the caches of the teams and in a
/// quarter of the budget, at least one.
std::int64_t factor_rows(const DesignLayout& design, std::int64_t row_bytes, std::int64_t teams,
                         std::int64_t budget) {
  if (row_bytes == 0) return 0;
  const std::int64_t bytes = std::min<std::int64_t>(teams * tune::factor_bytes, budget / 4);
  return std::max<std::int64_t>(1, std::min(design.rows.rows, bytes / row_bytes));
}

/// Bytes of the inputs of a basis.
double input_bytes(const DesignLayout& design, const Component& component) {
  double bytes = 0;
  for (std::int64_t i = component.inputs.begin; i < component.inputs.end; ++i) {
    const SeriesShape& shape = design.inputs[static_cast<std::size_t>(i)].series;
    bytes += shape.has_events
                 ? 8.0 * static_cast<double>(shape.events)
                 : static_cast<double>(shape.samples) * static_cast<double>(shape.channels) *
                       static_cast<double>(size_of(shape.type));
  }
  return bytes;
}

/// The least budget of all: tables and factors of the entire design plus the component that needs
/// most.
std::int64_t least_of(const DesignLayout& design, const FeaturesOptions& options,
                      const chooser::Resources& resources, const DesignMemory& memory,
                      std::span<const chooser::ProblemSize> problems) {
  const std::int64_t fixed = memory.table_bytes + memory.factor_bytes;
  std::int64_t least = fixed + memory.sweep_bytes;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Component& component = design.components[k];
    if (component.mode != Mode::conv) continue;
    const SeriesShape& shape =
        design.inputs[static_cast<std::size_t>(component.inputs.begin)].series;
    const std::int64_t own =
        chooser::least_budget(problems[k], resources, convolve_options(component, shape, options));
    least = std::max(least, fixed - problems[k].table_bytes + own);
  }
  return least;
}

/// A choice with at most this many rows of factors. \throws BudgetError naming the least of all
template <class Scalar, class ExecutionSpace>
FeaturesChoice choice_with(const ExecutionSpace& exec, const DesignLayout& design,
                           const FeaturesOptions& options, DesignMemory& memory,
                           std::int64_t most_product_rows) {
  FeaturesChoice choice;
  choice.rows = design.rows.rows;
  choice.columns = design.columns;
  choice.terms = design.terms;
  choice.components = design.components;
  const auto budget_of = [&](std::int64_t needed) {
    return budget_for(exec, options.budget, needed);
  };
  ConvolveOptions machine;
  machine.machine = options.machine;
  const chooser::Resources resources = resources_of<Scalar>(exec, machine);
  memory.teams = resources.concurrency;
  const auto scalar_bytes = static_cast<std::int64_t>(sizeof(Scalar));
  const std::int64_t row_bytes = design.factor_values * scalar_bytes;
  // Factors may take a quarter of the budget, but not more than the caches of the teams.
  const std::int64_t most_factors = row_bytes > 0 ? 4 * memory.teams * tune::factor_bytes : 0;
  choice.product_rows = std::min(
      most_product_rows, factor_rows(design, row_bytes, memory.teams, budget_of(most_factors)));
  memory.factor_bytes = row_bytes > 0 ? choice.product_rows * row_bytes + workspace_alignment : 0;

  std::vector<chooser::ProblemSize> problems;
  for (std::size_t k = 0; k < design.components.size(); ++k) {
    const Component& component = design.components[k];
    const SeriesShape& shape =
        design.inputs[static_cast<std::size_t>(component.inputs.begin)].series;
    if (component.mode == Mode::conv) {
      problems.push_back(
          problem_size<Scalar>(shape, rows_of(design, component, options), design.nodes[k]->taps));
    } else {
      problems.emplace_back();
      problems.back().table_bytes = evaluation_bytes(design, component);
      memory.sweep_bytes = std::max<std::int64_t>(
          memory.sweep_bytes, memory.teams * tune::eval_rows * 8 + workspace_alignment);
    }
    memory.table_bytes += problems.back().table_bytes;
  }
  if (memory.sweep_bytes > 0) memory.table_bytes += segment_bytes(design.rows);

  const std::int64_t fixed = memory.table_bytes + memory.factor_bytes;
  const auto refuse = [&] {
    const std::int64_t least = least_of(design, options, resources, memory, problems);
    refuse_budget("budget", budget_of(least), least);
  };
  const std::int64_t of_tables = fixed + memory.sweep_bytes;
  if (budget_of(of_tables) < of_tables) refuse();
  choice.bytes = static_cast<double>(choice.rows) * static_cast<double>(choice.columns) *
                 static_cast<double>(scalar_bytes);
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Component& component = design.components[k];
    const SeriesShape& shape =
        design.inputs[static_cast<std::size_t>(component.inputs.begin)].series;
    Choice part;
    const double input = input_bytes(design, component);
    if (component.mode == Mode::conv) {
      const std::int64_t others = fixed - problems[k].table_bytes;
      try {
        part = chooser::make_choice(
            problems[k], resources, convolve_options(component, shape, options),
            [&](std::int64_t needed) { return budget_of(others + needed) - others; });
      } catch (const BudgetError&) {
        refuse();  // that error only counts one basis
      }
      memory.sweep_bytes = std::max(memory.sweep_bytes, part.workspace_bytes);
    } else {
      const double values = static_cast<double>(choice.rows) * static_cast<double>(shape.channels) *
                            static_cast<double>(component.bases);
      part.rows = choice.rows;
      part.every = std::min(options.every, shape.samples);
      part.instruction_set = resources.instruction_set;
      part.bytes = input + values * static_cast<double>(scalar_bytes);
      part.seconds = values * tune::eval_output * 1e-9 / static_cast<double>(memory.teams);
    }
    choice.flops += part.flops;
    choice.bytes += input;  // factors of products stay in cache
    choice.seconds += part.seconds;
    choice.choices.push_back(part);
  }
  choice.workspace_bytes = memory.sweep_bytes + fixed;
  return choice;
}

}  // namespace

/// Factors take as much as they may. If that leaves too little for the rest, they take one row.
template <class Scalar, class ExecutionSpace>
FeaturesChoice make_choice(const ExecutionSpace& exec, const DesignLayout& design,
                           const FeaturesOptions& options, DesignMemory& memory) {
  const DesignMemory before = memory;
  try {
    constexpr std::int64_t as_many_as_fit = std::numeric_limits<std::int64_t>::max();
    return choice_with<Scalar>(exec, design, options, memory, as_many_as_fit);
  } catch (const BudgetError&) {
    memory = before;
  }
  return choice_with<Scalar>(exec, design, options, memory, 1);
}

template <class Scalar, class ExecutionSpace>
PreparedDesign<Scalar, ExecutionSpace>::PreparedDesign(const ExecutionSpace& exec,
                                                       DesignLayout design,
                                                       const FeaturesOptions& options,
                                                       std::span<const InputStatistics> statistics)
    : m_design(std::move(design)),
      m_choice(make_choice<Scalar>(exec, m_design, options, m_memory)),
      m_mapping(is_host_space<ExecutionSpace> ? tune::host : tune::device) {
  // Tables come first, because they check the statistics before the first launch.
  for (std::size_t k = 0; k < m_design.components.size(); ++k) {
    m_evaluations.emplace_back();
    if (m_design.components[k].mode == Mode::conv) continue;
    m_evaluations.back() =
        std::make_unique<Evaluation>(m_design, static_cast<std::int64_t>(k), statistics);
  }
  const auto allocate = [&](const char* label, std::int64_t bytes) {
    return OwnedMemory<std::byte, MemorySpace>(exec, label, bytes);
  };
  m_workspace = allocate("synelix::features::workspace", m_memory.sweep_bytes);
  m_factors = allocate("synelix::features::factors", m_memory.factor_bytes);
  bind(exec, options);
}

template <class Scalar, class ExecutionSpace>
void PreparedDesign<Scalar, ExecutionSpace>::bind(const ExecutionSpace& exec,
                                                  const FeaturesOptions& options) {
  bool has_evaluation = false;
  for (std::size_t k = 0; k < m_design.components.size(); ++k) {
    const Component& component = m_design.components[k];
    m_convolutions.emplace_back();
    if (component.mode == Mode::eval) {
      m_sample_rows = rows_of(m_design, component, options);
      has_evaluation = true;
      continue;
    }
    const auto i = static_cast<std::size_t>(component.inputs.begin);
    const SeriesShape& shape = m_design.inputs[i].series;
    const auto bind_bank = [&](const BankTaps<Scalar>& bank) {
      m_convolutions.back() = std::make_unique<Convolution>(
          exec, shape, rows_of(m_design, component, options), bank,
          convolve_options(component, shape, options),
          typename Convolution::Workspace(m_workspace.data(), m_workspace.size()), 0,
          m_choice.choices[k]);
    };
    const Taps& taps = m_design.nodes[k]->taps;
    if constexpr (is_host_space<ExecutionSpace>) {  // no bank: its View would fence all instances
      const std::vector<Scalar> values = converted_taps<Scalar>(taps);
      bind_bank({taps, values.data()});
    } else {
      bind_bank(FilterBank<Scalar, ExecutionSpace>(exec, taps));
    }
  }
  if (has_evaluation) {
    m_segments = reached_list(exec, "synelix::features::segments", m_sample_rows.segments,
                              m_uploaded_segments);
    start(exec, sweep::EvalSweep<Scalar>{});  // no work: Kokkos may allocate at the first launch
  }
  if (m_design.factor_values > 0) start(exec, sweep::ProductSweep<Scalar>{});
  m_design.rows.segments = {};  // each basis has its own now
}

template <class Scalar, class ExecutionSpace>
Range PreparedDesign<Scalar, ExecutionSpace>::samples_for(std::int64_t input, Range rows) const {
  if (rows.size() == 0) return {};
  for (std::size_t k = 0; k < m_design.components.size(); ++k) {
    const Component& component = m_design.components[k];
    if (input < component.inputs.begin || input >= component.inputs.end) continue;
    if (component.mode == Mode::conv) return m_convolutions[k]->samples_for(rows);
  }
  return samples_of_rows(m_sample_rows, rows);
}

template <class Scalar, class ExecutionSpace>
sweep::FeatureTarget<Scalar> PreparedDesign<Scalar, ExecutionSpace>::features_of(
    const Part& part, Range rows, const ColumnStrides& place) {
  sweep::FeatureTarget<Scalar> features;
  features.data = place.data;
  features.rows = rows;
  features.row_stride = place.row_stride;
  features.basis_stride = place.basis_stride;
  features.channels.append(part.channels, place.channel_stride);
  return features;
}

template <class Scalar, class ExecutionSpace>
void PreparedDesign<Scalar, ExecutionSpace>::convolve(const ExecutionSpace& exec, const Part& part,
                                                      Range rows, const Feed& input,
                                                      const ColumnStrides& place) const {
  const Convolution& convolution = *m_convolutions[static_cast<std::size_t>(part.component)];
  const Block block{rows, {0, part.channels}, {0, part.bases}};
  const auto run = convolution.run_of(block, features_of(part, rows, place));
  if (input.events != nullptr) {
    convolution.launch(exec, run, source_of(*input.events));
  } else {
    convolution.launch(
        exec, run, convolution.source_of(*input.data, input.sample_axis, input.first_sample, 0));
  }
}

template <class Scalar, class ExecutionSpace>
Scalar* PreparedDesign<Scalar, ExecutionSpace>::factor_data(const Part& factor) const {
  return reinterpret_cast<Scalar*>(m_factors.data()) + factor.factor_place * m_choice.product_rows;
}

template <class Scalar, class ExecutionSpace>
void PreparedDesign<Scalar, ExecutionSpace>::multiply(const ExecutionSpace& exec, const Part& part,
                                                      Range rows,
                                                      const ColumnStrides& place) const {
  sweep::ProductSweep<Scalar> sweep;
  for (const Part& factor : part.parts) {
    sweep.factors[sweep.count++] = {factor_data(factor), factor.bases};
  }
  sweep.channels = part.channels;
  sweep.features = features_of(part, rows, place);
  start(exec, sweep);
}

template <class Scalar, class ExecutionSpace>
void PreparedDesign<Scalar, ExecutionSpace>::start(const ExecutionSpace& exec,
                                                   sweep::EvalSweep<Scalar> sweep) const {
  sweep.segments = m_segments;
  sweep.segment_count = static_cast<std::int64_t>(m_sample_rows.segments.size());
  sweep.layout = m_sample_rows.layout;
  sweep.tile_rows = tune::eval_rows;
  sweep.workspace.data = first_line(m_workspace.data());
  sweep.workspace.bytes = tune::eval_rows * static_cast<std::int64_t>(sizeof(std::int64_t));
  const std::int64_t tiles = index::ceil_divide(sweep.features.rows.size(), tune::eval_rows);
  sweep.workspace.teams = std::max<std::int64_t>(1, std::min(m_memory.teams, tiles));
  sweep::launch(m_eval_label, exec, static_cast<int>(sweep.workspace.teams), m_mapping.team_size,
                sweep);
}

template <class Scalar, class ExecutionSpace>
void PreparedDesign<Scalar, ExecutionSpace>::start(const ExecutionSpace& exec,
                                                   sweep::ProductSweep<Scalar> sweep) const {
  const std::int64_t items = sweep.features.rows.size() * sweep.channels;
  sweep.teams = std::max<std::int64_t>(1, std::min(m_memory.teams, items));
  sweep::launch(m_product_label, exec, static_cast<int>(sweep.teams), m_mapping.team_size, sweep);
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                              \
  template class PreparedDesign<SCALAR, SPACE>;                                         \
  template FeaturesChoice make_choice<SCALAR, SPACE>(const SPACE&, const DesignLayout&, \
                                                     const FeaturesOptions&, DesignMemory&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
