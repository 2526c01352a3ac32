// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/products.hpp"
#include "oracle/refusals.hpp"
#include "oracle/shared.hpp"

#include <synelix/bilinear_forms.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace bilinear_forms_tests {
namespace {

namespace sx = synelix;
using oracle::Array;
using oracle::draw;
using oracle::expect_refused;
using oracle::RandomOperand;

template <class Types>
class BilinearForms : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
};
TYPED_TEST_SUITE(BilinearForms, oracle::AllSpaces);

constexpr sx::StoredType all_types[] = {sx::StoredType::float32, sx::StoredType::float64,
                                        sx::StoredType::int8,    sx::StoredType::uint8,
                                        sx::StoredType::int16,   sx::StoredType::uint16};

/// Extents of a case.
struct Extents {
  std::int64_t matrices;
  std::int64_t count;
  std::int64_t m;
  std::int64_t n;
};

/// Forms as loops, and the largest sum of magnitudes.
oracle::ProductValues forms_of(const std::vector<double>& x, const std::vector<double>& a,
                               const std::vector<double>& y, const Extents& e) {
  oracle::ProductValues result;
  for (std::int64_t o = 0; o < e.matrices; ++o) {
    for (std::int64_t i = 0; i < e.count; ++i) {
      double sum = 0;
      double magnitude = 0;
      for (std::int64_t j = 0; j < e.m; ++j) {
        for (std::int64_t k = 0; k < e.n; ++k) {
          const double term = x[static_cast<std::size_t>(i * e.m + j)] *
                              a[static_cast<std::size_t>((o * e.m + j) * e.n + k)] *
                              y[static_cast<std::size_t>(i * e.n + k)];
          sum += term;
          magnitude += std::fabs(term);
        }
      }
      result.values.push_back(sum);
      result.most = std::max(result.most, magnitude);
    }
  }
  return result;
}

/// Operands placed, stored and scaled at random, and room for their forms.
template <class Scalar>
struct RandomForms {
  Extents extents;
  bool is_batch;
  RandomOperand<Scalar> x;
  RandomOperand<Scalar> a;
  RandomOperand<Scalar> y;
  Array<Scalar> q;

  RandomForms(const Extents& e, bool batch, std::mt19937_64& random)
      : extents(e),
        is_batch(batch),
        x(operand({e.count, e.m}, random)),
        a(operand(batch ? std::vector<std::int64_t>{e.matrices, e.m, e.n}
                        : std::vector<std::int64_t>{e.m, e.n},
                  random)),
        y(operand({e.count, e.n}, random)),
        q(batch ? std::vector<std::int64_t>{e.matrices, e.count}
                : std::vector<std::int64_t>{e.count},
          oracle::random_placement(batch ? 2 : 1, oracle::Signs::positive, random),
          oracle::unwritten<Scalar>) {}

  [[nodiscard]] testing::AssertionResult is_right(bool is_quadratic) const {
    const auto expected =
        forms_of(x.physical(), a.physical(), (is_quadratic ? x : y).physical(), extents);
    return oracle::agree(q.values(), expected.values, q.extents(),
                         oracle::product_tolerance<Scalar>(expected.most, extents.m + extents.n));
  }

 private:
  static RandomOperand<Scalar> operand(const std::vector<std::int64_t>& extents,
                                       std::mt19937_64& random) {
    const sx::StoredType type =
        oracle::once_in(random, 2) ? sx::stored_type<Scalar> : all_types[draw(random, 0, 5)];
    const auto placement =
        oracle::once_in(random, 3)
            ? oracle::right_placement(extents.size())
            : oracle::random_placement(extents.size(), oracle::Signs::any, random);
    const double scale = oracle::once_in(random, 3) ? 0.25 : 1.0;
    return {extents, type, placement, random, scale, oracle::once_in(random, 3) ? -1.5 : 0.0};
  }
};

std::int64_t random_extent(std::mt19937_64& random, std::int64_t most) {
  return oracle::once_in(random, 9) ? draw(random, 0, 1) : draw(random, 1, most);
}

TYPED_TEST(BilinearForms, AnyShapeLayoutAndTypeIsTheLoops) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(31);
  const auto cases = static_cast<int>(oracle::drawn_cases(200));
  for (int i = 0; i < cases; ++i) {
    const std::int64_t most = i % 10 == 0 ? 250 : 40;
    const bool is_batch = oracle::once_in(random, 4);
    const Extents extents{is_batch ? draw(random, 0, 3) : 1, random_extent(random, most),
                          random_extent(random, most), random_extent(random, most)};
    RandomForms<Scalar> test(extents, is_batch, random);
    sx::bilinear_forms(exec, test.x.matrices(), test.a.matrices(), test.y.matrices(),
                       test.q.output());
    ASSERT_TRUE(test.is_right(false))
        << "case " << i << ": (" << extents.count << ", " << extents.m << ", " << extents.n << ")";
    ASSERT_EQ(test.q.damaged(), 0) << "written outside the result, case " << i;
  }
}

