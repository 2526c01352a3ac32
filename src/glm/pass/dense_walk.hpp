// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/dense_plan.hpp"
#include "glm/pass/dense_store.hpp"
#include "glm/pass/matrix_pass.hpp"
#include "glm/sweep/curvature_products.hpp"
#include "glm/sweep/evaluate_rows.hpp"
#include "launch/start_watched.hpp"
#include "launch/watched.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// \file
/// `DenseWalk`: one walk of a dense pass that evaluates right-hand sides, multiplies with weights,
/// or both. Blocks of a wave are computed at once, then their sums are added in order.

namespace synelix::glm {

/// The resources of a walk of a pass.
template <class ExecutionSpace, class Feature>
struct DenseRoom {
  const ExecutionSpace& exec;
  DenseStore<ExecutionSpace, Feature>& store;
  LineMemory& memory;
  InstructionSet set;
  std::int64_t budget;
  Range rows;                        ///< of walks that sum
  plan::Watched* watched = nullptr;  ///< null: walks cannot be cancelled
};

/// The walk.
template <class ExecutionSpace, class Feature, class Scalar>
class DenseWalk {
 public:
  DenseWalk(const DenseRoom<ExecutionSpace, Feature>& room, WalkJob job)
      : m_room(room),
        m_job(std::move(job)),
        m_columns(room.store.columns()),
        m_tiles{&tile::table_of<Scalar>(room.set), &tile::row_table_of<Feature, Scalar>(room.set)} {
    m_classes = m_job.loss != nullptr ? m_job.loss->classes() : 1;
    m_shape = {m_columns, m_classes, false};
    for (const Request& request : m_job.requests) {
      m_shape.has_scale = m_shape.has_scale || request.wants_scale;
    }
    m_one_by_one = takes_one_by_one(together_of(m_job.requests) * m_classes, m_tiles.matrix->lanes);
    m_panel = std::int64_t{m_tiles.matrix->lanes} * m_tiles.matrix->matrix_packs;
    make_sides();
  }

  /// Bytes of the smallest cut.
  std::int64_t least_bytes() {
    DenseCut least;
    least.parts = index::ceil_divide(m_columns, m_panel);
    return lay_out(least, nullptr);
  }

  void sum_rows() {
    DenseExtent extent;
    extent.teams = std::max(1, m_room.exec.concurrency());
    extent.blocks = m_room.store.blocks();
    extent.sides = static_cast<std::int64_t>(m_sides.size());
    extent.classes = m_classes;
    extent.weights = static_cast<std::int64_t>(m_job.products.size());
    extent.most_parts = index::ceil_divide(m_columns, m_panel);
    m_cut = cut_within(m_room.budget, m_room.store.held_bytes(), extent,
                       [this](const DenseCut& cut) { return lay_out(cut, nullptr); });
    lay_out(m_cut, m_room.memory.get(lay_out(m_cut, nullptr)));
    m_room.store.walk(m_room.rows, m_job.every, m_cut.blocks, m_features,
                      [this](const sweep::DenseRows<Feature>& rows) { visit(rows); });
  }

 private:
  /// Makes the right-hand sides for sweeps. If no gradients are wanted, they only compute
  /// curvatures.
  void make_sides() {
    for (std::size_t r = 0; r < m_job.requests.size(); ++r) {
      const Request& request = m_job.requests[r];
      sweep::EvaluatedSide side;
      side.rows = request.rows;
      side.dispersion = request.dispersion;
      side.intercepts = request.parameters + m_columns * m_classes;
      side.wants_gradient = !m_job.sums.empty();
      side.wants_scale = request.wants_scale;
      m_sides.push_back(side);
    }
    for (const WeightedProduct& product : m_job.products) {
      if (product.side >= 0) m_sides[static_cast<std::size_t>(product.side)].curvature = 0;
    }
  }

