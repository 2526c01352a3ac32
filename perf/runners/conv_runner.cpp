// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runners/conv_runner.hpp"

#include "runners/runner.hpp"

#include <synelix/conv.hpp>

#include <Kokkos_Core.hpp>

#include <span>

namespace synelix::perf {
namespace {

/// Extents or strides in the library's order of dimensions, without moving channels.
std::vector<std::int64_t> in_order(const ConvProblem& problem, std::vector<std::int64_t> numbers) {
  if (problem.channels_last) {
    numbers.push_back(numbers[1]);
    numbers.erase(numbers.begin() + 1);
  }
  return numbers;
}

template <class Array, class T>
Array array_of(const ConvProblem& problem, const ConvArray<T>& values) {
  return Array(values.data(), std::span<const std::int64_t>(in_order(problem, values.extents())),
               std::span<const std::int64_t>(in_order(problem, values.strides())));
}

/// Weights: results, channels and taps, for any order in memory.
template <class Array, class T>
Array weights_of(const ConvArray<T>& values) {
  return Array(values.data(), std::span<const std::int64_t>(values.extents()),
               std::span<const std::int64_t>(values.strides()));
}

/// The library, with a plan that is made once.
template <class X>
class Library : public OperatorRunner {
 public:
  Library(const ConvProblem& problem, ConvMethod method)
      : m_problem(problem), m_memory(problem), m_plan(m_exec, arrays(), options(method)) {}
  void run() override {
    m_plan.run(m_exec);
    m_exec.fence();
  }
  [[nodiscard]] double value(const std::vector<std::int64_t>& point) const override {
    return m_memory.value(m_problem, point);
  }
  [[nodiscard]] std::string detail() const override { return name_of(m_plan.choice().method); }

 private:
  [[nodiscard]] ConvOptions options(ConvMethod method) const {
    ConvOptions result;
    result.method = method;
    result.padding = m_problem.padding;
    result.groups = m_problem.groups;
    result.channels = m_problem.channels_last ? ChannelOrder::last : ChannelOrder::first;
    return result;
  }
  [[nodiscard]] ConvArrays arrays() const {
    const int dimensions = static_cast<int>(m_problem.space.size());
    Operand x(array_of<Strided>(m_problem, m_memory.x));
    if (m_problem.is_int8) x = Operand(scaled(x.array(), 1.0 / 128, 0));
    const Operand w(weights_of<Strided>(m_memory.w));
    const Operand y(array_of<Strided>(m_problem, m_memory.y));
    if (m_problem.op == "forward") {
      return {ConvOperator::forward,
              dimensions,
              x,
              w,
              no_bias,
              array_of<StridedOutput>(m_problem, m_memory.y)};
    }
    if (m_problem.op == "grad_input") {
      return {ConvOperator::grad_input,
              dimensions,
              y,
              w,
              no_bias,
              array_of<StridedOutput>(m_problem, m_memory.x)};
    }
    return {ConvOperator::grad_weights,           dimensions, x, y, no_bias,
            weights_of<StridedOutput>(m_memory.w)};
  }

  Exec m_exec;
  ConvProblem m_problem;
  ConvMemory<X> m_memory;
  ConvPlan<float, Exec> m_plan;
};

}  // namespace

std::unique_ptr<OperatorRunner> make_conv(const std::string& runner, const ConvProblem& problem) {
  if (runner == "onednn") return make_onednn_conv(problem);
  ConvMethod method = ConvMethod::automatic;
  if (runner == "synelix_direct") {
    method = ConvMethod::direct;
  } else if (runner == "synelix_fft") {
    method = ConvMethod::fft;
  } else if (runner != "synelix") {
    throw Absent("no runner of convolutions is called " + runner);
  }
  if (problem.is_int8) {
    if (problem.op == "grad_input") throw Absent("a gradient is not stored as int8");
    return std::make_unique<Library<std::int8_t>>(problem, method);
  }
  return std::make_unique<Library<float>>(problem, method);
}

}  // namespace synelix::perf
