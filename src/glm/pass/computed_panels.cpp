// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/row_panels.hpp"

#include "launch/host_space.hpp"
#include "launch/reached.hpp"
#include "machine/budget.hpp"
#include "machine/spaces.hpp"
#include "pack/value.hpp"
#include "tune/fit.hpp"
#include "tune/tiles.hpp"

#include <synelix/error.hpp>
#include <synelix/features.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace synelix::glm {
namespace {

/// An input as one array (samples, channels): a view of the caller's array, or a copy if its
/// channels have no common stride and the host reads them.
class InputMatrix {
 public:
  InputMatrix(const AnySeries& input, std::size_t number, bool is_on_host)
      : m_events(input.events()) {
    if (m_events != nullptr) return;
    const Strided& array = input.samples().array();
    const auto axis = static_cast<std::size_t>(input.sample_axis());
    m_samples = array;
    m_samples.rank = 2;
    m_samples.extents[0] = array.extents[axis];
    m_samples.strides[0] = array.strides[axis];
    m_samples.extents[1] = 1;
    m_samples.strides[1] = 1;
    bool is_view = true;
    for (auto d = static_cast<std::size_t>(array.rank); d-- > 0;) {
      if (d == axis || array.extents[d] == 1) continue;
      if (m_samples.extents[1] == 1) {
        m_samples.strides[1] = array.strides[d];
      } else if (array.strides[d] != m_samples.strides[1] * m_samples.extents[1]) {
        is_view = false;
      }
      m_samples.extents[1] *= array.extents[d];
    }
    if (is_view) return;
    if (!is_on_host) {
      throw Error("inputs[" + std::to_string(number) + "]",
                  "its channels have no common stride in memory of a device",
                  "Pass an array whose dimensions other than samples lie side by side");
    }
    copy(array, axis);
  }

  [[nodiscard]] InputBlock block() const {
    if (m_events != nullptr) return {{}, 0, m_events};
    return {m_samples, 0, nullptr};
  }
  [[nodiscard]] std::int64_t copied_bytes() const {
    return static_cast<std::int64_t>(m_copy.size());
  }

 private:
  void copy(const Strided& array, std::size_t axis) {
    const std::int64_t bytes = size_of(array.type);
    const std::int64_t channels = m_samples.extents[1];
    m_copy.resize(static_cast<std::size_t>(m_samples.extents[0] * channels * bytes));
    std::byte* to = m_copy.data();
    const auto* const from = static_cast<const std::byte*>(array.data);
    for (std::int64_t t = 0; t < m_samples.extents[0]; ++t) {
      for (std::int64_t c = 0; c < channels; ++c, to += bytes) {
        std::int64_t rest = c;
        std::int64_t at = t * array.strides[axis];
        for (auto d = static_cast<std::size_t>(array.rank); d-- > 0;) {
          if (d == axis) continue;
          at += rest % array.extents[d] * array.strides[d];
          rest /= array.extents[d];
        }
        std::memcpy(to, from + at * bytes, static_cast<std::size_t>(bytes));
      }
    }
    m_samples.data = m_copy.data();
    m_samples.strides[0] = channels;
    m_samples.strides[1] = 1;
  }

  const Events* m_events;
  Strided m_samples;
  std::vector<std::byte> m_copy;
};

template <class ExecutionSpace>
class ComputedPanels : public RowPanels {
 public:
  ComputedPanels(const ExecutionSpace& exec, FeaturesPlan<float, ExecutionSpace> plan,
                 std::int64_t plan_budget, const std::vector<InputMatrix>& inputs,
                 std::int64_t copied, double row_seconds)
      : m_exec(exec),
        m_plan(std::move(plan)),
        // The choice of the plan counts tables of the sweeps twice, its budget does not.
        m_plan_bytes(std::min(m_plan.choice().workspace_bytes, plan_budget)),
        m_copied(copied),
        m_row_seconds(row_seconds) {
    for (const InputMatrix& input : inputs) m_blocks.push_back(input.block());
  }

