// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/fits/design_case.hpp"

#include <synelix/features.hpp>
#include <synelix/stream_design_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

namespace golden {

using namespace synelix;
using Space = Kokkos::DefaultExecutionSpace;

Strided strided(const Array& array) {
  return {array.values.data(), std::span<const std::int64_t>(array.extents)};
}

namespace {

Epochs epochs_of(const Group& group) {
  Epochs epochs;
  if (!group.has("epochs")) return epochs;
  const Array found = group.array("epochs");
  for (std::size_t i = 0; i < found.values.size(); i += 2) {
    epochs.push_back({static_cast<std::int64_t>(found.values[i]),
                      static_cast<std::int64_t>(found.values[i + 1])});
  }
  return epochs;
}

Expression filters(const Group& group, const std::string& name, const std::string& label) {
  const Array taps = group.array(name);
  ConvTerm term;
  term.window = taps.extents[0];
  term.label = label;
  const std::string causality = group.text("causality").value_or("causal");
  if (causality == "acausal") term.causality = Causality::acausal;
  if (causality == "anti-causal") term.causality = Causality::anti_causal;
  term.shift = group.integer("shift").value_or(1) != 0 ? Shift::on : Shift::off;
  return conv(CustomTaps{.window = taps.extents[0], .bases = taps.extents[1], .taps = taps.values},
              term);
}

Events events_of(const Group& group, Epochs epochs) {
  const auto channels = static_cast<std::size_t>(*group.integer("channels"));
  std::vector<Events::Train> trains(channels);
  const Array samples = group.array("sample");
  const Array channel = group.array("channel");
  const Array count = group.array("count");
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    Events::Train& train = trains[static_cast<std::size_t>(channel.values[i])];
    train.samples.push_back(static_cast<std::int64_t>(samples.values[i]));
    train.counts.push_back(static_cast<float>(count.values[i]));
  }
  return {*group.integer("samples"), trains, std::move(epochs)};
}

Expression position_and_speed() {
  return eval(BSpline{.bases = 5, .order = 4}, {.bounds = {{0.0, 1.0}}, .label = "position"}) *
         eval(BSpline{.bases = 4, .order = 3}, {.bounds = {{0.0, 1.0}}, .label = "speed"});
}

/// A column of a matrix as a series.
Strided column(const Array& array, std::int64_t number) {
  const std::int64_t columns = array.extents[1];
  return {array.values.data() + number, {array.extents[0]}, {columns}};
}

}  // namespace

std::unique_ptr<DesignCase> read_design_case(const Group& group, bool is_double, InputPlace place,
                                             const DesignMatrixOptions& options) {
  auto result = std::make_unique<DesignCase>();
  const std::optional<std::string> named = group.text("kind");
  if (!named.has_value()) throw FormatError(group.path() + ": attribute kind is missing");
  const std::string& kind = *named;
  const Space exec;
  if (kind == "dense" && place == InputPlace::memory) {
    const Array& features = result->keep(group.array("features"));
    if (is_double) {
      result->tolerance = 1e-12;
      result->design = std::make_unique<DesignMatrix>(exec, strided(features), options);
    } else {
      result->floats.emplace_back(features.values.begin(), features.values.end());
      const Strided floats(result->floats.back().data(),
                           std::span<const std::int64_t>(features.extents));
      result->design = std::make_unique<DesignMatrix>(exec, floats, options);
    }
    return result;
  }
  Epochs epochs = epochs_of(group);
  // A dataset of the case, all of its columns or one of them.
  const auto add_series = [&](const std::string& name, std::optional<Range> columns = {}) {
    if (place == InputPlace::file) {
      result->sources.emplace_back(FilePath{group.file_name(), group.path() + "/" + name},
                                   Hdf5SourceOptions{.channels = columns, .epochs = epochs});
      result->streams.emplace_back(result->sources.back());
      return;
    }
    const Array& array = result->keep(group.array(name));
    result->series.emplace_back(columns ? column(array, columns->begin) : strided(array),
                                SeriesOptions{.epochs = epochs});
    result->inputs.emplace_back(result->series.back());
  };
  const auto add_events = [&] {
    Events events = events_of(group, epochs);
    result->events.push_back(place == InputPlace::file ? std::move(events)
                                                       : copy_events(exec, events));
    result->inputs.emplace_back(result->events.back());
    if (place == InputPlace::file) result->streams.emplace_back(result->events.back());
  };
  std::unique_ptr<Expression> expression;
  if (kind == "dense") {  // of windows of one sample
    add_series("features");
    expression = std::make_unique<Expression>(
        conv(CustomTaps{.window = 1, .bases = 1, .taps = {1.0}}, {.shift = Shift::off}));
  } else if (kind == "conv") {
    add_series("series");
    expression = std::make_unique<Expression>(filters(group, "taps", ""));
  } else if (kind == "events") {
    add_events();
    expression = std::make_unique<Expression>(filters(group, "taps", ""));
  } else if (kind == "eval") {
    add_series("series");
    expression = std::make_unique<Expression>(
        eval(BSpline{.bases = 5, .order = 4}, {.bounds = {{0.0, 1.0}}}));
  } else if (kind == "product") {
    add_series("series", Range{0, 1});
    add_series("series", Range{1, 2});
    expression = std::make_unique<Expression>(position_and_speed());
  } else {
    add_events();
    add_series("series");
    add_series("position");
    add_series("speed");
    expression = std::make_unique<Expression>(filters(group, "taps", "spikes") +
                                              filters(group, "series_taps", "fields") +
                                              position_and_speed());
  }
  if (place == InputPlace::file) {
    const Kokkos::DefaultHostExecutionSpace host;  // a device has no products with these
    result->design = std::make_unique<DesignMatrix>(stream_design_matrix(
        host, *expression, std::span<const StreamInput>(result->streams), options));
  } else {
    result->design = std::make_unique<DesignMatrix>(
        exec, *expression, std::span<const AnySeries>(result->inputs), options);
  }
  return result;
}

