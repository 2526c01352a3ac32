// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verb: checks, plans the blocks, makes the ConvolvePlan, and runs the pipeline with it.
#include "stream/pipeline.hpp"
#include "stream/stream_plan.hpp"
#include "vocabulary/spaces.hpp"

#include <synelix/session.hpp>
#include <synelix/stream.hpp>

#include <array>
#include <utility>

namespace synelix {
namespace {

using stream::Compute;
using stream::Input;
using stream::Prepared;
using stream::Problem;

/// The shape, extents and source of what is streamed: of a Source, or of Events.
struct Origin {
  const SeriesShape& shape;
  std::vector<std::int64_t> channel_extents;
  Source* source = nullptr;
  const Source* read_only = nullptr;
  const Events* events = nullptr;
};

template <class Scalar, class ExecutionSpace>
Prepared prepared(const ExecutionSpace& exec, const Origin& origin,
                  const FilterBank<Scalar, ExecutionSpace>& bank, const Sink& sink,
                  const ConvolveOptions& options, const StreamOptions& stream) {
  require_running("synelix::stream_convolve");
  return prepare(Problem{.shape = origin.shape,
                         .channel_extents = origin.channel_extents,
                         .window = bank.window(),
                         .bases = bank.bases(),
                         .type = stored_type<Scalar>,
                         .options = options,
                         .samples = stream.samples,
                         .source = origin.read_only,
                         .sink = sink,
                         .choose = [&](const ConvolveOptions& tried) {
                           return choose(exec, origin.shape, bank, tried);
                         }});
}

/// What is known beside the values: of the source first, then of the caller.
SeriesDescription described(const Origin& origin, const StreamOptions& stream) {
  if (origin.read_only == nullptr) return stream.series;
  SeriesDescription result = origin.read_only->description();
  const SeriesDescription& given = stream.series;
  if (!result.rate_hz) {
    result.rate_hz = given.rate_hz;
    result.start_seconds = given.start_seconds;
    result.segments = given.segments;
  }
  if (result.first_sample == 0) result.first_sample = given.first_sample;
  if (result.channel_ids.empty()) result.channel_ids = given.channel_ids;
  if (result.name.empty()) result.name = given.name;
  return result;
}

/// Memory of a device for one block of input and one of output; none where the host's will do.
template <class Scalar, class ExecutionSpace>
class Staging {
 public:
  static constexpr bool is_needed =
      !Kokkos::SpaceAccessibility<ExecutionSpace, Kokkos::HostSpace>::accessible;

  Staging(const ExecutionSpace& exec, const StreamPlan& plan, std::int64_t input_size) {
    if constexpr (is_needed) {
      const auto fresh = [&](const char* label) {
        return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label);
      };
      m_input =
          Bytes(fresh("synelix::stream::input"),
                static_cast<std::size_t>(plan.block_samples * plan.block.channels * input_size));
      m_output =
          Bytes(fresh("synelix::stream::output"),
                static_cast<std::size_t>(plan.block.rows * plan.block.channels * plan.block.bases) *
                    sizeof(Scalar));
    }
  }

  /// The input where the execution space reaches it.
  const void* input(const ExecutionSpace& exec, const void* values, std::int64_t bytes) const {
    if constexpr (is_needed) {
      const auto size = static_cast<std::size_t>(bytes);
      const HostBytes from(static_cast<std::byte*>(const_cast<void*>(values)), size);
      Kokkos::deep_copy(exec, Kokkos::subview(m_input, std::pair(std::size_t{0}, size)), from);
      return m_input.data();
    } else {
      return values;
    }
  }
  /// Where the execution space writes.
  void* output(void* values) const { return is_needed ? m_output.data() : values; }
  /// Brings what was written to the host.
  void fetch(const ExecutionSpace& exec, void* values, std::int64_t bytes) const {
    if constexpr (is_needed) {
      const auto size = static_cast<std::size_t>(bytes);
      const HostBytes to(static_cast<std::byte*>(values), size);
      Kokkos::deep_copy(exec, to, Kokkos::subview(m_output, std::pair(std::size_t{0}, size)));
    }
  }

