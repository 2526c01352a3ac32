// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "design/plan/exponentials.hpp"

#include "bases/exponentials.hpp"
#include "convolve/plan/sample_scaling.hpp"
#include "design/plan/expression_node.hpp"
#include "design/sweep/ranges.hpp"
#include "index/segment.hpp"
#include "machine/host_memory.hpp"
#include "types/events.hpp"

#include <synelix/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace synelix::plan {
namespace {

std::string argument_of(std::size_t i) { return "inputs[" + std::to_string(i) + "]"; }

/// The basis that consumes an input.
const Node& node_of(const Resolved& resolved, std::int64_t input) {
  const Node* found = nullptr;
  for (const Resolved* component : components_of(resolved)) {
    if (input >= component->inputs.begin && input < component->inputs.end) found = component->node;
  }
  return *found;
}

/// Calls visit(u) for each sample of a channel that has a value.
template <class Visit>
void for_each_sample(const pack::AnySource& source, const SeriesShape& shape, std::int64_t c,
                     SampleRange range, const Visit& visit) {
  const std::vector<Epoch> whole{{0, shape.samples}};
  const double span = range.upper == range.lower ? 1.0 : range.upper - range.lower;
  for (const Epoch& epoch : shape.epochs.empty() ? whole : shape.epochs.list()) {
    for (std::int64_t t = epoch.begin; t < epoch.end; ++t) {
      const double x = pack::value_of(source, t, c);
      if (!(x >= range.lower && x <= range.upper)) continue;
      const double u = (x - range.lower) / span;
      if (std::isfinite(u)) visit(u);
    }
  }
}

/// Makes the value of largest magnitude of each column positive.
template <class Samples>
void fix_signs(bases::ExponentialFit::Map& map, const std::vector<double>& rates,
               const Samples& samples) {
  const auto rank = static_cast<std::size_t>(map.rank);
  std::vector<double> largest(rank, 0.0);
  samples([&](double u) {
    for (std::size_t b = 0; b < rank; ++b) {
      double value = 0.0;
      for (std::size_t i = 0; i < rates.size(); ++i) {
        value += std::exp(-rates[i] * u) * map.values[i * rank + b];
      }
      if (std::abs(value) > std::abs(largest[b])) largest[b] = value;
    }
  });
  for (std::size_t k = 0; k < map.values.size(); ++k) {
    if (largest[k % rank] < 0.0) map.values[k] = -map.values[k];
  }
}

}  // namespace

void check_on_host(const AnySeries& input, std::size_t i) {
  if (input.events() != nullptr) return require_on_host(*input.events());
  if (is_reached_by_host(input.samples().memory_space())) return;
  throw Error(argument_of(i),
              std::string("it lies in ") + input.samples().memory_space() +
                  ", and OrthExponential in eval mode looks at samples on the host",
              "Use memory of the host");
}

void fit_exponentials(const Expression& expression, std::size_t i, const AnySeries& input,
                      InputStatistics& statistics) {
  const Resolved resolved = resolve(expression);
  const Node& node = node_of(resolved, static_cast<std::int64_t>(i));
  const std::vector<double>& rates = std::get<OrthExponential>(node.function).decay_rates;
  const std::string name = argument_of(i);
  const SeriesShape shape = input.shape().series;
  const SampleScaling<Kokkos::HostSpace> scaling(shape.scaling);
  pack::AnySource source;
  if (input.events() != nullptr) {
    source.events = {input.events()->begins(), input.events()->sample_indices(),
                     input.events()->counts()};
  } else {
    source.array = scaling.source_of(input.samples().array(), input.sample_axis(), 0, 0);
  }
  std::vector<bases::ExponentialFit::Map> maps;
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    SampleRange range;
    if (node.eval.bounds.empty()) {
      range = statistics.ranges[static_cast<std::size_t>(c)];
    } else {
      range = {node.eval.bounds[0].lower, node.eval.bounds[0].upper};
    }
    bases::ExponentialFit fit(rates);
    const auto samples = [&](const auto& visit) {
      for_each_sample(source, shape, c, range, visit);
    };
    samples([&](double u) { fit.add(u); });
    if (fit.samples() < static_cast<std::int64_t>(rates.size())) {
      throw Error(name,
                  std::to_string(fit.samples()) + " samples in channel " + std::to_string(c) +
                      " are too few",
                  "Give at least the number of decay rates of OrthExponential, which is " +
                      std::to_string(rates.size()));
    }
    maps.push_back(fit.map());
    fix_signs(maps.back(), rates, samples);
    statistics.orthonormal_columns = std::max(statistics.orthonormal_columns, maps.back().rank);
  }
  const auto columns = static_cast<std::size_t>(statistics.orthonormal_columns);
  for (const auto& map : maps) {
    const auto rank = static_cast<std::size_t>(map.rank);
    for (std::size_t k = 0; k < rates.size() * columns; ++k) {
      const std::size_t b = k % columns;
      statistics.orthonormal_map.push_back(b < rank ? map.values[k / columns * rank + b]
                                                    : std::numeric_limits<double>::quiet_NaN());
    }
  }
}

}  // namespace synelix::plan
