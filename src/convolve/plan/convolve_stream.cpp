// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/prepared_convolution.hpp"
#include "convolve/plan/row_table.hpp"
#include "convolve/sweep/keep.hpp"
#include "launch/arrays.hpp"
#include "launch/launch.hpp"
#include "launch/reached.hpp"
#include "machine/device_memory.hpp"
#include "machine/spaces.hpp"
#include "types/checks.hpp"

#include <synelix/convolve_stream.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace synelix {
namespace plan {

/// The relation between samples and available rows of an epoch without an end.
struct RowClock {
  std::int64_t first = 0;  ///< sample of the first row
  std::int64_t every = 1;
  std::int64_t delay = 0;  ///< samples from the row's own sample to the newest one in its window

  /// The number of rows at samples before `sample`.
  [[nodiscard]] std::int64_t rows_before(std::int64_t sample) const {
    return sample > first ? index::steps_of(sample - first, every) : 0;
  }
};

}  // namespace plan

namespace {

using plan::RowClock;

RowClock make_clock(std::int64_t window, std::int64_t lag, const ConvolveOptions& options) {
  RowClock clock{0, options.every, std::max<std::int64_t>(0, lag)};
  if (options.border == Border::valid) {
    clock.first = index::round_up(std::max<std::int64_t>(0, window - 1 - lag), options.every);
  }
  return clock;
}

std::int64_t most_rows_of(const RowClock& clock, std::int64_t longest) {
  return index::ceil_divide(std::max(longest, clock.delay), clock.every);
}

/// The rows of the longest block, as one segment.
plan::RowTable rows_of(const SeriesShape& longest, std::int64_t window,
                       const ConvolveOptions& options) {
  constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max() / 4;  // the number of
                                                                                  // samples is not
                                                                                  // known in
                                                                                  // advance
  plan::RowTable table = plan::start_rows(unknown, window, options);
  index::Segment segment;
  segment.range = {0, longest.samples};
  table.append(segment, most_rows_of(make_clock(window, table.lag, options), longest.samples));
  return table;
}

/// Throws if the kept samples of a block have too many bytes to count.
void require_countable(const SeriesShape& longest, std::int64_t window) {
  constexpr double most = 4611686018427387904.0;  // 2^62
  const double samples = 2.0 * static_cast<double>(window) + static_cast<double>(longest.samples);
  const double bytes_of_sample = 2.0 * 12.0;  // both stores of events; arrays need less
  if (bytes_of_sample * samples * (static_cast<double>(longest.channels) + 1.0) > most) {
    throw Error("longest",
                std::to_string(longest.samples) + " samples x " + std::to_string(longest.channels) +
                    " channels need too many bytes for the past",
                "Keep the past (window + longest block, twice) to at most 2^62 bytes");
  }
}

ConvolveOptions options_of(const Choice& choice, ConvolveOptions options) {
  if (choice.every != options.every) {
    throw Error("choice.every", std::to_string(choice.every) + " differs from the options",
                "Use " + std::to_string(options.every) + ", as in the options");
  }
  require_known("method", options.method);
  require_known("machine.instruction_set", options.machine.instruction_set);
  options.method = choice.method;
  options.machine.instruction_set = choice.instruction_set;
  return options;
}

std::int64_t channels_of(const Strided& block) {
  std::int64_t channels = 1;
  for (int i = 1; i < block.rank; ++i) channels *= block.extents[static_cast<std::size_t>(i)];
  return channels;
}

/// Checks features that may have room for more rows than are written, and cuts them to those rows.
StridedOutput cut_to(const StridedOutput& features, StoredType type, std::int64_t rows,
                     std::int64_t channels, std::int64_t bases) {
  std::int64_t found = 1;
  for (int i = 1; i + 1 < features.rank; ++i)
    found *= features.extents[static_cast<std::size_t>(i)];
  if (features.rank < 2 || features.extents[0] < rows || found != channels) {
    throw Error("features", plan::extents_text(features) + " does not hold the rows of the block",
                "Use at least " + std::to_string(rows) + " rows x " + std::to_string(channels) +
                    " channels x " + std::to_string(bases) + " bases");
  }
  StridedOutput cut = features;
  cut.extents[0] = rows;
  Strided like;
  like.rank = features.rank - 1;
  like.extents = features.extents;
  plan::check_features(cut, type, like, 0, rows, bases);
  return cut;
}

}  // namespace

