// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/golden_conv.hpp"

#include <synelix/trials.hpp>

#include "golden/convolution_case.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace golden {
namespace {

using synelix::Method;

template <class Scalar>
using Bank = synelix::FilterBank<Scalar>;

synelix::StridedSeries series_of(const ConvolutionCase& item, synelix::Strided data) {
  return synelix::StridedSeries(data, {.sample_axis = item.sample_axis, .epochs = item.epochs});
}

template <class Scalar>
std::vector<Scalar> convolve_array(const ConvolutionCase& item, const Bank<Scalar>& bank,
                                   const synelix::ConvolveOptions& options) {
  const std::vector<Scalar> x(item.x.values.begin(), item.x.values.end());
  std::vector<Scalar> features(item.out.values.size());
  synelix::convolve(series_of(item, synelix::Strided(x.data(), item.x.extents)), bank,
                    synelix::StridedOutput(features.data(), item.out.extents), options);
  return features;
}

/// Whether x is a list of counts: nonnegative integers, each represented exactly in Events.
bool is_counts(const Array& x) {
  constexpr double most = 1 << std::numeric_limits<float>::digits;
  return std::all_of(x.values.begin(), x.values.end(), [](double value) {
    return value >= 0.0 && value <= most && std::nearbyint(value) == value;
  });
}

synelix::Events events_of(const ConvolutionCase& item) {
  const std::int64_t after = item.after();
  std::vector<synelix::Events::Train> trains(static_cast<std::size_t>(item.before() * after));
  for (std::int64_t c = 0; c < item.before() * after; ++c) {
    auto& train = trains[static_cast<std::size_t>(c)];
    for (std::int64_t t = 0; t < item.samples(); ++t) {
      const std::int64_t at = (c / after * item.samples() + t) * after + c % after;
      const double count = item.x.values[static_cast<std::size_t>(at)];
      if (count == 0.0) continue;
      train.samples.push_back(t);
      train.counts.push_back(static_cast<float>(count));
    }
  }
  return synelix::Events(item.samples(), trains, item.epochs);
}

/// From (samples, channels, bases), which events give, to the shape of the case.
template <class Scalar>
std::vector<Scalar> in_shape_of(const ConvolutionCase& item, const std::vector<Scalar>& features) {
  const std::int64_t samples = item.samples(), after = item.after(), bases = item.bases();
  const std::int64_t channels = item.before() * after;
  std::vector<Scalar> result;
  result.reserve(features.size());
  for (std::int64_t before = 0; before < item.before(); ++before) {
    for (std::int64_t t = 0; t < samples; ++t) {
      const auto first = features.begin() + (t * channels + before * after) * bases;
      result.insert(result.end(), first, first + after * bases);
    }
  }
  return result;
}

template <class Scalar>
std::vector<Scalar> convolve_events(const ConvolutionCase& item, const Bank<Scalar>& bank,
                                    const synelix::ConvolveOptions& options) {
  using Space = typename Bank<Scalar>::execution_space;
  std::vector<Scalar> features(item.out.values.size());
  const std::vector<std::int64_t> extents = {item.samples(), item.before() * item.after(),
                                             item.bases()};
  synelix::convolve(Space(), events_of(item), bank,
                    synelix::StridedOutput(features.data(), extents), options);
  return in_shape_of(item, features);
}

template <class Scalar>
std::vector<Scalar> convolve_by(Method method, const ConvolutionCase& item,
                                const Bank<Scalar>& bank,
                                const std::optional<synelix::Batch>& batch) {
  synelix::ConvolveOptions options = item.options;
  options.method = method;
  if (batch) options.batch = *batch;
  return method == Method::events ? convolve_events(item, bank, options)
                                  : convolve_array(item, bank, options);
}

template <class Scalar>
Outcome check_method(Method method, const ConvolutionCase& item, const Bank<Scalar>& bank) {
  const double relative = sizeof(Scalar) == sizeof(double)
                              ? item.relative_tolerance
                              : std::max(item.relative_tolerance, 1e-5);
  const double tolerance = relative * item.scale();
  const std::vector<Scalar> whole = convolve_by(method, item, bank, std::nullopt);
  Outcome outcome = compare(item.out, whole, [tolerance](std::size_t) { return tolerance; });
  // A batch of fewer samples than the window is refused, as in NeMoS; the numbers need none.
  const bool has_batch = item.batch && item.batch->samples.value_or(item.window()) >= item.window();
  if (has_batch && outcome.kind == Outcome::Kind::agrees) {
    const std::vector<Scalar> batched = convolve_by(method, item, bank, item.batch);
    if (std::memcmp(batched.data(), whole.data(), whole.size() * sizeof(Scalar)) != 0) {
      outcome = {Outcome::Kind::differs, "the batches of the case change bits of the result"};
    } else {
      outcome.text += ", in batches too";
    }
  }
  outcome.text =
      std::string(synelix::name_of(method)) + " " + type_name<Scalar>() + " " + outcome.text;
  return outcome;
}

/// Whether x, kernel and the sums of their products are in the range of Scalar.
template <class Scalar>
bool fits(const ConvolutionCase& item) {
  if (sizeof(Scalar) == sizeof(double)) return true;  // they come as double
  using Limits = std::numeric_limits<Scalar>;
  const auto holds = [](double value) {
    return !std::isfinite(value) || std::abs(value) <= Limits::max();
  };
  const auto& x = item.x.values;
  const auto& kernel = item.kernel.values;
  const double scale = item.scale();
  return std::all_of(x.begin(), x.end(), holds) &&
         std::all_of(kernel.begin(), kernel.end(), holds) && scale <= Limits::max() &&
         (scale == 0.0 || scale * Limits::epsilon() >= Limits::min());
}

/// By every method that applies; the texts joined, or that of the first that differs.
template <class Scalar>
Outcome check_type(const ConvolutionCase& item) {
  if (!fits<Scalar>(item)) {
    return {Outcome::Kind::agrees, "values out of the range of " + type_name<Scalar>()};
  }
  const Bank<Scalar> bank(
      synelix::CustomTaps{
          .window = item.window(), .bases = item.bases(), .taps = item.kernel.values},
      {});
  Outcome outcome = check_method(Method::direct, item, bank);
  if (outcome.kind != Outcome::Kind::agrees || !is_counts(item.x)) return outcome;
  Outcome events = check_method(Method::events, item, bank);
  if (events.kind == Outcome::Kind::agrees) events.text = outcome.text + "; " + events.text;
  return events;
}

/// The mask of rows whose window is inside the epoch, and the lag offset if it is given.
Outcome check_rows(const ConvolutionCase& item, const Group& group) {
  const auto offset = group.integer("lag_offset");
  const std::int64_t found =
      synelix::lag_offset(item.options.causality, item.options.shift, item.window());
  if (offset && *offset != found) {
    return {Outcome::Kind::differs,
            "lag offset " + std::to_string(found) + " instead of " + std::to_string(*offset)};
  }
  if (!item.valid) return {Outcome::Kind::agrees, ""};
  const auto series = series_of(item, synelix::Strided(item.x.values.data(), item.x.extents));
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(item.samples()), 0);
  for (const auto& rows : synelix::valid_rows(series.shape(), item.window(), item.options)) {
    std::fill(mask.begin() + rows.begin, mask.begin() + rows.end, std::uint8_t{1});
  }
  Outcome outcome = compare(*item.valid, mask, [](std::size_t) { return 0.0; });
  outcome.text = "valid rows: " + outcome.text;
  return outcome;
}

