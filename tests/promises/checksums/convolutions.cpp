// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "series_case.hpp"

#include <synelix/convolve.hpp>
#include <synelix/convolve_stream.hpp>
#include <synelix/trials.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

// Convolutions of series and of events: each method, one-shot calls, plans, blocks of a plan,
// streams of blocks, lists of trials.

namespace checksums {
namespace {

using namespace synelix;

/// The length of a window for a method.
std::int64_t draw_window(Method method, Draws& draws) {
  if (method == Method::fft) return draws.between(1, draws.once_in(4) ? 400 : 90);
  return draws.once_in(6) ? 1 : draws.between(1, draws.once_in(10) ? 300 : 40);
}

template <class Scalar>
void convolve_series(const Runner& runner, Method method, std::optional<std::int64_t> parts,
                     Draws& draws, Checksum& checksum) {
  const SeriesCase test({.samples = method == Method::fft ? 900 : 300}, draws);
  const std::int64_t window = draw_window(method, draws);
  const auto bank = draw_bank<Scalar>(runner.exec, window, draws);
  ConvolveOptions options = draw_options(runner, window, draws);
  options.method = method;
  options.fft_parts = parts;
  const StridedSeries series = test.series();
  const std::int64_t rows = feature_rows(series.shape(), window, options);
  auto output = draw_output<Scalar>(test.features(rows, bank.bases()), draws);
  convolve(runner.exec, series, bank, output.output(), options);
  checksum.add(output);
}

template <class Scalar>
void convolve_events(const Runner& runner, Method method, Draws& draws, Checksum& checksum) {
  const std::int64_t samples = draws.between(1, 400);
  const std::int64_t channels = draws.between(1, 20);
  const Epochs epochs = draw_epochs(samples, draws);
  const Events events = draw_events(samples, channels, epochs, draws);
  const std::int64_t window = draw_window(method, draws);
  const auto bank = draw_bank<Scalar>(runner.exec, window, draws);
  ConvolveOptions options = draw_options(runner, window, draws);
  options.method = method;
  const std::int64_t rows = feature_rows(events.shape(), window, options);
  auto output = draw_output<Scalar>({rows, channels, bank.bases()}, draws);
  convolve(runner.exec, events, bank, output.output(), options);
  checksum.add(output);
}

/// A View of either layout that the call allocates.
template <class Scalar>
void convolve_views(const Runner& runner, Draws& draws, Checksum& checksum) {
  const std::int64_t samples = draws.between(1, 300);
  const std::int64_t channels = draws.between(1, 20);
  const Kokkos::View<Scalar**, Kokkos::LayoutLeft, Kokkos::HostSpace> x("x", samples, channels);
  for (std::int64_t t = 0; t < samples; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) x(t, c) = static_cast<Scalar>(draws.real());
  }
  const Series series(x, {.sample_axis = 0, .epochs = draw_epochs(samples, draws)});
  const std::int64_t window = draw_window(Method::automatic, draws);
  const auto bank = draw_bank<Scalar>(runner.exec, window, draws);
  ConvolveOptions options = draw_options(runner, window, draws);
  options.method = Method::direct;
  const auto right = convolve<Kokkos::LayoutRight>(runner.exec, series, bank, options);
  checksum.add(std::span<const Scalar>(right.data(), right.size()));
  const auto left = convolve<Kokkos::LayoutLeft>(runner.exec, series, bank, options);
  checksum.add(std::span<const Scalar>(left.data(), left.size()));
}

/// A range within [0, size), now and then empty.
Range draw_range(std::int64_t size, Draws& draws) {
  const std::int64_t a = draws.between(0, size);
  const std::int64_t b = draws.between(0, size);
  return {std::min(a, b), std::max(a, b)};
}

/// Some blocks of a plan, each from the samples that it needs.
template <class Scalar>
void convolve_blocks(const Runner& runner, Method method, Draws& draws, Checksum& checksum) {
  SeriesShape shape;
  shape.samples = draws.between(20, 400);
  shape.channels = draws.between(1, 20);
  shape.type = stored_type<std::int16_t>;
  shape.epochs = draw_epochs(shape.samples, draws);
  if (shape.epochs.empty()) shape.epochs = {{0, shape.samples}};
  shape.scaling.scale = 0.195;
  std::vector<std::int16_t> x;
  for (std::int64_t i = 0; i < shape.samples * shape.channels; ++i) {
    x.push_back(draw_stored<std::int16_t>(draws));
  }
  const std::int64_t window = draw_window(method, draws);
  const auto bank = draw_bank<Scalar>(runner.exec, window, draws);
  ConvolveOptions options = draw_options(runner, window, draws);
  options.method = method;
  const ConvolvePlan<Scalar, Exec> plan(runner.exec, shape, bank, options);
  for (int k = 0; k < 4; ++k) {
    Block block;
    block.rows = draw_range(plan.rows(), draws);
    block.channels = draw_range(shape.channels, draws);
    block.bases = draw_range(bank.bases(), draws);
    const Range samples = plan.samples_for(block.rows);
    const Strided input(x.data() + samples.begin * shape.channels + block.channels.begin,
                        {samples.size(), block.channels.size()}, {shape.channels, 1});
    auto output =
        draw_output<Scalar>({block.rows.size(), block.channels.size(), block.bases.size()}, draws);
    plan.run_block(runner.exec, block, input, samples.begin, output.output());
    runner.exec.fence();
    checksum.add(output);
  }
}

/// Samples that arrive in blocks of any length, in two epochs.
template <class Scalar>
void stream_of_blocks(const Runner& runner, Draws& draws, Checksum& checksum) {
  SeriesShape longest;
  longest.samples = draws.between(1, 50);
  longest.channels = draws.between(1, 20);
  longest.scaling.scale = 0.195;
  const bool has_events = draws.once_in(3);
  longest.type = has_events ? StoredType::float32 : StoredType::int16;
  longest.has_events = has_events;
  if (has_events) longest.scaling = {};
  longest.events = has_events ? longest.samples * longest.channels : 0;
  const std::int64_t window = draw_window(Method::automatic, draws);
  const auto bank = draw_bank<Scalar>(runner.exec, window, draws);
  ConvolveOptions options = draw_options(runner, window, draws);
  options.batch = {};
  options.border = draws.once_in(2) ? Border::zero : Border::nan;
  SeriesShape whole = longest;
  whole.samples = 500;
  const Choice choice = choose_stream(runner.exec, whole, bank, options);
  ConvolveStream<Scalar, Exec> stream(runner.exec, longest, bank, choice, options);
  const auto output = [&](std::int64_t rows) {
    return draw_output<Scalar>({rows, longest.channels, bank.bases()}, draws);
  };
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (std::int64_t k = draws.between(1, 6); k > 0; --k) {
      const std::int64_t samples = draws.between(has_events ? 1 : 0, longest.samples);
      auto features = output(stream.rows_for(samples));
      if (has_events) {
        const Events events = draw_events(samples, longest.channels, {}, draws);
        stream.push(runner.exec, events, features.output());
      } else {
        const AnyArray block({samples, longest.channels}, StoredType::int16,
                             draw_placement(2, oracle::Signs::any, draws), draws);
        stream.push(runner.exec, block.strided(), features.output());
      }
      runner.exec.fence();
      checksum.add(features);
    }
    auto features = output(stream.rows_at_end());
    stream.finish(runner.exec, features.output());
    runner.exec.fence();
    checksum.add(features);
  }
}

