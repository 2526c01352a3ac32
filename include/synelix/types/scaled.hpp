// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/scaled.hpp>
#include <synelix/strided.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

/// \file
/// What scaled.hpp declares, without Kokkos. Programs include scaled.hpp.

namespace synelix {

/// One number for all channels, or one for each channel: a scale, or an offset. Numbers of each
/// channel (a View, span, vector or std::array of double) are contiguous in memory of the caller,
/// which must outlive the objects that use them.
///
/// A series copies them when it is made, so the host must be able to read them. The samples of
/// `convolve` and of features become series. All other functions read them in kernels, so the
/// execution space must be able to read them.
class PerChannel {
 public:
  /// One number for all channels.
  PerChannel(double all) : m_all(all) {}  // NOLINT(google-explicit-constructor): for all channels
  /// Numbers in a span of any memory, or in a vector or std::array on the host.
  template <class Numbers>
    requires(!seam::is_view<Numbers> &&
             std::is_convertible_v<const Numbers&, std::span<const double>>)
  PerChannel(const Numbers& each)  // NOLINT(google-explicit-constructor)
      : m_each(std::span<const double>(each).data()),
        m_count(static_cast<std::int64_t>(std::span<const double>(each).size())),
        m_is_each(true),
        m_memory_space(std::ranges::enable_view<Numbers> ? "" : seam::host_memory_name) {}
  /// Refuses numbers of another type.
  template <class Numbers>
    requires(!std::is_convertible_v<const Numbers&, std::span<const double>> &&
             seam::is_container<Numbers>)
  PerChannel(const Numbers&) {  // NOLINT(google-explicit-constructor)
    static_assert(seam::is_view<Numbers>,
                  "scales and offsets of each channel must be double: copy them into a "
                  "std::vector<double>");
  }
  /// Refuses a temporary vector or array.
  /// @{
  PerChannel(std::vector<double>&&) = delete;
  template <std::size_t size>
  PerChannel(std::array<double, size>&&) = delete;
  /// @}
  /// Numbers in a View of rank 1. \throws Error if they are not contiguous
  template <class View>
    requires seam::is_view<View>
  PerChannel(const View& each)  // NOLINT(google-explicit-constructor)
      : m_each(seam::doubles_of(each)),
        m_count(static_cast<std::int64_t>(each.extent(0))),
        m_is_each(true),
        m_memory_space(View::memory_space::name()) {
    if (m_count > 1) require_side_by_side(static_cast<std::int64_t>(each.stride(0)));
  }

  /// The number of all channels, if there is one.
  [[nodiscard]] double all() const { return m_all; }
  /// The numbers of each channel; null if there is one for all.
  [[nodiscard]] const double* each() const { return m_each; }
  /// Whether there is a number for each channel.
  [[nodiscard]] bool is_each() const { return m_is_each; }
  /// How many numbers of channels there are.
  [[nodiscard]] std::int64_t count() const { return m_count; }
  /// Name of the Kokkos memory space of the numbers; empty if only the caller knows.
  [[nodiscard]] const char* memory_space() const { return m_memory_space; }

 private:
  static void require_side_by_side(std::int64_t stride);

  double m_all = 0;
  const double* m_each = nullptr;
  std::int64_t m_count = 0;
  bool m_is_each = false;
  const char* m_memory_space = "";
};

/// An array (a View or a `Strided`) with the scale and offset of its stored values: what `scaled`
/// returns.
template <class Array>
struct Scaled {
  Array array;        ///< the stored values
  PerChannel scale;   ///< for all channels, or for each
  PerChannel offset;  ///< for all channels, or for each, in physical units
};

/// The input of an operation: an array of any stored type, with its scale and offset. Refers to the
/// caller's memory, which must outlive it. All of these convert to it:
///
/// | argument                                         | physical values         |
/// |--------------------------------------------------|-------------------------|
/// | a View of any layout                             | the stored ones         |
/// | `Strided`                                        | the stored ones         |
/// | `scaled(...)` of either                          | stored * scale + offset |
/// | `transposed`, `windows`, `flipped` of an operand | as of that operand      |
///
/// The function defines what a channel is: a column of a matrix, a channel of images, or an index
/// of all dimensions of a series except time.
class Operand {
 public:
  /// No array: no bias.
  Operand() = default;
  /// Takes a `Strided`, a View, or what `scaled` returns.
  /// @{
  Operand(const Strided& array)  // NOLINT(google-explicit-constructor): stored values
      : m_array(array) {}
  template <class View>
    requires seam::is_view<View>
  Operand(const View& view)  // NOLINT(google-explicit-constructor): stored values
      : m_array(seam::read_only(seam::strided_of(view))),
        m_memory_space(View::memory_space::name()) {}
  template <class Array>
  Operand(const Scaled<Array>& scaled)  // NOLINT(google-explicit-constructor): physical values
      : Operand(scaled.array) {
    m_scale = scaled.scale;
    m_offset = scaled.offset;
  }
  /// @}
  /// Refuses other containers.
  template <class Container>
    requires seam::is_container<Container>
  Operand(const Container&) {  // NOLINT(google-explicit-constructor)
    static_assert(seam::is_view<Container>,
                  "synelix takes Kokkos Views: wrap the memory of a container as "
                  "synelix::Strided(container.data(), {extents})");
  }

