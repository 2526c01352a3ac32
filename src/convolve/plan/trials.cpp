// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/prepared_convolution.hpp"
#include "convolve/plan/row_table.hpp"
#include "launch/arrays.hpp"
#include "launch/plan_memory.hpp"
#include "launch/reached.hpp"
#include "machine/spaces.hpp"
#include "types/checks.hpp"

#include <synelix/trials.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace synelix {
namespace plan {

/// Memory of one array of a run of trials.
struct TrialMemory {
  Addresses addresses;
  std::size_t trial = 0;
  bool is_written = false;
};

}  // namespace plan

namespace {

using plan::TrialMemory;

/// All trials as one shape, for which the choice is made.
SeriesShape whole_of(const std::vector<SeriesShape>& shapes) {
  if (shapes.empty()) throw Error("trials", "the list is empty", "Give at least one trial");
  SeriesShape whole = shapes.front();
  whole.samples = 0;
  whole.events = 0;
  whole.epochs = {};
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const SeriesShape& shape = shapes[k];
    seam::naming_trial(k, [&] {
      require_valid(shape);
      plan::check_alike(shapes.front(), shape);
    });
    if (shape.samples > most_samples - whole.samples) {
      throw Error("trials", "they have more than 2^61 samples together",
                  "Use at most 2^61 samples in all");
    }
    whole.samples += shape.samples;
    whole.events += shape.events;
  }
  return whole;
}

/// Throws if outputs overlap each other or an input.
void check_apart(std::vector<TrialMemory>& places) {
  std::sort(places.begin(), places.end(), [](const TrialMemory& a, const TrialMemory& b) {
    return a.addresses.begin < b.addresses.begin;
  });
  const TrialMemory* last = nullptr;          // the one with the largest end address
  const TrialMemory* last_written = nullptr;  // of the outputs
  const auto reaches = [](const TrialMemory* before, const TrialMemory& place) {
    return before != nullptr && place.addresses.begin < before->addresses.end;
  };
  const auto is_beyond = [](const TrialMemory& place, const TrialMemory* before) {
    return before == nullptr || place.addresses.end > before->addresses.end;
  };
  for (const TrialMemory& place : places) {
    if (place.addresses.begin == place.addresses.end) continue;
    const TrialMemory* const met = place.is_written ? last : last_written;
    if (reaches(met, place)) {
      throw Error("features[" + std::to_string(place.is_written ? place.trial : met->trial) + "]",
                  "its memory overlaps that of trial " +
                      std::to_string(place.is_written ? met->trial : place.trial),
                  "Use memory apart from the inputs, and from other outputs");
    }
    if (is_beyond(place, last)) last = &place;
    if (place.is_written && is_beyond(place, last_written)) last_written = &place;
  }
}

Error wrong_number(const char* list, std::size_t found, const std::string& way_out) {
  const std::string what = list == std::string("trials") ? " trials" : " outputs";
  return {list, std::to_string(found) + what + " are the wrong number", way_out};
}

}  // namespace

void seam::require_apart(std::size_t trials, const std::vector<Strided>& inputs,
                         const std::vector<StridedOutput>& features) {
  if (features.size() != trials) {
    throw wrong_number("features", features.size(),
                       "Pass " + std::to_string(trials) + ", one for each trial");
  }
  std::vector<TrialMemory> places;
  places.reserve(inputs.size() + features.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    places.push_back({plan::addresses_of(inputs[k]), k, false});
  }
  for (std::size_t k = 0; k < features.size(); ++k) {
    places.push_back({plan::addresses_of(features[k]), k, true});
  }
  check_apart(places);
}

/// Tables of one entry for each trial, which `bind` fills on the host.
template <class Scalar, class ExecutionSpace>
struct TrialsPlan<Scalar, ExecutionSpace>::State {
  template <class Entry>
  class Table {
   public:
    Table() = default;
    Table(const ExecutionSpace& exec, const char* label, std::size_t count)
        : m_memory(exec, label, static_cast<std::int64_t>(count)),
          m_device(m_memory.data(), count),
          m_host(plan::host_mirror(label, m_device)) {
      for (std::size_t k = 0; k < count; ++k) m_host(k) = Entry();
    }
    Entry& operator[](std::size_t k) const { return m_host(k); }
    [[nodiscard]] const Entry* upload(const ExecutionSpace& exec) const {
      if (m_host.data() != m_device.data()) Kokkos::deep_copy(exec, m_device, m_host);
      return m_device.data();
    }