TYPED_TEST(BilinearForms, QuadraticOnesAreTheLoopsByEachMethod) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(32);
  const auto cases = static_cast<int>(oracle::drawn_cases(200));
  for (int i = 0; i < cases; ++i) {
    const bool is_batch = oracle::once_in(random, 4);
    const std::int64_t n = random_extent(random, i % 10 == 0 ? 450 : 60);
    const Extents extents{is_batch ? draw(random, 0, 3) : 1,
                          random_extent(random, i % 10 == 0 ? 120 : 40), n, n};
    RandomForms<Scalar> test(extents, is_batch, random);
    const sx::BilinearFormsOptions options{.method = i % 3 == 0 ? sx::FormMethod::product
                                                                : sx::FormMethod::automatic};
    sx::quadratic_forms(exec, test.x.matrices(), test.a.matrices(), test.q.output(), options);
    ASSERT_TRUE(test.is_right(true)) << "case " << i << ": (" << extents.count << ", " << n << ")";
    ASSERT_EQ(test.q.damaged(), 0) << "written outside the result, case " << i;
  }
}

TYPED_TEST(BilinearForms, OfAVectorAreTheSameBitsWhateverElseIsThere) {
  using Scalar = typename TestFixture::Scalar;
  using Space = typename TestFixture::Space;
  const Space exec;
  std::mt19937_64 random(33);
  const std::int64_t count = oracle::usual_or(409, 109);
  const std::int64_t n = oracle::usual_or(431, 131);
  RandomForms<Scalar> test({1, count, n, n}, false, random);
  for (const bool is_quadratic : {true, false}) {
    const auto x = test.x.matrices();
    const auto a = test.a.matrices();
    const auto y = test.y.matrices();
    const auto chosen = [&](const sx::StridedOutput& q, const sx::BilinearFormsOptions& options) {
      return is_quadratic ? sx::choose_quadratic_forms(exec, x, a, q, options)
                          : sx::choose_bilinear_forms(exec, x, a, y, q, options);
    };
    const auto compute = [&](const sx::Operand& left, const sx::Operand& right,
                             const sx::StridedOutput& q, const sx::BilinearFormsOptions& options) {
      if (is_quadratic) {
        sx::quadratic_forms(exec, left, a, q, options);
      } else {
        sx::bilinear_forms(exec, left, a, right, q, options);
      }
    };
    compute(x, y, test.q.output(), {});
    ASSERT_TRUE(test.is_right(is_quadratic));
    const std::vector<Scalar> expected = test.q.values();
    const sx::BilinearFormsChoice free = chosen(test.q.output(), {});
    EXPECT_EQ(free.is_packed, !oracle::has_device);
    EXPECT_EQ(free.method, is_quadratic ? sx::FormMethod::triangle : sx::FormMethod::product);

    // A choice needs no memory for results; a run does.
    const sx::StridedOutput nowhere(static_cast<Scalar*>(nullptr), {count});
    EXPECT_EQ(chosen(nowhere, {}).workspace_bytes, free.workspace_bytes);
    EXPECT_EQ(chosen(nowhere, {}).teams, free.teams);
    expect_refused([&] { compute(x, y, nowhere, {}); }, "q", "a null pointer", "memory for");

    // Less and less memory, down to an error. On a device there is no workspace.
    std::int64_t least = 0;
    int budgets = 0;
    for (std::int64_t budget = free.workspace_bytes; budget >= 0 && !oracle::has_device;
         budget -= 60'000) {
      sx::BilinearFormsChoice choice;
      try {
        choice = chosen(test.q.output(), {.budget = budget});
      } catch (const sx::Error&) {
        break;
      }
      least = budget;
      ++budgets;
      EXPECT_EQ(choice.is_packed, budget == free.workspace_bytes);
      EXPECT_LE(choice.workspace_bytes, budget);
      for (std::int64_t i = 0; i < count; ++i) test.q.at(i) = Scalar(0);
      compute(x, y, test.q.output(), {.budget = budget});
      ASSERT_TRUE(oracle::same_bits(test.q.values(), expected, {count})) << budget;
    }
    if (oracle::has_device) {
      EXPECT_EQ(free.workspace_bytes, 0);
    } else {
      EXPECT_GT(budgets, 1);
      EXPECT_GT(least, 0);
      expect_refused([&] { compute(x, y, test.q.output(), {.budget = 1000}); }, "budget",
                     "1000 bytes", "at least ");
    }

    // Blocks of vectors, as a stream has them.
    for (const std::int64_t block : {1, 17, 100, 300}) {
      std::vector<Scalar> found(static_cast<std::size_t>(count), Scalar(0));
      const auto rows = [&](const sx::Operand& all, std::int64_t begin, std::int64_t size) {
        sx::Strided part = all.array();
        part.data = static_cast<const std::byte*>(part.data) +
                    begin * part.strides[0] * sx::size_of(part.type);
        part.extents[0] = size;
        if (!all.is_scaled()) return sx::Operand(part);
        return sx::Operand(sx::scaled(part, all.scale(), all.offset()));
      };
      for (std::int64_t i = 0; i < count; i += block) {
        const std::int64_t size = std::min(block, count - i);
        compute(rows(x, i, size), rows(y, i, size), {found.data() + i, {size}}, {});
      }
      ASSERT_TRUE(oracle::same_bits(found, expected, {count})) << "blocks of " << block;
    }
  }
}

