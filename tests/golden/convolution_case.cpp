// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/convolution_case.hpp"

#include <algorithm>
#include <cmath>

namespace golden {
namespace {

using synelix::Causality;
using synelix::Shift;

std::int64_t product(const std::vector<std::int64_t>& extents, std::size_t first,
                     std::size_t last) {
  std::int64_t result = 1;
  for (std::size_t d = first; d < last; ++d) result *= extents[d];
  return result;
}

Causality causality_of(const Group& group) {
  const std::string text = group.text("causality").value_or("causal");
  if (text == "causal") return Causality::causal;
  if (text == "acausal") return Causality::acausal;
  if (text == "anti-causal" || text == "anti_causal") return Causality::anti_causal;
  throw FormatError(group.path() + ": causality is '" + text + "'");
}

Shift shift_of(const Group& group) {
  const auto shift = group.flag("shift");
  if (!shift) return Shift::automatic;
  return *shift ? Shift::on : Shift::off;
}

std::optional<synelix::Batch> batch_of(const Group& group) {
  const synelix::Batch batch{.samples = group.integer("batch_size_samples"),
                             .channels = group.integer("batch_size_channels"),
                             .bases = group.integer("batch_size_basis")};
  if (!batch.samples && !batch.channels && !batch.bases) return std::nullopt;
  return batch;
}

synelix::Epochs epochs_of(const Group& group, const std::string& name) {
  if (!group.has(name)) return {};
  std::vector<synelix::Epoch> epochs;
  const Array array = group.array(name);
  if (array.rank() != 2 || array.extents[1] != 2) {
    throw FormatError(group.path() + ": " + name + " is not an array of (first, last)");
  }
  for (std::size_t i = 0; i < array.values.size(); i += 2) {
    epochs.push_back({std::llround(array.values[i]), std::llround(array.values[i + 1])});
  }
  std::sort(epochs.begin(), epochs.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return epochs;
}

}  // namespace

std::int64_t ConvolutionCase::before() const {
  return product(x.extents, 0, static_cast<std::size_t>(sample_axis));
}

std::int64_t ConvolutionCase::after() const {
  return product(x.extents, static_cast<std::size_t>(sample_axis) + 1, x.extents.size());
}

double ConvolutionCase::scale() const {
  double largest = 0.0;
  for (const double value : x.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  std::vector<double> sums(static_cast<std::size_t>(bases()), 0.0);
  for (std::size_t i = 0; i < kernel.values.size(); ++i) {
    sums[i % sums.size()] += std::abs(kernel.values[i]);
  }
  return largest * *std::max_element(sums.begin(), sums.end());
}

ConvolutionCase read_case(const Group& group, const std::string& suffix) {
  ConvolutionCase result;
  result.x = group.array("x" + suffix);
  result.kernel = group.array(group.has("kernel" + suffix) ? "kernel" + suffix : "kernel");
  result.out = group.array("out" + suffix);
  if (group.has("valid" + suffix)) result.valid = group.array("valid" + suffix);
  result.epochs = epochs_of(group, "epochs" + suffix);
  const std::int64_t axis = group.integer("axis").value_or(0);
  result.sample_axis = static_cast<int>(axis < 0 ? axis + result.x.rank() : axis);
  result.options.causality = causality_of(group);
  result.options.shift = shift_of(group);
  result.batch = batch_of(group);
  result.relative_tolerance = group.number("rtol").value_or(1e-12);
  if (result.out.is_narrow) result.relative_tolerance = std::max(result.relative_tolerance, 1e-5);

  if (result.kernel.rank() != 2 || result.kernel.values.empty()) {
    throw FormatError(group.path() + ": kernel is not a matrix");
  }
  if (result.sample_axis < 0 || result.sample_axis >= result.x.rank()) {
    throw FormatError(group.path() + ": axis is outside x");
  }
  std::vector<std::int64_t> extents = result.x.extents;
  extents.push_back(result.bases());
  if (result.out.extents != extents) {
    throw FormatError(group.path() + ": out" + suffix + " is not of x's shape with the bases last");
  }
  return result;
}

}  // namespace golden
