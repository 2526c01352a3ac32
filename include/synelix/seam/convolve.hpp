// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/seam/place.hpp>
#include <synelix/series.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>

/// \file
/// What the templates of convolve.hpp call. For the public headers, not for users.

namespace synelix::seam {

/// The choice of a one-shot call whose arguments lie there.
template <class Scalar, class ExecutionSpace>
Choice choose_once(const ExecutionSpace& exec, const SeriesShape& shape, const Argument& input,
                   const Argument& features, const FilterBank<Scalar, ExecutionSpace>& bank,
                   const ConvolveOptions& options);

/// A one-shot call: a plan where the arguments are used where they lie, blocks through the device
/// otherwise.
template <class Scalar, class ExecutionSpace>
class OneShot {
 public:
  OneShot(const ExecutionSpace& exec, const SeriesShape& shape, const Argument& input,
          const Argument& features, const FilterBank<Scalar, ExecutionSpace>& bank,
          const ConvolveOptions& options);
  OneShot(const OneShot&) = delete;
  OneShot& operator=(const OneShot&) = delete;
  ~OneShot();

  [[nodiscard]] std::int64_t rows() const;
  /// Returns when the result is there.
  void run(const ExecutionSpace& exec, const StridedSeries& series, const StridedOutput& features);
  void run(const ExecutionSpace& exec, const Events& events, const StridedOutput& features);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

template <class Scalar, class Features>
StridedOutput output_of(const Features& features) {
  if constexpr (Kokkos::is_view_v<Features>) {
    static_assert(std::is_same_v<typename Features::value_type, Scalar>,
                  "features must have the scalar type of the filter bank, and must not be const");
    return strided_of(features);
  } else {
    return features;
  }
}

template <class Layout>
inline constexpr bool is_layout =
    std::is_same_v<Layout, Kokkos::LayoutRight> || std::is_same_v<Layout, Kokkos::LayoutLeft>;

/// Scalar with `rank` pointers: the data type of a View.
template <class Scalar, int rank>
struct Pointers {
  using type = typename Pointers<Scalar, rank - 1>::type*;
};
template <class Scalar>
struct Pointers<Scalar, 0> {
  using type = Scalar;
};

/// The extents of the features: those of the series with `rows` samples, then the bases.
Kokkos::LayoutRight features_extents(const Strided& series, int sample_axis, std::int64_t rows,
                                     std::int64_t bases);

/// Allocates features, without touching them.
template <class Features, class ExecutionSpace>
Features allocate_features(const ExecutionSpace& exec,
                           const typename Features::array_layout& layout) {
  Features features(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::features"),
                    layout);
  if constexpr (std::is_same_v<typename Features::memory_space, Kokkos::HostSpace>) {
    prefer_large_pages(features.data(), features.span() * sizeof(typename Features::value_type));
  }
  return features;
}
template <class Features, class ExecutionSpace>
  requires(!std::is_same_v<typename Features::array_layout, Kokkos::LayoutRight>)
Features allocate_features(const ExecutionSpace& exec, const Kokkos::LayoutRight& extents) {
  typename Features::array_layout layout;
  for (int i = 0; i < max_rank; ++i) layout.dimension[i] = extents.dimension[i];
  return allocate_features<Features>(exec, layout);
}

}  // namespace synelix::seam
