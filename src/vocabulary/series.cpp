// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/series.hpp>

#include <synelix/session.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace synelix {
namespace {

std::string range_text(const Epoch& epoch) {
  return "[" + std::to_string(epoch.begin) + ", " + std::to_string(epoch.end) + ")";
}

void check_epochs(const std::vector<Epoch>& epochs, std::int64_t samples) {
  std::int64_t border = 0;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const Epoch& epoch = epochs[i];
    if (epoch.begin < border || epoch.end < epoch.begin || epoch.end > samples) {
      throw Error("epochs[" + std::to_string(i) + "]", range_text(epoch),
                  "ascending, disjoint, half-open ranges of samples from " +
                      std::to_string(border) + " to " + std::to_string(samples));
    }
    border = epoch.end;
  }
}

void check_channel_values(const char* name, const std::vector<double>& values,
                          std::int64_t channels) {
  if (!values.empty() && static_cast<std::int64_t>(values.size()) != channels) {
    throw Error(name, std::to_string(values.size()) + " values",
                "none, or one for each of the " + std::to_string(channels) + " channels");
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (!std::isfinite(values[c])) {
      throw Error(std::string(name) + "[" + std::to_string(c) + "]", std::to_string(values[c]),
                  "finite numbers");
    }
  }
}

void check_scaling(const Scaling& scaling, std::int64_t channels) {
  check_channel_values("scaling.channel_scale", scaling.channel_scale, channels);
  check_channel_values("scaling.channel_offset", scaling.channel_offset, channels);
  if (!std::isfinite(scaling.scale)) {
    throw Error("scaling.scale", std::to_string(scaling.scale), "finite numbers");
  }
  if (!std::isfinite(scaling.offset)) {
    throw Error("scaling.offset", std::to_string(scaling.offset), "finite numbers");
  }
}

void check_train(const Events::Train& train, std::size_t c, std::int64_t samples) {
  const std::string name = "trains[" + std::to_string(c) + "]";
  if (!train.counts.empty() && train.counts.size() != train.samples.size()) {
    throw Error(
        name + ".counts", std::to_string(train.counts.size()) + " counts",
        "none, or one for each of the " + std::to_string(train.samples.size()) + " samples");
  }
  std::int64_t previous = -1;
  for (std::size_t i = 0; i < train.samples.size(); ++i) {
    const std::int64_t sample = train.samples[i];
    if (sample <= previous || sample >= samples) {
      throw Error(name + ".samples[" + std::to_string(i) + "]", std::to_string(sample),
                  "ascending samples, each once, from " + std::to_string(previous + 1) + " to " +
                      std::to_string(samples - 1));
    }
    previous = sample;
  }
  for (std::size_t i = 0; i < train.counts.size(); ++i) {
    if (!std::isfinite(train.counts[i])) {
      throw Error(name + ".counts[" + std::to_string(i) + "]", std::to_string(train.counts[i]),
                  "finite numbers");
    }
  }
}

}  // namespace

void require_valid(const SeriesShape& shape) {
  if (shape.samples < 1 || shape.channels < 1) {
    throw Error("series",
                std::to_string(shape.samples) + " samples x " + std::to_string(shape.channels) +
                    " channels",
                "at least one of each");
  }
  check_epochs(shape.epochs, shape.samples);
  check_scaling(shape.scaling, shape.channels);
}