TYPED_TEST(BilinearForms, SeveralMatricesHaveTheBitsOfEach) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(34);
  const std::int64_t n = 70;
  const std::int64_t count = 130;
  std::vector<Scalar> a(3 * n * n);
  std::vector<Scalar> x(count * n);
  for (Scalar& value : a) value = static_cast<Scalar>(draw(random, -1000, 1000)) / Scalar(512);
  for (Scalar& value : x) value = static_cast<Scalar>(draw(random, -1000, 1000)) / Scalar(512);
  const sx::Strided vectors(x.data(), {count, n});
  std::vector<Scalar> all(3 * count);
  std::vector<Scalar> each(3 * count);
  sx::quadratic_forms(exec, vectors, sx::Strided(a.data(), {3, n, n}),
                      sx::StridedOutput(all.data(), {3, count}));
  for (std::int64_t o = 0; o < 3; ++o) {
    sx::quadratic_forms(exec, vectors, sx::Strided(a.data() + o * n * n, {n, n}),
                        sx::StridedOutput(each.data() + o * count, {count}));
  }
  EXPECT_TRUE(oracle::same_bits(all, each, {3, count}));
}

/// One NaN, no -0; infinities are not lost, and do not reach other vectors.
TYPED_TEST(BilinearForms, WhatIsNotFiniteStaysWithItsVector) {
  using Scalar = typename TestFixture::Scalar;
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  const typename TestFixture::Space exec;
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const std::int64_t n = 37;
  const std::int64_t count = 5;
  std::vector<Scalar> a(n * n, Scalar(1));
  std::vector<Scalar> x(count * n, Scalar(1));
  x[1 * n + 20] = -std::numeric_limits<Scalar>::quiet_NaN();
  x[2 * n + 36] = infinity;
  for (std::int64_t j = 0; j < n; ++j) x[static_cast<std::size_t>(3 * n + j)] = -Scalar(0);
  for (const auto method : {sx::FormMethod::product, sx::FormMethod::triangle}) {
    std::vector<Scalar> q(count);
    sx::quadratic_forms(exec, sx::Strided(x.data(), {count, n}), sx::Strided(a.data(), {n, n}),
                        sx::StridedOutput(q.data(), {count}), {.method = method});
    EXPECT_EQ(q[0], Scalar(n * n));
    EXPECT_EQ(std::bit_cast<Bits>(q[1]),
              std::bit_cast<Bits>(std::numeric_limits<Scalar>::quiet_NaN()));
    EXPECT_FALSE(std::isfinite(q[2])) << name_of(method);
    EXPECT_EQ(std::bit_cast<Bits>(q[3]), Bits(0));
    EXPECT_EQ(q[4], Scalar(n * n));
  }
}

TYPED_TEST(BilinearForms, IntoViews) {
  using Scalar = typename TestFixture::Scalar;
  using Space = typename TestFixture::Space;
  const Space exec;
  using Memory = oracle::SharedWith<Space>;
  Kokkos::View<Scalar**, Kokkos::LayoutLeft, Memory> x("x", 6, 4);
  Kokkos::View<Scalar***, Kokkos::LayoutRight, Memory> a("a", 2, 4, 4);
  Kokkos::deep_copy(x, Scalar(2));
  Kokkos::deep_copy(a, Scalar(0.5));
  const auto one = Kokkos::subview(a, 0, Kokkos::ALL(), Kokkos::ALL());
  using Forms = Kokkos::View<Scalar*, Memory>;
  const auto q = sx::quadratic_forms<Forms>(exec, x, one);
  const auto b =
      sx::bilinear_forms<Kokkos::View<Scalar**, Kokkos::LayoutLeft, Memory>>(exec, x, a, x);
  ASSERT_EQ(q.extent(0), 6U);
  ASSERT_EQ(b.extent(0), 2U);
  ASSERT_EQ(b.extent(1), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(q(i), Scalar(32));
    EXPECT_EQ(b(1, i), Scalar(32));
  }
  const sx::BilinearFormsPlan<Scalar, Space> quadratic(exec, x, one, q);
  const sx::BilinearFormsPlan<Scalar, Space> bilinear(exec, x, a, x, b);
  EXPECT_EQ(quadratic.choice().forms, 6);
  EXPECT_EQ(bilinear.choice().forms, 12);
  Kokkos::deep_copy(x, Scalar(1));  // a plan reads the values at the time of its run
  quadratic.run(exec);
  bilinear.run(exec);
  exec.fence();
  EXPECT_EQ(q(5), Scalar(8));
  EXPECT_EQ(b(0, 3), Scalar(8));
  expect_refused([&] { (void)sx::quadratic_forms<Forms>(exec, x, a); }, "result", "rank 1",
                 "rank 2");
}

