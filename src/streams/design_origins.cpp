// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "streams/design_origins.hpp"

#include <synelix/error.hpp>

#include <algorithm>

namespace synelix::stream {
namespace {

template <class Pointer>
std::size_t number_in(std::vector<Pointer>& known, Pointer input) {
  const auto found = std::find(known.begin(), known.end(), input);
  const auto place = static_cast<std::size_t>(found - known.begin());
  if (found == known.end()) known.push_back(input);
  return place;
}

index::Reach reach_of(const Component& component) {
  if (component.mode == Mode::eval) return {};
  return {component.window, lag_offset(component.causality, component.shift, component.window)};
}

}  // namespace

Origins::Origins(std::span<const StreamInput> inputs) {
  if (inputs.empty()) {
    throw Error("inputs", "none is given", "Give one for each that the expression consumes");
  }
  for (const StreamInput& input : inputs) {
    shapes.push_back(input.shape());
    events.push_back(input.events());
    number.push_back(input.source() != nullptr ? number_in(sources, input.source())
                                               : number_in(trains, input.events()));
  }
}

Reaches::Reaches(const Origins& origins, const FeaturesChoice& choice) {
  feeds.resize(origins.sources.size());
  std::vector<bool> is_set(feeds.size(), false);
  bool has_window = false;
  for (std::size_t number = 0; number < choice.components.size(); ++number) {
    const Component& component = choice.components[number];
    index::Reach reach = reach_of(component);
    if (component.mode == Mode::conv) {
      rows = has_window ? rows.united(reach) : reach;
      has_window = true;
      reach = index::reach_by(choice.choices[number], reach);
    }
    for (std::int64_t i = component.inputs.begin; i < component.inputs.end; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (origins.events[k] != nullptr) continue;
      const std::size_t source = origins.number[k];
      Feed& feed = feeds[source];
      feed.source = origins.sources[source];
      feed.reach = is_set[source] ? feed.reach.united(reach) : reach;
      is_set[source] = true;
    }
  }
}

void require_no_samples(const Expression& expression) {
  for (const InputUse& use : input_uses(expression)) {
    if (!use.needs_samples) continue;
    throw Error("expression",
                use.label +
                    " is in eval mode, which needs all samples at once, and a stream has "
                    "only a block of them",
                "Give another basis, or call compute_features, which works in memory");
  }
}

}  // namespace synelix::stream