 private:
  using Bytes = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>;
  using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Bytes m_input;
  Bytes m_output;
};

template <class Scalar, class ExecutionSpace>
StreamReport run(const ExecutionSpace& exec, const Origin& origin,
                 const FilterBank<Scalar, ExecutionSpace>& bank, Sink& sink,
                 const ConvolveOptions& options, const StreamOptions& stream) {
  const Prepared ready = prepared(exec, origin, bank, sink, options, stream);
  const ConvolvePlan<Scalar, ExecutionSpace> plan(exec, origin.shape, bank, ready.options);
  const StoredType type = origin.shape.type;
  const Staging<Scalar, ExecutionSpace> staging(exec, ready.plan, size_of(type));

  const Compute compute = [&](const Block& block, const Input& input, void* output) {
    const std::array<std::int64_t, 3> extents = {block.rows.size(), block.channels.size(),
                                                 block.bases.size()};
    const StridedOutput features(static_cast<Scalar*>(staging.output(output)), extents);
    if (origin.events != nullptr) {
      plan.run_block(exec, block, *origin.events, features);
    } else {
      const std::int64_t channels = block.channels.size();
      Strided samples;
      samples.data =
          staging.input(exec, input.values, input.samples.size() * channels * size_of(type));
      samples.type = type;
      samples.rank = 2;
      samples.extents = {input.samples.size(), channels};
      samples.strides = {channels, 1};
      plan.run_block(exec, block, samples, input.samples.begin, features);
    }
    staging.fetch(exec, output,
                  extents[0] * extents[1] * extents[2] * static_cast<std::int64_t>(sizeof(Scalar)));
    exec.fence("synelix::stream_convolve: the block is there");
  };
  const Taps& taps = bank.taps();
  const FeaturesDescription description{.shape = ready.plan.features,
                                        .block = ready.plan.block,
                                        .chunk = ready.plan.chunk,
                                        .window = bank.window(),
                                        .options = options,
                                        .choice = plan.choice(),
                                        .series = described(origin, stream),
                                        .basis = taps.basis,
                                        .basis_parameters = taps.parameters,
                                        .samples_of_rows = [&](Range rows, std::int64_t* samples) {
                                          const std::int64_t first = ready.plan.rows.begin;
                                          ready.rows.samples_of(
                                              {rows.begin + first, rows.end + first}, samples);
                                        }};
  return run_pipeline(ready, origin.source, sink, description, compute, stream);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
StreamPlan plan_stream(const ExecutionSpace& exec, const Source& source,
                       const FilterBank<Scalar, ExecutionSpace>& bank, const Sink& sink,
                       const ConvolveOptions& options, const StreamOptions& stream) {
  const Origin origin{source.shape(), source.channel_extents(), nullptr, &source, nullptr};
  return prepared(exec, origin, bank, sink, options, stream).plan;
}

template <class Scalar, class ExecutionSpace>
StreamPlan plan_stream(const ExecutionSpace& exec, const Events& events,
                       const FilterBank<Scalar, ExecutionSpace>& bank, const Sink& sink,
                       const ConvolveOptions& options, const StreamOptions& stream) {
  const Origin origin{events.shape(), {events.shape().channels}, nullptr, nullptr, &events};
  return prepared(exec, origin, bank, sink, options, stream).plan;
}

template <class Scalar, class ExecutionSpace>
StreamReport stream_convolve(const ExecutionSpace& exec, Source& source,
                             const FilterBank<Scalar, ExecutionSpace>& bank, Sink& sink,
                             const ConvolveOptions& options, const StreamOptions& stream) {
  const Origin origin{source.shape(), source.channel_extents(), &source, &source, nullptr};
  return run(exec, origin, bank, sink, options, stream);
}

template <class Scalar, class ExecutionSpace>
StreamReport stream_convolve(const ExecutionSpace& exec, const Events& events,
                             const FilterBank<Scalar, ExecutionSpace>& bank, Sink& sink,
                             const ConvolveOptions& options, const StreamOptions& stream) {
  const Origin origin{events.shape(), {events.shape().channels}, nullptr, nullptr, &events};
  return run(exec, origin, bank, sink, options, stream);
}

#define SYNELIX_INSTANTIATE_FROM(Scalar, Space, Input, ConstInput)                              \
  template StreamPlan plan_stream(const Space&, ConstInput&, const FilterBank<Scalar, Space>&,  \
                                  const Sink&, const ConvolveOptions&, const StreamOptions&);   \
  template StreamReport stream_convolve(const Space&, Input&, const FilterBank<Scalar, Space>&, \
                                        Sink&, const ConvolveOptions&, const StreamOptions&);
#define SYNELIX_INSTANTIATE(Scalar, Space)                      \
  SYNELIX_INSTANTIATE_FROM(Scalar, Space, Source, const Source) \
  SYNELIX_INSTANTIATE_FROM(Scalar, Space, const Events, const Events)
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#undef SYNELIX_INSTANTIATE_FROM

}  // namespace synelix
