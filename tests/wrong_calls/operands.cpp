// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class Data>
using View = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class Data>
using StrideView = Kokkos::View<Data, Kokkos::LayoutStride, Kokkos::HostSpace>;

void wrong_operands(const Exec& exec, const View<float**>& a, const View<float**>& c) {
  // REFUSED: synelix takes Kokkos Views: wrap the memory of a container as
  // synelix::Strided(container.data(), {extents})
  sx::matmul(exec, std::vector<float>(), a, c);
  // REFUSED: synelix takes Kokkos Views: wrap the memory of a container as
  auto scaled_container = sx::scaled(std::vector<double>(), 0.5);
  // REFUSED: synelix takes Kokkos Views: wrap the memory of a container as
  sx::conv2d(exec, std::array<float, 9>(), View<float****>(), sx::no_bias, View<double****>());
  // REFUSED: synelix reads float, double, int8_t, uint8_t, int16_t and uint16_t
  sx::quadratic_forms(exec, View<std::int64_t**>(), a, View<float*>());
  // REFUSED: scales and offsets of each channel must be a View of rank 1 of double
  auto of_float = sx::scaled(a, View<float*>());
  // REFUSED: scales and offsets of each channel must be double: copy them into a
  // std::vector<double>
  auto of_float_vector = sx::scaled(a, std::vector<float>());
  // REFUSED: deleted
  auto gone = sx::scaled(a, std::vector<double>{1, 2});
  // REFUSED: a Series holds a Kokkos View: use synelix::StridedSeries for a synelix::Strided
  const sx::Series<std::vector<float>> series(std::vector<float>{});
}

void wrong_results(const Exec& exec, const View<float**>& a, const View<float****>& images) {
  // REFUSED: a result is written: give a View of values that are not const
  sx::matmul(exec, a, a, View<const float**>());
  // REFUSED: a result must have the rank of its operation
  sx::matmul(exec, a, a, View<float*>());
  // REFUSED: a result must be a View of float or double
  sx::matmul(exec, a, a, View<std::int16_t**>());
  // REFUSED: a result must be a Kokkos View or a synelix StridedOutput: wrap other memory as
  // StridedOutput(pointer, {rows, columns})
  sx::matmul(exec, a, a, std::vector<float>());
  // REFUSED: a View that is returned must have LayoutLeft or LayoutRight
  auto strided = sx::matmul<StrideView<float**>>(exec, a, a);
  // REFUSED: name the Kokkos View that is returned
  auto number = sx::matmul<double>(exec, a, a);
  // REFUSED: a result must have the rank of its operation
  sx::quadratic_forms(exec, a, a, View<double***>());
  // REFUSED: a result must have the rank of its operation
  sx::conv2d(exec, images, images, sx::no_bias, View<double***>());
  // REFUSED: a result must have the rank of its operation
  auto lines = sx::conv1d<View<double****>>(exec, images, images, sx::no_bias);
  // REFUSED: a result must have the rank of its operation
  sx::conv3d_grad_bias(exec, images, View<double**>());
  // REFUSED: a result is written: give a View of values that are not const
  sx::conv2d_grad_weights(exec, images, images, View<const float****>());
}

void wrong_features(const Exec& exec, const sx::FeaturesPlan<float, Exec>& plan,
                    const View<float**>& x) {
  // REFUSED: features of an expression must have two dimensions: (rows, columns)
  plan.run(exec, {x}, View<float***>());
  // REFUSED: features must have the plan's scalar type, and must not be const
  plan.run(exec, {x}, View<const float**>());
  // REFUSED: features must be a Kokkos View or a synelix StridedOutput
  plan.run(exec, {x}, std::vector<float>());
}
