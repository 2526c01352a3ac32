// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/golden_features.hpp"

#include <synelix/features.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace golden {
namespace {

using Space = Kokkos::DefaultExecutionSpace;

constexpr std::int64_t block_rows = 5;

std::vector<synelix::StridedSeries> series_of(const std::vector<Array>& inputs) {
  std::vector<synelix::StridedSeries> series;
  for (const Array& input : inputs) {
    series.emplace_back(synelix::Strided(input.values.data(), input.extents));
  }
  return series;
}

template <class Scalar>
struct Computed {
  std::vector<Scalar> whole;
  std::vector<Scalar> blocks;
  std::vector<synelix::Term> terms;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// All rows at once, and a few at a time.
template <class Scalar>
Computed<Scalar> compute(const synelix::Expression& expression, const std::vector<Array>& arrays) {
  const Space exec;
  const std::vector<synelix::StridedSeries> series = series_of(arrays);
  const std::vector<synelix::AnySeries> inputs(series.begin(), series.end());
  std::vector<synelix::InputShape> shapes;
  for (const synelix::AnySeries& input : inputs) shapes.push_back(input.shape());
  const auto statistics =
      synelix::find_statistics(exec, expression, std::span<const synelix::AnySeries>(inputs));
  const synelix::FeaturesPlan<Scalar, Space> plan(exec, expression, shapes, {}, statistics);
  Computed<Scalar> result;
  result.rows = plan.rows();
  result.columns = plan.columns();
  result.terms = plan.terms();
  const auto size = static_cast<std::size_t>(plan.rows() * plan.columns());
  result.whole.assign(size, Scalar(7));
  result.blocks.assign(size, Scalar(8));
  plan.run(exec, inputs,
           synelix::StridedOutput(result.whole.data(), {plan.rows(), plan.columns()}));
  for (std::int64_t first = 0; first < plan.rows(); first += block_rows) {
    const synelix::Range rows{first, std::min(plan.rows(), first + block_rows)};
    std::vector<synelix::InputBlock> blocks;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const synelix::Range needed = plan.samples_for(static_cast<std::int64_t>(i), rows);
      const std::int64_t channels = shapes[i].series.channels;
      blocks.push_back({synelix::Strided(arrays[i].values.data() + needed.begin * channels,
                                         {needed.size(), channels}),
                        needed.begin, nullptr});
    }
    plan.run_block(exec, rows, blocks,
                   synelix::StridedOutput(result.blocks.data() + first * plan.columns(),
                                          {rows.size(), plan.columns()}));
  }
  exec.fence("golden: the features are read");
  return result;
}

template <class Scalar>
Outcome check_type(const synelix::Expression& expression, const std::vector<Array>& inputs,
                   const Array& expected) {
  const Computed<Scalar> computed = compute<Scalar>(expression, inputs);
  if (expected.rank() != 2 || computed.rows != expected.extents[0] ||
      computed.columns != expected.extents[1]) {
    return {Outcome::Kind::differs, "shape (" + std::to_string(computed.rows) + ", " +
                                        std::to_string(computed.columns) + ")"};
  }
  if (std::memcmp(computed.whole.data(), computed.blocks.data(),
                  computed.whole.size() * sizeof(Scalar)) != 0) {
    return {Outcome::Kind::differs, "blocks of rows change bits of the result"};
  }
  const double relative = sizeof(Scalar) < sizeof(double) || expected.is_narrow ? 1e-5 : 1e-12;
  const double tolerance = relative * std::max(1.0, largest_finite(expected.values));
  return compare(expected, computed.whole, [&](std::size_t) { return tolerance; });
}

/// "x1" if the group has it, otherwise "x" for the first.
std::string numbered(const Group& group, const std::string& name, std::int64_t number) {
  const std::string with_number = name + std::to_string(number);
  return number > 1 || group.has(with_number) ? with_number : name;
}

struct FeaturesCase {
  std::optional<synelix::Expression> expression;
  std::vector<Array> inputs;
};

/// The filters of a group in conv mode, and how the name of the group joins them.
FeaturesCase read_case(const Group& group) {
  FeaturesCase result;
  std::vector<synelix::Expression> filters;
  for (std::int64_t i = 1; group.has(numbered(group, "x", i)); ++i) {
    result.inputs.push_back(group.array(numbered(group, "x", i)));
    const Array kernel = group.array(numbered(group, "kernel", i));
    if (kernel.rank() != 2) throw FormatError(group.path() + ": a kernel is not a matrix");
    filters.push_back(synelix::conv(
        synelix::CustomTaps{
            .window = kernel.extents[0], .bases = kernel.extents[1], .taps = kernel.values},
        {}));
  }
  const std::string name = group.path().substr(group.path().rfind('/') + 1);
  if (name.starts_with("atomic_conv") && filters.size() == 1) {
    result.expression = filters[0];
  } else if (name.starts_with("additive") && filters.size() == 2) {
    result.expression = filters[0] + filters[1];
  } else if (name.starts_with("multiplicative_of_additive") && filters.size() == 3) {
    result.expression = (filters[0] + filters[1]) * filters[2];
  } else if (name.starts_with("multiplicative") && filters.size() == 2) {
    result.expression = filters[0] * filters[1];
  }
  return result;
}

}  // namespace

