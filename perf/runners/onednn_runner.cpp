// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// oneDNN's convolution as a runner. One image of samples x channels pixels, a kernel of window x 1,
// bases as output channels, channels last: exactly our layout, without a transposition. Weights are
// converted to its preferred order before the measurement.

#include "runners/runner.hpp"

#include <Kokkos_Core.hpp>

#ifdef SYNELIX_PERF_ONEDNN
#include <dnnl.hpp>
#endif

namespace synelix::perf {

#ifndef SYNELIX_PERF_ONEDNN

std::unique_ptr<Runner> make_onednn(Problem) { throw Absent("this build found no oneDNN"); }
std::string onednn_version() { return {}; }

#else

namespace {

using dnnl::memory;

class OneDnnRunner : public Runner {
 public:
  explicit OneDnnRunner(Problem problem)
      : Runner(std::move(problem)),
        m_engine(dnnl::engine::kind::cpu, 0),
        m_stream(m_engine),
        m_forward(primitive()),
        m_convolution(first_that_works(m_forward)),
        m_input(m_forward.src_desc(), m_engine, const_cast<void*>(this->problem().x.data)),
        m_weights(weights()),
        m_output(m_forward.dst_desc(), m_engine, nullptr) {}

  void run(void* features) override {
    m_output.set_data_handle(features);
    m_convolution.execute(
        m_stream,
        {{DNNL_ARG_SRC, m_input}, {DNNL_ARG_WEIGHTS, m_weights}, {DNNL_ARG_DST, m_output}});
    m_stream.wait();
  }

  [[nodiscard]] std::string detail() const override { return m_forward.impl_info_str(); }

 private:
  [[nodiscard]] dnnl::convolution_forward::primitive_desc primitive() const {
    const Problem& p = problem();
    const memory::desc input({1, 1, p.samples, p.channels}, memory::data_type::f32,
                             memory::format_tag::nhwc);
    const memory::desc weights({p.bases, 1, p.window, 1}, memory::data_type::f32,
                               memory::format_tag::any);
    const memory::desc output({1, p.bases, p.samples, p.channels}, memory::data_type::f32,
                              memory::format_tag::nhwc);
    return {m_engine,
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_auto,
            input,
            weights,
            output,
            {1, 1},
            {p.window - 1, 0},
            {0, 0}};
  }

  /// Some implementations accept a problem and then cannot generate code for it: then the next one
  /// is tried.
  static dnnl::convolution_forward first_that_works(
      dnnl::convolution_forward::primitive_desc& forward) {
    for (;;) {
      try {
        return dnnl::convolution_forward(forward);
      } catch (const dnnl::error&) {
        if (!forward.next_impl()) throw;
      }
    }
  }

  /// Taps from the oldest sample to the newest, reordered.
  [[nodiscard]] memory weights() {
    const Problem& p = problem();
    std::vector<float> taps(static_cast<std::size_t>(p.bases * p.window));
    for (std::int64_t b = 0; b < p.bases; ++b) {
      for (std::int64_t w = 0; w < p.window; ++w) {
        taps[static_cast<std::size_t>(b * p.window + p.window - 1 - w)] =
            static_cast<float>((*p.taps)(w, b));
      }
    }
    memory plain({{p.bases, 1, p.window, 1}, memory::data_type::f32, memory::format_tag::oihw},
                 m_engine, taps.data());
    memory result(m_forward.weights_desc(), m_engine);
    dnnl::reorder(plain, result).execute(m_stream, plain, result);
    m_stream.wait();
    return result;
  }

  dnnl::engine m_engine;
  dnnl::stream m_stream;
  dnnl::convolution_forward::primitive_desc m_forward;
  dnnl::convolution_forward m_convolution;
  memory m_input;
  memory m_weights;
  memory m_output;
};

}  // namespace

std::unique_ptr<Runner> make_onednn(Problem problem) {
  if (on_device) throw Absent("this oneDNN runs on a host");
  if (problem.is_double) throw Absent("oneDNN convolves no double");
  if (problem.events || problem.x.type != StoredType::float32) {
    throw Absent("oneDNN is given float samples");
  }
  try {
    return std::make_unique<OneDnnRunner>(std::move(problem));
  } catch (const dnnl::error& error) {
    throw Absent(std::string("oneDNN: ") + error.what());
  }
}

std::string onednn_version() {
  const dnnl::version_t* version = dnnl::version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

#endif

}  // namespace synelix::perf
