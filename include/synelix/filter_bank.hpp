// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>
#include <synelix/seam/filter_bank.hpp>
#include <synelix/seam/spaces.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <utility>

/// \file
/// `FilterBank`: the filters that a series is convolved with, as taps(w, b) in the memory of an
/// execution space, with the support of each.
///
///     sx::FilterBank<float> bank(exec, sx::RaisedCosineLog{.bases = 8}, {.window = 100});

namespace synelix {

/// A bank of filters: window x bases taps in the working type, on the device, and in double on the
/// host. Formulas are evaluated in double for any working type. Copies share their taps.
///
/// \tparam Scalar  float or double: the type that a convolution with this bank computes in
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class FilterBank {
 public:
  static_assert(seam::computes<Scalar, ExecutionSpace>());
  using scalar_type = Scalar;              ///< float or double, of the taps and of features
  using execution_space = ExecutionSpace;  ///< whose memory holds the taps
  /// (window, bases) in the working type, in memory of the execution space.
  using TapsView =
      Kokkos::View<const Scalar**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>;

  /// Samples a basis on the window. Without exec: on the default instance of the space.
  /// \throws Error if the basis' parameters or the window are out of their range
  /// @{
  FilterBank(const ExecutionSpace& exec, const Basis& basis, BankOptions options)
      : FilterBank(exec, evaluate_taps(basis, options.window)) {}
  FilterBank(const Basis& basis, BankOptions options)
      : FilterBank(seam::default_instance<ExecutionSpace>("synelix::FilterBank"), basis, options) {}
  /// @}

  /// Takes existing taps, from `evaluate_taps`. (Taps that the user supplies are a basis,
  /// CustomTaps.)
  /// \throws Error if the number of values or supports does not match taps and bases, or a tap is
  /// not finite
  FilterBank(const ExecutionSpace& exec, Taps taps)
      : m_host(std::make_shared<const Taps>(std::move(taps))),
        m_device(seam::upload_taps<Scalar>(exec, *m_host)) {}

  /// Taps of each filter, W.
  [[nodiscard]] std::int64_t window() const { return m_host->window; }
  /// Number of filters, B. May be smaller than requested (OrthExponential).
  [[nodiscard]] std::int64_t bases() const { return m_host->bases; }
  /// Taps in double, support of each filter, name and parameters of the basis.
  [[nodiscard]] const Taps& taps() const { return *m_host; }
  /// taps(w, b) in the working type.
  [[nodiscard]] const TapsView& view() const { return m_device; }

 private:
  std::shared_ptr<const Taps> m_host;
  TapsView m_device;
};

}  // namespace synelix