   private:
    using MemorySpace = typename ExecutionSpace::memory_space;
    using Device = Kokkos::View<Entry*, MemorySpace, Kokkos::MemoryUnmanaged>;
    plan::OwnedMemory<Entry, MemorySpace> m_memory;
    Device m_device;
    decltype(Kokkos::create_mirror_view(std::declval<const Device&>())) m_host;
  };

  plan::PreparedConvolution<Scalar, ExecutionSpace> convolution;
  std::vector<SeriesShape> shapes;
  std::vector<std::int64_t> row_begins;  ///< of each trial, and the end
  Table<pack::ArraySource> arrays = {};
  Table<pack::EventSource> events = {};
  Table<sweep::FeatureTarget<Scalar>> features;
  std::vector<TrialMemory> places = {};  ///< two for each trial: input, output
  std::string region = "synelix::convolve";

  static std::int64_t bytes_of(const std::vector<SeriesShape>& shapes) {
    const bool has_events = shapes.front().has_events;
    std::size_t bytes =
        shapes.size() * (sizeof(SeriesShape) + sizeof(std::int64_t) +
                         (has_events ? sizeof(pack::EventSource) : sizeof(pack::ArraySource)) +
                         sizeof(sweep::FeatureTarget<Scalar>) + 2 * sizeof(TrialMemory));
    for (const SeriesShape& shape : shapes) bytes += shape.epochs.size() * sizeof(Epoch);
    return static_cast<std::int64_t>(bytes + sizeof(std::int64_t));
  }
};

template <class Scalar, class ExecutionSpace>
TrialsPlan<Scalar, ExecutionSpace>::TrialsPlan(const ExecutionSpace& exec,
                                               std::vector<SeriesShape> shapes,
                                               const FilterBank<Scalar, ExecutionSpace>& bank,
                                               const ConvolveOptions& options) {
  require_running("synelix::TrialsPlan");
  const SeriesShape whole = whole_of(shapes);
  plan::RowTable rows = plan::start_rows(whole.samples, bank.window(), options);
  std::vector<std::int64_t> row_begins{0};
  row_begins.reserve(shapes.size() + 1);
  rows.segments.reserve(shapes.size());
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    seam::naming_trial(k, [&] {
      plan::append_rows(shapes[k], static_cast<std::int64_t>(k), bank.window(), rows);
    });
    row_begins.push_back(rows.rows);
  }
  const Kokkos::Profiling::ScopedRegion region("synelix::convolve::plan");
  const std::int64_t bytes = State::bytes_of(shapes);
  const std::size_t count = shapes.size();
  m_state = std::unique_ptr<State>(
      new State{.convolution = {exec, whole, std::move(rows), bank, options, {}, bytes},
                .shapes = std::move(shapes),
                .row_begins = std::move(row_begins),
                .features = {exec, "synelix::convolve::trials_features", count}});
  if (whole.has_events) {
    m_state->events = {exec, "synelix::convolve::trials_events", count};
  } else {
    m_state->arrays = {exec, "synelix::convolve::trials_arrays", count};
  }
  m_state->places.resize(2 * count);
  plan::warn_of("convolve",
                m_state->convolution.has_short_epoch() ? plan::Short::trials : plan::Short::nothing,
                bank.window(), options);
}