Outcome check_array(const Group& group, const std::string& suffix) {
  const ConvolutionCase item = read_case(group, suffix);
  Outcome outcome = check_rows(item, group);
  if (outcome.kind != Outcome::Kind::agrees) return outcome;
  outcome = check_type<double>(item);
  if (outcome.kind != Outcome::Kind::agrees) return outcome;
  Outcome single = check_type<float>(item);
  if (single.kind == Outcome::Kind::agrees) single.text = outcome.text + "; " + single.text;
  return single;
}

}  // namespace

Outcome check_conv(const Group& group) { return check_array(group, ""); }

namespace {

/// All trials in one call: the numbers of each.
Outcome check_list(const std::vector<ConvolutionCase>& items) {
  const ConvolutionCase& first = items.front();
  const Bank<double> bank(
      synelix::CustomTaps{
          .window = first.window(), .bases = first.bases(), .taps = first.kernel.values},
      {});
  std::vector<synelix::StridedSeries> trials;
  std::vector<std::vector<double>> features;
  std::vector<synelix::StridedOutput> outputs;
  for (const ConvolutionCase& item : items) {
    trials.push_back(series_of(item, synelix::Strided(item.x.values.data(), item.x.extents)));
    features.emplace_back(item.out.values.size());
    outputs.emplace_back(features.back().data(), item.out.extents);
  }
  synelix::convolve(Bank<double>::execution_space(), trials, bank, outputs, first.options);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double tolerance = items[i].relative_tolerance * items[i].scale();
    Outcome outcome =
        compare(items[i].out, features[i], [tolerance](std::size_t) { return tolerance; });
    if (outcome.kind == Outcome::Kind::agrees) continue;
    outcome.text = "trial " + std::to_string(i) + " of the list: " + outcome.text;
    return outcome;
  }
  return {Outcome::Kind::agrees, std::to_string(items.size()) + " trials, alone and as a list"};
}

}  // namespace

Outcome check_trials(const Group& group) {
  std::int64_t trials = 0;
  while (group.has("x_" + std::to_string(trials))) ++trials;
  if (trials == 0 || trials != group.integer("n_trials").value_or(trials)) {
    throw FormatError(group.path() + ": has " + std::to_string(trials) + " arrays x_i");
  }
  std::vector<ConvolutionCase> items;
  for (std::int64_t i = 0; i < trials; ++i) {
    items.push_back(read_case(group, "_" + std::to_string(i)));
    Outcome outcome = check_array(group, "_" + std::to_string(i));
    if (outcome.kind == Outcome::Kind::agrees) continue;
    outcome.text = "trial " + std::to_string(i) + ": " + outcome.text;
    return outcome;
  }
  return check_list(items);
}

}  // namespace golden
