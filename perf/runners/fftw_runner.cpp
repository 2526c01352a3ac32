// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// FFTW as a runner: overlap-save in the usual form with that library. Blocks of N samples of a
// batch of neighboring channels are transformed together, multiplied with the spectrum of each
// filter, transformed back, and the rows that wrapped around are dropped. N is the fastest of
// three, tried on a part of the samples before the clock starts; FFTW measures its plans.

#include "runners/runner.hpp"

#ifdef SYNELIX_PERF_FFTW
#include <Kokkos_Core.hpp>

#include <fftw3.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <complex>
#include <cstring>
#endif

namespace synelix::perf {

#ifndef SYNELIX_PERF_FFTW

std::unique_ptr<Runner> make_fftw(Problem) { throw Absent("this build found no FFTW"); }
std::string fftw_version() { return {}; }

#else

namespace {

// Otherwise these loops would be compiled for a plain x86-64, and the peer would be slower than
// necessary.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SYNELIX_PERF_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define SYNELIX_PERF_CLONES
#endif

template <class Scalar>
[[gnu::always_inline]] inline void multiply_spectra(const Scalar* from, std::complex<Scalar> factor,
                                                    Scalar* to, std::int64_t count) {
  const Scalar real = factor.real();
  const Scalar imaginary = factor.imag();
  for (std::int64_t i = 0; i < 2 * count; i += 2) {
    const Scalar a = from[i];
    const Scalar b = from[i + 1];
    to[i] = a * real - b * imaginary;
    to[i + 1] = a * imaginary + b * real;
  }
}
SYNELIX_PERF_CLONES void multiply(const float* from, std::complex<float> factor, float* to,
                                  std::int64_t count) {
  multiply_spectra(from, factor, to, count);
}
SYNELIX_PERF_CLONES void multiply(const double* from, std::complex<double> factor, double* to,
                                  std::int64_t count) {
  multiply_spectra(from, factor, to, count);
}

template <class Scalar>
[[gnu::always_inline]] inline void interleave_bases(const Scalar* from, std::int64_t stride,
                                                    Scalar* to, std::int64_t channels,
                                                    std::int64_t bases) {
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t b = 0; b < bases; ++b) to[c * bases + b] = from[b * stride + c];
  }
}
SYNELIX_PERF_CLONES void interleave(const float* from, std::int64_t stride, float* to,
                                    std::int64_t channels, std::int64_t bases) {
  interleave_bases(from, stride, to, channels, bases);
}
SYNELIX_PERF_CLONES void interleave(const double* from, std::int64_t stride, double* to,
                                    std::int64_t channels, std::int64_t bases) {
  interleave_bases(from, stride, to, channels, bases);
}

/// FFTW's two precisions with one name.
template <class Scalar>
struct Fftw;

template <>
struct Fftw<float> {
  using Complex = fftwf_complex;
  using Plan = fftwf_plan;
  static void* allocate(std::size_t bytes) { return fftwf_malloc(bytes); }
  static void free(void* memory) { fftwf_free(memory); }
  static void destroy(Plan plan) { fftwf_destroy_plan(plan); }
  static Plan forward(int n, int many, float* in, Complex* out) {
    return fftwf_plan_many_dft_r2c(1, &n, many, in, nullptr, many, 1, out, nullptr, many, 1,
                                   FFTW_MEASURE);
  }
  static Plan inverse(int n, int many, Complex* in, float* out) {
    return fftwf_plan_many_dft_c2r(1, &n, many, in, nullptr, many, 1, out, nullptr, many, 1,
                                   FFTW_MEASURE);
  }
  static void run(Plan plan, float* in, Complex* out) { fftwf_execute_dft_r2c(plan, in, out); }
  static void run(Plan plan, Complex* in, float* out) { fftwf_execute_dft_c2r(plan, in, out); }
};

template <>
struct Fftw<double> {
  using Complex = fftw_complex;
  using Plan = fftw_plan;
  static void* allocate(std::size_t bytes) { return fftw_malloc(bytes); }
  static void free(void* memory) { fftw_free(memory); }
  static void destroy(Plan plan) { fftw_destroy_plan(plan); }
  static Plan forward(int n, int many, double* in, Complex* out) {
    return fftw_plan_many_dft_r2c(1, &n, many, in, nullptr, many, 1, out, nullptr, many, 1,
                                  FFTW_MEASURE);
  }
  static Plan inverse(int n, int many, Complex* in, double* out) {
    return fftw_plan_many_dft_c2r(1, &n, many, in, nullptr, many, 1, out, nullptr, many, 1,
                                  FFTW_MEASURE);
  }
  static void run(Plan plan, double* in, Complex* out) { fftw_execute_dft_r2c(plan, in, out); }
  static void run(Plan plan, Complex* in, double* out) { fftw_execute_dft_c2r(plan, in, out); }
};

