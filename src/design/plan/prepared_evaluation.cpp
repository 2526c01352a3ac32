// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "design/plan/prepared_evaluation.hpp"

#include "bases/eval_basis.hpp"
#include "machine/spaces.hpp"

#include <synelix/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace synelix::plan {
namespace {

/// The statistics of an input, checked against the needs of the basis.
const InputStatistics& needed(const Component& component,
                              std::span<const InputStatistics> statistics, std::int64_t input,
                              std::size_t ranges, std::size_t map) {
  const auto i = static_cast<std::size_t>(input);
  static const InputStatistics none;
  const InputStatistics& found = i < statistics.size() ? statistics[i] : none;
  if (found.ranges.size() != ranges && ranges > 0) {
    throw Error("statistics[" + std::to_string(input) + "].ranges",
                std::to_string(found.ranges.size()) + " ranges are the wrong number",
                "Give one for each of " + std::to_string(ranges) + " channels, since " +
                    component.label + " has no bounds (find_ranges)");
  }
  if (found.orthonormal_map.size() != map) {
    throw Error(
        "statistics[" + std::to_string(input) + "].orthonormal_map",
        std::to_string(found.orthonormal_map.size()) + " values are the wrong number",
        "Give " + std::to_string(map) + " values for " + component.label + " (find_statistics)");
  }
  return found;
}

/// Values of the maps of OrthExponential, bounded like columns.
std::int64_t map_values(const Component& component, std::int64_t channels) {
  const auto rates = static_cast<double>(component.bases);
  if (rates * rates * static_cast<double>(channels) >
      static_cast<double>(std::numeric_limits<std::int32_t>::max())) {
    throw Error("expression",
                std::to_string(channels) + " channels x " + std::to_string(component.bases) +
                    " x " + std::to_string(component.bases) + " values of " + component.label +
                    " are too many",
                "Use at most 2^31 - 1 values");
  }
  return component.bases * component.bases * channels;
}

}  // namespace

std::int64_t evaluation_bytes(const DesignLayout& design, const Component& component) {
  const auto& shape = design.inputs[static_cast<std::size_t>(component.inputs.begin)].series;
  std::int64_t numbers = 3 * component.inputs.size() * shape.channels;
  if (component.basis == "OrthExponential") {
    numbers += map_values(component, shape.channels);
  }
  if (component.basis == "Fourier") numbers += component.bases * component.inputs.size();
  return numbers * static_cast<std::int64_t>(sizeof(double));
}

template <class Scalar, class ExecutionSpace>
PreparedEvaluation<Scalar, ExecutionSpace>::PreparedEvaluation(
    const DesignLayout& design, std::int64_t component,
    std::span<const InputStatistics> statistics) {
  const auto k = static_cast<std::size_t>(component);
  const Component& described = design.components[k];
  const Node& node = *design.nodes[k];
  const std::int64_t channels =
      design.inputs[static_cast<std::size_t>(described.inputs.begin)].series.channels;
  for (std::int64_t i = described.inputs.begin; i < described.inputs.end; ++i) {
    m_scalings.emplace_back(design.inputs[static_cast<std::size_t>(i)].series.scaling);
  }
  m_functions = {"synelix::features::functions", bases::table_of(node.function)};
  m_sweep.functions = bases::Functions(node.function, m_functions.data());
  m_sweep.columns = described.bases;
  m_sweep.channels = channels;
  m_sweep.fills_outside = !node.eval.bounds.empty() && !m_sweep.functions.template is<Fourier>();
  m_sweep.fills_rows = node.eval.outside == Outside::row;
  m_sweep.fill = sweep::canonical(static_cast<Scalar>(node.eval.fill));
  bind_ranges(described, node.eval, statistics);
}

template <class Scalar, class ExecutionSpace>
void PreparedEvaluation<Scalar, ExecutionSpace>::bind_ranges(
    const Component& component, const EvalTerm& term, std::span<const InputStatistics> statistics) {
  const auto channels = static_cast<std::size_t>(m_sweep.channels);
  const bool is_plain =
      component.basis == "Zero" || (component.basis == "Identity" && term.bounds.empty());
  const bool is_orthonormal = component.basis == "OrthExponential";
  if (is_plain) return;
  std::vector<double> ranges;
  for (std::int64_t d = 0; d < component.inputs.size(); ++d) {
    const std::size_t needed_ranges = term.bounds.empty() ? channels : 0;
    const std::size_t map =
        is_orthonormal
            ? channels *
                  static_cast<std::size_t>(m_sweep.functions.template as<OrthExponential>().count *
                                           m_sweep.columns)
            : 0;
    const InputStatistics& found =
        needed(component, statistics, component.inputs.begin + d, needed_ranges, map);
    std::vector<double> lower(channels);
    std::vector<double> upper(channels);
    std::vector<double> span(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      if (term.bounds.empty()) {
        lower[c] = found.ranges[c].lower;
        upper[c] = found.ranges[c].upper;
      } else {
        const Bounds& pair = term.bounds[term.bounds.size() == 1 ? 0 : static_cast<std::size_t>(d)];
        lower[c] = pair.lower;
        upper[c] = pair.upper;
      }
      span[c] = upper[c] == lower[c] ? 1.0 : upper[c] - lower[c];
    }
    for (const auto* part : {&lower, &upper, &span}) {
      ranges.insert(ranges.end(), part->begin(), part->end());
    }
    if (is_orthonormal) {
      m_maps = {"synelix::features::maps", found.orthonormal_map};
      m_sweep.maps = m_maps.data();
    }
  }
  m_ranges = {"synelix::features::ranges", ranges};
  for (std::int64_t d = 0; d < component.inputs.size(); ++d) {
    sweep::EvalInput& input = m_sweep.inputs[d];
    input.lower = m_ranges.data() + static_cast<std::size_t>(3 * d) * channels;
    input.upper = input.lower + channels;
    input.span = input.upper + channels;
  }
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class PreparedEvaluation<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
