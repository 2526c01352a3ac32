// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/plan/prepared_convolution.hpp"
#include "design/plan/design_layout.hpp"
#include "design/plan/prepared_evaluation.hpp"
#include "design/sweep/product.hpp"

#include <synelix/types/features.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// \file
/// The contents of a features plan: its bases bound to tables, one workspace that they use in turn,
/// and the traversal of the expression that computes some rows.

namespace synelix::plan {

/// Bytes of the workspace of a design, and how it is shared.
struct DesignMemory {
  std::int64_t sweep_bytes = 0;  ///< for the sweep of one basis, the largest of all
  std::int64_t teams = 1;        ///< of eval mode and products
  std::int64_t factor_bytes = 0;
  std::int64_t table_bytes = 0;
};

/// Chooses for every basis, and the rows of factors. \throws Error if the budget is too small
template <class Scalar, class ExecutionSpace>
FeaturesChoice make_choice(const ExecutionSpace& exec, const DesignLayout& design,
                           const FeaturesOptions& options, DesignMemory& memory);

/// The data of an input of a run: an array that starts at a sample, or events.
struct Feed {
  const Strided* data = nullptr;
  int sample_axis = 0;
  std::int64_t first_sample = 0;
  const Events* events = nullptr;
};

/// Tables, workspace and launches of one plan.
template <class Scalar, class ExecutionSpace>
class PreparedDesign {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  PreparedDesign(const ExecutionSpace& exec, DesignLayout design, const FeaturesOptions& options,
                 std::span<const InputStatistics> statistics);

  /// Computes rows into `features`, a matrix that starts at the first of them. `feed(i)` returns
  /// input i.
  template <class Feeds>
  void compute(const ExecutionSpace& exec, Range rows, const Feeds& feed,
               const StridedOutput& features) const {
    for (std::size_t k = 0; k < m_design.parts.size(); ++k) {
      const Part& part = m_design.parts[k];
      if (part.channels * part.bases == 0) continue;
      ColumnStrides place;
      place.data = static_cast<Scalar*>(features.data) +
                   m_design.terms[k].columns.begin * features.strides[1];
      place.row_stride = features.strides[0];
      place.channel_stride = part.bases * features.strides[1];
      place.basis_stride = features.strides[1];
      const std::int64_t step =
          part.kind == Node::Kind::product ? m_choice.product_rows : rows.size();
      for (std::int64_t first = rows.begin; first < rows.end; first += step) {
        const std::int64_t last = first + step < rows.end ? first + step : rows.end;
        compute_part(exec, part, {first, last}, feed, place);
        place.data += step * place.row_stride;
      }
    }
  }

  [[nodiscard]] Range samples_for(std::int64_t input, Range rows) const;
  [[nodiscard]] const DesignLayout& design() const { return m_design; }
  [[nodiscard]] const FeaturesChoice& choice() const { return m_choice; }

 private:
  using Convolution = PreparedConvolution<Scalar, ExecutionSpace>;
  using Evaluation = PreparedEvaluation<Scalar, ExecutionSpace>;

  /// The destination of values (row, channel, basis).
  struct ColumnStrides {
    Scalar* data = nullptr;
    std::int64_t row_stride = 0;
    std::int64_t channel_stride = 0;
    std::int64_t basis_stride = 0;
  };

  template <class Feeds>
  void compute_part(const ExecutionSpace& exec, const Part& part, Range rows, const Feeds& feed,
                    ColumnStrides place) const {
    if (part.channels * part.bases == 0) return;
    switch (part.kind) {
      case Node::Kind::conv:
        convolve(exec, part, rows, feed(part.inputs.begin), place);
        break;
      case Node::Kind::eval:
        evaluate(exec, part, rows, feed, place);
        break;
      case Node::Kind::sum:
        for (const Part& summand : part.parts) {
          compute_part(exec, summand, rows, feed, place);
          place.data += summand.bases * place.basis_stride;
        }
        break;
      case Node::Kind::product:
        for (const Part& factor : part.parts) {
          const std::int64_t width = factor.channels * factor.bases;
          compute_part(exec, factor, rows, feed,
                       {factor_data(factor), width, factor.bases, std::int64_t{1}});
        }
        multiply(exec, part, rows, place);
        break;
    }
  }

  template <class Feeds>
  void evaluate(const ExecutionSpace& exec, const Part& part, Range rows, const Feeds& feed,
                const ColumnStrides& place) const {
    const auto& evaluation = *m_evaluations[static_cast<std::size_t>(part.component)];
    sweep::EvalSweep<Scalar> sweep = evaluation.sweep();
    for (std::int64_t d = 0; d < part.inputs.size(); ++d) {
      const Feed input = feed(part.inputs.begin + d);
      pack::AnySource& source = sweep.inputs[d].source;
      if (input.events != nullptr) {
        source.events = {input.events->begins(), input.events->sample_indices(),
                         input.events->counts()};
      } else {
        source = evaluation.source_of(static_cast<int>(d), *input.data, input.sample_axis,
                                      input.first_sample);
      }
    }
    sweep.features = features_of(part, rows, place);
    start(exec, sweep);
  }

  void convolve(const ExecutionSpace& exec, const Part& part, Range rows, const Feed& input,
                const ColumnStrides& place) const;
  void multiply(const ExecutionSpace& exec, const Part& part, Range rows,
                const ColumnStrides& place) const;
  void start(const ExecutionSpace& exec, sweep::EvalSweep<Scalar> sweep) const;
  void start(const ExecutionSpace& exec, sweep::ProductSweep<Scalar> sweep) const;
  void bind(const ExecutionSpace& exec, const FeaturesOptions& options);
  [[nodiscard]] Scalar* factor_data(const Part& factor) const;
  [[nodiscard]] static sweep::FeatureTarget<Scalar> features_of(const Part& part, Range rows,
                                                                const ColumnStrides& place);

  DesignLayout m_design;
  DesignMemory m_memory;
  FeaturesChoice m_choice;
  RowTable m_sample_rows;  ///< for eval mode
  tune::Mapping m_mapping;
  Kokkos::View<index::Segment*, MemorySpace> m_uploaded_segments;  ///< on a device
  const index::Segment* m_segments = nullptr;
  OwnedMemory<std::byte, MemorySpace> m_workspace;
  OwnedMemory<std::byte, MemorySpace> m_factors;
  std::vector<std::unique_ptr<Convolution>> m_convolutions;  ///< by component
  std::vector<std::unique_ptr<Evaluation>> m_evaluations;    ///< by component
  std::string m_eval_label = "synelix::features::eval";
  std::string m_product_label = "synelix::features::product";
};

}  // namespace synelix::plan