/// Memory with FFTW's alignment.
template <class T, class Scalar>
class Buffer {
 public:
  explicit Buffer(std::int64_t count)
      : m_memory(
            static_cast<T*>(Fftw<Scalar>::allocate(static_cast<std::size_t>(count) * sizeof(T)))) {
    if (!m_memory) throw std::bad_alloc();
    std::memset(static_cast<void*>(m_memory.get()), 0, static_cast<std::size_t>(count) * sizeof(T));
  }
  [[nodiscard]] T* data() const { return m_memory.get(); }

 private:
  struct Free {
    void operator()(T* memory) const { Fftw<Scalar>::free(memory); }
  };
  std::unique_ptr<T, Free> m_memory;
};

/// Plans and spectra for blocks of n samples of `batch` channels.
template <class Scalar>
class OverlapSave {
  using Library = Fftw<Scalar>;
  using Complex = typename Library::Complex;

 public:
  OverlapSave(const Problem& problem, std::int64_t n)
      : m_problem(problem), m_n(n), m_bins(n / 2 + 1), m_threads(Exec().concurrency()) {
    const auto most = std::max<std::int64_t>(1, std::min(problem.channels, 65536 / n));
    m_groups = (problem.channels + most - 1) / most;
    m_batch = (problem.channels + m_groups - 1) / m_groups;
    for (int thread = 0; thread < m_threads; ++thread) m_rooms.emplace_back(problem, n, m_batch);
    const Room& room = m_rooms.front();
    const int many = static_cast<int>(m_batch);
    m_forward =
        Library::forward(static_cast<int>(n), many, room.block.data(), room.spectrum.data());
    m_inverse = Library::inverse(static_cast<int>(n), many, room.product.data(), room.rows.data());
    transform_filters(room);
  }
  OverlapSave(const OverlapSave&) = delete;
  OverlapSave& operator=(const OverlapSave&) = delete;
  ~OverlapSave() {
    Library::destroy(m_forward);
    Library::destroy(m_inverse);
  }

  /// The first `samples` rows.
  void run(Scalar* features, std::int64_t samples) const {
    const std::int64_t kept = m_n - m_problem.window + 1;
    const std::int64_t items = (samples + kept - 1) / kept * m_groups;
    const Exec exec;
    Kokkos::parallel_for("synelix::perf::fftw", Kokkos::TeamPolicy<Exec>(exec, m_threads, 1),
                         [&](const Kokkos::TeamPolicy<Exec>::member_type& team) {
                           const std::int64_t rank = team.league_rank();
                           const std::int64_t end = items * (rank + 1) / m_threads;
                           for (std::int64_t i = items * rank / m_threads; i < end; ++i) {
                             run_item(m_rooms[static_cast<std::size_t>(rank)], features, samples,
                                      i / m_groups * kept, i % m_groups * m_batch);
                           }
                         });
    exec.fence("synelix::perf: one run");
  }

  [[nodiscard]] std::string detail() const {
    return "N = " + std::to_string(m_n) + ", " + std::to_string(m_batch) + " channels at once";
  }

 private:
  using Exec = Kokkos::DefaultHostExecutionSpace;

  /// The memory of one thread.
  struct Room {
    Buffer<Scalar, Scalar> block;
    Buffer<Complex, Scalar> spectrum;
    Buffer<Complex, Scalar> product;
    Buffer<Scalar, Scalar> rows;  ///< (bases, n, batch)

    Room(const Problem& problem, std::int64_t n, std::int64_t batch)
        : block(n * batch),
          spectrum((n / 2 + 1) * batch),
          product((n / 2 + 1) * batch),
          rows(problem.bases * n * batch) {}
  };