namespace {

/// The first difference of arrays outside of the tolerance.
class Differences {
 public:
  explicit Differences(double relative) : m_relative(relative) {}

  void add(const std::string& name, const std::vector<double>& found,
           const std::vector<double>& expected) {
    if (!m_text.empty()) return;
    if (found.size() != expected.size()) {
      m_text = name + " has " + std::to_string(found.size()) + " values, not " +
               std::to_string(expected.size());
      return;
    }
    double largest = 0;
    for (const double value : expected) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool agrees = std::isnan(expected[i])
                              ? std::isnan(found[i])
                              : std::abs(found[i] - expected[i]) <= m_relative * largest;
      if (agrees) continue;
      std::ostringstream text;
      text.precision(17);
      text << name << " " << i << " is " << found[i] << ", not " << expected[i] << " within "
           << m_relative * largest;
      m_text = text.str();
      return;
    }
  }
  [[nodiscard]] const std::string& text() const { return m_text; }

 private:
  double m_relative;
  std::string m_text;
};

std::vector<double> zeros(std::int64_t count) {
  return std::vector<double>(static_cast<std::size_t>(count), 7.0);
}

}  // namespace

std::string compare_products(const Group& group, const DesignCase& found) {
  Differences differences(found.tolerance);
  const DesignMatrix& design = *found.design;
  const std::int64_t n = design.rows();
  const std::int64_t p = design.columns();
  const Array b = group.array("b");
  const Array r = group.array("r");
  const Array d = group.array("d");
  const std::int64_t vectors = b.extents[1];
  std::vector<double> result = zeros(n * vectors);
  design.apply(strided(b), StridedOutput(result.data(), {n, vectors}));
  differences.add("xb", result, group.array("xb").values);
  result = zeros(p * vectors);
  design.apply_adjoint(strided(r), StridedOutput(result.data(), {p, vectors}));
  differences.add("xtr", result, group.array("xtr").values);
  result = zeros((p + 1) * (p + 1));
  const StridedOutput square(result.data(), {p + 1, p + 1});
  design.gram(square);
  differences.add("gram", result, group.array("gram").values);
  design.gram_weighted(strided(d), square);
  const std::vector<double> xtdx = group.array("xtdx").values;
  differences.add("xtdx", result, xtdx);
  for (const Range rows : {Range{0, 1}, Range{p / 2, p + 1}, Range{p, p + 1}}) {
    std::vector<double> some = zeros(rows.size() * (p + 1));
    design.gram_rows(rows, strided(d), StridedOutput(some.data(), {rows.size(), p + 1}));
    differences.add("rows of xtdx", some,
                    {xtdx.begin() + rows.begin * (p + 1), xtdx.begin() + rows.end * (p + 1)});
  }
  const std::vector<double> valid = group.array("valid").values;
  std::vector<double> is_valid(valid.size(), 0.0);
  for (const Range range : design.valid_rows()) {
    for (std::int64_t t = range.begin; t < range.end; ++t)
      is_valid[static_cast<std::size_t>(t)] = 1;
  }
  differences.add("valid", is_valid, valid);
  return differences.text();
}

std::string compare_evaluations(const Group& group, const DesignCase& found) {
  const DesignMatrix& design = *found.design;
  const Array y = group.array("y");
  const Array b = group.array("b");
  RightHandSide side;
  for (std::int64_t j = 0; j < design.columns(); ++j) {
    side.parameters.push_back(b.values[static_cast<std::size_t>(j * b.extents[1])]);
  }
  side.parameters.push_back(-0.5);
  side.wants_hessian = true;
  const Observations observations{.targets = strided(y)};
  for (const bool precise : {true, false}) {
    const double tolerance = precise ? found.tolerance : std::max(found.tolerance, 2e-6);
    // Alone, and together with enough others to be multiplied as a matrix.
    for (const std::size_t copies : {1U, 17U}) {
      const std::vector<RightHandSide> sides(copies, side);
      for (const Evaluation& one : design.evaluate({}, observations, sides, precise)) {
        Differences differences(tolerance);
        differences.add("loss", {one.loss}, group.array("evaluate_loss").values);
        differences.add("gradient", one.gradient, group.array("evaluate_gradient").values);
        differences.add("hessian", one.hessian, group.array("evaluate_hessian").values);
        if (!differences.text().empty()) return differences.text();
      }
    }
  }
  return {};
}

}  // namespace golden
