// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/fitted_design.hpp"

#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"

#include <synelix/stream_design_matrix.hpp>
#include <synelix/types/features.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace synelix::tool {
namespace {

DesignFile with_target(DesignFile design, const std::optional<DesignInput>& target) {
  if (target) design.inputs.push_back(*target);
  return design;
}

std::optional<std::size_t> number_of_target(const DesignFile& design,
                                            const std::optional<DesignInput>& target) {
  if (!target) return std::nullopt;
  return design.inputs.size() - 1;
}

/// An array (rows, targets) of a stored type.
Strided strided_of(const void* values, StoredType type, std::int64_t rows, std::int64_t targets) {
  Strided array;
  array.data = values;
  array.type = type;
  array.rank = 2;
  array.extents[0] = rows;
  array.extents[1] = targets;
  array.strides[0] = targets;
  array.strides[1] = 1;
  return array;
}

std::vector<std::int64_t> numbered(std::int64_t channels) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(channels));
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  return ids;
}

PerChannel numbers_of(const std::vector<double>& each, double all) {
  if (each.empty()) return all;
  return PerChannel(std::span<const double>(each));
}

}  // namespace

FittedDesign::FittedDesign(DesignFile design, const DesignRequest& request,
                           const std::optional<DesignInput>& target)
    : m_request(request),
      m_design(with_target(std::move(design), target)),
      m_target(number_of_target(m_design, target)),
      m_inputs(
          m_design,
          {request.epochs, request.intervals, request.options, m_target, {}, request.from_seconds}),
      m_terms(expression_of(m_design, m_inputs.series().rate_hz, request.options)) {
  std::vector<InputShape> shapes;
  for (const std::size_t input : m_terms.inputs) {
    m_streamed.push_back(m_inputs.stream_input(input));
    shapes.push_back(m_streamed.back().shape());
  }
  for (std::size_t i = 0; i < m_design.inputs.size(); ++i) {
    if (!m_inputs.is_used(i)) continue;
    const std::string name =
        i == m_target ? "the target" : "the input '" + m_design.inputs[i].name + "'";
    require_spikes(name, m_inputs.trains(i), request.strict);
  }
  FeaturesOptions options;
  options.method = request.options.method;
  options.machine = machine_of(request.machine, request.instruction_set);
  FeaturesChoice chosen = choose_features<float>(Kokkos::DefaultHostExecutionSpace(),
                                                 m_terms.expression, shapes, options);
  m_components = std::move(chosen.components);
  for (const Choice& choice : chosen.choices) {
    m_methods_text += std::string(m_methods_text.empty() ? "" : ", ") + name_of(choice.method);
    if (choice.fft_length > 0) {
      m_methods_text +=
          " " + std::to_string(choice.fft_length) + " x " + std::to_string(choice.fft_parts);
    }
  }
  const std::optional<Range> samples = samples_of(request.time, rows(), m_inputs.series());
  if (!samples) return;
  m_weights.assign(static_cast<std::size_t>(rows()), 0);
  m_weights_text =
      "samples " + std::to_string(samples->begin) + " to " + std::to_string(samples->end);
  std::fill(m_weights.begin() + samples->begin, m_weights.begin() + samples->end, 1);
}

std::vector<std::int64_t> FittedDesign::target_ids() const {
  if (!m_target) return {};
  return m_inputs.channel_ids(*m_target);
}

std::vector<InputChannels> FittedDesign::channels() const {
  std::vector<InputChannels> channels;
  for (const std::size_t input : m_terms.inputs) {
    std::vector<std::int64_t> ids = m_inputs.channel_ids(input);
    if (ids.empty()) ids = numbered(m_inputs.shape_of(input).channels);
    channels.push_back({m_design.inputs[input].name, std::move(ids)});
  }
  return channels;
}

std::vector<InputChannels> FittedDesign::channels_beside(const FitFile& model,
                                                         std::vector<std::string>& without) const {
  std::vector<InputChannels> here = channels();
  for (std::size_t i = 0; i < std::min(here.size(), model.inputs.size()); ++i) {
    const std::vector<std::int64_t>& there = model.inputs[i].ids;
    const bool has_ids = !m_inputs.channel_ids(m_terms.inputs[i]).empty();
    if (has_ids || there.size() != here[i].ids.size() || there == here[i].ids) continue;
    here[i].ids = there;
    const std::string name = "the input '" + here[i].name + "'";
    if (std::find(without.begin(), without.end(), name) == without.end()) without.push_back(name);
  }
  return here;
}

std::vector<InputFile> FittedDesign::files() const {
  std::vector<InputFile> files;
  for (std::size_t i = 0; i < m_design.inputs.size(); ++i) {
    if (!m_inputs.is_used(i)) continue;
    const Source* const source = m_inputs.stream_input(i).source();
    if (source == nullptr) continue;
    const std::vector<InputFile> behind = source->description().files;
    files.insert(files.end(), behind.begin(), behind.end());
  }
  return files;
}

std::int64_t FittedDesign::held_bytes() const {
  return m_inputs.held_bytes() + static_cast<std::int64_t>(m_values.size() + m_weights.size());
}

DesignMatrix FittedDesign::matrix() const {
  const std::int64_t held = held_bytes();
  if (budget() <= held) {
    throw BudgetError(
        "--budget",
        std::to_string(budget()) + " bytes are less than the spike trains and targets take",
        "Give more than " + std::to_string(held) + " bytes");
  }
  return matrix_within(budget() - held);
}

bool FittedDesign::has_events_alone() const {
  return std::all_of(m_streamed.begin(), m_streamed.end(),
                     [](const auto& input) { return input.events() != nullptr; });
}