  /// The stored values.
  [[nodiscard]] const Strided& array() const { return m_array; }
  [[nodiscard]] const PerChannel& scale() const { return m_scale; }    ///< 1 if it is not scaled
  [[nodiscard]] const PerChannel& offset() const { return m_offset; }  ///< 0 if it is not scaled
  /// Whether stored and physical values differ.
  [[nodiscard]] bool is_scaled() const {
    return is_scaled_by_channel() || m_scale.all() != 1 || m_offset.all() != 0;
  }
  /// Whether each channel has its own numbers.
  [[nodiscard]] bool is_scaled_by_channel() const {
    return m_scale.is_each() || m_offset.is_each();
  }
  /// For matrices: whether channels are rows. True for the transpose of a scaled matrix.
  [[nodiscard]] bool channels_are_rows() const { return m_channels_are_rows; }
  /// Name of the Kokkos memory space of the values; empty if only the caller knows.
  [[nodiscard]] const char* memory_space() const { return m_memory_space; }
  /// Whether there is an array.
  [[nodiscard]] bool is_given() const { return m_array.rank > 0; }

  [[nodiscard]] int rank() const { return m_array.rank; }  ///< 0 if there is no array
  /// Rows of matrices: the last dimension but one.
  [[nodiscard]] std::int64_t rows() const { return extent(m_array.rank - 2); }
  /// Columns of matrices: the last dimension.
  [[nodiscard]] std::int64_t columns() const { return extent(m_array.rank - 1); }
  /// Matrices in the dimensions before the last two.
  [[nodiscard]] std::int64_t count() const;

  friend Operand scaled(const Operand& operand, const PerChannel& scale, const PerChannel& offset);
  friend Operand transposed(const Operand& matrices);
  friend Operand windows(const Operand& matrices, std::int64_t columns, std::int64_t step);
  friend Operand windows(const Operand& matrices, std::int64_t rows, std::int64_t columns,
                         std::int64_t step);
  friend Operand flipped(const Operand& weights);

 private:
  [[nodiscard]] std::int64_t extent(int i) const {
    return i < 0 || i >= max_rank ? 1 : m_array.extents[static_cast<std::size_t>(i)];
  }

  Strided m_array;
  PerChannel m_scale = 1.0;
  PerChannel m_offset = 0.0;
  bool m_channels_are_rows = false;
  const char* m_memory_space = "";
};

/// Physical values: stored * scale + offset.
///
/// | argument | what it may be                                                                 |
/// |----------|--------------------------------------------------------------------------------|
/// | array    | a View, a `Strided`, or an operand: `transposed`, `windows`, `flipped`         |
/// | scale    | a number; or one for each channel, double: a View, span, vector or std::array  |
/// | offset   | as scale                                                                       |
///
/// The function that takes the result checks that there is one number for each channel.
/// \throws Error for a number that is not finite, and for arrays that are scaled already
template <class Array>
auto scaled(const Array& array, const PerChannel& scale, const PerChannel& offset = 0.0) {
  if constexpr (seam::is_view<Array> || std::is_same_v<Array, Strided>) {
    seam::require_finite(scale, offset);
    return Scaled<Array>{array, scale, offset};
  } else if constexpr (seam::is_container<Array>) {
    static_assert(seam::is_view<Array>,
                  "synelix takes Kokkos Views: wrap the memory of a container as "
                  "synelix::Strided(container.data(), {extents})");
    return Operand();
  } else {
    return scaled(Operand(array), scale, offset);
  }
}
/// The same for an operand. \throws Error if it is scaled already
Operand scaled(const Operand& operand, const PerChannel& scale, const PerChannel& offset);

}  // namespace synelix