StridedSeries::StridedSeries(Strided data, SeriesOptions options)
    : m_data(data), m_sample_axis(options.sample_axis) {
  if (data.rank < 1 || data.rank >= max_rank) {
    throw Error("series", std::to_string(data.rank) + " dimensions", "1 to 7 dimensions");
  }
  if (m_sample_axis < 0 || m_sample_axis >= data.rank) {
    throw Error("sample_axis", std::to_string(m_sample_axis),
                "0 to " + std::to_string(data.rank - 1) + ", for a series of " +
                    std::to_string(data.rank) + " dimensions");
  }
  m_shape.channels = 1;
  m_shape.type = data.type;
  for (int i = 0; i < data.rank; ++i) {
    const std::int64_t extent = data.extents[static_cast<std::size_t>(i)];
    if (extent < 1) {
      throw Error("series",
                  "extent " + std::to_string(extent) + " of dimension " + std::to_string(i),
                  "at least one sample and one channel: an empty array was provided");
    }
    if (i == m_sample_axis) {
      m_shape.samples = extent;
    } else {
      m_shape.channels *= extent;
    }
  }
  if (data.data == nullptr) throw Error("series", "a null pointer", "samples in memory");
  m_shape.epochs = std::move(options.epochs);
  m_shape.scaling = std::move(options.scaling);
  require_valid(m_shape);
}

Events::Events(std::int64_t samples, const std::vector<Train>& trains, std::vector<Epoch> epochs) {
  require_events_shape(samples, static_cast<std::int64_t>(trains.size()));
  check_epochs(epochs, samples);
  std::int64_t total = 0;
  bool has_counts = false;
  for (std::size_t c = 0; c < trains.size(); ++c) {
    check_train(trains[c], c, samples);
    total += static_cast<std::int64_t>(trains[c].samples.size());
    has_counts = has_counts || std::any_of(trains[c].counts.begin(), trains[c].counts.end(),
                                           [](float count) { return count != 1.0F; });
  }
  m_shape = {.samples = samples,
             .channels = static_cast<std::int64_t>(trains.size()),
             .type = StoredType::float32,
             .epochs = std::move(epochs),
             .scaling = {},
             .has_events = true,
             .events = total};
  allocate(trains.size(), static_cast<std::size_t>(total), has_counts);
  std::int64_t begin = 0;
  for (std::size_t c = 0; c < trains.size(); ++c) {
    m_begins(c) = begin;
    std::copy(trains[c].samples.begin(), trains[c].samples.end(), m_samples.data() + begin);
    if (has_counts) {
      float* counts = m_counts.data() + begin;
      std::fill_n(counts, trains[c].samples.size(), 1.0F);
      std::copy(trains[c].counts.begin(), trains[c].counts.end(), counts);
    }
    begin += static_cast<std::int64_t>(trains[c].samples.size());
  }
  m_begins(trains.size()) = begin;
}

Events Events::from_unsorted(std::int64_t samples,
                             std::vector<std::vector<std::int64_t>> event_samples,
                             std::vector<Epoch> epochs) {
  std::vector<Train> trains(event_samples.size());
  for (std::size_t c = 0; c < trains.size(); ++c) {
    std::vector<std::int64_t>& all = event_samples[c];
    if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
    Train& train = trains[c];
    for (const std::int64_t sample : all) {
      if (!train.samples.empty() && train.samples.back() == sample) {
        train.counts.back() += 1.0F;
      } else {
        train.samples.push_back(sample);
        train.counts.push_back(1.0F);
      }
    }
    std::vector<std::int64_t>().swap(all);
  }
  return Events(samples, trains, std::move(epochs));
}

std::int64_t Events::bytes() const {
  return static_cast<std::int64_t>((m_begins.extent(0) + m_samples.extent(0)) *
                                       sizeof(std::int64_t) +
                                   m_counts.extent(0) * sizeof(float));
}

void Events::require_events_shape(std::int64_t samples, std::int64_t channels) {
  require_running("synelix::Events");
  if (samples < 1) throw Error("samples", std::to_string(samples), "at least 1");
  if (channels < 1) throw Error("trains", "no channel", "at least one");
}

void Events::allocate(std::size_t channels, std::size_t total, bool has_counts) {
  const auto fresh = [](const std::string& label) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, label);
  };
  m_begins = Indices(fresh("synelix::events::begins"), channels + 1);
  m_samples = Indices(fresh("synelix::events::samples"), total);
  if (has_counts) m_counts = decltype(m_counts)(fresh("synelix::events::counts"), total);
}

}  // namespace synelix
