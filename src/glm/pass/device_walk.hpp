// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/device_observed.hpp"
#include "glm/pass/device_store.hpp"
#include "glm/pass/matrix_pass.hpp"
#include "glm/sweep/dense_rows.hpp"
#include "glm/sweep/device_gram.hpp"
#include "glm/sweep/device_losses.hpp"
#include "glm/sweep/device_products.hpp"
#include "launch/watched.hpp"
#include "machine/budget.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// \file
/// `DeviceWalk`: one walk of a pass on a device that evaluates right-hand sides, multiplies with
/// weights, or both. Sums of blocks are added on the device, block by block, and are copied to the
/// host at the end.

namespace synelix::glm {

/// The resources of a walk of a pass.
template <class ExecutionSpace, class Launch>
struct DeviceRoom {
  const ExecutionSpace& exec;
  const Launch& launch;
  DeviceStore<ExecutionSpace, Launch>& store;
  DeviceMemory<ExecutionSpace>& memory;
  DeviceObserved<ExecutionSpace>& observed;
  std::int64_t budget;
  Range rows;                        ///< of walks that sum
  plan::Watched* watched = nullptr;  ///< null: walks cannot be cancelled

  /// Bytes that waves may not use.
  [[nodiscard]] std::int64_t held_bytes() const {
    return store.held_bytes() + observed.reserved_bytes();
  }
  /// The number of blocks that fit the budget, at most all; 0 if none fits. bytes(blocks) are the
  /// bytes of a wave of this many blocks.
  template <class Bytes>
  [[nodiscard]] std::int64_t blocks_within(const Bytes& bytes) const {
    const std::int64_t spare = budget - held_bytes();
    std::int64_t blocks = store.blocks();
    while (blocks > 0 && bytes(blocks) > spare) blocks /= 2;
    return blocks;
  }
};

/// The walk.
template <class ExecutionSpace, class Launch, class Scalar>
class DeviceWalk {
 public:
  DeviceWalk(const DeviceRoom<ExecutionSpace, Launch>& room, WalkJob job)
      : m_room(room), m_job(std::move(job)), m_columns(room.store.columns()) {
    m_classes = m_job.loss != nullptr ? m_job.loss->classes() : 1;
    m_has_offset =
        m_job.loss != nullptr && (m_job.observed == nullptr || m_job.observed->has_offset());
    make_sides();
    make_products();
  }

  /// Blocks of a wave within the budget.
  [[nodiscard]] std::int64_t blocks() const {
    return m_room.blocks_within(
        [this](std::int64_t blocks) { return Memory(*this, blocks).bytes; });
  }

  /// Bytes of a wave of one block.
  [[nodiscard]] std::int64_t least_bytes() const { return Memory(*this, 1).bytes; }

  /// \throws Error if a block does not fit the budget
  void sum_rows() {
    const std::int64_t blocks = this->blocks();
    if (blocks < 1) {
      refuse_budget("options.budget", m_room.budget, m_room.held_bytes() + least_bytes());
    }
    m_memory = Memory(*this, blocks, m_room.memory.get(Memory(*this, blocks).bytes));
    upload();
    bool begins = true;
    m_room.store.walk(m_room.rows, m_job.every, blocks, m_memory.panel,
                      [&](const sweep::DeviceDesign& wave) {
                        visit(wave, begins);
                        begins = false;
                      });
    std::vector<double> totals(static_cast<std::size_t>(values()));
    copy_out(m_room.exec, static_cast<const double*>(m_memory.totals), totals);
    give_sums(totals.data());
    give_products(totals.data() + products_from());
  }

 private:
  /// The arrays of a walk in memory of the device.
  struct Memory {
    std::byte* panel = nullptr;
    Scalar* coefficients = nullptr;
    Scalar* predictors = nullptr;
    double* intercepts = nullptr;
    double* observed = nullptr;  ///< (array, row): arrays that are copied for each wave
    double* curvatures = nullptr;
    double* sums = nullptr;
    double* totals = nullptr;
    sweep::DeviceSide* sides = nullptr;
    sweep::DeviceWeights* products = nullptr;
    std::int64_t bytes = 0;

