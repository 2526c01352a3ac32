// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/stream.hpp>
#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// A call from inside a parallel region would wait for the kernel that it is called from. It is an
// error instead, if the backend can detect it: with OpenMP.

namespace parallel_region_tests {
namespace {

using namespace synelix;
using testing::HasSubstr;

#ifdef KOKKOS_ENABLE_OPENMP
using Space = Kokkos::OpenMP;

/// The exception of a call on every thread that makes it.
class Refusals {
 public:
  void note(const std::function<void()>& call) {
    std::string text = "no error";
    try {
      call();
    } catch (const Error& error) {
      text = error.what();
    }
    const std::scoped_lock lock(m_mutex);
    m_texts.push_back(std::move(text));
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return m_texts; }

 private:
  std::mutex m_mutex;
  std::vector<std::string> m_texts;
};

struct Call {
  std::string name;
  std::function<void()> make;
};

/// A verb of each kind, on arguments that are right.
class ParallelRegion : public testing::Test {
 public:
  Space exec;
  std::vector<float> x = std::vector<float>(100, 1.0F);
  std::vector<float> y = std::vector<float>(200);
  StridedSeries series{Strided(x.data(), {100})};
  StridedOutput output{y.data(), {100, 2}};
  FilterBank<float, Space> bank{exec, RaisedCosineLinear{.bases = 2}, {.window = 5}};
  ConvolvePlan<float, Space> plan{exec, series, bank};
  Choice choice = choose(exec, series.shape(), bank, {.method = Method::direct});
  ConvolveStream<float, Space> stream{exec, series.shape(), bank, choice};
  Kokkos::View<float**, Space> a{"a", 8, 8};
  Kokkos::View<float**, Space> b{"b", 8, 8};
  Kokkos::View<float**, Space> c{"c", 8, 8};

  [[nodiscard]] std::vector<Call> calls() {
    return {
        {"synelix::convolve", [this] { convolve(exec, series, bank, output); }},
        {"synelix::convolve", [this] { plan.run(exec, series, output); }},
        {"synelix::convolve", [this] { plan.update(exec, bank); }},
        {"synelix::convolve",
         [this] { stream.push(exec, Strided(x.data(), {100, 1}), StridedOutput()); }},
        {"synelix::TrialsPlan",
         [this] { convolve(exec, std::vector{series}, bank, std::vector{output}); }},
        {"synelix::FilterBank",
         [this] { (void)FilterBank<float, Space>(exec, History{}, {.window = 3}); }},
        {"synelix::stream_convolve",
         [this] {
           MemorySource source(series);
           MemorySink sink(output);
           stream_convolve(exec, source, bank, sink);
         }},
        {"synelix::matmul", [this] { matmul(exec, a, b, c); }},
    };
  }
};

TEST_F(ParallelRegion, OfTheCallersOwnIsRefused) {
  for (const Call& call : calls()) {
    Refusals refusals;
#pragma omp parallel num_threads(2)
    refusals.note(call.make);
    EXPECT_THAT(refusals.texts(), testing::Each(HasSubstr("inside a parallel region")));
    EXPECT_THAT(refusals.texts(),
                testing::Each(testing::StartsWith(call.name + ": it was called ")));
    EXPECT_FALSE(refusals.texts().empty());
  }
}

TEST_F(ParallelRegion, OfAKernelIsRefused) {
  for (const Call& call : calls()) {
    Refusals refusals;
    Kokkos::parallel_for("test", Kokkos::RangePolicy<Space>(exec, 0, 3),
                         [&](int) { refusals.note(call.make); });
    exec.fence();
    EXPECT_THAT(refusals.texts(), testing::SizeIs(3));
    EXPECT_THAT(refusals.texts(), testing::Each(HasSubstr("inside a parallel region")));
  }
}

/// Events are in plain memory and need no kernel.
TEST_F(ParallelRegion, MakesEvents) {
  Refusals refusals;
#pragma omp parallel num_threads(2)
  refusals.note([] { (void)Events::from_unsorted(10, {{1, 1}}); });
  EXPECT_THAT(refusals.texts(), testing::Each("no error"));
}

TEST_F(ParallelRegion, IsNoneOnAThreadOfTheCallers) {
  for (const Call& call : calls()) {
    Refusals refusals;
    std::thread([&] { refusals.note(call.make); }).join();
    EXPECT_THAT(refusals.texts(), testing::Each(testing::Not(HasSubstr("parallel region"))));
  }
}
#else
TEST(ParallelRegion, CannotBeToldWithoutOpenMP) { GTEST_SKIP(); }
#endif

}  // namespace
}  // namespace parallel_region_tests