  [[nodiscard]] std::int64_t curvature_values() const {
    return m_room.store.block_rows() * (m_classes > 1 ? m_classes + 1 : 1);
  }
  [[nodiscard]] std::int64_t vector_stride(const DenseCut& cut) const {
    return m_one_by_one ? m_columns : index::round_up(cut.group * m_classes, m_tiles.matrix->lanes);
  }
  [[nodiscard]] std::int64_t coefficient_values(const DenseCut& cut) const {
    if (m_sides.empty()) return 0;
    if (m_one_by_one) return cut.sides * m_classes * m_columns;
    return index::ceil_divide(cut.sides, cut.group) * m_columns * vector_stride(cut);
  }
  /// The largest number of right-hand sides of a chunk with curvatures.
  [[nodiscard]] std::int64_t curvature_sides(const DenseCut& cut) const {
    std::int64_t count = 0;
    for (const sweep::EvaluatedSide& side : m_sides) count += side.curvature >= 0 ? 1 : 0;
    return std::min(count, cut.sides);
  }
  /// Rows of products without that of the intercept, which parts of a product have anyway.
  [[nodiscard]] Range product_rows() const {
    return {m_job.product_rows.begin, std::min(m_job.product_rows.end, m_columns)};
  }
  [[nodiscard]] std::vector<sweep::CurvaturePart> parts(std::int64_t count) const {
    return parts_of(m_columns, product_rows(), m_job.is_triangle, count, m_panel,
                    m_tiles.matrix->lanes);
  }

  /// Assigns memory to all arrays, or counts their bytes.
  std::int64_t lay_out(const DenseCut& cut, std::byte* memory) {
    sweep::MemoryCursor cursor(memory);
    m_features = cursor.take<Feature>(m_room.store.panel_values(cut.blocks));
    std::int64_t team_bytes = 0;
    if (!m_sides.empty()) {
      m_coefficients = cursor.take<Scalar>(coefficient_values(cut));
      m_sums = cursor.take<double>(cut.blocks * cut.sides * m_shape.values());
      m_curvatures = cursor.take<double>(cut.blocks * curvature_sides(cut) * curvature_values());
      sweep::MemoryCursor team(nullptr);
      const sweep::EvaluateMemory<Feature, Scalar> counted(team, m_columns, cut.group * m_classes,
                                                           m_classes, m_shape.has_scale);
      team_bytes = team.bytes();
    }
    if (!m_job.products.empty()) {
      m_parts = parts(cut.parts);
      m_most_values = 0;
      m_most_width = 0;
      for (const sweep::CurvaturePart& part : m_parts) {
        m_most_values = std::max(m_most_values, part.values());
        m_most_width = std::max(m_most_width, part.width());
      }
      m_product_sums =
          cursor.take<double>(cut.blocks * cut.weights * cut.parts_at_once * m_most_values);
      sweep::MemoryCursor team(nullptr);
      const sweep::CurvatureMemory<Feature, Scalar> counted(team, m_columns, m_most_width,
                                                            m_most_values);
      team_bytes = std::max(team_bytes, team.bytes());
    }
    m_workspace.bytes = team_bytes;
    m_workspace.teams = cut.teams;
    m_workspace.data = cursor.take<std::byte>(team_bytes * cut.teams);
    return cursor.bytes() + plan::workspace_alignment;
  }

  template <class Sweep>
  void start(Sweep& sweep, const std::string& label, std::int64_t items) {
    plan::start_watched(plan::SweepLaunch<ExecutionSpace>{m_room.exec, label, m_workspace, 1},
                        sweep, items, items, m_room.watched);
    m_room.exec.fence("synelix::design_matrix: sums of blocks are added");
  }

  /// One wave.
  void visit(const sweep::DenseRows<Feature>& rows) {
    if (m_room.watched != nullptr) m_room.watched->ask();
    if (m_sides.empty()) {
      std::vector<const WeightedProduct*> products;
      products.reserve(m_job.products.size());
      for (const WeightedProduct& product : m_job.products) products.push_back(&product);
      return multiply(rows, products, 0, 0);
    }
    const auto all = static_cast<std::int64_t>(m_sides.size());
    for (std::int64_t first = 0; first < all; first += m_cut.sides) {
      evaluate(rows, first, std::min(all, first + m_cut.sides));
    }
  }

