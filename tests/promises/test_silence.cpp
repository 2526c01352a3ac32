// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include <unistd.h>

// The library never prints: neither progress, nor warnings, nor errors.

namespace silence_tests {
namespace {

using namespace synelix;
using Space = Kokkos::DefaultExecutionSpace;

/// The output of the process to a file descriptor during the lifetime of an object.
class Captured {
 public:
  explicit Captured(int descriptor) : m_descriptor(descriptor), m_file(std::tmpfile()) {
    std::fflush(nullptr);
    m_saved = dup(descriptor);
    dup2(fileno(m_file), descriptor);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() { std::fclose(m_file); }

  std::string stop() {
    std::fflush(nullptr);
    dup2(m_saved, m_descriptor);
    close(m_saved);
    std::rewind(m_file);
    std::string text;
    for (int c = std::fgetc(m_file); c != EOF; c = std::fgetc(m_file)) {
      text.push_back(static_cast<char>(c));
    }
    return text;
  }

 private:
  int m_descriptor;
  int m_saved = -1;
  std::FILE* m_file;
};

void use_the_library() {
  const Space exec;
  const FilterBank<float, Space> bank(exec, RaisedCosineLog{.bases = 4}, {.window = 10});
  const std::vector<float> x(1000, 1.0F);
  std::vector<float> y(4000);
  const StridedSeries series(Strided(x.data(), {1000}),
                             {.sample_axis = 0, .epochs = {{0, 3}, {3, 1000}}});
  const StridedOutput features(y.data(), {1000, 4});
  (void)choose(exec, series, bank);
  convolve(exec, series, bank, features, {.causality = Causality::acausal});  // warns twice
  const Events events(1000, {{{1, 5}, {}}});
  (void)convolve<Kokkos::LayoutRight>(exec, events, bank);
  EXPECT_THROW(convolve(exec, series, bank, features, {.budget = 1}), Error);
  EXPECT_THROW((FilterBank<float, Space>(exec, RaisedCosineLog{.bases = 1}, {.window = 10})),
               Error);
}

TEST(Silence, NothingOnStandardOutput) {
  Captured captured(STDOUT_FILENO);
  use_the_library();
  EXPECT_EQ(captured.stop(), "");
}

TEST(Silence, NothingOnStandardError) {
  Captured captured(STDERR_FILENO);
  use_the_library();
  EXPECT_EQ(captured.stop(), "");
}

TEST(Silence, IsHeard) {
  Captured captured(STDERR_FILENO);
  std::fputs("a word", stderr);
  EXPECT_EQ(captured.stop(), "a word");
}

}  // namespace
}  // namespace silence_tests
