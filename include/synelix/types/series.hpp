// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/error.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/scaled.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// \file
/// What series.hpp declares, without Kokkos, except `copy_events`. Programs include series.hpp.

namespace synelix {

/// The scale and offset of a series as a `SeriesShape` holds them, copied: physical values are
/// stored * scale + offset. A non-empty vector has one entry for each channel, and replaces the
/// number. Arrays in memory are scaled by `scaled`.
struct Scaling {
  double scale = 1.0;                  ///< of all channels
  double offset = 0.0;                 ///< of all channels, in physical units
  std::vector<double> channel_scale;   ///< of each channel; empty: `scale`
  std::vector<double> channel_offset;  ///< of each channel; empty: `offset`

  /// Whether stored values are the physical ones.
  [[nodiscard]] bool is_identity() const {
    return scale == 1.0 && offset == 0.0 && channel_scale.empty() && channel_offset.empty();
  }
  /// Whether all members are the same.
  friend bool operator==(const Scaling&, const Scaling&) = default;
};

/// How the dimensions of an array are read.
struct SeriesOptions {
  int sample_axis = 0;  ///< the dimension along time, 0 to rank - 1
  Epochs epochs = {};   ///< the parts of the samples that are used
};

/// Everything about a series except its values. Choices and plans are made for a shape.
struct SeriesShape {
  std::int64_t samples = 0;               ///< along time, at least 1
  std::int64_t channels = 0;              ///< product of the other dimensions, last index fastest
  StoredType type = StoredType::float32;  ///< of the stored values; not of events
  Epochs epochs;                          ///< as SeriesOptions::epochs
  Scaling scaling = {};                   ///< scale and offset of stored values
  bool has_events = false;                ///< whether it is a list of events rather than an array
  std::int64_t events = 0;                ///< entries of that list, all channels together
};

/// Checks a shape that was filled in by hand; those of Series, StridedSeries and Events are valid.
/// \throws Error for fewer than one sample or channel; epochs that are not sorted and disjoint
///         ranges within the samples; scales or offsets that are not as many as channels, or not
///         finite
void require_valid(const SeriesShape& shape);

/// A series whose rank is known at run time: for callers without Views, and the base of `Series`.
/// It refers to the caller's memory, which must outlive it.
class StridedSeries {
 public:
  /// \param samples  array of rank 1 to 7; its strides may have any order and sign. Scales and
  ///                 offsets of each channel are copied.
  /// \param options  sample axis, epochs
  /// \throws Error for an axis outside the rank, an empty dimension, a null pointer, epochs that
  ///         are not sorted and disjoint ranges within the samples, scales or offsets that are not
  ///         as many as channels, not finite, or not readable by the host
  explicit StridedSeries(const Operand& samples, SeriesOptions options = {});

  /// The array.
  [[nodiscard]] const Strided& data() const { return m_data; }
  /// The dimension along time.
  [[nodiscard]] int sample_axis() const { return m_sample_axis; }
  /// Samples, channels, stored type, epochs and scaling.
  [[nodiscard]] const SeriesShape& shape() const { return m_shape; }

 private:
  Strided m_data;
  int m_sample_axis;
  SeriesShape m_shape;
};

/// A series in a Kokkos View: float, double, (u)int8_t or (u)int16_t, const or not, managed or not,
/// any layout and strides, rank 1 to 7, any sample axis. Holds the View, which keeps it alive.
///
///     sx::Series series(counts, {.sample_axis = 0, .epochs = {{0, 4000}, {4000, 10'000}}});
///     sx::Series volts(sx::scaled(stored, 0.195));
template <class View>
class Series : public StridedSeries {
 public:
  static_assert(seam::is_view<View>,
                "a Series holds a Kokkos View: use synelix::StridedSeries for a synelix::Strided");
  static_assert(seam::rank_of_view<View> <= 7,
                "a series must have rank 1 to 7, since its features have one dimension more");
  using view_type = View;                            ///< of the View that it holds
  using memory_space = typename View::memory_space;  ///< the memory of the samples
  /// Rank of the series; its features have one more.
  static constexpr int rank = seam::rank_of_view<View>;

