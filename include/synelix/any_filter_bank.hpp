// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/convolve.hpp>
#include <synelix/error.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

/// \file
/// Filters for callers that learn the scalar type at run time, such as the bindings of another
/// language: `AnyFilterBank`, and `convolve` with one.
///
///     const sx::AnyFilterBank bank(exec, sx::RaisedCosineLog{.bases = 8}, {.window = 100});
///     sx::convolve(exec, samples, bank, sx::StridedOutput(doubles, {10'000, 8}));  // in double
///     sx::convolve(exec, samples, bank, sx::StridedOutput(floats, {10'000, 8}));   // in float

namespace synelix {

/// A bank of filters in float and in double, each made when it is first needed. Copies share both.
/// Several threads may use one.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class AnyFilterBank {
 public:
  /// Takes existing taps. \throws Error as FilterBank, at the first use of a type
  AnyFilterBank(const ExecutionSpace& exec, Taps taps)
      : m_banks(std::make_shared<Banks>(exec, std::move(taps))) {}
  /// Samples a basis on the window. \throws Error as FilterBank
  AnyFilterBank(const ExecutionSpace& exec, const Basis& basis, BankOptions options)
      : AnyFilterBank(exec, evaluate_taps(basis, options.window)) {}

  /// Taps of each filter, W.
  [[nodiscard]] std::int64_t window() const { return m_banks->taps.window; }
  /// Number of filters, B.
  [[nodiscard]] std::int64_t bases() const { return m_banks->taps.bases; }
  /// Taps in double, support of each filter, name and parameters of the basis.
  [[nodiscard]] const Taps& taps() const { return m_banks->taps; }

  /// The bank of a scalar type, float or double, made at the first call.
  template <class Scalar>
  [[nodiscard]] FilterBank<Scalar, ExecutionSpace> in() const {
    const std::scoped_lock lock(m_banks->mutex);
    auto& bank = std::get<std::optional<FilterBank<Scalar, ExecutionSpace>>>(m_banks->made);
    if (!bank) bank.emplace(m_banks->exec, m_banks->taps);
    return *bank;
  }

 private:
  struct Banks {
    Banks(const ExecutionSpace& instance, Taps given) : exec(instance), taps(std::move(given)) {}
    ExecutionSpace exec;
    Taps taps;
    std::mutex mutex;
    std::tuple<std::optional<FilterBank<float, ExecutionSpace>>,
               std::optional<FilterBank<double, ExecutionSpace>>>
        made;
  };
  std::shared_ptr<Banks> m_banks;
};

/// `convolve` into an output whose type, float32 or float64, determines the scalar type.
/// \throws Error as `convolve`, and for an output of another type
template <class ExecutionSpace, class Samples>
void convolve(const ExecutionSpace& exec, const Samples& samples,
              const AnyFilterBank<ExecutionSpace>& bank, const StridedOutput& features,
              const ConvolveOptions& options = {}) {
  switch (features.type) {
    case StoredType::float32:
      return convolve(exec, samples, bank.template in<float>(), features, options);
    case StoredType::float64:
      return convolve(exec, samples, bank.template in<double>(), features, options);
    default:
      throw Error("features", std::string(name_of(features.type)) + " is not supported",
                  "Use float32 or float64");
  }
}

}  // namespace synelix
