// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "design/plan/design_layout.hpp"

#include "tune/tiles.hpp"
#include "types/checks.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace synelix::plan {
namespace {

std::string input_name(std::int64_t input) { return "inputs[" + std::to_string(input) + "]"; }

std::string shape_text(const std::vector<std::int64_t>& extents) {
  std::string text = "(samples";
  for (const std::int64_t extent : extents) text += ", " + std::to_string(extent);
  return text + ")";
}

/// The inputs with their dimensions filled in, checked one by one and against the first.
std::vector<InputShape> checked(const Expression& expression, std::vector<InputShape> inputs) {
  const auto count = static_cast<std::int64_t>(inputs.size());
  if (count != expression.inputs()) {
    throw Error(
        "inputs", std::to_string(count) + " is the wrong number of inputs",
        "Pass " + std::to_string(expression.inputs()) + ", as " + expression.label() + " consumes");
  }
  for (std::int64_t i = 0; i < count; ++i) {
    InputShape& input = inputs[static_cast<std::size_t>(i)];
    require_valid(input.series);
    const SeriesShape& first = inputs.front().series;
    if (input.series.samples != first.samples) {
      throw Error(input_name(i),
                  std::to_string(input.series.samples) + " samples differ from the first input",
                  "Use " + std::to_string(first.samples) + " samples, as the first input has");
    }
    if (input.series.epochs != first.epochs) {
      throw Error(input_name(i),
                  std::to_string(input.series.epochs.size()) +
                      " epochs differ from those of the first input",
                  "Use the " + std::to_string(first.epochs.size()) + " epochs of the first input");
    }
    auto& extents = input.channel_extents;
    if (extents.empty() && input.series.channels != 1) extents = {input.series.channels};
    std::int64_t left = input.series.channels;  // the channels of the remaining dimensions
    for (const std::int64_t extent : extents) {
      left = extent > 0 && left % extent == 0 ? left / extent : 0;
    }
    if (left != 1) {
      throw Error(input_name(i), shape_text(extents) + " does not hold the channels",
                  "Use dimensions of " + std::to_string(input.series.channels) + " channels");
    }
  }
  return inputs;
}

/// Requires one shape for inputs that are multiplied channel by channel.
void check_alike(const DesignLayout& design, Range inputs, const std::string& label) {
  const auto& first = design.inputs[static_cast<std::size_t>(inputs.begin)].channel_extents;
  for (std::int64_t i = inputs.begin + 1; i < inputs.end; ++i) {
    const auto& found = design.inputs[static_cast<std::size_t>(i)].channel_extents;
    if (found != first) {
      throw Error(input_name(i), shape_text(found) + " differs from the other inputs of " + label,
                  "Use " + shape_text(first) + ", as they have");
    }
  }
}

std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  if (b > 0 && a > std::numeric_limits<std::int32_t>::max() / b) {
    throw Error("expression",
                std::to_string(a) + " x " + std::to_string(b) + " columns are too many",
                "Use at most 2^31 - 1 columns");
  }
  return a * b;
}

class Layout {
 public:
  explicit Layout(DesignLayout& design) : m_design(design) {}

  Part part_of(const Resolved& resolved) {
    Part part;
    part.kind = resolved.kind;
    part.component = resolved.component;
    part.inputs = resolved.inputs;
    const auto& shape = m_design.inputs[static_cast<std::size_t>(resolved.inputs.begin)];
    part.channels = shape.series.channels;
    if (resolved.component >= 0) {
      part.bases = m_design.components[static_cast<std::size_t>(resolved.component)].bases;
    } else if (resolved.kind == Node::Kind::sum) {
      for (const Resolved& summand : resolved.parts) {
        part.parts.push_back(part_of(summand));
        part.bases += part.parts.back().bases;
      }
    } else {
      multiply(resolved, part);
    }
    return part;
  }

 private:
  void multiply(const Resolved& resolved, Part& part) {
    if (resolved.parts.size() > static_cast<std::size_t>(tune::most_factors)) {
      throw Error("product", std::to_string(resolved.parts.size()) + " factors are too many",
                  "Use at most " + std::to_string(tune::most_factors));
    }
    part.bases = 1;
    for (const Resolved& factor : resolved.parts) {
      Part inner = part_of(factor);
      part.bases = checked_product(part.bases, inner.bases);
      inner.factor_place = m_design.factor_values;
      m_design.factor_values += checked_product(inner.channels, inner.bases);
      part.parts.push_back(std::move(inner));
    }
  }

  DesignLayout& m_design;
};

void lay_out_terms(DesignLayout& design, const Resolved& resolved) {
  const bool is_sum = resolved.kind == Node::Kind::sum;
  const std::vector<Resolved> single = is_sum ? std::vector<Resolved>{} : std::vector{resolved};
  for (const Resolved& term : is_sum ? resolved.parts : single) {
    check_alike(design, term.inputs, term.label);
    Part part = Layout(design).part_of(term);
    const std::int64_t width = checked_product(part.channels, part.bases);
    const auto& shape = design.inputs[static_cast<std::size_t>(term.inputs.begin)];
    design.terms.push_back({term.label,
                            {design.columns, design.columns + width},
                            shape.channel_extents,
                            part.channels,
                            part.bases,
                            term.inputs});
    design.columns += width;
    design.parts.push_back(std::move(part));
  }
}

