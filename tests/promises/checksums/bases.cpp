// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kind.hpp"

#include <synelix/basis.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

// The taps of each family of bases, and the C library's functions that some of them are made of.

namespace checksums {
namespace {

using namespace synelix;

/// The functions of the C library that bases and transforms call, at random arguments.
template <class Scalar>
void call_libm(Draws& draws, Checksum& checksum) {
  std::vector<Scalar> values;
  for (int k = 0; k < 500; ++k) {
    const auto x = static_cast<Scalar>(8.0 * draws.real());
    const Scalar positive = std::abs(x) + Scalar(0.001);
    for (const Scalar value : {std::cos(x), std::sin(x), std::exp(x), std::log(positive),
                               std::log1p(positive), std::pow(positive, Scalar(0.7))}) {
      values.push_back(value);
    }
  }
  checksum.add(values);
}

template <class Draw>
void run_family(Runner& runner, const char* kind, Numbers numbers, const Draw& draw) {
  runner.run(kind, 60, numbers, [&](Draws& draws, Checksum& checksum) {
    const Basis basis = draw(draws);
    const Taps taps = evaluate_taps(basis, draws.between(20, 200));
    checksum.add(taps.values);
    for (const Support& support : taps.support) {
      checksum.add(std::vector<std::int64_t>{support.first, support.last});
    }
  });
}

}  // namespace

void run_bases(Runner& runner) {
  runner.run("libm.float", 4, Numbers::libm, call_libm<float>);
  runner.run("libm.double", 4, Numbers::libm, call_libm<double>);
  run_family(runner, "bases.raised_cosine_linear", Numbers::libm, [](Draws& draws) -> Basis {
    const std::int64_t bases = draws.between(2, 12);
    return RaisedCosineLinear{.bases = bases, .width = draws.once_in(2) ? 1.5 : 2.0};
  });
  run_family(runner, "bases.raised_cosine_log", Numbers::libm, [](Draws& draws) -> Basis {
    RaisedCosineLog basis{.bases = draws.between(2, 12)};
    basis.time_scaling = 50.0 + 20.0 * draws.real();
    if (draws.once_in(2)) basis.decay = Decay::open;
    return basis;
  });
  run_family(runner, "bases.b_spline", Numbers::arithmetic, [](Draws& draws) -> Basis {
    const std::int64_t order = draws.between(1, 5);
    return BSpline{.bases = order + draws.between(0, 8), .order = order};
  });
  run_family(runner, "bases.cyclic_b_spline", Numbers::arithmetic, [](Draws& draws) -> Basis {
    const std::int64_t order = draws.between(2, 5);
    return CyclicBSpline{.bases = order + draws.between(0, 8), .order = order};
  });
  run_family(runner, "bases.m_spline", Numbers::arithmetic, [](Draws& draws) -> Basis {
    const std::int64_t order = draws.between(1, 5);
    return MSpline{.bases = order + draws.between(0, 8), .order = order};
  });
  run_family(runner, "bases.orth_exponential", Numbers::lapack, [](Draws& draws) -> Basis {
    OrthExponential basis;
    for (std::int64_t k = draws.between(1, 6); k > 0; --k) {
      const double rate = basis.decay_rates.empty() ? 0.5 : basis.decay_rates.back();
      basis.decay_rates.push_back(1.5 * rate + 0.5 * (1.0 + draws.real()));
    }
    return basis;
  });
  run_family(runner, "bases.history", Numbers::arithmetic,
             [](Draws&) -> Basis { return History{}; });
}

}  // namespace checksums