/// Memory that any small array fits.
class BilinearFormsRefusals : public testing::Test {
 protected:
  using Exec = Kokkos::DefaultHostExecutionSpace;
  [[nodiscard]] sx::Strided in(std::initializer_list<std::int64_t> shape) const {
    return {m_read.data(), shape};
  }
  sx::StridedOutput out(std::initializer_list<std::int64_t> shape) {
    return {m_written.data(), shape};
  }

  std::vector<float> m_read = std::vector<float>(512, 1.0F);
  std::vector<float> m_written = std::vector<float>(512, 5.0F);
};

TEST_F(BilinearFormsRefusals, WhatDoesNotFit) {
  const auto bilinear = [&](const sx::Operand& x, const sx::Operand& a, const sx::Operand& y,
                            const sx::StridedOutput& q) { sx::bilinear_forms(Exec(), x, a, y, q); };
  const auto quadratic = [&](const sx::Operand& x, const sx::Operand& a,
                             const sx::StridedOutput& q) { sx::quadratic_forms(Exec(), x, a, q); };
  expect_refused([&] { bilinear(in({5, 3}), in({4, 6}), in({5, 6}), out({5})); }, "a",
                 "(5, 3) and (4, 6)", "as many rows of a as x has columns");
  expect_refused([&] { bilinear(in({5, 3}), in({3, 6}), in({5, 7}), out({5})); }, "y",
                 "(3, 6) and (5, 7)", "as many columns of y as a has");
  expect_refused([&] { bilinear(in({5, 3}), in({3, 6}), in({4, 6}), out({5})); }, "y",
                 "(5, 3) and (4, 6)", "as many rows of y as x has");
  expect_refused([&] { bilinear(in({2, 5, 3}), in({3, 6}), in({5, 6}), out({5})); }, "x",
                 "(2, 5, 3)", "two dimensions");
  expect_refused([&] { bilinear(in({5, 3}), in({2, 2, 3, 6}), in({5, 6}), out({5})); }, "a",
                 "(2, 2, 3, 6)", "several along one dimension");
  expect_refused([&] { quadratic(in({5, 3}), in({3, 6}), out({5})); }, "a", "(3, 6)",
                 "a square matrix");
  expect_refused([&] { quadratic(in({5, 3}), in({3, 3}), out({4})); }, "q", "(4,)", "(5,)");
  expect_refused([&] { quadratic(in({5, 3}), in({2, 3, 3}), out({5})); }, "q", "(5,)", "(2, 5)");
  expect_refused([&] { quadratic(in({5, 3}), in({3, 3}), {m_written.data(), {5}, {0}}); }, "q",
                 "strides that make values overlap", "a place of its own");
  expect_refused(
      [&] {
        quadratic(sx::Strided(m_written.data(), {5, 3}), in({3, 3}),
                  sx::StridedOutput(m_written.data() + 14, {5}));
      },
      "q", "overlaps that of x", "apart");
  expect_refused(
      [&] {
        bilinear(in({5, 3}), in({3, 3}), sx::Strided(m_written.data(), {5, 3}),
                 sx::StridedOutput(m_written.data(), {5}));
      },
      "q", "overlaps that of y", "apart");
  std::vector<std::int16_t> integers(5);
  expect_refused(
      [&] { quadratic(in({5, 3}), in({3, 3}), sx::StridedOutput(integers.data(), {5})); }, "q",
      "int16", "float32 or float64");
  expect_refused(
      [&] {
        sx::bilinear_forms(Exec(), in({5, 3}), in({3, 3}), in({5, 3}), out({5}),
                           {.method = sx::FormMethod::triangle});
      },
      "method", "triangle", "product, where y is not x");
  EXPECT_EQ(m_written, std::vector<float>(512, 5.0F)) << "nothing is written";
}

}  // namespace
}  // namespace bilinear_forms_tests
