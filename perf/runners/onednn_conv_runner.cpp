// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runners/conv_runner.hpp"
#include "runners/runner.hpp"

#include <Kokkos_Core.hpp>

#ifdef SYNELIX_PERF_ONEDNN
#include <dnnl.hpp>
#endif

namespace synelix::perf {

#ifndef SYNELIX_PERF_ONEDNN

std::unique_ptr<OperatorRunner> make_onednn_conv(const ConvProblem&) {
  throw Absent("this build found no oneDNN");
}

#else

namespace {

using dnnl::memory;
using tag = memory::format_tag;

/// oneDNN's convolution and its gradients. Samples and results are in the order of the problem;
/// weights are in oneDNN's preferred order, and are reordered outside of the measured time.
class OneDnnConv : public OperatorRunner {
 public:
  explicit OneDnnConv(const ConvProblem& problem)
      : m_problem(problem),
        m_memory(problem),
        m_x(in_order(problem, problem.input())),
        m_y(in_order(problem, problem.output())),
        m_plain_weights(grouped(problem), memory::data_type::f32, plain_weights(problem)) {
    const memory::desc any(grouped(problem), memory::data_type::f32, tag::any);
    const memory::dims strides(problem.space.size(), 1);
    const memory::dims padding(problem.space.size(), problem.padding);
    const auto direct = dnnl::algorithm::convolution_auto;
    using dnnl::convolution_backward_data;
    using dnnl::convolution_backward_weights;
    using dnnl::convolution_forward;
    const convolution_forward::primitive_desc forward(
        m_engine,
        problem.op == "forward" ? dnnl::prop_kind::forward_inference
                                : dnnl::prop_kind::forward_training,
        direct, m_x, any, m_y, strides, padding, padding);
    const memory x(m_x, m_engine, m_memory.x.data());
    const memory y(m_y, m_engine, m_memory.y.data());
    if (problem.op == "forward") {
      set<convolution_forward>(forward, forward.weights_desc());
      m_arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, m_weights}, {DNNL_ARG_DST, y}};
    } else if (problem.op == "grad_input") {
      const convolution_backward_data::primitive_desc back(m_engine, direct, m_x, any, m_y, strides,
                                                           padding, padding, forward);
      set<convolution_backward_data>(back, back.weights_desc());
      m_arguments = {{DNNL_ARG_DIFF_SRC, x}, {DNNL_ARG_WEIGHTS, m_weights}, {DNNL_ARG_DIFF_DST, y}};
    } else {
      const convolution_backward_weights::primitive_desc back(m_engine, direct, m_x, any, m_y,
                                                              strides, padding, padding, forward);
      set<convolution_backward_weights>(back, back.diff_weights_desc());
      m_arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_WEIGHTS, m_weights}, {DNNL_ARG_DIFF_DST, y}};
    }
  }

  void run() override {
    m_primitive.execute(m_stream, m_arguments);
    m_stream.wait();
  }

  [[nodiscard]] double value(const std::vector<std::int64_t>& point) const override {
    if (m_problem.op == "grad_weights") {
      dnnl::stream stream(m_engine);
      memory plain(m_plain_weights, m_engine, m_memory.w.data());
      memory made = m_weights;
      dnnl::reorder(made, plain).execute(stream, made, plain);
      stream.wait();
    }
    return m_memory.value(m_problem, point);
  }

  [[nodiscard]] std::string detail() const override { return m_detail; }

 private:
  template <class Primitive>
  void set(const typename Primitive::primitive_desc& description, const memory::desc& weights) {
    m_detail = description.impl_info_str();
    m_primitive = Primitive(description);
    m_weights = memory(weights, m_engine);
    if (m_problem.op == "grad_weights") return;
    memory plain(m_plain_weights, m_engine, m_memory.w.data());
    dnnl::reorder(plain, m_weights).execute(m_stream, plain, m_weights);
    m_stream.wait();
  }

  static memory::desc in_order(const ConvProblem& problem, const memory::dims& extents) {
    const std::size_t dimensions = problem.space.size();
    const tag first[] = {tag::ncw, tag::nchw, tag::ncdhw};
    const tag last[] = {tag::nwc, tag::nhwc, tag::ndhwc};
    return {extents, memory::data_type::f32,
            problem.channels_last ? last[dimensions - 1] : first[dimensions - 1]};
  }

  /// Groups, results and channels of a group, taps.
  static memory::dims grouped(const ConvProblem& problem) {
    memory::dims extents = problem.weights();
    extents[0] /= problem.groups;
    extents.insert(extents.begin(), problem.groups);
    return extents;
  }

  /// Strides of the weights' memory.
  static memory::dims plain_weights(const ConvProblem& problem) {
    memory::dims strides = problem.strides(problem.weights());
    strides.insert(strides.begin(), strides[0] * problem.results / problem.groups);
    return strides;
  }

  ConvProblem m_problem;
  ConvMemory<float> m_memory;
  memory::desc m_x;
  memory::desc m_y;
  memory::desc m_plain_weights;
  dnnl::engine m_engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream m_stream{m_engine};
  dnnl::primitive m_primitive;
  memory m_weights;
  std::unordered_map<int, memory> m_arguments;
  std::string m_detail;
};

}  // namespace

std::unique_ptr<OperatorRunner> make_onednn_conv(const ConvProblem& problem) {
  if (on_device) throw Absent("this oneDNN runs on a host");
  if (problem.is_int8) throw Absent("oneDNN is given float samples");
  try {
    return std::make_unique<OneDnnConv>(problem);
  } catch (const dnnl::error& error) {
    throw Absent(std::string("oneDNN: ") + error.what());
  }
}

#endif

}  // namespace synelix::perf