    Memory() = default;
    Memory(const DeviceWalk& walk, std::int64_t blocks, std::byte* memory = nullptr) {
      const auto& store = walk.m_room.store;
      const std::int64_t rows = std::min(store.rows(), blocks * store.block_rows());
      const std::int64_t side_count = walk.side_count();
      const std::int64_t vectors = side_count * walk.m_classes;
      sweep::MemoryCursor cursor(memory);
      panel = cursor.take<std::byte>(rows * store.panel_row_bytes());
      coefficients = cursor.take<Scalar>(vectors * walk.m_columns);
      predictors = cursor.take<Scalar>(vectors * sweep::DeviceDesign::vector_step(rows));
      intercepts = cursor.take<double>(vectors);
      observed = cursor.take<double>(walk.m_copied * rows);
      curvatures = cursor.take<double>(walk.m_curvatures * rows);
      sums = cursor.take<double>(blocks * walk.values());
      totals = cursor.take<double>(walk.values());
      sides = cursor.take<sweep::DeviceSide>(side_count);
      products =
          cursor.take<sweep::DeviceWeights>(static_cast<std::int64_t>(walk.m_job.products.size()));
      bytes = cursor.bytes();
    }
  };

  /// An array of observed values.
  struct Array {
    ObservedKey key;
    typename DeviceObserved<ExecutionSpace>::Array* kept = nullptr;  ///< null: each wave has a copy
    std::int64_t copy = 0;                                           ///< its number
    const double* in_wave = nullptr;
  };

  /// The numbers of the arrays of a right-hand side.
  struct SideArrays {
    std::size_t targets = 0;
    std::size_t weights = 0;
    std::size_t offsets = 0;
  };

  /// The number of an array. Arrays with equal keys have the same number.
  std::size_t array_of(ObservedValues what, const RowsOf& wanted) {
    const ObservedKey key(m_job.observed, what, wanted);
    const auto [known, is_new] = m_numbers.try_emplace(key, m_arrays.size());
    if (is_new) {
      Array array{key};
      if (m_job.observed != nullptr) array.kept = m_room.observed.find(*m_job.observed, key);
      if (array.kept == nullptr) array.copy = m_copied++;
      m_arrays.push_back(array);
    }
    return known->second;
  }

  void make_sides() {
    for (const Request& request : m_job.requests) {
      sweep::DeviceSide side;
      side.dispersion = request.dispersion;
      m_sides.push_back(side);
      SideArrays arrays;
      arrays.targets = array_of(ObservedValues::targets, request.rows);
      arrays.weights = array_of(ObservedValues::weights, request.rows);
      if (m_has_offset) arrays.offsets = array_of(ObservedValues::offsets, request.rows);
      m_side_arrays.push_back(arrays);
      m_has_scale = m_has_scale || request.wants_scale;
    }
  }

  void make_products() {
    for (const WeightedProduct& product : m_job.products) {
      if (product.side < 0) {
        m_product_weights.push_back(array_of(ObservedValues::weights, product.rows));
        continue;
      }
      const auto number = static_cast<std::size_t>(product.side);
      m_product_weights.push_back(m_side_arrays[number].weights);
      sweep::DeviceSide& side = m_sides[number];
      if (side.curvature >= 0) continue;
      side.curvature = m_curvatures;
      m_curvatures += m_classes;
    }
  }

  [[nodiscard]] std::int64_t side_count() const {
    return static_cast<std::int64_t>(m_sides.size());
  }
  [[nodiscard]] std::int64_t vectors() const { return side_count() * m_classes; }
  /// The beginnings of the sums of a block, in this order: losses and weights, gradients, scales,
  /// products.
  [[nodiscard]] std::int64_t gradient_from() const {
    return side_count() * sweep::device_loss_sums;
  }
  [[nodiscard]] std::int64_t scale_from() const {
    return gradient_from() + (m_job.sums.empty() ? 0 : gradient_shape().values());
  }
  [[nodiscard]] std::int64_t products_from() const {
    return scale_from() + (m_has_scale ? gradient_shape().values() : 0);
  }
  [[nodiscard]] sweep::DeviceSumsShape gradient_shape() const {
    return {1, {0, m_columns + 1}, vectors()};
  }
  [[nodiscard]] sweep::DeviceSumsShape product_shape() const {
    return {static_cast<std::int64_t>(m_job.products.size()), m_job.product_rows, m_columns + 1,
            m_job.is_triangle, sweep::DeviceTriangle::of(m_columns)};
  }
  [[nodiscard]] std::int64_t values() const { return products_from() + product_shape().values(); }

  /// Copies the tables of the walk to the device.
  void upload() {
    std::vector<Scalar> coefficients;
    std::vector<double> intercepts;
    for (const Request& request : m_job.requests) {
      for (std::int64_t c = 0; c < m_classes; ++c) {
        for (std::int64_t j = 0; j < m_columns; ++j) {
          coefficients.push_back(static_cast<Scalar>(request.parameters[j * m_classes + c]));
        }
        intercepts.push_back(request.parameters[m_columns * m_classes + c]);
      }
    }
    copy_in(m_room.exec, coefficients, m_memory.coefficients);
    copy_in(m_room.exec, intercepts, m_memory.intercepts);
    m_room.exec.fence("synelix::design_matrix: tables that leave scope are copied");
  }

