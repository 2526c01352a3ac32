// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

namespace sx = synelix;

template <class Data>
using View = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Exec = Kokkos::DefaultHostExecutionSpace;

void cases(const Exec& exec, const sx::FilterBank<float, Exec>& bank) {
  const View<float**> samples;

  // REFUSED: features must have the scalar type of the filter bank, and must not be const
  sx::convolve(exec, samples, bank, View<double***>());
}
