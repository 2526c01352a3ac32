// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arrays.hpp"
#include "kept.hpp"

#include <synelix/expression.hpp>
#include <synelix/features.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/series.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// \file
/// What Python objects hold: filter banks in both working types, and spike trains.

namespace synelix::python {

/// Taps on the host, and filter banks of float and of double, each made when it is needed.
class Bank {
 public:
  explicit Bank(Taps taps) : m_taps(std::move(taps)) {}
  [[nodiscard]] const Taps& taps() const { return m_taps; }
  template <class Scalar>
  FilterBank<Scalar, Exec> in(const Exec& exec) {
    const std::lock_guard lock(m_mutex);
    auto& bank = std::get<Held<FilterBank<Scalar, Exec>>>(m_banks);
    return bank.get() != nullptr ? *bank.get() : bank.emplace(exec, m_taps);
  }

 private:
  Taps m_taps;
  std::mutex m_mutex;
  std::tuple<Held<FilterBank<float, Exec>>, Held<FilterBank<double, Exec>>> m_banks;
};

/// Spike trains, in memory of their own.
class Trains {
 public:
  explicit Trains(Events events) : m_events(std::move(events)) {}
  [[nodiscard]] const Events& get() const { return m_events; }

 private:
  Events m_events;
};

/// Inputs of a design: arrays with time first, or `Trains`. Holds what they refer to.
class Inputs {
 public:
  /// \throws nb::cast_error for anything else
  Inputs(const nb::list& inputs, const std::optional<Ranges>& epochs);
  [[nodiscard]] std::span<const AnySeries> series() const { return m_series; }
  [[nodiscard]] const std::vector<InputShape>& shapes() const { return m_shapes; }

 private:
  nb::list m_objects;
  std::vector<Array> m_arrays;
  std::vector<std::unique_ptr<StridedSeries>> m_owned;
  std::vector<AnySeries> m_series;
  std::vector<InputShape> m_shapes;
};

void bind_bases(nb::module_& module);
void bind_convolve(nb::module_& module);
void bind_features(nb::module_& module);
void bind_files(nb::module_& module);
void bind_operators(nb::module_& module);
void bind_fit(nb::module_& module);
void bind_stream(nb::module_& module);

}  // namespace synelix::python
