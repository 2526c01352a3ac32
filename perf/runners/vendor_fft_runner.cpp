// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuFFT or hipFFT as a runner, on a device: overlap-save in the usual form with such a library.
// Blocks of N samples that overlap are transformed in one batch; for each basis all spectra are
// multiplied, transformed back in one batch, and the rows that did not wrap around are copied to
// their place. N is the fastest of four, tried before the measurement.

#include "runners/runner.hpp"

#if defined(SYNELIX_PERF_CUFFT)
#include <cufft.h>
#elif defined(SYNELIX_PERF_HIPFFT)
#include <hipfft/hipfft.h>
#endif

#if defined(SYNELIX_PERF_CUFFT) || defined(SYNELIX_PERF_HIPFFT)
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#endif

namespace synelix::perf {

#if !defined(SYNELIX_PERF_CUFFT) && !defined(SYNELIX_PERF_HIPFFT)

// NOLINTNEXTLINE(performance-unnecessary-value-param): the other definition below keeps it
std::unique_ptr<Runner> make_vendor_fft(Problem) {
  throw Absent("this build found neither cuFFT nor hipFFT");
}
std::string vendor_fft_version() { return {}; }

#else

namespace {

// The two libraries with one name.
#if defined(SYNELIX_PERF_CUFFT)
using Handle = cufftHandle;
using Complex = cufftComplex;
constexpr int success = CUFFT_SUCCESS;
constexpr auto forward_type = CUFFT_R2C;
constexpr auto inverse_type = CUFFT_C2R;
constexpr auto plan_many = cufftPlanMany;
constexpr auto execute_forward = cufftExecR2C;
constexpr auto execute_inverse = cufftExecC2R;
constexpr auto destroy = cufftDestroy;
constexpr auto library_version = cufftGetVersion;
constexpr const char* library_name = "cuFFT ";
int run_on(Handle plan, const Exec& exec) { return cufftSetStream(plan, exec.cuda_stream()); }
#else
using Handle = hipfftHandle;
using Complex = hipfftComplex;
constexpr int success = HIPFFT_SUCCESS;
constexpr auto forward_type = HIPFFT_R2C;
constexpr auto inverse_type = HIPFFT_C2R;
constexpr auto plan_many = hipfftPlanMany;
constexpr auto execute_forward = hipfftExecR2C;
constexpr auto execute_inverse = hipfftExecC2R;
constexpr auto destroy = hipfftDestroy;
constexpr auto library_version = hipfftGetVersion;
constexpr const char* library_name = "hipFFT ";
int run_on(Handle plan, const Exec& exec) { return hipfftSetStream(plan, exec.hip_stream()); }
#endif

void check(int code, const char* call) {
  if (code != success) throw Absent(std::string(library_name) + call + ": " + std::to_string(code));
}

/// A batch of transforms of `n` reals; the real arrays are `distance` apart.
class Batch {
 public:
  Batch(const Exec& exec, bool is_forward, int n, int distance, int count) {
    const int bins = n / 2 + 1;
    int length = n;
    check(is_forward ? plan_many(&m_plan, 1, &length, &length, 1, distance, &length, 1, bins,
                                 forward_type, count)
                     : plan_many(&m_plan, 1, &length, &length, 1, bins, &length, 1, distance,
                                 inverse_type, count),
          "plan");
    check(run_on(m_plan, exec), "stream");
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() { static_cast<void>(destroy(m_plan)); }

  void forward(float* in, Kokkos::complex<float>* out) const {
    check(execute_forward(m_plan, in, reinterpret_cast<Complex*>(out)), "forward");
  }
  void inverse(Kokkos::complex<float>* in, float* out) const {
    check(execute_inverse(m_plan, reinterpret_cast<Complex*>(in), out), "inverse");
  }

 private:
  Handle m_plan{};
};

using Index = std::uint32_t;  // divided in kernels, in which 64-bit divisions are slow
using Reals = Kokkos::View<float*, Exec::memory_space>;
using Spectra = Kokkos::View<Kokkos::complex<float>*, Exec::memory_space>;
using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;

/// Samples after W - 1 zeros; each channel has a separate range.
struct Pad {
  const float* x;  // sample fastest
  Reals padded;
  Index samples;
  Index window;
  Index pitch;
  KOKKOS_FUNCTION void operator()(Index i) const {
    const Index channel = i / samples;
    padded(channel * pitch + window - 1 + i % samples) = x[i];
  }
};
struct Multiply {
  Spectra from;
  Spectra filters;
  Spectra to;
  Index bins;
  Index basis;
  KOKKOS_FUNCTION void operator()(Index i) const {
    to(i) = from(i) * filters(basis * bins + i % bins);
  }
};
struct Crop {
  Reals rows;
  float* features;  // of this basis, (samples, channels), sample fastest
  Index samples;
  Index window;
  Index n;
  Index hop;
  Index blocks;  // from one channel to the next
  KOKKOS_FUNCTION void operator()(Index i) const {
    const Index t = i % samples;
    const Index block = i / samples * blocks + t / hop;
    features[i] = rows(std::size_t{block} * n + window - 1 + t % hop);
  }
};

/// Plans, spectra of the filters and memory for blocks of n samples.
class OverlapSave {
 public:
  OverlapSave(const Problem& problem, std::int64_t n)
      : m_problem(problem), m_n(n), m_hop(n - problem.window + 1) {
    // No block of a channel extends into the next channel's samples.
    m_blocks = (problem.samples + m_hop - 1) / m_hop + (problem.window + m_hop - 2) / m_hop;
    const std::int64_t count = problem.channels * m_blocks;
    if (std::max(count * n, problem.samples * problem.channels) > UINT32_MAX ||
        count * n > INT32_MAX) {
      throw Absent("more than 2^31 values in a batch of transforms");
    }
    m_padded = Reals("synelix::perf::padded", m_hop * count + n);
    m_spectra = Spectra("synelix::perf::spectra", bins() * count);
    m_product = Spectra("synelix::perf::product", bins() * count);
    m_rows = Reals("synelix::perf::rows", n * count);
    const auto length = static_cast<int>(n);
    m_forward = std::make_unique<Batch>(m_exec, true, length, static_cast<int>(m_hop),
                                        static_cast<int>(count));
    m_inverse = std::make_unique<Batch>(m_exec, false, length, length, static_cast<int>(count));
    transform_filters();
  }