/// The samples that a row of a basis depends on: only its own sample in eval mode.
index::Reach reach_of(const Component& component) {
  if (component.mode == Mode::eval) return {};
  return {component.window, lag_offset(component.causality, component.shift, component.window)};
}

/// The rows that all bases share: those of every epoch, or those in which each basis has a value.
RowTable common_rows(const DesignLayout& design, const FeaturesOptions& options) {
  const SeriesShape& shape = design.inputs.front().series;
  require_known("border", options.border);
  require_known("method", options.method);
  require_known("staging", options.staging);
  require_known("machine.instruction_set", options.machine.instruction_set);
  if (options.every < 1) {
    throw Error("every", std::to_string(options.every) + " is too small", "Use at least 1");
  }
  RowTable table;
  index::Reach reach;
  for (const Component& component : design.components) reach = reach.united(reach_of(component));
  table.layout = index::layout_of({options.border, options.every}, reach, shape.samples);
  table.reserve(shape);
  index::for_each_segment(
      shape.samples, shape.epochs.data(), static_cast<std::int64_t>(shape.epochs.size()),
      table.layout,
      [&](const index::Segment& segment, std::int64_t rows) { table.append(segment, rows); });
  return table;
}

/// The columns of a basis; for OrthExponential, statistics give the number of independent rates.
std::int64_t columns_of(const Resolved& resolved, const Component& component,
                        const std::vector<std::int64_t>& orthonormal_columns) {
  const Node& node = *resolved.node;
  const bool is_orthonormal =
      node.kind == Node::Kind::eval && std::holds_alternative<OrthExponential>(node.function);
  const std::int64_t most = is_orthonormal ? component.bases : 0;
  std::int64_t columns = component.bases;
  for (std::int64_t i = component.inputs.begin; i < component.inputs.end; ++i) {
    if (i >= static_cast<std::int64_t>(orthonormal_columns.size())) continue;
    const std::int64_t found = orthonormal_columns[static_cast<std::size_t>(i)];
    if (found < 0 || found > most) {
      throw Error("statistics[" + std::to_string(i) + "].orthonormal_columns",
                  std::to_string(found) + " is out of range",
                  "Use 0 to " + std::to_string(most) + " for " + component.label +
                      ", as find_statistics gives");
    }
    if (found > 0) columns = found;
  }
  return columns;
}

}  // namespace

DesignLayout lay_out(const Expression& expression, const std::vector<InputShape>& inputs,
                     const FeaturesOptions& options,
                     const std::vector<std::int64_t>& orthonormal_columns) {
  DesignLayout design{expression, checked(expression, inputs), {}, {}, {}, {}, 0, 0, {}};
  const Resolved resolved = resolve(expression);
  for (const Resolved* component : components_of(resolved)) {
    design.components.push_back(describe(*component));
    design.nodes.push_back(component->node);
    Component& described = design.components.back();
    described.bases = columns_of(*component, described, orthonormal_columns);
  }
  lay_out_terms(design, resolved);
  design.rows = common_rows(design, options);
  return design;
}

RowTable rows_of(const DesignLayout& design, const Component& component,
                 const FeaturesOptions& options) {
  RowTable table = design.rows;
  table.lag = lag_offset(component.causality, component.shift, component.window);
  if (options.border == Border::nan) {  // else all bases have values in the same rows
    const std::int64_t samples = design.inputs.front().series.samples;
    table.layout = index::layout_of({options.border, options.every}, reach_of(component), samples);
  }
  return table;
}

ConvolveOptions convolve_options(const Component& component, const SeriesShape& shape,
                                 const FeaturesOptions& options) {
  ConvolveOptions result;
  result.causality = component.causality;
  result.shift = component.shift;
  result.border = options.border;
  const bool is_direct = options.method == Method::events && !shape.has_events;
  result.method = is_direct ? Method::direct : options.method;
  result.batch = options.batch;
  result.budget = options.budget;
  result.every = options.every;
  result.machine = options.machine;
  return result;
}

}  // namespace synelix::plan

namespace synelix {

std::vector<std::int64_t> feature_samples(const Expression& expression,
                                          const std::vector<InputShape>& inputs,
                                          const FeaturesOptions& options) {
  const plan::DesignLayout design = plan::lay_out(expression, inputs, options, {});
  return plan::samples_of_all_rows(design.rows);
}

std::vector<Range> valid_rows(const Expression& expression, const std::vector<InputShape>& inputs,
                              const FeaturesOptions& options) {
  const plan::DesignLayout design = plan::lay_out(expression, inputs, options, {});
  return plan::valid_ranges(design.rows);
}

}  // namespace synelix
