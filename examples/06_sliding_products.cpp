// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of one matrix with every window of another: a (10, 20) times the 981 windows of 20
// columns of b (20, 1000). The windows are a view. Their products are slices of one large product,
// which is computed once. The slices are copied to the result, or returned as a view of the large
// product. In NumPy:
//     w = np.lib.stride_tricks.sliding_window_view(b, 20, axis=1).swapaxes(0, 1)   # (981, 20, 20)
//     c = a @ w                                                                   # (981, 10, 20)
//
// Expected output:
//     981 products (10, 20) x (20, 20), as slices of one: 400000 operations instead of 7848000
//     c(5, 2, 3) = 1085, in the windows of a b: 1085

#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace sx = synelix;

int main(int argc, char* argv[]) try {
  const sx::Session session(argc, argv);
  const Kokkos::DefaultHostExecutionSpace exec;
  using Host = Kokkos::HostSpace;

  const Kokkos::View<float**, Kokkos::LayoutRight, Host> a("a", 10, 20);
  const Kokkos::View<float**, Kokkos::LayoutRight, Host> b("b", 20, 1000);
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < 20; ++k) a(i, k) = static_cast<float>((i + k) % 7);
  }
  for (int k = 0; k < 20; ++k) {
    for (int j = 0; j < 1000; ++j) b(k, j) = static_cast<float>(k + j % 50);
  }

  // All products, each stored.
  const Kokkos::View<float***, Kokkos::LayoutRight, Host> c("c", 981, 10, 20);
  const sx::MatmulPlan<float, Kokkos::DefaultHostExecutionSpace> plan(exec, a, sx::windows(b, 20),
                                                                      c);
  plan.run(exec);
  exec.fence();
  std::printf("%lld products (10, 20) x (20, 20)%s: %.0f operations instead of %d\n",
              static_cast<long long>(plan.choice().products),
              plan.choice().is_sliced ? ", as slices of one" : "", plan.choice().flops,
              981 * 10 * 20 * 20 * 2);

  // Each value is stored once: the result is a view of the one product.
  const auto found = sx::matmul_windows<float>(exec, a, b, 20);
  std::printf("c(5, 2, 3) = %g, in the windows of a b: %g\n", static_cast<double>(c(5, 2, 3)),
              static_cast<double>(found.windows(5, 2, 3)));

  bool ok = plan.choice().is_sliced;
  for (int p = 0; p < 981; ++p) {
    for (int i = 0; i < 10; ++i) {
      for (int j = 0; j < 20; ++j) {
        float sum = 0;  // a sum of integers, which is exact
        for (int k = 0; k < 20; ++k) sum += a(i, k) * b(k, p + j);
        ok = ok && c(p, i, j) == sum && found.windows(p, i, j) == sum;
      }
    }
  }
  return ok ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