template <class Scalar, class ExecutionSpace>
TrialsPlan<Scalar, ExecutionSpace>::TrialsPlan(TrialsPlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
TrialsPlan<Scalar, ExecutionSpace>& TrialsPlan<Scalar, ExecutionSpace>::operator=(
    TrialsPlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
TrialsPlan<Scalar, ExecutionSpace>::~TrialsPlan() = default;

template <class Scalar, class ExecutionSpace>
const Choice& TrialsPlan<Scalar, ExecutionSpace>::choice() const {
  return m_state->convolution.choice();
}

template <class Scalar, class ExecutionSpace>
std::int64_t TrialsPlan<Scalar, ExecutionSpace>::rows(std::size_t k) const {
  if (k >= m_state->shapes.size()) {
    throw Error("k", std::to_string(k) + " is not a trial of the plan",
                "Use a number below " + std::to_string(m_state->shapes.size()));
  }
  return m_state->row_begins[k + 1] - m_state->row_begins[k];
}

template <class Scalar, class ExecutionSpace>
void TrialsPlan<Scalar, ExecutionSpace>::require_counts(std::size_t trials,
                                                        std::size_t features) const {
  const auto expected = [&] {
    return "Pass " + std::to_string(m_state->shapes.size()) + ", which the plan was made for";
  };
  if (trials != m_state->shapes.size()) throw wrong_number("trials", trials, expected());
  if (features != trials) throw wrong_number("features", features, expected());
}

template <class Scalar, class ExecutionSpace>
void TrialsPlan<Scalar, ExecutionSpace>::bind(const ExecutionSpace& exec, std::size_t k,
                                              const StridedSeries& series,
                                              const StridedOutput& features) const {
  State& bound = *m_state;
  const auto& convolution = bound.convolution;
  plan::check_series(bound.shapes[k], series.shape());
  plan::check_features(features, stored_type<Scalar>, series.data(), series.sample_axis(), rows(k),
                       convolution.bases());
  plan::check_reached(exec, series.data(), "series");
  plan::check_reached(exec, features, "features");
  bound.arrays[k] = convolution.source_of(series.data(), series.sample_axis(), 0, 0);
  bound.features[k] = plan::features_of<Scalar>(features,
                                                {{bound.row_begins[k], bound.row_begins[k + 1]},
                                                 {0, bound.shapes[k].channels},
                                                 {0, convolution.bases()}},
                                                series.sample_axis());
  bound.places[2 * k] = {plan::addresses_of(series.data()), k, false};
  bound.places[2 * k + 1] = {plan::addresses_of(features), k, true};
}

template <class Scalar, class ExecutionSpace>
void TrialsPlan<Scalar, ExecutionSpace>::bind(const ExecutionSpace& exec, std::size_t k,
                                              const Events& events,
                                              const StridedOutput& features) const {
  State& bound = *m_state;
  const auto& convolution = bound.convolution;
  plan::check_reached(exec, events, "events");
  plan::check_series(bound.shapes[k], events.shape());
  plan::check_features(features, stored_type<Scalar>, rows(k), bound.shapes[k].channels,
                       convolution.bases());
  plan::check_reached(exec, features, "features");
  bound.events[k] = plan::source_of(events);
  bound.features[k] = plan::features_of<Scalar>(features,
                                                {{bound.row_begins[k], bound.row_begins[k + 1]},
                                                 {0, bound.shapes[k].channels},
                                                 {0, convolution.bases()}},
                                                0);
  bound.places[2 * k] = {{}, k, false};
  bound.places[2 * k + 1] = {plan::addresses_of(features), k, true};
}

template <class Scalar, class ExecutionSpace>
void TrialsPlan<Scalar, ExecutionSpace>::launch(const ExecutionSpace& exec) const {
  require_running("synelix::convolve");
  State& bound = *m_state;
  const auto& convolution = bound.convolution;
  check_apart(bound.places);
  if (choice().rows == 0) return;
  const Kokkos::Profiling::ScopedRegion region(bound.region);
  const Block all{{0, choice().rows}, {0, convolution.shape().channels}, {0, convolution.bases()}};
  sweep::FeatureTarget<Scalar> features;
  features.rows = all.rows;
  features.trials = bound.features.upload(exec);
  if (convolution.shape().has_events) {
    pack::EventSource source;
    source.trials = bound.events.upload(exec);
    convolution.launch(exec, convolution.run_of(all, features), source);
  } else {
    pack::ArraySource source;
    source.trials = bound.arrays.upload(exec);
    convolution.launch(exec, convolution.run_of(all, features), source);
  }
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class TrialsPlan<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
