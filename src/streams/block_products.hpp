// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/stream_products.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// \file
/// Blocks of streamed products and forms: one-shot calls, and their workspace.

namespace synelix::stream {

/// The operation on blocks.
enum class ProductVerb : std::uint8_t { matmul, bilinear_forms, quadratic_forms };

/// The inputs of a stream: one source, or two for bilinear forms.
struct ProductTask {
  ProductVerb verb;
  std::vector<Source*> sources;
  const Operand& matrix;

  [[nodiscard]] const SeriesShape& shape(std::size_t i) const { return sources[i]->shape(); }
  /// Values of a result.
  [[nodiscard]] std::int64_t columns() const {
    return verb == ProductVerb::matmul ? matrix.columns() : matrix.count();
  }
};

/// Scales and offsets of each channel in memory that kernels read, for the duration of the stream.
template <class ExecutionSpace>
class ChannelScaling {
 public:
  ChannelScaling(const ExecutionSpace& exec, const Scaling& scaling, std::int64_t channels)
      : m_scaling(scaling) {
    if (scaling.channel_scale.empty() && scaling.channel_offset.empty()) return;
    m_numbers = Numbers(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::stream_products::scaling"),
        2, static_cast<std::size_t>(channels));
    const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, m_numbers);
    for (std::size_t c = 0; c < m_numbers.extent(1); ++c) {
      host(0, c) = scaling.channel_scale.empty() ? scaling.scale : scaling.channel_scale[c];
      host(1, c) = scaling.channel_offset.empty() ? scaling.offset : scaling.channel_offset[c];
    }
    Kokkos::deep_copy(exec, m_numbers, host);
    exec.fence("synelix::stream_products: numbers of channels are there");
  }

  [[nodiscard]] Operand scaled_block(const Strided& stored) const {
    if (m_numbers.extent(1) > 0) {
      const std::size_t channels = m_numbers.extent(1);
      return scaled(stored, std::span<const double>(m_numbers.data(), channels),
                    std::span<const double>(m_numbers.data() + channels, channels));
    }
    if (m_scaling.is_identity()) return stored;
    return scaled(stored, m_scaling.scale, m_scaling.offset);
  }

 private:
  using Numbers =
      Kokkos::View<double**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>;

  const Scaling& m_scaling;
  Numbers m_numbers;
};

/// A task on a space: computes one block at a time.
template <class Scalar, class ExecutionSpace>
class BlockProducts {
 public:
  BlockProducts(const ExecutionSpace& exec, const ProductTask& task,
                const StreamProductsOptions& options)
      : m_exec(exec), m_task(task), m_options(options) {
    for (std::size_t i = 0; i < task.sources.size(); ++i) {
      m_scalings.emplace_back(exec, task.shape(i).scaling, task.shape(i).channels);
    }
  }

  /// Computes a block: vectors of each source, (rows, columns) of results. It takes no more memory
  /// than the choice, for any number of rows.
  void run(const ExecutionSpace& exec, std::span<const Strided> read, std::int64_t rows,
           Scalar* results, std::int64_t budget) const {
    const Operand x = m_scalings[0].scaled_block(read[0]);
    if (m_task.verb == ProductVerb::matmul) {
      return matmul(exec, x, m_task.matrix, result_of(rows, results), of_product(budget));
    }
    const StridedOutput q = result_of(rows, results);
    if (m_task.verb == ProductVerb::quadratic_forms) {
      return quadratic_forms(exec, x, m_task.matrix, q, of_forms(budget));
    }
    bilinear_forms(exec, x, m_task.matrix, m_scalings[1].scaled_block(read[1]), q,
                   of_forms(budget));
  }

  /// The memory of blocks within a budget, for any number of rows.
  [[nodiscard]] Choice choose(std::int64_t budget) const {
    const std::int64_t rows = std::clamp<std::int64_t>(m_task.shape(0).samples, 1, most_rows);
    Choice choice = choose_for(rows, budget);
    if (m_task.verb == ProductVerb::matmul) {
      // One column of results is computed as a row, but a single result is not: for that the other
      // operand is copied.
      choice.workspace_bytes =
          std::max(choice.workspace_bytes, choose_for(1, budget).workspace_bytes);
    }
    return choice;
  }

 private:
  /// From this many rows on, a choice takes the same memory, because all threads have enough work.
  static constexpr std::int64_t most_rows = 1 << 20;

  /// The results in a block: contiguous rows; for several matrices in the layout of the forms.
  [[nodiscard]] StridedOutput result_of(std::int64_t rows, Scalar* results) const {
    const std::int64_t columns = m_task.columns();
    if (m_task.verb == ProductVerb::matmul) return {results, {rows, columns}};
    if (m_task.matrix.rank() == 2) return {results, {rows}};
    return {results, {columns, rows}, {1, columns}};
  }
  [[nodiscard]] MatmulOptions of_product(std::int64_t budget) const {
    // The bits of the vendor's library depend on the number of rows.
    return {.multiplier = Multiplier::tiles, .budget = budget, .machine = m_options.machine};
  }
  [[nodiscard]] BilinearFormsOptions of_forms(std::int64_t budget) const {
    return {.method = m_options.method, .budget = budget, .machine = m_options.machine};
  }

  /// The choice for a block of this many rows and a budget. All vectors are one vector in memory
  /// that is not read, and results have no memory.
  [[nodiscard]] Choice choose_for(std::int64_t rows, std::int64_t budget) const {
    std::vector<std::vector<std::byte>> vectors;
    std::vector<Strided> read;
    for (std::size_t i = 0; i < m_task.sources.size(); ++i) {
      const SeriesShape& shape = m_task.shape(i);
      vectors.emplace_back(static_cast<std::size_t>(shape.channels * size_of(shape.type)));
      Strided block;
      block.data = vectors.back().data();
      block.type = shape.type;
      block.rank = 2;
      block.extents = {rows, shape.channels};
      block.strides = {0, 1};
      read.push_back(block);
    }
    return chosen(read, result_of(rows, nullptr), budget);
  }
  [[nodiscard]] Choice chosen(std::span<const Strided> read, const StridedOutput& results,
                              std::int64_t budget) const {
    Choice choice;
    const Operand x = m_scalings[0].scaled_block(read[0]);
    const auto take = [&](const auto& of) {
      choice.instruction_set = of.instruction_set;
      choice.teams = of.teams;
      choice.workspace_bytes = of.workspace_bytes;
    };
    if (m_task.verb == ProductVerb::matmul) {
      take(choose_matmul(m_exec, x, m_task.matrix, results, of_product(budget)));
    } else if (m_task.verb == ProductVerb::quadratic_forms) {
      take(choose_quadratic_forms(m_exec, x, m_task.matrix, results, of_forms(budget)));
    } else {
      take(choose_bilinear_forms(m_exec, x, m_task.matrix, m_scalings[1].scaled_block(read[1]),
                                 results, of_forms(budget)));
    }
    choice.rows = m_task.shape(0).samples;
    return choice;
  }

  ExecutionSpace m_exec;
  const ProductTask& m_task;
  const StreamProductsOptions& m_options;
  std::vector<ChannelScaling<ExecutionSpace>> m_scalings;
};

}  // namespace synelix::stream
