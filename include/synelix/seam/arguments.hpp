// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/place.hpp>
#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

/// \file
/// Which samples and features a call accepts. A check is a chain of `if constexpr` with one
/// static_assert for each mistake, and returns whether the arguments are valid. A caller skips the
/// rest of its body if they are not, so the user sees a single message. For the public headers, not
/// for users.

namespace synelix::seam {

/// False for all types: the condition of a static_assert that only wrong types reach.
template <class...>
inline constexpr bool never = false;

/// Whether an argument is what `scaled` returns: an array with scale and offset.
template <class T>
concept is_scaled = requires(const T& argument) {
  argument.array;
  argument.scale;
  argument.offset;
};

template <class Samples>
constexpr auto array_in() {
  if constexpr (Kokkos::is_view_v<Samples>) {
    return std::type_identity<Samples>();
  } else if constexpr (is_scaled<Samples>) {
    return std::type_identity<decltype(Samples::array)>();
  } else if constexpr (requires { typename Samples::view_type; }) {
    return std::type_identity<typename Samples::view_type>();
  } else {
    return std::type_identity<Samples>();
  }
}
/// The View in a Series or in a result of `scaled`; any other type itself.
template <class Samples>
using ArrayIn = typename decltype(array_in<Samples>())::type;

/// Whether samples have one of the library's types, valid or not.
template <class Samples>
inline constexpr bool is_samples =
    Kokkos::is_view_v<ArrayIn<Samples>> || std::is_same_v<ArrayIn<Samples>, Strided> ||
    std::is_base_of_v<StridedSeries, Samples> || std::is_same_v<Samples, Events>;

template <class>
inline constexpr bool is_list_of_samples = false;
template <class Samples>
inline constexpr bool is_list_of_samples<std::vector<Samples>> = is_samples<Samples>;

/// Samples as a series. Series, StridedSeries and Events are returned as they are. Everything else
/// becomes a series of one epoch whose first dimension is time.
template <class Samples>
decltype(auto) as_series(const Samples& samples) {
  if constexpr (std::is_base_of_v<StridedSeries, Samples> || std::is_same_v<Samples, Events>) {
    return (samples);
  } else if constexpr (Kokkos::is_view_v<ArrayIn<Samples>>) {
    return Series<ArrayIn<Samples>>(samples);
  } else {
    return StridedSeries(samples);
  }
}

/// A series without its View, for compiled functions. The caller holds the series.
// NOLINTBEGIN(bugprone-return-const-ref-from-parameter)
inline const StridedSeries& without_view(const StridedSeries& series) { return series; }
inline const Events& without_view(const Events& events) { return events; }
// NOLINTEND(bugprone-return-const-ref-from-parameter)

/// Rank of samples; 0 if it is known only at run time.
template <class Samples>
constexpr int rank_of() {
  if constexpr (Kokkos::is_view_v<ArrayIn<Samples>>) {
    return static_cast<int>(ArrayIn<Samples>::rank());
  } else {
    return std::is_same_v<Samples, Events> ? 2 : 0;  // samples x channels
  }
}

/// What must be able to access the arguments of a call: the kernels or, for a call that copies, the
/// host.
enum class Reach : std::uint8_t { kernels, kernels_or_host };

template <class ExecutionSpace, class MemorySpace, Reach reach>
inline constexpr bool is_in_reach =
    Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible ||
    (reach == Reach::kernels_or_host &&
     Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible);

// NOLINTBEGIN(bugprone-branch-clone): each branch is a separate message
template <class ExecutionSpace, Reach reach, class Samples>
constexpr bool takes_samples() {
  using Array = ArrayIn<Samples>;
  if constexpr (is_list_of_samples<Samples>) {
    static_assert(never<Samples>,
                  "a list of trials needs <synelix/trials.hpp>, a TrialsPlan as its plan, and as "
                  "its output a list of as many features");
    return false;
  } else if constexpr (!is_samples<Samples>) {
    static_assert(never<Samples>,
                  "samples must be a Kokkos View or a synelix Series, StridedSeries or Events: "
                  "wrap other memory as StridedSeries(Strided(pointer, {samples, channels}))");
    return false;
  } else if constexpr (!Kokkos::is_view_v<Array>) {
    return true;  // checked at run time for events; promised by the caller for Strided
  } else if constexpr (Array::memory_traits::is_atomic) {
    static_assert(never<Samples>,
                  "samples must not have the Atomic memory trait: assign their View to one "
                  "without it");
    return false;
  } else if constexpr (!Stored<typename Array::value_type>) {
    static_assert(never<Samples>,
                  "samples must be float, double, int8_t, uint8_t, int16_t or uint16_t: convert "
                  "other types first");
    return false;
  } else if constexpr (Array::rank() < 1 || Array::rank() > 7) {
    static_assert(never<Samples>,
                  "samples must have rank 1 to 7, since their features have one dimension more");
    return false;
  } else if constexpr (!is_in_reach<ExecutionSpace, typename Array::memory_space, reach>) {
    static_assert(never<Samples>,
                  "samples must lie in memory that the execution space reaches, or for convolve "
                  "the host: copy them there by Kokkos::deep_copy");
    return false;
  } else {
    return true;
  }
}

/// \tparam rank  of the samples; 0: known at run time only
template <class ExecutionSpace, Reach reach, class Scalar, int rank, class Features>
constexpr bool takes_features() {
  if constexpr (std::is_same_v<Features, Strided>) {
    static_assert(never<Features>,
                  "features are written: give a StridedOutput in place of a Strided");
    return false;
  } else if constexpr (std::is_same_v<Features, StridedOutput>) {
    return true;
  } else if constexpr (!Kokkos::is_view_v<Features>) {
    static_assert(never<Features>,
                  "features must be a Kokkos View or a synelix StridedOutput: wrap other memory "
                  "as StridedOutput(pointer, {rows, channels, bases})");
    return false;
  } else if constexpr (std::is_const_v<typename Features::value_type>) {
    static_assert(never<Features>,
                  "features are written: give a View of values that are not const");
    return false;
  } else if constexpr (!std::is_same_v<typename Features::value_type, Scalar>) {
    static_assert(never<Features>,
                  "features must have the scalar type of the bank: give a View of that type, or "
                  "make a FilterBank of the View's");
    return false;
  } else if constexpr (Features::memory_traits::is_atomic) {
    static_assert(never<Features>,
                  "features must not have the Atomic memory trait: give a View without it");
    return false;
  } else if constexpr (rank != 0 && static_cast<int>(Features::rank()) != rank + 1) {
    static_assert(never<Features>,
                  "features must have one dimension more than the samples, for the bases: of "
                  "(samples, channels) they are (rows, channels, bases)");
    return false;
  } else if constexpr (!is_in_reach<ExecutionSpace, typename Features::memory_space, reach>) {
    static_assert(never<Features>,
                  "features must lie in memory that the execution space reaches, or for convolve "
                  "the host: give a View there");
    return false;
  } else {
    return true;
  }
}

// NOLINTEND(bugprone-branch-clone)

/// Whether a call with a bank of Scalar takes these samples and features.
template <class ExecutionSpace, Reach reach, class Scalar, class Samples, class Features>
constexpr bool takes() {
  if constexpr (takes_samples<ExecutionSpace, reach, Samples>()) {
    return takes_features<ExecutionSpace, reach, Scalar, rank_of<Samples>(), Features>();
  } else {
    return false;
  }
}

/// The shape that a plan needs.
template <class ExecutionSpace, class Samples>
SeriesShape shape_of(const Samples& samples) {
  if constexpr (takes_samples<ExecutionSpace, Reach::kernels_or_host, Samples>()) {
    return as_series(samples).shape();
  } else {
    return {};
  }
}

/// An output, a View or not.
template <class Features>
StridedOutput output_of(const Features& features) {
  if constexpr (Kokkos::is_view_v<Features>) {
    return strided_of(features);
  } else {
    return features;
  }
}

}  // namespace synelix::seam