  /// One wave.
  void visit(const sweep::DeviceDesign& wave, bool begins) {
    if (m_room.watched != nullptr) m_room.watched->ask();
    observe(wave);
    if (side_count() > 0) evaluate(wave);
    if (!m_job.products.empty()) multiply(wave);
    sweep::DeviceTotalsSweep totals;
    totals.sums = m_memory.sums;
    totals.blocks = wave.blocks();
    totals.values = values();
    totals.begins = begins;
    totals.totals = m_memory.totals;
    m_room.launch(m_room.exec, m_totals_label, totals, values());
    m_room.exec.fence("synelix::design_matrix: a wave is done");
  }

  /// Copies observed values to the device, and sets the pointers to the weights of products.
  void observe(const sweep::DeviceDesign& wave) {
    const std::int64_t count = wave.rows.size();
    m_observed.resize(static_cast<std::size_t>(m_copied * count));
    m_job.observed->begin(wave.rows);
    for (Array& array : m_arrays) {
      if (array.kept != nullptr) {
        array.in_wave = array.kept->bring(m_room.exec, *m_job.observed, array.key, wave.rows);
        continue;
      }
      const std::int64_t first = array.copy * count;
      double* const values = m_observed.data() + first;
      array.key.read(*m_job.observed, wave.rows, values);
      const bool are_ones = array.key.are_ones({values, static_cast<std::size_t>(count)});
      array.in_wave = are_ones ? nullptr : m_memory.observed + first;
    }
    copy_in(m_room.exec, m_observed, m_memory.observed);
    for (std::size_t k = 0; k < m_sides.size(); ++k) {
      const SideArrays& arrays = m_side_arrays[k];
      m_sides[k].targets = m_arrays[arrays.targets].in_wave;
      m_sides[k].weights = m_arrays[arrays.weights].in_wave;
      if (m_has_offset) m_sides[k].offsets = m_arrays[arrays.offsets].in_wave;
    }
    copy_in(m_room.exec, m_sides, m_memory.sides);
    m_products.clear();
    for (std::size_t k = 0; k < m_job.products.size(); ++k) {
      const WeightedProduct& product = m_job.products[k];
      sweep::DeviceWeights weights;
      weights.weight = m_arrays[m_product_weights[k]].in_wave;
      if (product.side >= 0) {
        const std::int64_t first = m_sides[static_cast<std::size_t>(product.side)].curvature;
        const double* const curvatures = m_memory.curvatures + first * count;
        if (m_classes == 1) {
          weights.weight = curvatures;
        } else {
          weights.row_class = curvatures + product.row_class * count;
          weights.column_class = curvatures + product.column_class * count;
          weights.is_same = product.row_class == product.column_class;
        }
      }
      m_products.push_back(weights);
    }
    copy_in(m_room.exec, m_products, m_memory.products);
  }

  void evaluate(const sweep::DeviceDesign& wave) {
    sweep::DevicePredictSweep<Scalar> predict;
    predict.from = wave;
    predict.coefficients = m_memory.coefficients;
    predict.vectors = vectors();
    predict.predictors = m_memory.predictors;
    m_room.launch(m_room.exec, m_predict_label, predict, predict.items());
    sweep::DeviceLossSweep<Scalar> losses;
    losses.from = wave;
    losses.loss = m_job.loss->loss;
    losses.sides = m_memory.sides;
    losses.side_count = side_count();
    losses.classes = m_classes;
    losses.intercepts = m_memory.intercepts;
    losses.predictors = m_memory.predictors;
    losses.has_weights = std::any_of(m_sides.begin(), m_sides.end(),
                                     [](const auto& side) { return side.weights != nullptr; });
    losses.has_offsets = m_has_offset;
    losses.curvatures = m_curvatures > 0 ? m_memory.curvatures : nullptr;
    losses.sums = m_memory.sums;
    losses.block_step = values();
    m_room.launch(m_room.exec, m_evaluate_label, losses, losses.items());
    if (m_job.sums.empty()) return;
    const sweep::DeviceSumsShape shape = gradient_shape();
    start_sums(m_gradient_label, wave, sweep::DeviceResiduals<Scalar>{m_memory.predictors, false},
               shape, false, gradient_from());
    if (!m_has_scale) return;
    start_sums(m_gradient_label, wave, sweep::DeviceResiduals<Scalar>{m_memory.predictors, true},
               shape, true, scale_from());
  }

