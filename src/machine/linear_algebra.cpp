// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/linear_algebra.hpp>

#include <mutex>
#include <utility>

#ifdef SYNELIX_HAVE_LAPACK
extern "C" {
synelix::LinearAlgebra::Dgesdd dgesdd_;
synelix::LinearAlgebra::Dgeqrf dgeqrf_;
synelix::LinearAlgebra::Gemm<float> sgemm_;
synelix::LinearAlgebra::Gemm<double> dgemm_;
}
#endif

namespace synelix {
namespace {

struct Functions {
  std::mutex mutex;
#ifdef SYNELIX_HAVE_LAPACK
  LinearAlgebra set{.dgesdd = dgesdd_, .dgeqrf = dgeqrf_, .sgemm = sgemm_, .dgemm = dgemm_};
#else
  LinearAlgebra set;
#endif
};

Functions& functions() {
  static Functions instance;
  return instance;
}

}  // namespace

LinearAlgebra set_linear_algebra(const LinearAlgebra& wanted) {
  Functions& current = functions();
  const std::scoped_lock lock(current.mutex);
  return std::exchange(current.set, wanted);
}

LinearAlgebra linear_algebra() {
  Functions& current = functions();
  const std::scoped_lock lock(current.mutex);
  return current.set;
}

}  // namespace synelix
