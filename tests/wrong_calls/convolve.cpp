// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class Data>
using View = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class Data>
using AtomicView = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace,
                                Kokkos::MemoryTraits<Kokkos::Atomic>>;

/// Memory that neither the execution space nor the host reaches.
struct FarSpace {
  using memory_space = FarSpace;
  using execution_space = Exec;
  using device_type = Kokkos::Device<Exec, FarSpace>;
  using size_type = std::size_t;
};
template <class Data>
using FarView =
    Kokkos::View<Data, Kokkos::LayoutRight, FarSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A space that the bank is not on.
struct OtherSpace : Exec {
  using execution_space = OtherSpace;
};

void wrong_samples(const Exec& exec, const sx::FilterBank<float, Exec>& bank,
                   const View<float***>& features) {
  // REFUSED: samples must be a Kokkos View or a synelix Series, StridedSeries or Events
  sx::convolve(exec, std::vector<float>(), bank, features);
  // REFUSED: wrap other memory as StridedSeries(Strided(pointer, {samples, channels}))
  auto no_container = sx::convolve<Kokkos::LayoutRight>(exec, std::vector<double>(), bank);
  // REFUSED: samples must be a Kokkos View or a synelix Series, StridedSeries or Events
  sx::convolve(static_cast<float*>(nullptr), bank, features);
  // REFUSED: samples must not have the Atomic memory trait
  sx::convolve(exec, AtomicView<float**>(), bank, features);
  // REFUSED: samples must be float, double, int8_t, uint8_t, int16_t or uint16_t
  sx::convolve(exec, View<std::int64_t**>(), bank, features);
  // REFUSED: samples must have rank 1 to 7
  auto no_rank = sx::convolve<Kokkos::LayoutRight>(exec, View<float********>(), bank);
  // REFUSED: samples must lie in memory that the execution space reaches
  sx::convolve(exec, FarView<float**>(), bank, features);
  // REFUSED: samples must be a Kokkos View or a synelix Series, StridedSeries or Events
  sx::ConvolvePlan<float, Exec> plan(exec, std::vector<std::int8_t>(), bank);
  // REFUSED: samples must be a Kokkos View or a synelix Series, StridedSeries or Events
  sx::choose(exec, std::vector<std::int16_t>(), bank);
}

void wrong_features(const Exec& exec, const sx::FilterBank<float, Exec>& bank,
                    const View<float**>& samples, const sx::Events& events,
                    const sx::ConvolvePlan<float, Exec>& plan) {
  // REFUSED: features must be a Kokkos View or a synelix StridedOutput: wrap other memory as
  // StridedOutput(pointer, {rows, channels, bases})
  sx::convolve(exec, samples, bank, std::vector<float>());
  // REFUSED: features must be a Kokkos View or a synelix StridedOutput
  sx::convolve(samples, bank, static_cast<float*>(nullptr));
  // REFUSED: features are written: give a StridedOutput in place of a Strided
  sx::convolve(exec, samples, bank, sx::Strided());
  // REFUSED: features are written: give a View of values that are not const
  sx::convolve(exec, samples, bank, View<const float***>());
  // REFUSED: features must have the scalar type of the bank
  sx::convolve(exec, samples, bank, View<double***>(), {.every = 2});
  // REFUSED: features must not have the Atomic memory trait
  sx::convolve(exec, samples, bank, AtomicView<float***>());
  // REFUSED: features must have one dimension more than the samples
  sx::convolve(exec, samples, bank, View<float**>());
  // REFUSED: features must have one dimension more than the samples
  sx::convolve(exec, events, bank, View<float****>());
  // REFUSED: features must lie in memory that the execution space reaches
  sx::convolve(exec, samples, bank, FarView<float***>());
  // REFUSED: features must have the scalar type of the bank
  plan.run(exec, samples, View<double***>());
  // REFUSED: features must be a Kokkos View or a synelix StridedOutput
  sx::choose(exec, samples, bank, std::vector<double>());
}

void wrong_calls(const Exec& exec, const sx::FilterBank<float, Exec>& bank,
                 const View<float**>& samples, const View<float***>& features,
                 const OtherSpace& other, const View<float**>& taps,
                 const sx::StridedSeries& strided) {
  // REFUSED: name the layout of the features: convolve<Kokkos::LayoutRight>(exec, samples, bank),
  // or give an output after the bank
  auto no_layout = sx::convolve(exec, samples, bank);
  // REFUSED: name the layout of the features
  sx::convolve(exec, sx::Series(samples), bank, {.every = 2});
  // REFUSED: name the layout of the features
  sx::convolve(samples, bank, sx::ConvolveOptions());
  // REFUSED: name the layout of the features
  auto scalar_for_layout = sx::convolve<float>(exec, View<double**>(), bank);
  // REFUSED: features are returned in Kokkos::LayoutRight or Kokkos::LayoutLeft
  auto strides = sx::convolve<Kokkos::LayoutStride>(exec, samples, bank);
  // REFUSED: the rank of a StridedSeries is known at run time only: give a StridedOutput
  auto no_rank = sx::convolve<Kokkos::LayoutRight>(exec, strided, bank);
  // REFUSED: filters must be a synelix FilterBank: make one from a basis
  sx::convolve(exec, samples, taps, features);
  // REFUSED: exec must be an instance of the bank's execution space
  sx::convolve(other, samples, bank, features);
  // REFUSED: give the arguments in the order exec, samples, bank, features, options
  sx::convolve(bank, samples, features);
}

void wrong_trials(const Exec& exec, const sx::FilterBank<float, Exec>& bank,
                  const std::vector<View<double*>>& trials) {
  // REFUSED: a list of trials needs <synelix/trials.hpp>
  sx::convolve(exec, trials, bank, View<float**>());
  // REFUSED: features must have one dimension more than the samples
  sx::convolve(exec, trials, bank, std::vector<View<float***>>());
  // REFUSED: samples must be a Kokkos View or a synelix Series, StridedSeries or Events
  auto no_trials = sx::convolve<Kokkos::LayoutRight>(exec, std::vector<std::vector<int>>(), bank);
  // REFUSED: features are written: give a View of values that are not const
  sx::TrialsPlan(exec, trials, bank).run(exec, trials, std::vector<View<const float**>>());
}