template <class Scalar, class ExecutionSpace>
struct ConvolveStream<Scalar, ExecutionSpace>::State {
  using MemorySpace = typename ExecutionSpace::memory_space;

  State(const ExecutionSpace& exec, const SeriesShape& longest,
        const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& with)
      : convolution(exec, longest, rows_of(longest, bank.window(), with), bank, with, {},
                    bytes_of(longest, capacity_of(longest, bank.window(), with))),
        options(with),
        clock(make_clock(bank.window(), convolution.lag(), with)),
        capacity(capacity_of(longest, bank.window(), with)),
        memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                  std::string("synelix::convolve::past")),
               static_cast<std::size_t>(bytes_of(longest, capacity))) {
    warm_up(exec);
  }

  /// Number of kept samples: the block, and the samples before it in the window of its first row.
  static std::int64_t capacity_of(const SeriesShape& longest, std::int64_t window,
                                  const ConvolveOptions& options) {
    const std::int64_t lag = lag_offset(options.causality, options.shift, window);
    return window - 1 + std::max<std::int64_t>(0, -lag) + longest.samples;
  }
  /// Bytes of one of the two stores of events: begins, samples, counts.
  static std::int64_t store_bytes(std::int64_t channels, std::int64_t capacity) {
    return index::round_up((channels + 1) * 8 + channels * capacity * 12, 8);
  }
  static std::int64_t bytes_of(const SeriesShape& longest, std::int64_t capacity) {
    return longest.has_events ? 2 * store_bytes(longest.channels, capacity)
                              : 2 * capacity * longest.channels * size_of(longest.type);
  }

  [[nodiscard]] pack::EventStore store(int number) const {
    const std::int64_t channels = convolution.shape().channels;
    std::byte* const begin = memory.data() + number * store_bytes(channels, capacity);
    auto* const begins = reinterpret_cast<std::int64_t*>(begin);
    std::int64_t* const indices = begins + channels + 1;
    return {begins, indices, reinterpret_cast<float*>(indices + channels * capacity)};
  }
  [[nodiscard]] pack::EventSource kept_events() const {
    if (samples == 0) return {};
    const pack::EventStore kept = store(newest_store);
    return {kept.begins, kept.samples, kept.counts};
  }

  template <class Functor>
  void launch(const ExecutionSpace& exec, Functor functor, std::int64_t teams) const {
    functor.workspace.teams = teams;
    sweep::launch(label, exec, static_cast<int>(teams), convolution.mapping().team_size, functor);
  }

  /// Kokkos allocates at the first launch of a kernel, so this one has no work, as in a plan.
  void warm_up(const ExecutionSpace& exec) const {
    if (convolution.shape().has_events) {
      launch(exec, sweep::KeepEvents{}, 1);
    } else {
      launch(exec, sweep::KeepSamples{}, convolution.choice().teams);
    }
  }

  void keep(const ExecutionSpace& exec, const Strided& block) const {
    pack::ArraySource source;
    source.data = block.data;
    source.type = block.type;
    source.first_sample = samples;
    source.sample_stride = block.strides[0];
    source.channels = index::channel_map(block, 0);
    const std::int64_t channels = convolution.shape().channels;
    const std::int64_t values = block.extents[0] * channels;
    launch(
        exec,
        sweep::KeepSamples{
            {memory.data(), capacity, channels}, source, {samples, samples + block.extents[0]}, {}},
        std::clamp<std::int64_t>(values / values_of_team, 1, convolution.choice().teams));
  }

  void keep(const ExecutionSpace& exec, const Events& block) {
    const std::int64_t from = samples + block.shape().samples - capacity;
    launch(exec,
           sweep::KeepEvents{store(1 - newest_store),
                             kept_events(),
                             from,
                             plan::source_of(block),
                             samples,
                             convolution.shape().channels,
                             {}},
           1);
    newest_store = 1 - newest_store;
  }

  /// Computes rows [rows, rows + count) of the epoch, which has `samples` samples so far.
  void compute(const ExecutionSpace& exec, std::int64_t count, const StridedOutput& output) const {
    const Block block{{0, count}, {0, convolution.shape().channels}, {0, convolution.bases()}};
    const auto run =
        convolution.epoch_run({0, samples}, rows, plan::features_of<Scalar>(output, block, 0));
    if (convolution.shape().has_events) return convolution.launch(exec, run, kept_events());
    const std::int64_t oldest = std::max<std::int64_t>(0, samples - capacity);
    const std::int64_t channels = convolution.shape().channels;
    Strided kept;
    kept.type = convolution.shape().type;
    kept.rank = 2;
    kept.extents = {capacity, channels};
    kept.strides = {channels, 1};
    kept.data = memory.data() + oldest % capacity * channels * size_of(kept.type);
    convolution.launch(exec, run, convolution.source_of(kept, 0, oldest, 0));
  }

  /// Computes and counts the rows of a call.
  Range give(const ExecutionSpace& exec, std::int64_t count, const StridedOutput& output) {
    if (count > 0) compute(exec, count, output);
    const Range given{all_rows, all_rows + count};
    rows += count;
    all_rows += count;
    return given;
  }

  /// The number of values to keep that justifies a team.
  static constexpr std::int64_t values_of_team = 16'384;

  plan::PreparedConvolution<Scalar, ExecutionSpace> convolution;
  ConvolveOptions options;
  RowClock clock;
  std::int64_t capacity;
  Kokkos::View<std::byte*, MemorySpace> memory;  ///< the ring, or two stores of events
  int newest_store = 0;
  std::int64_t samples = 0;   ///< of the epoch
  std::int64_t rows = 0;      ///< of the epoch, given so far
  std::int64_t all_rows = 0;  ///< of the stream
  std::string region = "synelix::convolve";
  std::string label = "synelix::convolve::keep";
};