  void run(float* features) const {
    const Problem& p = m_problem;
    const auto samples = static_cast<Index>(p.samples);
    const auto window = static_cast<Index>(p.window);
    const Policy all(m_exec, 0, static_cast<Index>(p.samples * p.channels));
    const Policy points(m_exec, 0, static_cast<Index>(m_spectra.size()));
    Kokkos::parallel_for("synelix::perf::pad", all,
                         Pad{static_cast<const float*>(p.x.data), m_padded, samples, window,
                             static_cast<Index>(m_blocks * m_hop)});
    m_forward->forward(m_padded.data(), m_spectra.data());
    for (std::int64_t b = 0; b < p.bases; ++b) {
      Kokkos::parallel_for("synelix::perf::multiply", points,
                           Multiply{m_spectra, m_filters, m_product, static_cast<Index>(bins()),
                                    static_cast<Index>(b)});
      m_inverse->inverse(m_product.data(), m_rows.data());
      Kokkos::parallel_for(
          "synelix::perf::crop", all,
          Crop{m_rows, features + b * p.samples * p.channels, samples, window,
               static_cast<Index>(m_n), static_cast<Index>(m_hop), static_cast<Index>(m_blocks)});
    }
    m_exec.fence("synelix::perf: one run");
  }

  [[nodiscard]] std::string detail() const { return "N = " + std::to_string(m_n); }

 private:
  [[nodiscard]] std::int64_t bins() const { return m_n / 2 + 1; }

  /// Spectra of the taps divided by N, so that no scaling is left.
  void transform_filters() {
    const Problem& p = m_problem;
    const Reals taps("synelix::perf::taps", m_n * p.bases);
    const auto here = Kokkos::create_mirror_view(taps);
    Kokkos::deep_copy(here, 0.0F);
    for (std::int64_t b = 0; b < p.bases; ++b) {
      for (std::int64_t w = 0; w < p.window; ++w) {
        here(b * m_n + w) = static_cast<float>((*p.taps)(w, b) / static_cast<double>(m_n));
      }
    }
    Kokkos::deep_copy(taps, here);
    m_filters = Spectra("synelix::perf::filters", bins() * p.bases);
    const auto length = static_cast<int>(m_n);
    Batch(m_exec, true, length, length, static_cast<int>(p.bases))
        .forward(taps.data(), m_filters.data());
    m_exec.fence("synelix::perf: spectra of the filters");
  }

  const Problem& m_problem;
  Exec m_exec;
  std::int64_t m_n;
  std::int64_t m_hop;
  std::int64_t m_blocks = 0;
  Reals m_padded;
  Reals m_rows;
  Spectra m_spectra;
  Spectra m_product;
  Spectra m_filters;
  std::unique_ptr<Batch> m_forward;
  std::unique_ptr<Batch> m_inverse;
};

class VendorFftRunner : public Runner {
 public:
  explicit VendorFftRunner(Problem problem) : Runner(std::move(problem)) {
    const Problem& p = this->problem();
    const auto shortest = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(2 * p.window, 512))));
    const Reals trial("synelix::perf::trial", p.feature_count());
    double best = 0;
    for (std::int64_t n = shortest; n <= 8 * shortest; n *= 2) {
      const OverlapSave way(p, n);
      way.run(trial.data());
      const auto start = std::chrono::steady_clock::now();
      way.run(trial.data());
      const double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (m_n == 0 || seconds < best) {
        best = seconds;
        m_n = n;
      }
    }
    m_way = std::make_unique<OverlapSave>(p, m_n);
  }

  void run(void* features) override { m_way->run(static_cast<float*>(features)); }
  [[nodiscard]] std::string detail() const override { return m_way->detail(); }

 private:
  std::int64_t m_n = 0;
  std::unique_ptr<OverlapSave> m_way;
};

}  // namespace

std::unique_ptr<Runner> make_vendor_fft(Problem problem) {
  if (problem.is_double || problem.events || problem.x.type != StoredType::float32) {
    throw Absent("the vendor's FFT is compared on float samples");
  }
  return std::make_unique<VendorFftRunner>(std::move(problem));
}

std::string vendor_fft_version() {
  int version = 0;
  check(library_version(&version), "version");
  return library_name + std::to_string(version);
}

#endif

}  // namespace synelix::perf
