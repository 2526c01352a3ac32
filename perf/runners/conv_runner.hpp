// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exec_array.hpp"
#include "runners/operator_runner.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Convolution operators that are run by the library and its peers.

namespace synelix::perf {

/// x (batch, channels, space), w (results, channels / groups, taps), y (batch, results, outputs),
/// of float, stride and dilation 1. Value i of x is (i * 7919 % 251 - 125) / 128, of w (i * 104729
/// % 1013) / 1013 - 1/2, of y (where it is read) (i * 7907 % 1009) / 1009 - 1/2; i counts in the
/// order of dimensions above, for any order in memory.
struct ConvProblem {
  std::string op;  ///< "forward", "grad_input" or "grad_weights"
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t results = 1;
  std::int64_t groups = 1;
  std::vector<std::int64_t> space;
  std::vector<std::int64_t> taps;
  std::int64_t padding = 0;  ///< zeros, on each side
  bool channels_last = false;
  bool is_int8 = false;  ///< x is stored as int8, with scale 1 / 128

  [[nodiscard]] std::vector<std::int64_t> input() const { return joined({batch, channels}, space); }
  [[nodiscard]] std::vector<std::int64_t> weights() const {
    return joined({results, channels / groups}, taps);
  }
  [[nodiscard]] std::vector<std::int64_t> output() const {
    std::vector<std::int64_t> extents = joined({batch, results}, space);
    for (std::size_t d = 0; d < space.size(); ++d) extents[d + 2] += 2 * padding - taps[d] + 1;
    return extents;
  }
  /// Extents of the result of the operator.
  [[nodiscard]] std::vector<std::int64_t> result() const {
    if (op == "forward") return output();
    return op == "grad_input" ? input() : weights();
  }
  [[nodiscard]] static std::int64_t count(const std::vector<std::int64_t>& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>{});
  }
  /// Strides in memory: dense, with the second dimension fastest if channels are last.
  [[nodiscard]] std::vector<std::int64_t> strides(const std::vector<std::int64_t>& extents) const {
    std::vector<std::int64_t> found(extents.size());
    std::int64_t stride = channels_last ? extents[1] : 1;
    for (std::size_t d = extents.size(); d-- > 0;) {
      if (channels_last && d == 1) continue;
      found[d] = stride;
      stride *= extents[d];
    }
    if (channels_last) found[1] = 1;
    return found;
  }

 private:
  static std::vector<std::int64_t> joined(std::vector<std::int64_t> front,
                                          const std::vector<std::int64_t>& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
  }
};

/// A dense array of a problem, in its order.
template <class T>
class ConvArray {
 public:
  /// Zeros.
  ConvArray(const ConvProblem& problem, std::vector<std::int64_t> extents)
      : m_extents(std::move(extents)),
        m_strides(problem.strides(m_extents)),
        m_values(static_cast<std::size_t>(ConvProblem::count(m_extents))) {}
  /// Stores value(i) for value number i in the order of the dimensions.
  template <class Value>
  ConvArray(const ConvProblem& problem, std::vector<std::int64_t> extents, const Value& value)
      : ConvArray(problem, std::move(extents)) {
    std::vector<std::int64_t> place(m_extents.size(), 0);
    for (std::int64_t i = 0; i < ConvProblem::count(m_extents); ++i) {
      m_values[offset(place)] = value(i);
      for (std::size_t d = place.size(); d > 0; --d) {
        if (++place[d - 1] < m_extents[d - 1]) break;
        place[d - 1] = 0;
      }
    }
    m_values.to_exec();
  }

  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return m_extents; }
  [[nodiscard]] const std::vector<std::int64_t>& strides() const { return m_strides; }
  [[nodiscard]] T* data() const { return m_values.data(); }
  [[nodiscard]] double value(const std::vector<std::int64_t>& place) const {
    m_values.to_host();
    return static_cast<double>(m_values[offset(place)]);
  }

 private:
  [[nodiscard]] std::size_t offset(const std::vector<std::int64_t>& place) const {
    return static_cast<std::size_t>(
        std::inner_product(place.begin(), place.end(), m_strides.begin(), std::int64_t{0}));
  }

  std::vector<std::int64_t> m_extents;
  std::vector<std::int64_t> m_strides;
  ExecArray<T> m_values;
};

/// The operands of an operator of a problem, in the order of its call, and its result. `X` is the
/// stored type of x.
template <class X>
struct ConvMemory {
  ConvArray<X> x;  ///< of one value if it is neither read nor written
  ConvArray<float> w;
  ConvArray<float> y;

  explicit ConvMemory(const ConvProblem& problem)
      : x(problem.op == "grad_input"
              ? ConvArray<X>(problem, problem.input())
              : ConvArray<X>(problem, problem.input(),
                             [](std::int64_t i) {
                               const std::int64_t stored = i * 7919 % 251 - 125;
                               return std::is_same_v<X, float>
                                          ? static_cast<X>(static_cast<float>(stored) / 128)
                                          : static_cast<X>(stored);
                             })),
        w(problem.op == "grad_weights"
              ? ConvArray<float>(problem, problem.weights())
              : ConvArray<float>(problem, problem.weights(), made_value(104'729, 1013))),
        y(problem.op == "forward"
              ? ConvArray<float>(problem, problem.output())
              : ConvArray<float>(problem, problem.output(), made_value(7907, 1009))) {}

  /// Of the result.
  [[nodiscard]] double value(const ConvProblem& problem,
                             const std::vector<std::int64_t>& place) const {
    if (problem.op == "forward") return y.value(place);
    return problem.op == "grad_input" ? x.value(place) : w.value(place);
  }

 private:
  static auto made_value(std::int64_t factor, std::int64_t divisor) {
    return [=](std::int64_t i) {
      return static_cast<float>(
          static_cast<double>(i * factor % divisor) / static_cast<double>(divisor) - 0.5);
    };
  }
};

/// The library ("synelix", "synelix_direct", "synelix_fft"), or oneDNN in the same order in memory
/// ("onednn"; its weights in its preferred order).
/// \throws Absent if this build has no such runner, or it does not apply
std::unique_ptr<OperatorRunner> make_conv(const std::string& runner, const ConvProblem& problem);
/// Of it, oneDNN's.
std::unique_ptr<OperatorRunner> make_onednn_conv(const ConvProblem& problem);

}  // namespace synelix::perf
