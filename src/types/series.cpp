// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/types/series.hpp>

#include "machine/host_memory.hpp"
#include "types/checks.hpp"
#include "types/events.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace synelix {
namespace {

std::string range_text(const Epoch& epoch) {
  return "[" + std::to_string(epoch.begin) + ", " + std::to_string(epoch.end) + ")";
}

void check_epochs(const Epochs& epochs, std::int64_t samples) {
  std::int64_t border = 0;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const Epoch& epoch = epochs[i];
    if (epoch.begin < border || epoch.end < epoch.begin || epoch.end > samples) {
      throw Error("epochs[" + std::to_string(i) + "]",
                  range_text(epoch) + " is out of order or out of range",
                  "Use ascending, disjoint, half-open ranges of samples, this one from " +
                      std::to_string(border) + " to " + std::to_string(samples));
    }
    border = epoch.end;
  }
  refuse_no_epochs(epochs);
  if (epochs.empty()) return;
  if (std::any_of(epochs.begin(), epochs.end(), [](const Epoch& e) { return e.size() > 0; }))
    return;
  throw Error(
      "epochs", "none of the " + std::to_string(epochs.size()) + " epochs holds a sample",
      "Give at least one that holds a sample, or no epochs, which is one epoch of all samples");
}

/// Removes epochs without samples: they would divide a gap, whose rows are counted from its start.
Epochs without_empty(Epochs epochs) {
  const auto is_empty = [](const Epoch& epoch) { return epoch.size() == 0; };
  if (std::none_of(epochs.begin(), epochs.end(), is_empty)) return epochs;
  std::vector<Epoch> list = epochs.list();
  std::erase_if(list, is_empty);
  return list;
}

void check_channel_values(const char* name, const std::vector<double>& values,
                          std::int64_t channels) {
  if (!values.empty() && static_cast<std::int64_t>(values.size()) != channels) {
    throw Error(name, std::to_string(values.size()) + " values do not match the channels",
                "Give no values, or one for each of the " + std::to_string(channels) + " channels");
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (!std::isfinite(values[c])) {
      throw Error(std::string(name) + "[" + std::to_string(c) + "]",
                  std::to_string(values[c]) + " is not finite", "Use finite numbers");
    }
  }
}

/// A copy of the numbers of each channel; empty if there is one for all.
std::vector<double> copied(const char* name, const PerChannel& numbers, std::int64_t channels) {
  if (!numbers.is_each()) return {};
  if (numbers.count() != channels) {
    throw Error(
        name, std::to_string(numbers.count()) + " numbers do not match the channels",
        "Give one number, or one for each of the " + std::to_string(channels) + " channels");
  }
  if (!is_reached_by_host(numbers.memory_space())) {
    throw Error(name,
                std::string("it lies in ") + numbers.memory_space() +
                    ", and a series copies its numbers on the host",
                "Use memory of the host");
  }
  const std::span<const double> each(numbers.each(), static_cast<std::size_t>(channels));
  for (std::size_t c = 0; c < each.size(); ++c) {
    if (std::isfinite(each[c])) continue;
    throw Error(std::string(name) + "[" + std::to_string(c) + "]",
                std::to_string(each[c]) + " is not finite", "Use finite numbers");
  }
  return {each.begin(), each.end()};
}

Scaling scaling_of(const Operand& samples, std::int64_t channels) {
  Scaling scaling;
  if (!samples.scale().is_each()) scaling.scale = samples.scale().all();
  if (!samples.offset().is_each()) scaling.offset = samples.offset().all();
  scaling.channel_scale = copied("scale", samples.scale(), channels);
  scaling.channel_offset = copied("offset", samples.offset(), channels);
  return scaling;
}