  void transform_filters(const Room& room) {
    m_filters.resize(static_cast<std::size_t>(m_problem.bases * m_bins));
    for (std::int64_t b = 0; b < m_problem.bases; ++b) {
      std::fill_n(room.block.data(), m_n * m_batch, Scalar(0));
      for (std::int64_t w = 0; w < m_problem.window; ++w) {
        room.block.data()[w * m_batch] =
            static_cast<Scalar>((*m_problem.taps)(w, b) / static_cast<double>(m_n));
      }
      Library::run(m_forward, room.block.data(), room.spectrum.data());
      for (std::int64_t bin = 0; bin < m_bins; ++bin) {
        const Complex& value = room.spectrum.data()[bin * m_batch];
        m_filters[static_cast<std::size_t>(b * m_bins + bin)] = {value[0], value[1]};
      }
    }
  }

  void run_item(const Room& room, Scalar* features, std::int64_t samples, std::int64_t first_row,
                std::int64_t first_channel) const {
    const Problem& p = m_problem;
    const auto* x = static_cast<const Scalar*>(p.x.data);
    const std::int64_t channels = std::min(m_batch, p.channels - first_channel);
    Scalar* const block = room.block.data();
    for (std::int64_t r = 0; r < m_n; ++r) {
      const std::int64_t t = first_row - (p.window - 1) + r;
      if (t < 0 || t >= samples) {
        std::fill_n(block + r * m_batch, m_batch, Scalar(0));
      } else {
        std::copy_n(x + t * p.channels + first_channel, channels, block + r * m_batch);
      }
    }
    Library::run(m_forward, block, room.spectrum.data());
    const auto* spectrum = reinterpret_cast<const Scalar*>(room.spectrum.data());
    auto* product = reinterpret_cast<Scalar*>(room.product.data());
    for (std::int64_t b = 0; b < p.bases; ++b) {
      for (std::int64_t bin = 0; bin < m_bins; ++bin) {
        multiply(spectrum + 2 * bin * m_batch,
                 m_filters[static_cast<std::size_t>(b * m_bins + bin)], product + 2 * bin * m_batch,
                 m_batch);
      }
      Library::run(m_inverse, room.product.data(), room.rows.data() + b * m_n * m_batch);
    }
    const std::int64_t rows = std::min(m_n - p.window + 1, samples - first_row);
    for (std::int64_t r = 0; r < rows; ++r) {
      interleave(room.rows.data() + (r + p.window - 1) * m_batch, m_n * m_batch,
                 features + ((first_row + r) * p.channels + first_channel) * p.bases, channels,
                 p.bases);
    }
  }

  const Problem& m_problem;
  std::int64_t m_n;
  std::int64_t m_bins;
  int m_threads;
  std::int64_t m_groups = 0;
  std::int64_t m_batch = 0;
  std::vector<Room> m_rooms;
  std::vector<std::complex<Scalar>> m_filters;
  typename Library::Plan m_forward{};
  typename Library::Plan m_inverse{};
};

template <class Scalar>
class FftwRunner : public Runner {
 public:
  explicit FftwRunner(Problem problem) : Runner(std::move(problem)) {
    const Problem& p = this->problem();
    const auto shortest = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(2 * p.window, 64))));
    double best = 0;
    for (std::int64_t n = shortest; n <= 4 * shortest; n *= 2) {
      auto way = std::make_unique<OverlapSave<Scalar>>(p, n);
      const std::int64_t samples =
          std::min(p.samples, std::max<std::int64_t>(8 * shortest, 20'000));
      std::vector<Scalar> trial(static_cast<std::size_t>(samples * p.channels * p.bases));
      way->run(trial.data(), samples);
      const auto start = std::chrono::steady_clock::now();
      way->run(trial.data(), samples);
      const double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (!m_way || seconds < best) {
        best = seconds;
        m_way = std::move(way);
      }
    }
  }

  void run(void* features) override {
    m_way->run(static_cast<Scalar*>(features), problem().samples);
  }
  [[nodiscard]] std::string detail() const override { return m_way->detail(); }

 private:
  std::unique_ptr<OverlapSave<Scalar>> m_way;
};

}  // namespace

std::unique_ptr<Runner> make_fftw(Problem problem) {
  if (on_device) throw Absent("FFTW runs on a host");
  const StoredType type = problem.is_double ? StoredType::float64 : StoredType::float32;
  if (problem.events || problem.x.type != type) {
    throw Absent("FFTW is given samples of the type it computes in");
  }
  if (problem.is_double) return std::make_unique<FftwRunner<double>>(std::move(problem));
  return std::make_unique<FftwRunner<float>>(std::move(problem));
}

std::string fftw_version() { return fftwf_version; }

#endif

}  // namespace synelix::perf