DesignMatrix FittedDesign::matrix_within(std::int64_t bytes) const {
  const Kokkos::DefaultHostExecutionSpace exec;
  const DesignMatrixOptions options{
      .keep = Keep::automatic,
      .method = m_request.options.method,
      .budget = bytes,
      .machine = machine_of(m_request.machine, m_request.instruction_set)};
  if (!has_events_alone()) {
    const StreamOptions stream{.cancel = &stop_requested(), .series = m_inputs.series()};
    return stream_design_matrix(exec, m_terms.expression, m_streamed, options, stream);
  }
  std::vector<AnySeries> series;
  series.reserve(m_streamed.size());
  for (const StreamInput& input : m_streamed) series.emplace_back(*input.events());
  return {exec, m_terms.expression, series, options};
}

/// Each part of a run knows its own needs, but not those of later parts. So the least budget for
/// all is found by planning with larger budgets. Targets are not read for this: any target takes
/// the same memory.
std::int64_t FittedDesign::least_beside(std::int64_t held, const Plan& plan) const {
  const std::uint8_t one = 1;
  Strided ones(&one, {rows(), m_target ? targets() : 1});
  ones.strides[0] = ones.strides[1] = 0;
  const Events* events = m_target ? m_inputs.stream_input(*m_target).events() : nullptr;
  if (m_inputs.refused()) events = nullptr;  // they are only counted, so values are not known
  const Observations observations = events != nullptr ? observed(*events) : observed(ones);
  const auto suffices = [&](std::int64_t bytes) {
    try {
      const DesignMatrix matrix = matrix_within(bytes);
      plan(matrix, observations);
      return true;
    } catch (const BudgetError&) {
      return false;
    }
  };
  constexpr std::int64_t most = std::int64_t{1} << 50;
  constexpr std::int64_t smallest = 4096;
  std::int64_t too_small = std::max(budget() - held, smallest);
  if (suffices(too_small)) return too_small;
  std::int64_t enough = 2 * too_small;
  for (; !suffices(enough); enough *= 2) {
    if (enough > most) return most;
    too_small = enough;
  }
  constexpr std::int64_t shares = 64;  // within a few percent of the least
  while (enough - too_small > std::max(enough / shares, smallest)) {
    const std::int64_t middle = too_small + (enough - too_small) / 2;
    (suffices(middle) ? enough : too_small) = middle;
  }
  return enough;
}

void FittedDesign::within_budget(const std::function<void()>& body, const Plan& plan) const {
  const auto& refused = m_inputs.refused();
  try {
    if (refused) throw BudgetError(refused->error);
    return body();
  } catch (const BudgetError&) {
    const std::int64_t held = held_bytes() + (m_values.empty() ? target_bytes() : 0);
    const std::int64_t least = held + least_beside(held, plan);
    // for memory that no plan includes
    if (least <= (refused ? refused->error.least_bytes() : budget())) throw;
    refuse_run(budget(), least, !refused || refused->is_least);
  }
}

std::size_t FittedDesign::target_number() const {
  if (!m_target) throw StateError("target", "the design has none", "Name one");
  return *m_target;
}

std::int64_t FittedDesign::target_bytes() const {
  if (!m_target || m_inputs.stream_input(*m_target).source() == nullptr) return 0;
  const SeriesShape& shape = m_inputs.shape_of(*m_target);
  return shape.samples * shape.channels * size_of(shape.type);
}

/// Reads an array of targets in its stored type.
void FittedDesign::read_target() {
  constexpr std::int64_t bytes_at_a_time = std::int64_t{4} << 20;
  Source& source = *m_inputs.stream_input(target_number()).source();
  const SeriesShape& shape = source.shape();
  const std::int64_t row = shape.channels * size_of(shape.type);
  const std::int64_t step = std::clamp<std::int64_t>(bytes_at_a_time / row, 1, shape.samples);
  if (held_bytes() + target_bytes() >= budget()) {
    throw BudgetError("--budget",
                      std::to_string(budget()) + " bytes are less than the targets take",
                      "Give more than " + std::to_string(held_bytes() + target_bytes()) + " bytes");
  }
  m_values.resize(static_cast<std::size_t>(target_bytes()));
  source.begin(step, shape.channels, source.own_bytes(step, shape.channels, bytes_at_a_time));
  for (std::int64_t first = 0; first < shape.samples; first += step) {
    if (stop_requested()) throw Cancelled("the targets were being read");
    const Range samples{first, std::min(first + step, shape.samples)};
    source.read(samples, {0, shape.channels}, m_values.data() + first * row);
  }
}

Observations FittedDesign::observed(const AnySeries& targets) const {
  Observations observations{.targets = targets};
  if (!m_weights.empty()) {
    observations.row_weights =
        Strided(m_weights.data(), {static_cast<std::int64_t>(m_weights.size())});
  }
  return observations;
}

Observations FittedDesign::observations() {
  const StreamInput target = m_inputs.stream_input(target_number());
  const SeriesShape& shape = m_inputs.shape_of(target_number());
  if (target.events() != nullptr) return observed(*target.events());
  if (m_values.empty()) read_target();
  const Strided values = strided_of(m_values.data(), shape.type, shape.samples, shape.channels);
  if (shape.scaling.is_identity()) return observed(values);
  return observed(scaled(values, numbers_of(shape.scaling.channel_scale, shape.scaling.scale),
                         numbers_of(shape.scaling.channel_offset, shape.scaling.offset)));
}

void FittedDesign::require_bounds() const {
  for (const InputUse& use : input_uses(m_terms.expression)) {
    if (!use.needs_ranges && !use.needs_samples) continue;
    throw Error("the basis '" + use.label + "'",
                "it has no bounds, so its columns follow the range of each recording",
                "Give bounds in the design, and fit again");
  }
}

}  // namespace synelix::tool