  /// Evaluates right-hand sides [first, end), and the products with their curvatures.
  void evaluate(const sweep::DenseRows<Feature>& rows, std::int64_t first, std::int64_t end) {
    std::vector<sweep::EvaluatedSide> sides(m_sides.begin() + first, m_sides.begin() + end);
    std::int64_t curvatures = 0;
    for (sweep::EvaluatedSide& side : sides) {
      if (side.curvature >= 0) side.curvature = curvatures++;
    }
    pack_coefficients(first, end);
    sweep::EvaluateRowsSweep<Feature, Scalar> sweep;
    sweep.from = rows;
    sweep.tiles = m_tiles;
    sweep.observed = m_job.observed;
    sweep.loss_of_rows = m_job.loss->of_rows;
    sweep.loss_of_labels = m_job.loss->of_labels;
    sweep.sides = sides.data();
    sweep.side_count = end - first;
    sweep.group_sides = m_cut.group;
    sweep.one_by_one = m_one_by_one;
    sweep.coefficients = m_coefficients;
    sweep.vector_stride = vector_stride(m_cut);
    sweep.shape = m_shape;
    sweep.sums = m_sums;
    sweep.curvatures = m_curvatures;
    sweep.curvature_values = curvature_values();
    sweep.curvature_sides = curvatures;
    start(sweep, m_evaluate_label, rows.blocks() * index::ceil_divide(end - first, m_cut.group));
    if (!m_job.sums.empty()) add_sums(rows.blocks(), first, end);
    std::vector<const WeightedProduct*> products;
    for (const WeightedProduct& product : m_job.products) {
      if (product.side >= first && product.side < end) products.push_back(&product);
    }
    m_chunk = &sides;
    multiply(rows, products, first, curvatures);
  }

  void pack_coefficients(std::int64_t first, std::int64_t end) {
    const std::int64_t stride = vector_stride(m_cut);
    if (!m_one_by_one) {
      std::fill_n(m_coefficients, coefficient_values(m_cut), Scalar(0));
    }
    for (std::int64_t s = first; s < end; ++s) {
      const double* const from = m_job.requests[static_cast<std::size_t>(s)].parameters;
      for (std::int64_t c = 0; c < m_classes; ++c) {
        const std::int64_t number = s - first;
        const std::int64_t group = number / m_cut.group;
        Scalar* const to = m_one_by_one ? m_coefficients + (number * m_classes + c) * stride
                                        : m_coefficients + group * m_columns * stride +
                                              number % m_cut.group * m_classes + c;
        const std::int64_t step = m_one_by_one ? 1 : stride;
        for (std::int64_t j = 0; j < m_columns; ++j) {
          to[j * step] = static_cast<Scalar>(from[j * m_classes + c]);
        }
      }
    }
  }

  /// Adds the sums of blocks to the results, block by block.
  void add_sums(std::int64_t blocks, std::int64_t first, std::int64_t end) {
    for (std::int64_t b = 0; b < blocks; ++b) {
      for (std::int64_t s = first; s < end; ++s) {
        const double* const from = m_sums + (b * (end - first) + s - first) * m_shape.values();
        Sums& to = m_job.sums[static_cast<std::size_t>(s)];
        to.loss += from[m_shape.loss()];
        to.weight += from[m_shape.weight()];
        for (std::int64_t c = 0; c < m_classes; ++c) {
          for (std::int64_t j = 0; j <= m_columns; ++j) {
            const auto at = static_cast<std::size_t>(j * m_classes + c);
            to.gradient[at] += from[m_shape.gradient(c) + j];
            if (!to.scale.empty()) to.scale[at] += from[m_shape.scale(c) + j];
          }
        }
      }
    }
  }

