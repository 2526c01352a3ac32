// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuDNN's convolution as a runner, on a device. Each channel is an image of one line, bases are
// output channels; features are (channels, bases, samples), cuDNN's own order. The leading zeros
// are samples, too, and are written once. The algorithm is the fastest by cuDNN's measurements, of
// those that compute in float: the shorter mantissa of tensor cores gives a different result.

#include "runners/runner.hpp"

#ifdef SYNELIX_PERF_CUDNN
#include <Kokkos_Core.hpp>

#include <cudnn.h>

#include <algorithm>
#include <climits>
#endif

namespace synelix::perf {

#ifndef SYNELIX_PERF_CUDNN

// NOLINTNEXTLINE(performance-unnecessary-value-param): the other definition below keeps it
std::unique_ptr<Runner> make_cudnn(Problem) { throw Absent("this build found no cuDNN"); }
std::string cudnn_version() { return {}; }

#else

namespace {

void check(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS) {
    throw Absent(std::string("cuDNN ") + call + ": " + cudnnGetErrorString(status));
  }
}

/// A handle or descriptor that is destroyed with its owner.
template <class T, auto create, auto destroy>
class Owned {
 public:
  Owned() { check(create(&m_value), "create"); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { static_cast<void>(destroy(m_value)); }
  operator T() const { return m_value; }  // NOLINT(google-explicit-constructor): it is one

 private:
  T m_value{};
};
using Library = Owned<cudnnHandle_t, cudnnCreate, cudnnDestroy>;
using Tensor =
    Owned<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using Filter =
    Owned<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using Convolution = Owned<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
                          cudnnDestroyConvolutionDescriptor>;
using Values = Kokkos::View<float*, Exec::memory_space>;

class CudnnRunner : public Runner {
 public:
  explicit CudnnRunner(Problem problem) : Runner(std::move(problem)) {
    const Problem& p = this->problem();
    const std::int64_t padded = p.samples + p.window - 1;
    if (std::max(padded * p.channels, p.samples * p.channels * p.bases) > INT_MAX) {
      throw Absent("more than 2^31 values, which cuDNN does not take");
    }
    const auto channels = static_cast<int>(p.channels);
    const auto bases = static_cast<int>(p.bases);
    const auto window = static_cast<int>(p.window);
    check(cudnnSetStream(m_library, m_exec.cuda_stream()), "stream");
    check(cudnnSetTensor4dDescriptor(m_input, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, channels, 1, 1,
                                     static_cast<int>(padded)),
          "input");
    check(cudnnSetTensor4dDescriptor(m_output, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, channels, bases,
                                     1, static_cast<int>(p.samples)),
          "output");
    check(cudnnSetFilter4dDescriptor(m_filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, bases, 1, 1,
                                     window),
          "filter");
    check(cudnnSetConvolution2dDescriptor(m_convolution, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                          CUDNN_DATA_FLOAT),
          "convolution");
    check(cudnnSetConvolutionMathType(m_convolution, CUDNN_FMA_MATH), "math");
    copy_samples(padded);
    copy_taps();
    choose();
  }

  void run(void* features) override {
    const float one = 1;
    const float zero = 0;
    check(cudnnConvolutionForward(m_library, &one, m_input, m_samples.data(), m_filter,
                                  m_taps.data(), m_convolution, m_algorithm.algo, m_room.data(),
                                  m_room.size(), &zero, m_output, features),
          "forward");
    m_exec.fence("synelix::perf: one run");
  }

  [[nodiscard]] std::int64_t place(std::int64_t t, std::int64_t c, std::int64_t b) const override {
    return t + problem().samples * (b + problem().bases * c);
  }
  [[nodiscard]] std::string detail() const override {
    return "algorithm " + std::to_string(m_algorithm.algo);
  }

 private:
  void copy_samples(std::int64_t padded) {
    const Problem& p = problem();
    m_samples = Values("synelix::perf::samples", static_cast<std::size_t>(padded * p.channels));
    const Kokkos::View<const float*, Exec::memory_space, Kokkos::MemoryUnmanaged> x(
        static_cast<const float*>(p.x.data), static_cast<std::size_t>(p.samples * p.channels));
    for (std::int64_t c = 0; c < p.channels; ++c) {
      const std::int64_t first = c * padded + p.window - 1;
      Kokkos::deep_copy(Kokkos::subview(m_samples, std::pair(first, first + p.samples)),
                        Kokkos::subview(x, std::pair(c * p.samples, (c + 1) * p.samples)));
    }
  }

  /// From the oldest sample to the newest: cuDNN correlates.
  void copy_taps() {
    const Problem& p = problem();
    m_taps = Values("synelix::perf::taps", static_cast<std::size_t>(p.bases * p.window));
    const auto here = Kokkos::create_mirror_view(m_taps);
    for (std::int64_t b = 0; b < p.bases; ++b) {
      for (std::int64_t w = 0; w < p.window; ++w) {
        here(static_cast<std::size_t>(b * p.window + p.window - 1 - w)) =
            static_cast<float>((*p.taps)(w, b));
      }
    }
    Kokkos::deep_copy(m_taps, here);
  }

  /// The fastest algorithm with this compute type.
  void choose() {
    std::vector<cudnnConvolutionFwdAlgoPerf_t> found(CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
    int count = 0;
    check(
        cudnnFindConvolutionForwardAlgorithm(m_library, m_input, m_filter, m_convolution, m_output,
                                             static_cast<int>(found.size()), &count, found.data()),
        "search");
    const auto works = [](const cudnnConvolutionFwdAlgoPerf_t& one) {
      return one.status == CUDNN_STATUS_SUCCESS && one.mathType == CUDNN_FMA_MATH;
    };
    const auto first = std::find_if(found.begin(), found.begin() + count, works);
    if (first == found.begin() + count) throw Absent("cuDNN has no algorithm for this problem");
    m_algorithm = *first;
    m_room = Kokkos::View<std::byte*, Exec::memory_space>("synelix::perf::room", first->memory);
  }

  Exec m_exec;
  Library m_library;
  Tensor m_input;
  Tensor m_output;
  Filter m_filter;
  Convolution m_convolution;
  cudnnConvolutionFwdAlgoPerf_t m_algorithm{};
  Values m_samples;
  Values m_taps;
  Kokkos::View<std::byte*, Exec::memory_space> m_room;
};

}  // namespace

std::unique_ptr<Runner> make_cudnn(Problem problem) {
  if (problem.is_double || problem.events || problem.x.type != StoredType::float32) {
    throw Absent("cuDNN is compared on float samples");
  }
  return std::make_unique<CudnnRunner>(std::move(problem));
}

std::string cudnn_version() { return std::to_string(cudnnGetVersion()); }

#endif

}  // namespace synelix::perf