void check_scaling(const Scaling& scaling, std::int64_t channels) {
  check_channel_values("scaling.channel_scale", scaling.channel_scale, channels);
  check_channel_values("scaling.channel_offset", scaling.channel_offset, channels);
  if (!std::isfinite(scaling.scale)) {
    throw Error("scaling.scale", std::to_string(scaling.scale) + " is not finite",
                "Use a finite number");
  }
  if (!std::isfinite(scaling.offset)) {
    throw Error("scaling.offset", std::to_string(scaling.offset) + " is not finite",
                "Use a finite number");
  }
}

/// Checks the i-th event of a train: its sample must be after the previous one, and on the time
/// axis.
void check_sample(std::size_t c, std::int64_t i, std::int64_t sample, std::int64_t previous,
                  std::int64_t samples) {
  if (sample > previous && sample < samples) return;
  throw Error("trains[" + std::to_string(c) + "].samples[" + std::to_string(i) + "]",
              std::to_string(sample) + " is out of order or out of range",
              "Use ascending samples, each once, here from " + std::to_string(previous + 1) +
                  " to " + std::to_string(samples - 1));
}

void check_train(const Events::Train& train, std::size_t c, std::int64_t samples) {
  const std::string name = "trains[" + std::to_string(c) + "]";
  if (!train.counts.empty() && train.counts.size() != train.samples.size()) {
    throw Error(name + ".counts",
                std::to_string(train.counts.size()) + " counts do not match the samples",
                "Give no counts, or one for each of the " + std::to_string(train.samples.size()) +
                    " samples");
  }
  std::int64_t previous = -1;
  for (std::size_t i = 0; i < train.samples.size(); ++i) {
    check_sample(c, static_cast<std::int64_t>(i), train.samples[i], previous, samples);
    previous = train.samples[i];
  }
  for (std::size_t i = 0; i < train.counts.size(); ++i) {
    if (!std::isfinite(train.counts[i])) {
      throw Error(name + ".counts[" + std::to_string(i) + "]",
                  std::to_string(train.counts[i]) + " is not finite", "Use finite numbers");
    }
  }
}

/// The count of a sample. \throws Error if it is not a float
float count_of(std::int64_t events, std::size_t c, std::int64_t sample) {
  const auto count = static_cast<float>(events);
  if (static_cast<std::int64_t>(count) != events) {
    throw Error("event_samples[" + std::to_string(c) + "]",
                std::to_string(events) + " events in sample " + std::to_string(sample) +
                    " are not a number that a float holds",
                "Use at most 2^24 events in a sample, since a float holds all numbers up to that");
  }
  return count;
}

/// Visits the samples of sorted events, each once with its count. Counts in integers, because
/// adding 1 to a float has no effect from 2^24 on.
template <class Visit>
void for_each_sample(const std::vector<std::int64_t>& sorted, std::size_t c, const Visit& visit) {
  for (auto event = sorted.begin(); event != sorted.end();) {
    const auto next = std::find_if(event, sorted.end(),
                                   [event](std::int64_t sample) { return sample != *event; });
    visit(*event, count_of(next - event, c, *event));
    event = next;
  }
}

}  // namespace

void require_valid(const SeriesShape& shape) {
  require_known("series.type", shape.type);
  if (shape.samples < 1 || shape.channels < 1) {
    throw Error("series",
                std::to_string(shape.samples) + " samples x " + std::to_string(shape.channels) +
                    " channels hold nothing",
                "Give at least one sample and one channel");
  }
  if (shape.samples > most_samples || shape.channels > most_channels) {
    throw Error("series",
                std::to_string(shape.samples) + " samples x " + std::to_string(shape.channels) +
                    " channels are too many",
                "Use at most 2^61 samples and 2^48 channels");
  }
  check_epochs(shape.epochs, shape.samples);
  check_scaling(shape.scaling, shape.channels);
}

