// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/plan/prepared_convolution.hpp"

#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/processes.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/convolve.hpp>
#include <synelix/matmul.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

// The bits of the features: the same for every batch, budget and number of threads, and untouched
// by other channels. The borders of the executed work items are recorded, so that the cuts do
// differ.

namespace bits_tests {
namespace {

using namespace synelix;
using oracle::same_bits;

/// A method, and the requested parts of its window.
struct Form {
  Method method;
  std::optional<std::int64_t> parts = {};

  [[nodiscard]] std::string name() const {
    return name_of(method) + (parts ? " of parts" : std::string());
  }
};

template <class Types>
class Bits : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
  using State = plan::PreparedConvolution<Scalar, Space>;

  static constexpr std::int64_t samples = 3001;
  static constexpr std::int64_t channels = 23;
  static constexpr std::int64_t bases = 7;
  static constexpr std::int64_t window = 37;

  Bits() : bank(exec, RaisedCosineLog{.bases = bases}, {.window = window}) {
    std::mt19937_64 random(17);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < samples * channels; ++i) {
      x.push_back(static_cast<Scalar>(normal(random)));
    }
    trains.resize(channels);
    for (auto& train : trains) {
      for (std::int64_t t = 0; t < samples; ++t) {
        if (random() % 20 == 0) train.samples.push_back(t);
      }
      for (std::size_t i = 0; i < train.samples.size(); ++i) {
        train.counts.push_back(static_cast<float>(1 + random() % 3));
      }
    }
  }

  [[nodiscard]] static Epochs epochs() {
    return {{0, 700}, {700, 730}, {740, 2500}, {2501, samples}};
  }
  [[nodiscard]] StridedSeries series() const {
    return StridedSeries(Strided(x.data(), {samples, channels}),
                         {.sample_axis = 0, .epochs = epochs()});
  }

  /// The results of one run: the features, and the borders of its work items.
  struct Result {
    std::vector<Scalar> features;
    std::set<std::vector<std::int64_t>> borders;
    Choice choice;
  };

