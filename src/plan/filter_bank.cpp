// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vocabulary/spaces.hpp"

#include <synelix/filter_bank.hpp>
#include <synelix/session.hpp>

namespace synelix::seam {

template <class Scalar, class ExecutionSpace>
Kokkos::View<const Scalar**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>
upload_taps(const ExecutionSpace& exec, const Taps& taps) {
  require_running("synelix::FilterBank");
  Kokkos::View<Scalar**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space> device(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::filter_bank::taps"),
      static_cast<std::size_t>(taps.window), static_cast<std::size_t>(taps.bases));
  const auto host = Kokkos::create_mirror_view(device);
  exec.fence("synelix::FilterBank: the mirror may be the device's own memory");
  for (std::int64_t w = 0; w < taps.window; ++w) {
    for (std::int64_t b = 0; b < taps.bases; ++b) host(w, b) = static_cast<Scalar>(taps(w, b));
  }
  if (host.data() != device.data()) {
    Kokkos::deep_copy(exec, device, host);
    exec.fence("synelix::FilterBank: the host's copy is released");
  }
  return device;
}

#define SYNELIX_INSTANTIATE(SPACE)                                                \
  template Kokkos::View<const float**, Kokkos::LayoutRight, SPACE::memory_space>  \
  upload_taps<float, SPACE>(const SPACE&, const Taps&);                           \
  template Kokkos::View<const double**, Kokkos::LayoutRight, SPACE::memory_space> \
  upload_taps<double, SPACE>(const SPACE&, const Taps&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::seam