StridedSeries::StridedSeries(const Operand& samples, SeriesOptions options)
    : m_data(samples.array()), m_sample_axis(options.sample_axis) {
  const Strided& data = m_data;
  if (data.rank < 1 || data.rank >= max_rank) {
    throw Error("series", std::to_string(data.rank) + " dimensions are not supported",
                "Use 1 to 7 dimensions");
  }
  if (m_sample_axis < 0 || m_sample_axis >= data.rank) {
    throw Error("sample_axis", std::to_string(m_sample_axis) + " is not a dimension of the series",
                "Use 0 to " + std::to_string(data.rank - 1) + ", for a series of " +
                    std::to_string(data.rank) + " dimensions");
  }
  m_shape.channels = 1;
  m_shape.type = data.type;
  for (int i = 0; i < data.rank; ++i) {
    const std::int64_t extent = data.extents[static_cast<std::size_t>(i)];
    if (extent < 1) {
      throw Error("series",
                  "extent " + std::to_string(extent) + " of dimension " + std::to_string(i) +
                      " makes an empty array",
                  "Give at least one sample and one channel");
    }
    if (i == m_sample_axis) {
      m_shape.samples = extent;
    } else if (extent > most_channels / m_shape.channels) {
      throw Error("series",
                  std::to_string(m_shape.channels) + " x " + std::to_string(extent) +
                      " channels are too many",
                  "Use at most 2^48 channels");
    } else {
      m_shape.channels *= extent;
    }
  }
  if (data.data == nullptr) {
    throw Error("series", "a null pointer holds no samples", "Pass samples in memory");
  }
  m_shape.epochs = std::move(options.epochs);
  m_shape.scaling = scaling_of(samples, m_shape.channels);
  require_valid(m_shape);
  require_addressable("series", data);
  m_shape.epochs = without_empty(std::move(m_shape.epochs));
}

Events::Events(std::int64_t samples, const std::vector<Train>& trains, Epochs epochs) {
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
  EventsBuilder builder(samples, static_cast<std::int64_t>(trains.size()), total, has_counts);
  for (const Train& train : trains) {
    for (std::size_t i = 0; i < train.samples.size(); ++i) {
      builder.add(train.samples[i], train.counts.empty() ? 1.0F : train.counts[i]);
    }
    builder.end_channel();
  }
  *this = builder.finish(std::move(epochs));
}

Events Events::from_unsorted(std::int64_t samples,
                             std::vector<std::vector<std::int64_t>> event_samples, Epochs epochs) {
  require_events_shape(samples, static_cast<std::int64_t>(event_samples.size()));
  check_epochs(epochs, samples);
  std::int64_t total = 0;
  bool has_counts = false;
  for (std::size_t c = 0; c < event_samples.size(); ++c) {
    std::vector<std::int64_t>& all = event_samples[c];
    if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
    std::int64_t occupied = 0;
    std::int64_t previous = -1;
    for_each_sample(all, c, [&](std::int64_t sample, float count) {
      check_sample(c, occupied, sample, previous, samples);
      previous = sample;
      ++occupied;
      has_counts = has_counts || count != 1.0F;
    });
    total += occupied;
  }
  EventsBuilder builder(samples, static_cast<std::int64_t>(event_samples.size()), total,
                        has_counts);
  for (std::size_t c = 0; c < event_samples.size(); ++c) {
    for_each_sample(event_samples[c], c,
                    [&](std::int64_t sample, float count) { builder.add(sample, count); });
    builder.end_channel();
  }
  return builder.finish(std::move(epochs));
}

Events Events::with_epochs(Epochs epochs) const {
  check_epochs(epochs, m_shape.samples);
  Events result = *this;
  result.m_shape.epochs = without_empty(std::move(epochs));
  return result;
}

bool Events::is_on_host() const { return std::strcmp(m_memory_space, seam::host_memory_name) == 0; }

void Events::require_events_shape(std::int64_t samples, std::int64_t channels) {
  if (samples < 1 || samples > most_samples) {
    throw Error("samples", std::to_string(samples) + " is out of range", "Use 1 to 2^61");
  }
  if (channels < 1) throw Error("trains", "there is no channel", "Give at least one train");
}