  /// A run of the method, with the work items recorded.
  Result run(Form form, ConvolveOptions options) const {
    const Method method = form.method;
    options.method = method;
    options.fft_parts = form.parts;
    const Events events = copy_events(exec, Events(samples, trains, epochs()));
    const bool has_events = method == Method::events;
    const SeriesShape shape = has_events ? events.shape() : series().shape();
    State bound(exec, shape, bank, options, {});
    std::vector<index::WorkItem> items(200'000);
    bound.record(items.data());
    Result result;
    result.choice = bound.choice();
    result.features.assign(static_cast<std::size_t>(samples * channels * bases), Scalar(-1));
    sweep::FeatureTarget<Scalar> features;
    features.data = result.features.data();
    features.rows = {0, bound.choice().rows};
    features.row_stride = channels * bases;
    features.basis_stride = 1;
    features.channels.append(channels, bases);
    const Block all{{0, bound.choice().rows}, {0, channels}, {0, bases}};
    if (has_events) {
      bound.launch(exec, bound.run_of(all, features), plan::source_of(events));
    } else {
      bound.launch(exec, bound.run_of(all, features), bound.source_of(series().data(), 0, 0, 0));
    }
    exec.fence();
    EXPECT_EQ(items.back().strips.size(), 0) << "more items than places to record them";
    for (const index::WorkItem& item : items) {
      if (item.strips.size() == 0) break;
      result.borders.insert({item.strips.begin * bound.choice().strip_rows,
                             item.strips.end * bound.choice().strip_rows, item.channels.begin,
                             item.channels.end, item.bases.begin, item.bases.end});
    }
    return result;
  }

  Space exec;
  FilterBank<Scalar, Space> bank;
  std::vector<Scalar> x;
  std::vector<Events::Train> trains;
};
TYPED_TEST_SUITE(Bits, oracle::AllSpaces);

constexpr Form forms[] = {{Method::direct}, {Method::events}, {Method::fft, 1}, {Method::fft, 3}};

TYPED_TEST(Bits, AreTheSameForEveryBatch) {
  using Self = TestFixture;
  for (const Form& form : forms) {
    SCOPED_TRACE(form.name());
    const auto first = this->run(form, {});
    std::set<std::set<std::vector<std::int64_t>>> cuts{first.borders};
    oracle::OneIn taken(5);
    std::size_t runs = 0;
    const std::vector<Batch> batches{{.samples = 41},
                                     {.samples = 101},
                                     {.samples = 499},
                                     {.samples = 1009},
                                     {.channels = 1},
                                     {.channels = 5},
                                     {.channels = 13},
                                     {.bases = 1},
                                     {.bases = 3},
                                     {.samples = 53, .channels = 7, .bases = 2},
                                     {.samples = 37, .channels = 3, .bases = 5}};
    for (const Batch& batch : batches) {
      if (!taken.is_next()) continue;
      ++runs;
      const auto other = this->run(form, {.batch = batch});
      if (form.method != Method::fft) {  // whose batches are complete blocks
        EXPECT_LE(other.choice.batch_samples, batch.samples.value_or(Self::samples));
      }
      cuts.insert(other.borders);
      ASSERT_TRUE(
          same_bits(other.features, first.features, {Self::samples, Self::channels, Self::bases}))
          << "batch " << batch.samples.value_or(0) << ", " << batch.channels.value_or(0) << ", "
          << batch.bases.value_or(0);
    }
    // The event method's strips are smaller than the two largest, and blocks are complete.
    EXPECT_GE(cuts.size() + (form.method == Method::fft ? 4 : 1), runs)
        << "batches that were cut alike show nothing";
  }
}

TYPED_TEST(Bits, AreTheSameForEveryBudget) {
  using Self = TestFixture;
  for (const Form& form : forms) {
    SCOPED_TRACE(form.name());
    const auto first = this->run(form, {});
    std::set<std::set<std::vector<std::int64_t>>> cuts{first.borders};
    std::int64_t budget = first.choice.workspace_bytes;
    int runs = 0;
    try {
      for (;; budget = oracle::is_bounded() ? budget / 3 : budget * 5 / 6) {
        const auto other = this->run(form, {.budget = budget});
        EXPECT_LE(other.choice.workspace_bytes, budget);
        cuts.insert(other.borders);
        ++runs;
        ASSERT_TRUE(
            same_bits(other.features, first.features, {Self::samples, Self::channels, Self::bases}))
            << "budget " << budget;
      }
    } catch (const Error&) {
      EXPECT_GE(runs, oracle::has_device ? 1 : 3) << "budgets down to the smallest";
    }
    EXPECT_GE(cuts.size(), oracle::has_device ? 1U : 2U);
  }
}

/// Sizes that a calibration found cut the work otherwise.
TYPED_TEST(Bits, AreTheSameForEveryCalibratedSize) {
  using Self = TestFixture;
  for (const Form& form : forms) {
    SCOPED_TRACE(form.name());
    const auto first = this->run(form, {});
    std::set<std::set<std::vector<std::int64_t>>> cuts{first.borders};
    oracle::OneIn taken(2);
    for (const std::int64_t bytes : {1L, 5000L, 70'000L, 1L << 24}) {
      if (!taken.is_next()) continue;
      const WorkBytes sizes{.direct_block = bytes, .fft_block = bytes};
      const auto other = this->run(form, {.machine = {.bytes = sizes}});
      cuts.insert(other.borders);
      ASSERT_TRUE(
          same_bits(other.features, first.features, {Self::samples, Self::channels, Self::bases}))
          << bytes << " bytes";
    }
    if (form.method == Method::direct && !oracle::has_device) {  // which has fewer cuts
      EXPECT_GE(cuts.size(), 2U);
    }
  }
}

/// Items of short epochs leave out taps that meet only zeros, and which those are depends on the
/// cut: products too small for the type would show it by the sign of a zero.
TYPED_TEST(Bits, OfShortEpochsAreTheSameForEveryCutAndMethod) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  constexpr std::int64_t samples = 700;
  constexpr std::int64_t channels = 3;
  constexpr std::int64_t bases = 2;
  const Scalar tiny = std::sqrt(std::numeric_limits<Scalar>::min()) / Scalar(1e9);
  std::mt19937_64 random(3);
  CustomTaps taps{.window = 40, .bases = bases, .taps = {}};
  for (int i = 0; i < 80; ++i) taps.taps.push_back((i % 3 == 0 ? -1.0 : 1.0) * double(tiny));
  const FilterBank<Scalar, Space> bank(this->exec, taps, {});
  Epochs epochs;
  for (std::int64_t t = 0; t < samples;) {
    const auto length = static_cast<std::int64_t>(1 + random() % 60);
    epochs.push_back({t, std::min(samples, t + length)});
    t += length;
  }
  std::vector<Scalar> x;
  for (std::int64_t i = 0; i < samples * channels; ++i) {
    x.push_back(random() % 3 == 0 ? (random() % 2 == 0 ? tiny : -tiny) : Scalar(0));
  }
  const StridedSeries series(Strided(x.data(), {samples, channels}),
                             {.sample_axis = 0, .epochs = epochs});
  const auto features = [&](const Batch& batch, std::int64_t every) {
    const ConvolveOptions options{.border = Border::zero, .batch = batch, .every = every};
    const ConvolvePlan<Scalar, Space> plan(this->exec, series, bank, options);
    std::vector<Scalar> y(static_cast<std::size_t>(plan.rows() * channels * bases));
    plan.run(this->exec, series, StridedOutput(y.data(), {plan.rows(), channels, bases}));
    this->exec.fence();
    return y;
  };
  for (const std::int64_t every : {1, 3}) {
    const auto expected = features({}, every);
    for (const Scalar value : expected) ASSERT_FALSE(std::signbit(value) && value == 0) << "-0";
    for (const Batch& batch : {Batch{.samples = 40}, Batch{.samples = 55, .channels = 1},
                               Batch{.samples = 200}, Batch{.bases = 1}}) {
      ASSERT_TRUE(same_bits(features(batch, every), expected,
                            {static_cast<std::int64_t>(expected.size())}));
    }
  }
}

TYPED_TEST(Bits, OfAChannelAreItsOwn) {
  using Self = TestFixture;
  using Scalar = typename TypeParam::scalar;
  for (const Form& form : forms) {
    SCOPED_TRACE(form.name());
    const auto first = this->run(form, {});
    for (std::int64_t c = 1; c < Self::channels;
         c += 2) {  // every other one a million times larger
      for (std::int64_t t = 0; t < Self::samples; ++t) {
        this->x[static_cast<std::size_t>(t * Self::channels + c)] *= Scalar(1e6);
      }
      for (float& count : this->trains[static_cast<std::size_t>(c)].counts) count *= 1e6F;
    }
    const auto second = this->run(form, {});
    std::int64_t changed = 0;
    for (std::int64_t r = 0; r < Self::samples; ++r) {
      for (std::int64_t c = 0; c < Self::channels; ++c) {
        for (std::int64_t b = 0; b < Self::bases; ++b) {
          const auto i = static_cast<std::size_t>((r * Self::channels + c) * Self::bases + b);
          const std::vector<Scalar> one{first.features[i]};
          const bool same = static_cast<bool>(same_bits({second.features[i]}, one, {1}));
          if (c % 2 == 0) {
            ASSERT_TRUE(same) << "row " << r << " channel " << c << " basis " << b;
          } else {
            changed += same ? 0 : 1;
          }
        }
      }
    }
    EXPECT_GT(changed, Self::samples);
  }
}

/// Of hosts alone: a device has no instruction sets to choose from.
template <class Types>
class BitsOnHosts : public Bits<Types> {};
TYPED_TEST_SUITE(BitsOnHosts, oracle::HostSpaces);

TYPED_TEST(BitsOnHosts, OfAllInstructionSetsWithFmaAgree) {
  using Self = TestFixture;
  std::vector<typename Self::Result> results;
  for (const auto set : {InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon,
                         InstructionSet::sve256}) {
    try {
      Machine machine;
      machine.instruction_set = set;
      results.push_back(this->run({Method::direct}, {.machine = machine}));
    } catch (const Error&) {
      continue;  // not in this build, or not on this processor
    }
  }
  if (results.size() < 2) GTEST_SKIP() << "fewer than two such sets here";
  for (const auto& result : results) {
    EXPECT_TRUE(same_bits(results[0].features, result.features,
                          {Self::samples, Self::channels, Self::bases}));
  }
}

/// A large product and a small one, whose parts and shares depend on the threads; with NaN of
/// either sign in both operands, one of which a sum keeps.
template <class Space, class Scalar>
std::vector<Scalar> products_on(const Space& exec, std::vector<Scalar> values) {
  const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  for (std::size_t i = 0; i < values.size(); i += 1009) {
    values[i] = std::copysign(nan, i % 2 == 0 ? Scalar(1) : Scalar(-1));
  }
  std::vector<Scalar> c(150 * 260 + 7 * 9);
  const std::vector<Product> list{
      {Strided(values.data(), {150, 200}), Strided(values.data() + 1000, {200, 260}),
       StridedOutput(c.data(), {150, 260})},
      {Strided(values.data(), {7, 5}), Strided(values.data() + 77, {5, 9}),
       StridedOutput(c.data() + 150L * 260, {7, 9})}};
  const MatmulPlan<Scalar, Space> plan(exec, list);
  plan.run(exec);
  exec.fence();
  return c;
}

/// Forms of both methods, whose blocks of rows depend on the threads.
template <class Space, class Scalar>
std::vector<Scalar> forms_on(const Space& exec, const std::vector<Scalar>& values) {
  std::vector<Scalar> q(2 * 263);
  const Strided x(values.data(), {263, 150});
  const Strided a(values.data() + 500, {150, 150});
  quadratic_forms(exec, x, a, StridedOutput(q.data(), {263}));
  bilinear_forms(exec, x, a, Strided(values.data() + 7, {263, 150}),
                 StridedOutput(q.data() + 263, {263}));
  return q;
}

TYPED_TEST(Bits, Hash) {
  const char* const path = std::getenv("SYNELIX_HASH_FILE");
  if (path == nullptr) GTEST_SKIP() << "the part of a child of Bits.AreTheSameForEveryThreadCount";
  std::ofstream file(path);
  file << oracle::hash_of(products_on(this->exec, this->x)) << '\n';
  file << oracle::hash_of(forms_on(this->exec, this->x)) << '\n';
  for (const Form& form : forms) {
    file << oracle::hash_of(this->run(form, {}).features) << '\n';
    file << oracle::hash_of(this->run(form, {.batch = {.samples = 211}}).features) << '\n';
  }
}

TEST(BitsOfProcesses, AreTheSameForEveryThreadCount) {
  if (oracle::has_device) GTEST_SKIP() << "threads of hosts compute nothing of a device";
  for (const std::string suite : {"Bits/0", "Bits/1"}) {
    const std::string one = oracle::hashes_of(1, suite + ".Hash");
    ASSERT_EQ(std::count(one.begin(), one.end(), '\n'), 2 * std::ssize(forms) + 2) << one;
    for (const int threads : {2, 3, 5}) EXPECT_EQ(oracle::hashes_of(threads, suite + ".Hash"), one);
  }
}

}  // namespace
}  // namespace bits_tests
