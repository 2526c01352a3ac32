// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/seam/arguments.hpp>
#include <synelix/seam/place.hpp>
#include <synelix/series.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

/// \file
/// What the templates of convolve.hpp call. For the public headers, not for users.

namespace synelix::seam {

/// The choice of a one-shot call with arguments in these places.
template <class Scalar, class ExecutionSpace>
Choice choose_once(const ExecutionSpace& exec, const SeriesShape& shape, const Argument& input,
                   const Argument& features, const FilterBank<Scalar, ExecutionSpace>& bank,
                   const ConvolveOptions& options);

/// Whether a one-shot call goes through the device in blocks. \throws Error if `staging` forbids
/// what is needed
template <class ExecutionSpace>
bool goes_in_blocks(const ExecutionSpace& exec, Staging staging, const Argument& input,
                    const Argument& features);

/// A one-shot call: a plan if the arguments are used in place, otherwise blocks that are copied
/// through the device.
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
  /// Returns when the result is complete.
  void convolve(const ExecutionSpace& exec, const StridedSeries& series,
                const StridedOutput& features);
  void convolve(const ExecutionSpace& exec, const Events& events, const StridedOutput& features);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

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

/// Allocates features without initializing them.
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

/// The View of the features that `convolve` returns.
template <class Layout, class Scalar, class ExecutionSpace, class Samples>
using FeaturesView =
    Kokkos::View<typename Pointers<Scalar, rank_of<Samples>() < max_rank ? rank_of<Samples>() + 1
                                                                         : max_rank>::type,
                 Layout, typename ExecutionSpace::memory_space>;

/// Allocates the features of a Series or Events.
template <class Features, class ExecutionSpace, class Input>
Features new_features(const ExecutionSpace& exec, const Input& series, std::int64_t rows,
                      std::int64_t bases) {
  if constexpr (std::is_same_v<Input, Events>) {
    return allocate_features<Features>(
        exec, Kokkos::LayoutRight(static_cast<std::size_t>(rows),
                                  static_cast<std::size_t>(series.shape().channels),
                                  static_cast<std::size_t>(bases)));
  } else {
    return allocate_features<Features>(
        exec, features_extents(series.data(), series.sample_axis(), rows, bases));
  }
}

/// Whether `convolve` can return the features of these samples.
template <class ExecutionSpace, Reach reach, class Samples>
constexpr bool returns_features() {
  if constexpr (!takes_samples<ExecutionSpace, reach, Samples>()) {
    return false;
  } else if constexpr (rank_of<Samples>() == 0) {
    static_assert(never<Samples>,
                  "the rank of a StridedSeries is known at run time only: give a StridedOutput "
                  "for the features, after the bank");
    return false;
  } else {
    return true;
  }
}

/// The choice of a one-shot call. Arguments as of `choose`.
template <class Scalar, class ExecutionSpace, class Samples>
Choice choose_call(const ExecutionSpace& exec, const Samples& samples,
                   const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options) {
  if constexpr (takes_samples<ExecutionSpace, Reach::kernels_or_host, Samples>()) {
    decltype(auto) series = as_series(samples);
    return choose_once(exec, series.shape(), argument_of<ExecutionSpace>(series), {}, bank,
                       options);
  } else {
    return {};
  }
}
template <class Scalar, class ExecutionSpace, class Samples, class Features>
Choice choose_call(const ExecutionSpace& exec, const Samples& samples,
                   const FilterBank<Scalar, ExecutionSpace>& bank, const Features& features,
                   const ConvolveOptions& options) {
  if constexpr (takes<ExecutionSpace, Reach::kernels_or_host, Scalar, Samples, Features>()) {
    decltype(auto) series = as_series(samples);
    return choose_once(exec, series.shape(), argument_of<ExecutionSpace>(series),
                       argument_of<ExecutionSpace>(features), bank, options);
  } else {
    return {};
  }
}

/// `convolve` that returns the features.
template <class Layout, class Scalar, class ExecutionSpace, class Samples>
auto convolved(const ExecutionSpace& exec, const Samples& samples,
               const FilterBank<Scalar, ExecutionSpace>& bank, const ConvolveOptions& options) {
  using Features = FeaturesView<Layout, Scalar, ExecutionSpace, Samples>;
  Features features;
  if constexpr (returns_features<ExecutionSpace, Reach::kernels_or_host, Samples>()) {
    decltype(auto) series = as_series(samples);
    OneShot<Scalar, ExecutionSpace> call(exec, series.shape(), argument_of<ExecutionSpace>(series),
                                         {}, bank, options);
    features = new_features<Features>(exec, series, call.rows(), bank.bases());
    call.convolve(exec, series, output_of(features));
  }
  return features;
}

template <class>
inline constexpr bool is_filter_bank = false;
template <class Scalar, class ExecutionSpace>
inline constexpr bool is_filter_bank<FilterBank<Scalar, ExecutionSpace>> = true;

/// Whether a call that no other overload takes has a bank or an instance, so that it is meant for
/// the library.
template <class... Arguments>
concept has_bank_or_instance =
    ((is_filter_bank<Arguments> || Kokkos::is_execution_space_v<Arguments>) || ...);

/// What a refused call returns, so that the user's line that stores it causes no second error.
struct Nothing {};

/// Its return type is deduced, so that the compiler reports the message together with the user's
/// line.
/// \tparam Layout  void: none was named
template <class Layout, class... Arguments>
auto refuse_convolve() {
  if constexpr (!(is_filter_bank<Arguments> || ...)) {
    static_assert(never<Arguments...>,
                  "filters must be a synelix FilterBank: make one from a basis, or from taps of "
                  "your own by CustomTaps");
  } else if constexpr (!std::is_void_v<Layout> && !is_layout<Layout>) {
    static_assert(never<Layout, Arguments...>,
                  "features are returned in Kokkos::LayoutRight or Kokkos::LayoutLeft: give an "
                  "output for another layout");
  } else if constexpr ((Kokkos::is_execution_space_v<Arguments> || ...)) {
    static_assert(never<Arguments...>,
                  "exec must be an instance of the bank's execution space: name the space in "
                  "FilterBank<Scalar, ExecutionSpace>, or give the arguments in the order exec, "
                  "samples, bank, features, options");
  } else {
    static_assert(never<Arguments...>,
                  "give the arguments in the order exec, samples, bank, features, options: exec "
                  "and options may be left out");
  }
  return Nothing();
}

template <class... Arguments>
auto refuse_without_layout() {
  static_assert(never<Arguments...>,
                "name the layout of the features: convolve<Kokkos::LayoutRight>(exec, samples, "
                "bank), or give an output after the bank");
  return Nothing();
}

}  // namespace synelix::seam

// Overloads that match wrong calls, each with its own message.
namespace synelix {

template <class Scalar, class ExecutionSpace, class Samples>
auto convolve(const ExecutionSpace&, const Samples&, const FilterBank<Scalar, ExecutionSpace>&,
              const ConvolveOptions& = {}) {
  return seam::refuse_without_layout<ExecutionSpace, Samples, Scalar>();
}
template <class Scalar, class ExecutionSpace, class Samples>
auto convolve(const Samples&, const FilterBank<Scalar, ExecutionSpace>&,
              const ConvolveOptions& = {}) {
  return seam::refuse_without_layout<Samples, Scalar>();
}
template <class... Arguments>
  requires seam::has_bank_or_instance<Arguments...>
auto convolve(const Arguments&...) {
  return seam::refuse_convolve<void, Arguments...>();
}
template <class Layout, class... Arguments>
  requires seam::has_bank_or_instance<Arguments...>
auto convolve(const Arguments&...) {
  return seam::refuse_convolve<Layout, Arguments...>();
}

}  // namespace synelix
