// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos' batched matrix product: each product of a list by one thread, in one launch.

#include "runners/products_operands.hpp"
#include "runners/products_runner.hpp"
#include "runners/runner.hpp"

#include <Kokkos_Core.hpp>

#ifdef SYNELIX_HAVE_KERNELS
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#include <KokkosBatched_Util.hpp>
#endif

namespace synelix::perf {

#ifndef SYNELIX_HAVE_KERNELS

std::unique_ptr<OperatorRunner> make_batched(const ProductsProblem&) {
  throw Absent("this build has no Kokkos Kernels");
}

#else

namespace {

/// One product of a list.
template <class Scalar>
struct BatchedProduct {
  using Matrix = Kokkos::View<Scalar**, Kokkos::LayoutRight, Exec::memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Matrix a;
  Matrix b;
  Matrix c;
};

template <class Scalar>
class Batched : public OperatorRunner {
 public:
  explicit Batched(const ProductsProblem& problem)
      : m_operands(problem), m_products("products", problem.shapes.size()) {
    const auto products = Kokkos::create_mirror_view(m_products);
    for (std::size_t p = 0; p < problem.shapes.size(); ++p) {
      const auto [rows, inner, columns] = problem.shapes[p];
      const auto place = m_operands.place(static_cast<std::int64_t>(p));
      using Matrix = typename BatchedProduct<Scalar>::Matrix;
      products(p) = {Matrix(m_operands.a() + place.a, rows, inner),
                     Matrix(m_operands.b() + place.b, inner, columns),
                     Matrix(m_operands.c() + place.c, rows, columns)};
    }
    Kokkos::deep_copy(m_products, products);
  }
  void run() override {
    using KokkosBatched::Algo;
    using KokkosBatched::Trans;
    const auto products = m_products;
    Kokkos::parallel_for(
        "batched", Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(0, products.size()),
        KOKKOS_LAMBDA(std::size_t p) {
          KokkosBatched::SerialGemm<Trans::NoTranspose, Trans::NoTranspose,
                                    Algo::Gemm::Blocked>::invoke(Scalar(1), products(p).a,
                                                                 products(p).b, Scalar(0),
                                                                 products(p).c);
        });
    Exec().fence();
  }
  [[nodiscard]] double value(const std::vector<std::int64_t>& point) const override {
    return m_operands.value(point.at(0), point.at(1), point.at(2));
  }
  [[nodiscard]] std::string detail() const override { return "Kokkos Kernels"; }

 private:
  Operands<Scalar> m_operands;
  Kokkos::View<BatchedProduct<Scalar>*, Exec::memory_space> m_products;
};

}  // namespace

std::unique_ptr<OperatorRunner> make_batched(const ProductsProblem& problem) {
  if (problem.kind != "list") throw Absent("lists of products");
  if (problem.is_double) return std::make_unique<Batched<double>>(problem);
  return std::make_unique<Batched<float>>(problem);
}

#endif

}  // namespace synelix::perf
