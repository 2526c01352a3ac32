// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/row_panels.hpp"

#include "glm/sweep/gather_rows.hpp"
#include "launch/arrays.hpp"
#include "launch/host_space.hpp"
#include "launch/reached.hpp"
#include "launch/start_watched.hpp"
#include "machine/spaces.hpp"
#include "tile/select.hpp"
#include "tune/fit.hpp"

#include <synelix/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace synelix::glm {
namespace {

/// The matrix in the form that `gather` reads.
pack::MatrixSource source_of(const Operand& matrix) {
  const Strided& array = matrix.array();
  pack::MatrixSource source;
  source.data = array.data;
  source.type = array.type;
  source.row_stride = array.strides[0];
  source.column_stride = array.strides[1];
  source.scale = matrix.scale().all();
  source.offset = matrix.offset().all();
  const bool by_row = matrix.channels_are_rows();
  (by_row ? source.row_scale : source.column_scale) = matrix.scale().each();
  (by_row ? source.row_offset : source.column_offset) = matrix.offset().each();
  return source;
}

template <class ExecutionSpace>
class StoredPanels : public RowPanels {
 public:
  StoredPanels(const ExecutionSpace& exec, const Operand& matrix, InstructionSet set)
      : m_exec(exec), m_matrix(matrix), m_source(source_of(matrix)), m_set(set) {
    Term term;
    term.label = "features";
    term.channels = 1;
    term.bases = columns();
    term.columns = {0, columns()};
    m_terms.push_back(term);
  }

  [[nodiscard]] std::int64_t rows() const override { return m_matrix.rows(); }
  [[nodiscard]] std::int64_t columns() const override { return m_matrix.columns(); }
  [[nodiscard]] const std::vector<Term>& terms() const override { return m_terms; }
  [[nodiscard]] RowSource source() const override { return RowSource::stored; }
  [[nodiscard]] StoredType type() const override {
    return m_source.type == StoredType::float64 ? StoredType::float64 : StoredType::float32;
  }
  [[nodiscard]] Strided in_place() const override {
    const bool is_plain = m_source.type == type() && !m_source.is_scaled();
    if (!is_plain || (m_source.column_stride != 1 && columns() > 1)) return {};
    return m_matrix.array();
  }
  [[nodiscard]] const pack::MatrixSource* matrix() const override { return &m_source; }
  [[nodiscard]] double row_seconds() const override {
    return static_cast<double>(columns() * size_of(m_source.type)) * tune::fit_read_byte * 1e-9;
  }

  void fill(Range rows, void* to, std::int64_t row_stride) override {
    if (type() == StoredType::float64) {
      start(rows, static_cast<double*>(to), row_stride);
    } else {
      start(rows, static_cast<float*>(to), row_stride);
    }
  }

 private:
  template <class Feature>
  void start(Range rows, Feature* to, std::int64_t row_stride) const {
    if constexpr (plan::is_host_space<ExecutionSpace>) {
      sweep::GatherRowsSweep<Feature> sweep;
      sweep.source = m_source;
      sweep.rows = rows;
      sweep.columns = columns();
      sweep.to = to;
      sweep.stride = row_stride;
      sweep.table = &tile::table_of<Feature>(m_set);
      sweep::Workspace workspace;
      workspace.teams = m_exec.concurrency();
      plan::start_sweep(plan::SweepLaunch<ExecutionSpace>{m_exec, m_label, workspace, 1}, sweep,
                        workspace.teams);
      m_exec.fence("synelix::design_matrix: rows are read");
    }
  }

  ExecutionSpace m_exec;
  Operand m_matrix;
  pack::MatrixSource m_source;
  InstructionSet m_set;
  std::vector<Term> m_terms;
  std::string m_label = "synelix::design_matrix::gather";
};

}  // namespace

template <class ExecutionSpace>
std::unique_ptr<RowPanels> stored_panels(const ExecutionSpace& exec, const Operand& features,
                                         const DesignMatrixOptions& options) {
  const Strided& array = features.array();
  if (array.rank != 2) {
    throw Error("features", plan::extents_text(array) + " has not two dimensions",
                "Pass a matrix (rows, columns)");
  }
  plan::check_array("features", array);
  plan::check_channels("features", features,
                       features.channels_are_rows() ? features.rows() : features.columns());
  plan::check_reached(exec, features, "features");
  if (features.rows() < 1 || features.columns() < 1) {
    throw Error("features", plan::extents_text(array) + " has no values",
                "Pass one row and one column, or more");
  }
  return std::make_unique<StoredPanels<ExecutionSpace>>(
      exec, features, tile::select_set(options.machine.instruction_set));
}

#define SYNELIX_INSTANTIATE(SPACE)                                                       \
  template std::unique_ptr<RowPanels> stored_panels<SPACE>(const SPACE&, const Operand&, \
                                                           const DesignMatrixOptions&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::glm
