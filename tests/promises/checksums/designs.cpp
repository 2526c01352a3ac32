// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "design_case.hpp"

#include <synelix/features.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// Designs: bases in conv mode and in eval mode, sums, products and sums inside products.

namespace checksums {
namespace {

using namespace synelix;

template <class Scalar>
void compute(const Runner& runner, Draws& draws, Checksum& checksum, const DesignWish& wish) {
  DesignCase test(wish, draws);
  const FeaturesOptions options = draw_features_options(runner, wish, draws);
  const std::vector<AnySeries> inputs = test.inputs();
  const auto design = compute_features<Scalar>(runner.exec, test.expression(), inputs, options);
  checksum.add(std::span<const Scalar>(design.values.data(), design.values.size()));
}

template <class Scalar>
void run_designs_of_type(Runner& runner) {
  const auto run = [&](const char* kind, int cases, Numbers numbers, const DesignWish& wish) {
    runner.run(of_type<Scalar>(kind), cases, numbers, [&](Draws& draws, Checksum& checksum) {
      compute<Scalar>(runner, draws, checksum, wish);
    });
  };
  using enum Family;
  run("features.conv", 80, Numbers::arithmetic, {.families = {taps}});
  run("features.conv_fft", 40, Numbers::libm, {.families = {taps}, .method = Method::fft});
  run("features.eval", 120, Numbers::arithmetic, {.families = {splines}});
  run("features.sums", 80, Numbers::arithmetic, {.families = {taps, splines}, .terms = 3});
  run("features.products", 100, Numbers::arithmetic,
      {.families = {taps, splines}, .terms = 2, .factors = 3});
  run("features.eval_raised_cosine", 60, Numbers::libm, {.families = {raised_cosines}});
  run("features.eval_fourier", 40, Numbers::libm, {.families = {fourier}});
  run("features.eval_orth_exponential", 15, Numbers::lapack, {.families = {exponentials}});
  run("features.all", 60, Numbers::libm,
      {.families = {taps, splines, raised_cosines, fourier}, .terms = 3, .factors = 2});
}

}  // namespace

void run_designs(Runner& runner) {
  run_designs_of_type<float>(runner);
  run_designs_of_type<double>(runner);
}

}  // namespace checksums