  /// Computes products of a wave with weights.
  void multiply(const sweep::DenseRows<Feature>& rows,
                const std::vector<const WeightedProduct*>& products, std::int64_t first_side,
                std::int64_t curvatures) {
    const auto all = static_cast<std::int64_t>(products.size());
    const auto part_count = static_cast<std::int64_t>(m_parts.size());
    for (std::int64_t first = 0; first < all; first += m_cut.weights) {
      const std::int64_t end = std::min(all, first + m_cut.weights);
      std::vector<sweep::CurvatureWeights> weights;
      for (std::int64_t i = first; i < end; ++i) {
        const WeightedProduct& product = *products[static_cast<std::size_t>(i)];
        weights.push_back({nullptr, product.rows, product.row_class, product.column_class});
        if (product.side < 0) continue;
        const auto side = static_cast<std::size_t>(product.side - first_side);
        weights.back().curvature = m_curvatures + (*m_chunk)[side].curvature * curvature_values();
      }
      for (std::int64_t p = 0; p < part_count; p += m_cut.parts_at_once) {
        const std::int64_t parts_now = std::min(part_count - p, m_cut.parts_at_once);
        sweep::CurvatureSweep<Feature, Scalar> sweep;
        sweep.from = rows;
        sweep.tiles = m_tiles;
        sweep.observed = m_job.observed;
        sweep.weights = weights.data();
        sweep.weight_count = end - first;
        sweep.block_curvatures = curvatures * curvature_values();
        sweep.classes = m_classes;
        sweep.parts = m_parts.data() + p;
        sweep.part_count = parts_now;
        sweep.sums = m_product_sums;
        sweep.most_values = m_most_values;
        sweep.most_width = m_most_width;
        start(sweep, m_product_label, rows.blocks() * (end - first) * parts_now);
        for (std::int64_t b = 0; b < rows.blocks(); ++b) {
          for (std::int64_t i = 0; i < end - first; ++i) {
            for (std::int64_t k = 0; k < parts_now; ++k) {
              const double* const from =
                  m_product_sums + ((b * (end - first) + i) * parts_now + k) * m_most_values;
              add_product(*products[static_cast<std::size_t>(first + i)],
                          m_parts[static_cast<std::size_t>(p + k)], from, p + k + 1 == part_count);
            }
          }
        }
      }
    }
  }

  /// Adds the sums of one block and part to the result.
  void add_product(const WeightedProduct& product, const sweep::CurvaturePart& part,
                   const double* from, bool is_last) const {
    const std::int64_t width = part.width();
    const std::int64_t end = std::min(part.columns.end, m_columns);
    const std::int64_t base = m_job.product_rows.begin;
    const bool has_intercept_row = m_job.product_rows.end > m_columns;
    const auto to = [&](std::int64_t row, std::int64_t column) -> double& {
      return product.result[(row - base) * product.row_stride + column * product.column_stride];
    };
    const double* const intercept = from + part.rows.size() * width;
    for (std::int64_t i = part.rows.begin; i < part.rows.end; ++i) {
      const double* const row = from + (i - part.rows.begin) * width;
      const std::int64_t first =
          part.is_triangle ? std::max(i, part.columns.begin) : part.columns.begin;
      for (std::int64_t j = first; j < end; ++j) to(i, j) += row[j - part.columns.begin];
    }
    for (std::int64_t j = part.columns.begin; j < end; ++j) {
      const double sum = intercept[j - part.columns.begin];
      if (m_job.is_triangle) {
        to(j, m_columns) += sum;
        continue;
      }
      if (part.rows.begin <= j && j < part.rows.end) to(j, m_columns) += sum;
      if (has_intercept_row) to(part.rows.end, j) += sum;
    }
    if (is_last && has_intercept_row) {
      to(m_job.is_triangle ? m_columns : part.rows.end, m_columns) += from[part.weight()];
    }
  }

  DenseRoom<ExecutionSpace, Feature> m_room;
  WalkJob m_job;
  std::int64_t m_columns;
  sweep::DenseTiles<Feature, Scalar> m_tiles;
  std::int64_t m_classes = 1;
  sweep::SideSums m_shape;
  bool m_one_by_one = false;
  std::int64_t m_panel = 0;
  std::vector<sweep::EvaluatedSide> m_sides;
  const std::vector<sweep::EvaluatedSide>* m_chunk = nullptr;
  std::vector<sweep::CurvaturePart> m_parts;
  DenseCut m_cut;
  Feature* m_features = nullptr;
  Scalar* m_coefficients = nullptr;
  double* m_sums = nullptr;
  double* m_curvatures = nullptr;
  double* m_product_sums = nullptr;
  std::int64_t m_most_values = 0;
  std::int64_t m_most_width = 0;
  sweep::Workspace m_workspace;
  std::string m_evaluate_label = "synelix::design_matrix::evaluate";
  std::string m_product_label = "synelix::design_matrix::hessian";
};

}  // namespace synelix::glm
