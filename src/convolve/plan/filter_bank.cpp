// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/bank_taps.hpp"
#include "machine/spaces.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace synelix {
namespace {

/// Throws if taps that were filled in by hand are inconsistent.
template <class Scalar>
void check_taps(const Taps& taps) {
  const std::string shape =
      std::to_string(taps.window) + " taps x " + std::to_string(taps.bases) + " bases";
  if (taps.window < 1 || taps.bases < 1) {
    throw Error("taps", shape + " hold nothing", "Give at least one of each");
  }
  if (static_cast<std::int64_t>(taps.values.size()) / taps.bases != taps.window ||
      static_cast<std::int64_t>(taps.values.size()) % taps.bases != 0) {
    throw Error(
        "taps.values",
        std::to_string(taps.values.size()) + " values for " + shape + " are the wrong number",
        "Give one value for each tap of each basis");
  }
  if (static_cast<std::int64_t>(taps.support.size()) != taps.bases) {
    throw Error(
        "taps.support",
        std::to_string(taps.support.size()) + " ranges for " + shape + " are the wrong number",
        "Give one range for each basis, as evaluate_taps does");
  }
  for (std::size_t i = 0; i < taps.values.size(); ++i) {
    if (!std::isfinite(static_cast<Scalar>(taps.values[i]))) {
      throw Error("taps.values[" + std::to_string(i) + "]",
                  number_text(taps.values[i]) + " is not finite in the type of the bank",
                  "Use finite numbers that this type holds");
    }
  }
}

}  // namespace

template <class Scalar, class ExecutionSpace>
Kokkos::View<const Scalar**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>
seam::upload_taps(const ExecutionSpace& exec, const Taps& taps) {
  require_running("synelix::FilterBank");
  check_taps<Scalar>(taps);
  Kokkos::View<Scalar**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space> device(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::filter_bank::taps"),
      static_cast<std::size_t>(taps.window), static_cast<std::size_t>(taps.bases));
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, device);
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

template <class Scalar>
std::vector<Scalar> plan::converted_taps(const Taps& taps) {
  check_taps<Scalar>(taps);
  return {taps.values.begin(), taps.values.end()};
}

template std::vector<float> plan::converted_taps<float>(const Taps&);
template std::vector<double> plan::converted_taps<double>(const Taps&);

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                        \
  template Kokkos::View<const SCALAR**, Kokkos::LayoutRight, SPACE::memory_space> \
  seam::upload_taps<SCALAR, SPACE>(const SPACE&, const Taps&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