  [[nodiscard]] std::int64_t rows() const override { return m_plan.rows(); }
  [[nodiscard]] std::int64_t columns() const override { return m_plan.columns(); }
  [[nodiscard]] const std::vector<Term>& terms() const override { return m_plan.terms(); }
  [[nodiscard]] RowSource source() const override { return RowSource::computed; }
  [[nodiscard]] StoredType type() const override { return StoredType::float32; }
  [[nodiscard]] std::int64_t held_bytes() const override { return m_plan_bytes + m_copied; }
  [[nodiscard]] double row_seconds() const override { return m_row_seconds; }
  void fill(Range rows, void* to, std::int64_t row_stride) override {
    m_plan.run_block(m_exec, rows, m_blocks,
                     StridedOutput(static_cast<float*>(to), {rows.size(), columns()},
                                   {row_stride, std::int64_t{1}}));
    m_exec.fence("synelix::design_matrix: features are read");
  }
  /// Keeps copies of inputs.
  void keep(std::vector<InputMatrix> inputs) { m_inputs = std::move(inputs); }

 private:
  ExecutionSpace m_exec;
  FeaturesPlan<float, ExecutionSpace> m_plan;
  std::vector<InputMatrix> m_inputs;
  std::vector<InputBlock> m_blocks;
  std::int64_t m_plan_bytes;
  std::int64_t m_copied;
  double m_row_seconds;
};

/// The least budget of a features plan, found by bisection.
template <class ExecutionSpace>
std::int64_t least_plan_budget(const ExecutionSpace& exec, const Expression& expression,
                               const std::vector<InputShape>& shapes, FeaturesOptions options) {
  options.budget = gibibytes(1 << 20);
  static_cast<void>(choose_features<float>(exec, expression, shapes, options));  // other errors
  std::int64_t too_small = -1;
  std::int64_t enough = *options.budget;
  while (enough - too_small > 1) {
    const std::int64_t middle = too_small + (enough - too_small) / 2;
    options.budget = middle;
    try {
      static_cast<void>(choose_features<float>(exec, expression, shapes, options));
      enough = middle;
    } catch (const Error&) {
      too_small = middle;
    }
  }
  return enough;
}

}  // namespace

double row_seconds_of(const std::vector<Component>& components,
                      std::span<const InputShape> shapes) {
  double nanoseconds = 0;
  for (const Component& component : components) {
    const SeriesShape& shape = shapes[static_cast<std::size_t>(component.inputs.begin)].series;
    const std::int64_t taps = std::min(component.window, tune::fit_most_taps);
    nanoseconds += static_cast<double>(shape.channels * component.bases) *
                   (component.mode == Mode::conv ? static_cast<double>(taps) * tune::fit_tap
                                                 : tune::eval_output);
  }
  return nanoseconds * 1e-9;
}

template <class ExecutionSpace>
std::unique_ptr<RowPanels> computed_panels(
    const ExecutionSpace& exec, const Expression& expression, std::span<const AnySeries> inputs,
    const DesignMatrixOptions& options, std::int64_t budget,
    const std::function<std::int64_t(std::int64_t columns)>& pass_bytes) {
  std::vector<InputShape> shapes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    shapes.push_back(inputs[i].shape());
    plan::check_reached(exec, inputs[i], i);
  }
  FeaturesOptions rest;
  rest.border = Border::nan;
  rest.method = options.method;
  rest.machine = options.machine;
  // The plan gets its least budget, or half of what the pass leaves if that is more.
  const std::int64_t least = least_plan_budget(exec, expression, shapes, rest);
  rest.budget = gibibytes(1 << 20);
  const FeaturesChoice choice = choose_features<float>(exec, expression, shapes, rest);
  const std::int64_t columns = choice.columns;
  if (columns < 1) {
    throw Error("expression", "it has no columns", "Use bases with one function or more");
  }
  std::vector<InputMatrix> matrices;
  std::int64_t copied = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    matrices.emplace_back(inputs[i], i, plan::is_host_space<ExecutionSpace>);
    copied += matrices.back().copied_bytes();
  }
  const std::int64_t needed = least + copied + pass_bytes(columns);
  if (budget < needed) refuse_budget("options.budget", budget, needed);
  rest.budget = least + (budget - needed) / 2;
  const auto statistics = find_statistics(exec, expression, inputs);
  auto panels = std::make_unique<ComputedPanels<ExecutionSpace>>(
      exec, FeaturesPlan<float, ExecutionSpace>(exec, expression, shapes, rest, statistics),
      *rest.budget, matrices, copied, row_seconds_of(choice.components, shapes));
  panels->keep(std::move(matrices));
  return panels;
}

#define SYNELIX_INSTANTIATE(SPACE)                                                             \
  template std::unique_ptr<RowPanels> computed_panels<SPACE>(                                  \
      const SPACE&, const Expression&, std::span<const AnySeries>, const DesignMatrixOptions&, \
      std::int64_t, const std::function<std::int64_t(std::int64_t)>&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::glm