Outcome check_expression(const synelix::Expression& expression, const std::vector<Array>& inputs,
                         const Array& expected) {
  Outcome outcome = check_type<double>(expression, inputs, expected);
  outcome.text = "double " + outcome.text;
  if (outcome.kind != Outcome::Kind::agrees) return outcome;
  Outcome single = check_type<float>(expression, inputs, expected);
  single.text =
      (single.kind == Outcome::Kind::agrees ? outcome.text + "; " : "") + "float " + single.text;
  return single;
}

Outcome check_features(const Group& group) {
  const FeaturesCase item = read_case(group);
  if (!item.expression) {
    return {Outcome::Kind::not_compared, "an expression of another name"};
  }
  return check_expression(*item.expression, item.inputs, group.array("out"));
}

Outcome check_splits(const Group& group, const Group& root) {
  const std::string name = group.path().substr(group.path().rfind('/') + 1);
  if (!root.has("features") || !root.group("features").has(name)) {
    throw FormatError(group.path() + ": /features/" + name + " is missing");
  }
  const FeaturesCase item = read_case(root.group("features").group(name));
  if (!item.expression) {
    return {Outcome::Kind::not_compared, "an expression of another name"};
  }
  const Computed<double> computed = compute<double>(*item.expression, item.inputs);
  const synelix::Strided matrix(computed.whole.data(), {computed.rows, computed.columns});
  const std::vector<synelix::Strided> parts = synelix::split(matrix, computed.terms, -1);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::string part = "component" + std::to_string(k + 1);
    const Array expected = group.array(part);
    const synelix::Strided& found = parts[k];
    if (std::vector<std::int64_t>(found.extents.begin(), found.extents.begin() + found.rank) !=
        expected.extents) {
      return {Outcome::Kind::differs, part + " has another shape"};
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      std::size_t rest = i;
      std::int64_t offset = 0;
      for (auto d = static_cast<std::size_t>(found.rank); d-- > 0;) {
        const auto extent = static_cast<std::size_t>(found.extents[d]);
        offset += static_cast<std::int64_t>(rest % extent) * found.strides[d];
        rest /= extent;
      }
      values.push_back(static_cast<const double*>(found.data)[offset]);
    }
    Outcome outcome = compare(expected, values, [](std::size_t) { return 1e-12; });
    if (outcome.kind != Outcome::Kind::agrees) {
      outcome.text = part + ": " + outcome.text;
      return outcome;
    }
  }
  if (group.has("component" + std::to_string(parts.size() + 1))) {
    return {Outcome::Kind::differs, std::to_string(parts.size()) + " terms"};
  }
  return {Outcome::Kind::agrees, std::to_string(parts.size()) + " terms"};
}

}  // namespace golden
