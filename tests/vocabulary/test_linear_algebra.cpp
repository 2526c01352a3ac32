// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/linear_algebra.hpp>
#include <synelix/synelix.hpp>
#include <synelix/version.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

// The functions of BLAS and LAPACK that a program gives, or takes away.

namespace linear_algebra_tests {
namespace {

using namespace synelix;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Other functions as long as it lives.
class Set {
 public:
  explicit Set(const LinearAlgebra& functions) : m_before(set_linear_algebra(functions)) {}
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;
  ~Set() { set_linear_algebra(m_before); }

 private:
  LinearAlgebra m_before;
};

int decompositions = 0;
LinearAlgebra::Dgesdd* linked = nullptr;

TEST(LinearAlgebra, OrthExponentialUsesTheFunctionThatIsSet) {
  const OrthExponential basis{.decay_rates = {0.5, 1, 2}};
  LinearAlgebra mine = linear_algebra();
  if (mine.dgesdd == nullptr) GTEST_SKIP() << "this build links no LAPACK";
  const Taps wanted = evaluate_taps(basis, 30);
  linked = mine.dgesdd;
  decompositions = 0;
  mine.dgesdd = [](const char* jobz, const int* m, const int* n, double* a, const int* lda,
                   double* s, double* u, const int* ldu, double* vt, const int* ldvt, double* work,
                   const int* lwork, int* iwork, int* info, std::size_t length) {
    ++decompositions;
    linked(jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info, length);
  };
  const Set set(mine);
  EXPECT_EQ(evaluate_taps(basis, 30).values, wanted.values);
  EXPECT_EQ(decompositions, 2) << "one asks for the size of the workspace";
}

TEST(LinearAlgebra, WithoutFunctionsBasesAreRefusedAndTilesMultiply) {
  const Set set(LinearAlgebra{});
  try {
    (void)evaluate_taps(OrthExponential{.decay_rates = {0.5, 1, 2}}, 30);
    ADD_FAILURE() << "there is no decomposition";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::state);
    EXPECT_THAT(error.what(), HasSubstr("there is no dgesdd of LAPACK. Give one by"));
  }
  const Kokkos::DefaultHostExecutionSpace exec;
  constexpr std::int64_t size = 600;
  const std::vector<double> a(size * size, 1.0);
  std::vector<double> c(size * size);
  const Strided matrix(a.data(), {size, size});
  const StridedOutput result(c.data(), {size, size});
  matmul(exec, matrix, matrix, result);
  EXPECT_EQ(c[size + 1], size);
  const std::vector<std::string> components = build_description().components;
  if (std::find(components.begin(), components.end(), "kernels") != components.end()) {
    return;  // Kokkos Kernels multiply without these functions
  }
  EXPECT_EQ(choose_matmul(exec, matrix, matrix, result).multiplier, Multiplier::tiles);
  EXPECT_THAT([&] { matmul(exec, matrix, matrix, result, {.multiplier = Multiplier::library}); },
              ThrowsMessage<Error>(HasSubstr("multiplier: library does not serve here")));
}

}  // namespace
}  // namespace linear_algebra_tests