  /// Computes products with weights.
  void multiply(const sweep::DeviceDesign& wave) {
    const sweep::DeviceSumsShape shape = product_shape();
    const sweep::DeviceWeightedRows<Scalar> right{m_memory.products};
    if (shape.is_triangle) {
      if (shape.triangle.panel == sweep::DeviceTriangle::part) {
        start_gram<sweep::DeviceTriangle::part>(wave, right, shape);
      } else {
        start_gram<tune::device_gram_panel>(wave, right, shape);
      }
      if (shape.triangle.parts() == 0) return;
    }
    start_sums(m_product_label, wave, right, shape, false, products_from());
  }

  template <int panel>
  void start_gram(const sweep::DeviceDesign& wave, const sweep::DeviceWeightedRows<Scalar>& right,
                  const sweep::DeviceSumsShape& shape) {
    sweep::DeviceGramSweep<Scalar, panel> gram;
    gram.from = wave;
    gram.weighted = right;
    gram.products = shape.products;
    gram.triangle = shape.triangle;
    gram.sums = m_memory.sums + products_from();
    gram.block_step = values();
    m_room.launch(m_room.exec, m_product_label, gram, gram.items());
  }

  template <class Right>
  void start_sums(const std::string& label, const sweep::DeviceDesign& wave, const Right& right,
                  const sweep::DeviceSumsShape& shape, bool magnitudes, std::int64_t from) {
    sweep::DeviceSumsSweep<Scalar, Right> sums;
    sums.from = wave;
    sums.right = right;
    sums.shape = shape;
    sums.magnitudes = magnitudes;
    sums.sums = m_memory.sums + from;
    sums.block_step = values();
    m_room.launch(m_room.exec, label, sums, sums.items());
  }

  void give_sums(const double* totals) const {
    const std::int64_t pitch = gradient_shape().pitch();
    for (std::int64_t s = 0; s < std::ssize(m_job.sums); ++s) {
      Sums& to = m_job.sums[static_cast<std::size_t>(s)];
      to.loss = totals[s * sweep::device_loss_sums];
      to.weight = totals[s * sweep::device_loss_sums + 1];
      for (std::int64_t j = 0; j <= m_columns; ++j) {
        for (std::int64_t c = 0; c < m_classes; ++c) {
          const auto at = static_cast<std::size_t>(j * m_classes + c);
          const std::int64_t from = j * pitch + s * m_classes + c;
          to.gradient[at] = totals[gradient_from() + from];
          if (!to.scale.empty()) to.scale[at] = totals[scale_from() + from];
        }
      }
    }
  }

  void give_products(const double* totals) const {
    const sweep::DeviceSumsShape shape = product_shape();
    for (const WeightedProduct& product : m_job.products) {
      for (std::int64_t i = 0; i < shape.rows.size(); ++i) {
        for (std::int64_t j = shape.is_triangle ? i : 0; j < shape.columns; ++j) {
          product.result[i * product.row_stride + j * product.column_stride] =
              totals[shape.is_triangle ? shape.triangle.place(i, j) : i * shape.pitch() + j];
        }
      }
      totals += shape.of_product();
    }
  }

  DeviceRoom<ExecutionSpace, Launch> m_room;
  WalkJob m_job;
  std::int64_t m_columns;
  std::int64_t m_classes = 1;
  bool m_has_offset = false;
  bool m_has_scale = false;
  std::int64_t m_curvatures = 0;  ///< arrays of curvatures
  std::vector<Array> m_arrays;
  std::map<ObservedKey, std::size_t> m_numbers;  ///< of arrays
  std::int64_t m_copied = 0;                     ///< arrays that are copied for each wave
  std::vector<sweep::DeviceSide> m_sides;
  std::vector<SideArrays> m_side_arrays;
  std::vector<std::size_t> m_product_weights;  ///< arrays
  Memory m_memory;
  std::vector<double> m_observed;  ///< of a wave, until it is copied
  std::vector<sweep::DeviceWeights> m_products;
  std::string m_predict_label = "synelix::design_matrix::predict";
  std::string m_evaluate_label = "synelix::design_matrix::evaluate";
  std::string m_gradient_label = "synelix::design_matrix::gradient";
  std::string m_product_label = "synelix::design_matrix::hessian";
  std::string m_totals_label = "synelix::design_matrix::totals";
};

}  // namespace synelix::glm