void Events::keep(std::shared_ptr<const void> memory, const std::byte* data,
                  const EventLists& lists, const char* memory_space) {
  m_memory = std::move(memory);
  m_begins = lists.begins(data);
  m_samples = lists.samples(data);
  m_counts = lists.counts(data);
  m_bytes = lists.bytes();
  m_memory_space = memory_space;
}

namespace {

SeriesShape shape_of_events(std::int64_t samples, std::int64_t channels, std::int64_t events) {
  return {.samples = samples,
          .channels = channels,
          .type = StoredType::float32,
          .epochs = {},
          .scaling = {},
          .has_events = true,
          .events = events};
}

/// Pages of zeros, which take memory only after they are written.
class ZeroPages {
 public:
  explicit ZeroPages(std::int64_t bytes) : m_bytes(static_cast<std::size_t>(bytes)) {
    void* const mapped = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
      throw BudgetError("memory",
                        "the system has no address space of " + std::to_string(bytes) +
                            " bytes for lists of events",
                        "Give fewer units, or raise the limit of address space");
    }
    m_data = static_cast<std::byte*>(mapped);
  }
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  ~ZeroPages() { munmap(m_data, m_bytes); }

  [[nodiscard]] std::byte* data() const { return m_data; }

 private:
  std::size_t m_bytes;
  std::byte* m_data = nullptr;
};

}  // namespace

EventsBuilder::EventsBuilder(std::int64_t samples, std::int64_t channels, std::int64_t events,
                             bool has_counts)
    : m_lists(channels, events, has_counts) {
  Events::require_events_shape(samples, channels);
  m_events.m_shape = shape_of_events(samples, channels, events);
  m_memory = HostMemory(m_lists.bytes(), "synelix::events::lists");
  m_begins = m_lists.begins(m_memory.data());
  m_samples = m_lists.samples(m_memory.data());
  m_counts = m_lists.counts(m_memory.data());
  m_begins[0] = 0;
}

void EventsBuilder::throw_changed() const {
  throw FileError("events",
                  "the source gave other events than the " +
                      std::to_string(m_events.m_shape.events) + " that were counted",
                  "Do not change a source while it is read");
}

Events EventsBuilder::finish(Epochs epochs) {
  const SeriesShape& shape = m_events.m_shape;
  if (m_channel != shape.channels || m_event != shape.events) throw_changed();
  check_epochs(epochs, shape.samples);
  m_events.m_shape.epochs = without_empty(std::move(epochs));
  const std::byte* const data = m_memory.data();
  m_events.keep(std::make_shared<const HostMemory>(std::move(m_memory)), data, m_lists,
                seam::host_memory_name);
  return std::move(m_events);
}

Events EventsBuilder::only_counted(std::int64_t samples,
                                   const std::vector<std::int64_t>& events_of_each, bool has_counts,
                                   Epochs epochs) {
  const auto channels = std::ssize(events_of_each);
  const std::int64_t events =
      std::accumulate(events_of_each.begin(), events_of_each.end(), std::int64_t{0});
  Events::require_events_shape(samples, channels);
  Events result;
  result.m_shape = shape_of_events(samples, channels, events);
  check_epochs(epochs, samples);
  result.m_shape.epochs = without_empty(std::move(epochs));
  const EventLists lists(channels, events, has_counts);
  const auto pages = std::make_shared<const ZeroPages>(lists.bytes());
  std::int64_t* const begins = lists.begins(pages->data());
  for (std::int64_t c = 0; c < channels; ++c) {
    begins[c + 1] = begins[c] + events_of_each[static_cast<std::size_t>(c)];
  }
  const std::byte* const data = pages->data();
  result.keep(pages, data, lists, seam::host_memory_name);
  return result;
}

void require_on_host(const Events& events) {
  if (events.is_on_host()) return;
  throw Error(
      "events",
      std::string("the lists lie in ") + events.memory_space() + ", which the host does not reach",
      "Pass the events on the host that copy_events was given");
}

}  // namespace synelix