template <class Scalar, class ExecutionSpace>
ConvolveStream<Scalar, ExecutionSpace>::ConvolveStream(
    const ExecutionSpace& exec, const SeriesShape& longest,
    const FilterBank<Scalar, ExecutionSpace>& bank, const Choice& choice,
    const ConvolveOptions& options) {
  require_running("synelix::ConvolveStream");
  require_valid(longest);
  if (!longest.epochs.empty()) {
    throw Error("longest.epochs",
                "the shape of a block has " + std::to_string(longest.epochs.size()) +
                    " epochs, and must have none",
                "Leave them out, and call finish() at the end of an epoch");
  }
  if (choice.method == Method::fft) {
    throw Error("choice.method", "fft would make rows wait for later blocks",
                "Use direct or events, as choose_stream chooses");
  }
  require_countable(longest, bank.window());
  const Kokkos::Profiling::ScopedRegion region("synelix::convolve::plan");
  m_state = std::make_unique<State>(exec, longest, bank, options_of(choice, options));
  plan::warn_of("convolve", plan::Short::nothing, bank.window(), options);
}

template <class Scalar, class ExecutionSpace>
ConvolveStream<Scalar, ExecutionSpace>::ConvolveStream(ConvolveStream&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
ConvolveStream<Scalar, ExecutionSpace>& ConvolveStream<Scalar, ExecutionSpace>::operator=(
    ConvolveStream&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
ConvolveStream<Scalar, ExecutionSpace>::~ConvolveStream() = default;

template <class Scalar, class ExecutionSpace>
Range ConvolveStream<Scalar, ExecutionSpace>::push(const ExecutionSpace& exec, const Strided& block,
                                                   const StridedOutput& features) {
  require_running("synelix::convolve");
  State& bound = *m_state;
  const SeriesShape& longest = bound.convolution.shape();
  const std::int64_t samples = block.rank > 0 ? block.extents[0] : -1;
  if (longest.has_events || samples < 0 || samples > longest.samples ||
      channels_of(block) != longest.channels || block.type != longest.type ||
      (samples > 0 && block.data == nullptr)) {
    throw Error("block",
                plan::extents_text(block) + " of " + std::string(name_of(block.type)) +
                    " does not fit the stream",
                "Use 0 to " + std::to_string(longest.samples) + " samples x " +
                    std::to_string(longest.channels) + " channels of " +
                    (longest.has_events ? "events" : std::string(name_of(longest.type))));
  }
  const std::int64_t rows = rows_for(samples);
  const StridedOutput output =
      cut_to(features, stored_type<Scalar>, rows, longest.channels, bound.convolution.bases());
  plan::check_reached(exec, block, "block");
  plan::check_reached(exec, output, "features");
  plan::check_apart(bound.convolution.arguments_of(output).reads("block", block));
  const Kokkos::Profiling::ScopedRegion region(bound.region);
  if (samples > 0) bound.keep(exec, block);
  bound.samples += samples;
  return bound.give(exec, rows, output);
}

template <class Scalar, class ExecutionSpace>
Range ConvolveStream<Scalar, ExecutionSpace>::push(const ExecutionSpace& exec, const Events& block,
                                                   const StridedOutput& features) {
  require_running("synelix::convolve");
  State& bound = *m_state;
  const SeriesShape& longest = bound.convolution.shape();
  const SeriesShape& found = block.shape();
  if (!longest.has_events || found.samples > longest.samples ||
      found.channels != longest.channels || !found.epochs.empty()) {
    throw Error("block",
                std::to_string(found.samples) + " samples x " + std::to_string(found.channels) +
                    " channels of events in " + std::to_string(found.epochs.size()) +
                    " epochs do not fit the stream",
                "Use 1 to " + std::to_string(longest.samples) + " samples x " +
                    std::to_string(longest.channels) + " channels of " +
                    (longest.has_events ? "events" : std::string(name_of(longest.type))) +
                    " without epochs");
  }
  plan::check_reached(exec, block, "block");
  const std::int64_t rows = rows_for(found.samples);
  const StridedOutput output =
      cut_to(features, stored_type<Scalar>, rows, longest.channels, bound.convolution.bases());
  plan::check_reached(exec, output, "features");
  const Kokkos::Profiling::ScopedRegion region(bound.region);
  bound.keep(exec, block);
  bound.samples += found.samples;
  return bound.give(exec, rows, output);
}

template <class Scalar, class ExecutionSpace>
Range ConvolveStream<Scalar, ExecutionSpace>::finish(const ExecutionSpace& exec,
                                                     const StridedOutput& features) {
  require_running("synelix::convolve");
  State& bound = *m_state;
  const std::int64_t rows = rows_at_end();
  const StridedOutput output =
      cut_to(features, stored_type<Scalar>, rows, bound.convolution.shape().channels,
             bound.convolution.bases());
  plan::check_reached(exec, output, "features");
  const Kokkos::Profiling::ScopedRegion region(bound.region);
  const Range given = bound.give(exec, rows, output);
  bound.samples = 0;
  bound.rows = 0;
  return given;
}

template <class Scalar, class ExecutionSpace>
std::int64_t ConvolveStream<Scalar, ExecutionSpace>::rows_for(std::int64_t samples) const {
  const RowClock& clock = m_state->clock;
  return clock.rows_before(m_state->samples + samples - clock.delay) - m_state->rows;
}

template <class Scalar, class ExecutionSpace>
std::int64_t ConvolveStream<Scalar, ExecutionSpace>::rows_at_end() const {
  if (m_state->options.border == Border::valid) return 0;
  return m_state->clock.rows_before(m_state->samples) - m_state->rows;
}

template <class Scalar, class ExecutionSpace>
std::int64_t ConvolveStream<Scalar, ExecutionSpace>::most_rows() const {
  return most_rows_of(m_state->clock, m_state->convolution.shape().samples);
}

template <class Scalar, class ExecutionSpace>
std::int64_t ConvolveStream<Scalar, ExecutionSpace>::delay() const {
  return m_state->clock.delay;
}

template <class Scalar, class ExecutionSpace>
std::int64_t ConvolveStream<Scalar, ExecutionSpace>::samples() const {
  return m_state->samples;
}

template <class Scalar, class ExecutionSpace>
const Choice& ConvolveStream<Scalar, ExecutionSpace>::choice() const {
  return m_state->convolution.choice();
}

template <class Scalar, class ExecutionSpace>
Choice choose_stream(const ExecutionSpace& exec, const SeriesShape& shape,
                     const FilterBank<Scalar, ExecutionSpace>& bank,
                     const ConvolveOptions& options) {
  require_running("synelix::choose_stream");
  const plan::RowTable rows = plan::make_rows(shape, bank.window(), options);
  chooser::ProblemSize size = plan::problem_size<Scalar>(shape, rows, bank.taps());
  size.is_pushed = true;
  return chooser::make_choice(
      size, plan::resources_of<Scalar>(exec, options), options,
      [&](std::int64_t needed) { return budget_for(exec, options.budget, needed); });
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)      \
  template class ConvolveStream<SCALAR, SPACE>; \
  template Choice choose_stream<SCALAR, SPACE>( \
      const SPACE&, const SeriesShape&, const FilterBank<SCALAR, SPACE>&, const ConvolveOptions&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
