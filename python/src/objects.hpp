// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device_arrays.hpp"
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
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Contents of Python objects: filter banks in both working types, and spike trains.

namespace synelix::python {

/// Filter banks of float and of double in one space.
template <class Space>
using Banks = std::tuple<Held<FilterBank<float, Space>>, Held<FilterBank<double, Space>>>;

/// Taps on the host, and filter banks of each type and space, made when needed.
class Bank {
 public:
  explicit Bank(Taps taps) : m_taps(std::move(taps)) {}
  [[nodiscard]] const Taps& taps() const { return m_taps; }
  template <class Scalar, class Space>
  FilterBank<Scalar, Space> in(const Space& exec) {
    const std::lock_guard lock(m_mutex);
    auto& bank = std::get<Held<FilterBank<Scalar, Space>>>(banks<Space>());
    return bank.get() != nullptr ? *bank.get() : bank.emplace(exec, m_taps);
  }

 private:
  template <class Space>
  Banks<Space>& banks() {
    if constexpr (std::is_same_v<Space, Exec>) {
      return m_banks;
    } else {
      return m_banks_on_device;
    }
  }

  Taps m_taps;
  std::mutex m_mutex;
  Banks<Exec> m_banks;
  Banks<DeviceExec> m_banks_on_device;
};

/// Spike trains, in their own memory.
class Trains {
 public:
  explicit Trains(Events events) : m_events(std::move(events)) {}
  [[nodiscard]] const Events& get() const { return m_events; }

 private:
  Events m_events;
};

/// Inputs of a design: arrays with time first, or `Trains`. Keeps the objects that they refer to.
class Inputs {
 public:
  /// \throws nb::cast_error for anything else, Error if arrays are in both memories
  Inputs(const nb::list& inputs, const std::optional<Ranges>& epochs);
  /// The memory of the arrays; the host if there are none.
  [[nodiscard]] Memory memory() const { return m_memory; }
  /// Copies spike trains to the device. Call it on a device before `series`.
  template <class Space>
  void bring_events(const Space& exec) {
    if constexpr (!std::is_same_v<Space, Exec>) {
      std::vector<Events>& brought = m_brought.emplace();
      brought.reserve(m_series.size());  // series refer to its elements
      for (AnySeries& series : m_series) {
        if (series.events() == nullptr) continue;
        brought.push_back(copy_events(exec, *series.events()));
        series = AnySeries(brought.back());
      }
    }
  }
  [[nodiscard]] std::span<const AnySeries> series() const { return m_series; }
  [[nodiscard]] const std::vector<InputShape>& shapes() const { return m_shapes; }

 private:
  nb::list m_objects;
  Memory m_memory = Memory::host;
  std::vector<Given> m_arrays;
  Held<std::vector<Events>> m_brought;  ///< in memory of the device
  std::vector<std::unique_ptr<StridedSeries>> m_owned;
  std::vector<AnySeries> m_series;
  std::vector<InputShape> m_shapes;
};

void bind_bases(nb::module_& module);
void bind_convolve(nb::module_& module);
void bind_features(nb::module_& module);
void bind_files(nb::module_& module);
void bind_machine(nb::module_& module);
void bind_operators(nb::module_& module);
void bind_fit(nb::module_& module);
void bind_stream(nb::module_& module);

}  // namespace synelix::python