  /// \throws Error as StridedSeries
  explicit Series(View view, SeriesOptions options = {})
      : StridedSeries(view, std::move(options)), m_view(std::move(view)) {}
  /// From the result of `scaled`. \throws Error as StridedSeries
  explicit Series(const Scaled<View>& samples, SeriesOptions options = {})
      : StridedSeries(samples, std::move(options)), m_view(samples.array) {}

  /// The View.
  [[nodiscard]] const View& view() const { return m_view; }

 private:
  View m_view;
};

class EventLists;
class EventsBuilder;
class TimeBins;

/// Spike trains of one or many channels: for each channel the occupied samples in ascending order,
/// each with a count. Events are a series like any other, and are never converted to a dense array.
/// The lists are in plain memory, so events may be made before Kokkos runs and may outlive it. The
/// result of `copy_events` is in memory of the device instead.
class Events {
 public:
  /// Events of one channel.
  struct Train {
    std::vector<std::int64_t> samples;  ///< ascending, each once, within [0, samples)
    std::vector<float> counts;          ///< one for each sample; empty: all 1
  };

  /// \param samples  length of the time axis
  /// \param trains   one for each channel
  /// \param epochs   as SeriesOptions::epochs
  /// \throws Error naming the first train that is not ascending, leaves the time axis, has another
  ///         number of counts than of samples, or a count that is not finite; epochs as with_epochs
  Events(std::int64_t samples, const std::vector<Train>& trains, Epochs epochs = {});

  /// Trains whose events may repeat a sample and be in any order: they are sorted and added up.
  /// \param event_samples  for each channel the samples of its events. Moved lists are sorted in
  ///                       place: no other memory is needed except the events' own.
  /// \throws Error as the constructor
  static Events from_unsorted(std::int64_t samples,
                              std::vector<std::vector<std::int64_t>> event_samples,
                              Epochs epochs = {});

  /// Trains of spike times in seconds, counted in bins by the rules of time_bins.hpp. Times in no
  /// bin do not count. The epochs are those of the bins.
  /// \param times  of each channel, in any order; all finite
  /// \param bins   which times are rows
  /// \throws Error if there is no channel or no bin, a time is not finite (it is named), or a bin
  ///         holds more than 2^24 times
  /// @{
  static Events from_times(std::span<const std::span<const double>> times, const TimeBins& bins);
  static Events from_times(const std::vector<std::vector<double>>& times, const TimeBins& bins);
  /// @}

  /// The same events with other epochs. The lists are shared and not copied.
  /// \throws Error if the epochs are not sorted and disjoint ranges within the samples, or select
  ///         nothing
  [[nodiscard]] Events with_epochs(Epochs epochs) const;

  /// Samples, channels, epochs, number of events.
  [[nodiscard]] const SeriesShape& shape() const { return m_shape; }
  /// Events of channel c are the entries [begins(c), begins(c + 1)) of sample_indices and counts.
  /// The host can read the lists if `is_on_host`.
  [[nodiscard]] const std::int64_t* begins() const { return m_begins; }
  /// Sample of each event.
  [[nodiscard]] const std::int64_t* sample_indices() const { return m_samples; }
  /// Count of each event; null if all are 1.
  [[nodiscard]] const float* counts() const { return m_counts; }
  /// Bytes held.
  [[nodiscard]] std::int64_t bytes() const { return m_bytes; }
  /// Name of the Kokkos memory space of the lists: "Host", except for results of `copy_events`.
  [[nodiscard]] const char* memory_space() const { return m_memory_space; }
  /// Whether the lists are in plain memory of the host.
  [[nodiscard]] bool is_on_host() const;

 private:
  Events() = default;
  static void require_events_shape(std::int64_t samples, std::int64_t channels);
  void keep(std::shared_ptr<const void> memory, const std::byte* data, const EventLists& lists,
            const char* memory_space);
  template <class ExecutionSpace>
  friend Events copy_events(const ExecutionSpace& exec, const Events& events);
  friend class EventsBuilder;

  SeriesShape m_shape;
  std::shared_ptr<const void> m_memory;  ///< of all three lists
  const std::int64_t* m_begins = nullptr;
  const std::int64_t* m_samples = nullptr;
  const float* m_counts = nullptr;
  std::int64_t m_bytes = 0;
  const char* m_memory_space = seam::host_memory_name;
};

}  // namespace synelix
