// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exec_array.hpp"

#include <synelix/basis.hpp>
#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// \file
/// `Runner`: one way to compute the features of one problem, prepared once and run many times. The
/// library is one, and so are the peers that are called from C++.

namespace synelix::perf {

/// Features (samples, channels, bases) of an array (samples, channels) or of events, in float or
/// double. Both are in the memory of Exec, in its natural order. The window of row t has the
/// samples t, t - 1, ..., t - window + 1.
struct Problem {
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
  std::int64_t window = 0;
  bool is_double = false;
  Strided x;
  std::shared_ptr<const Events> events;  ///< used instead of x
  std::shared_ptr<const Taps> taps;
  std::string method;          ///< of the library
  bool is_staged = false;      ///< whether x and features are on the host, and go through the space
                               ///< in blocks: with transfers if it is a device
  bool is_calibrated = false;  ///< whether the library uses the results of `calibrate` here

  [[nodiscard]] FeaturePlaces places() const { return {samples, channels, bases}; }
  [[nodiscard]] std::size_t feature_count() const {
    return static_cast<std::size_t>(samples * channels * bases);
  }
  [[nodiscard]] std::size_t feature_bytes() const {
    return feature_count() * (is_double ? sizeof(double) : sizeof(float));
  }
};

/// A case that a runner does not support, or that is not in this build: the case is listed as
/// omitted.
class Absent : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Runner {
 public:
  explicit Runner(Problem problem) : m_problem(std::move(problem)) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual ~Runner() = default;

  /// Stores features in the caller's memory, aligned to a page on a host.
  virtual void run(void* features) = 0;
  /// Stores features in memory that is allocated in the call, and kept until `release`.
  virtual void run_with_allocation() {
    if constexpr (on_device) {
      m_fresh.reset(Kokkos::kokkos_malloc<Exec::memory_space>("synelix::perf::fresh",
                                                              m_problem.feature_bytes()));
    } else {
      m_fresh.reset(std::malloc(m_problem.feature_bytes()));
    }
    if (!m_fresh) throw std::bad_alloc();
    run(m_fresh.get());
  }
  virtual void release() { m_fresh.reset(); }

  /// The place of feature (t, c, b), in the natural order of the runner.
  [[nodiscard]] virtual std::int64_t place(std::int64_t t, std::int64_t c, std::int64_t b) const {
    return m_problem.places()(t, c, b);
  }

  /// The choice: a method, a length.
  [[nodiscard]] virtual std::string detail() const = 0;
  /// The division of the work, as far as a calibration may change it.
  [[nodiscard]] virtual std::string cut() const { return {}; }
  /// Seconds predicted by its own model; 0: none.
  [[nodiscard]] virtual double predicted_seconds() const { return 0; }

  [[nodiscard]] const Problem& problem() const { return m_problem; }

 private:
  struct Free {
    void operator()(void* memory) const {
      if constexpr (on_device) {
        Kokkos::kokkos_free<Exec::memory_space>(memory);
      } else {
        std::free(memory);
      }
    }
  };
  Problem m_problem;
  std::unique_ptr<void, Free> m_fresh;
};

/// \throws Absent if the library has no such method, Error if it does not apply
std::unique_ptr<Runner> make_synelix(Problem problem);
/// Overlap-save on FFTW, channels in batches. \throws Absent if the build has no FFTW
std::unique_ptr<Runner> make_fftw(Problem problem);
/// oneDNN's convolution in this layout. \throws Absent if the build has none, or for double
std::unique_ptr<Runner> make_onednn(Problem problem);
/// Overlap-save on cuFFT or hipFFT. \throws Absent if the build has neither, or for double
std::unique_ptr<Runner> make_vendor_fft(Problem problem);
/// cuDNN's convolution. \throws Absent if the build has none, or for double
std::unique_ptr<Runner> make_cudnn(Problem problem);

/// Names of the library's methods.
std::vector<std::string> method_names();
/// Versions of the peers in this build; empty: absent.
std::string fftw_version();
std::string onednn_version();
std::string vendor_fft_version();
std::string cudnn_version();

}  // namespace synelix::perf