/// A list of series of unequal lengths.
template <class Scalar>
void convolve_trials(const Runner& runner, Draws& draws, Checksum& checksum) {
  const std::int64_t channels = draws.between(1, 12);
  const std::int64_t window = draws.between(1, 20);
  const StoredType type = draw_type(draws);
  const auto bank = draw_bank<Scalar>(runner.exec, window, draws);
  ConvolveOptions options = draw_options(runner, window, draws);
  options.method = Method::direct;
  std::vector<AnyArray> arrays;
  std::vector<StridedSeries> trials;
  std::vector<oracle::Array<Scalar>> features;
  std::vector<StridedOutput> outputs;
  for (std::int64_t k = draws.between(1, 6); k > 0; --k) {
    const std::int64_t samples = draws.between(window, 150);
    arrays.emplace_back(std::vector<std::int64_t>{samples, channels}, type,
                        draw_placement(2, oracle::Signs::any, draws), draws);
    SeriesOptions series;
    series.epochs = draw_epochs(samples, draws);
    trials.emplace_back(arrays.back().strided(), series);
    const std::int64_t rows = feature_rows(trials.back().shape(), window, options);
    features.push_back(draw_output<Scalar>({rows, channels, bank.bases()}, draws));
  }
  for (auto& array : features) outputs.push_back(array.output());
  convolve(runner.exec, trials, bank, outputs, options);
  for (const auto& array : features) checksum.add(array);
}

template <class Scalar>
void run_convolutions_of_type(Runner& runner) {
  const auto run = [&](const char* kind, int cases, Numbers numbers, const auto& compute) {
    runner.run(of_type<Scalar>(kind), cases, numbers,
               [&](Draws& draws, Checksum& checksum) { compute(runner, draws, checksum); });
  };
  const auto series = [](Method method, std::optional<std::int64_t> parts) {
    return [=](const Runner& here, Draws& draws, Checksum& checksum) {
      convolve_series<Scalar>(here, method, parts, draws, checksum);
    };
  };
  const auto events = [](Method method) {
    return [=](const Runner& here, Draws& draws, Checksum& checksum) {
      convolve_events<Scalar>(here, method, draws, checksum);
    };
  };
  const auto blocks = [](Method method) {
    return [=](const Runner& here, Draws& draws, Checksum& checksum) {
      convolve_blocks<Scalar>(here, method, draws, checksum);
    };
  };
  run("convolve.direct", 250, Numbers::arithmetic, series(Method::direct, {}));
  run("convolve.automatic", 150, Numbers::libm, series(Method::automatic, {}));
  run("convolve.fft", 100, Numbers::libm, series(Method::fft, 1));
  run("convolve.fft_parts", 60, Numbers::libm, series(Method::fft, 3));
  run("convolve.events", 150, Numbers::arithmetic, events(Method::events));
  run("convolve.events_direct", 60, Numbers::arithmetic, events(Method::direct));
  run("convolve.events_fft", 40, Numbers::libm, events(Method::fft));
  run("convolve.views", 60, Numbers::arithmetic, convolve_views<Scalar>);
  run("convolve.blocks", 60, Numbers::arithmetic, blocks(Method::direct));
  run("convolve.blocks_fft", 30, Numbers::libm, blocks(Method::fft));
  run("convolve.stream_of_blocks", 80, Numbers::arithmetic, stream_of_blocks<Scalar>);
  run("convolve.trials", 60, Numbers::arithmetic, convolve_trials<Scalar>);
}

}  // namespace

void run_convolutions(Runner& runner) {
  run_convolutions_of_type<float>(runner);
  run_convolutions_of_type<double>(runner);
}

}  // namespace checksums
