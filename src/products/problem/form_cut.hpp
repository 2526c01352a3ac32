// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "lanes/instruction_set.hpp"
#include "products/problem/forms.hpp"
#include "tune/tiles.hpp"

#include <cstddef>
#include <cstdint>

/// \file
/// How bilinear forms on a host are cut, and the memory layout of a team. A choice counts bytes
/// with the same layout by which a sweep sets its pointers.

namespace synelix::sweep {

/// How the columns of a matrix are cut into panels, all except the last one equal.
struct FormPanels {
  std::int64_t lanes = 1;
  std::int64_t packs = 0;   ///< of all columns
  std::int64_t panels = 0;  ///< of all packs
  std::int64_t width = 1;   ///< columns of a panel, in complete packs
  std::int64_t group = 1;   ///< panels whose sums a team holds at a time

  /// Panels of at most this many packs.
  static constexpr FormPanels of(std::int64_t columns, std::int64_t lanes, std::int64_t most) {
    FormPanels cut;
    cut.lanes = lanes;
    cut.packs = index::ceil_divide(columns, lanes);
    cut.panels = index::ceil_divide(cut.packs, most);
    if (cut.panels > 0) cut.width = index::ceil_divide(cut.packs, cut.panels) * lanes;
    const std::int64_t group = index::larger(1, tune::host_matrix_columns / cut.width);
    cut.group = index::larger(1, index::smaller(group, cut.panels));
    return cut;
  }

  /// Columns of a panel, and of its complete packs.
  [[nodiscard]] constexpr std::int64_t columns_of(std::int64_t panel, std::int64_t columns) const {
    return index::smaller(width, columns - panel * width);
  }
  [[nodiscard]] constexpr std::int64_t width_of(std::int64_t panel) const {
    return index::smaller(width, packs * lanes - panel * width);
  }

  /// Values before a panel, if all panels of a matrix are copied one after the other.
  template <class Scalar>
  [[nodiscard]] constexpr std::int64_t begin_of(std::int64_t panel,
                                                const FormProblem<Scalar>& problem) const {
    if (!problem.is_triangle) return panel * width * problem.inner;
    return width * width * (panel * (panel + 1) / 2);
  }
  /// Values of all panels of a matrix.
  template <class Scalar>
  [[nodiscard]] constexpr std::int64_t values(const FormProblem<Scalar>& problem) const {
    if (panels == 0) return 0;
    return begin_of(panels - 1, problem) + width_of(panels - 1) * problem.inner;
  }
};

/// How rows are cut, and what a team copies.
struct FormCut {
  FormPanels panels;
  std::int64_t part_rows = 1;
  std::int64_t items = 0;
  bool has_panels = false;  ///< whether the entire matrix is copied first
  bool packs_left = false;
  bool packs_right = false;

  [[nodiscard]] SYNELIX_FUNCTION std::int64_t group_width() const {
    return panels.group * panels.width;
  }
};

/// Memory of a team: its share of the workspace.
template <class Scalar>
struct FormTeamMemory {
  Scalar* sums;   ///< (row, column of a group)
  Scalar* forms;  ///< a pack of each row
  Scalar* panel;  ///< (inner index, column)
  Scalar* left;   ///< (row, inner index)
  Scalar* right;  ///< (row, column of a group)

  SYNELIX_FUNCTION FormTeamMemory(std::byte* memory, const FormCut& cut)
      : sums(reinterpret_cast<Scalar*>(memory)),
        forms(sums + sums_values(cut)),
        panel(forms + cut.part_rows * cut.panels.lanes),
        left(panel + panel_values(cut)),
        right(left + left_values(cut)) {}

  static std::int64_t bytes(const FormCut& cut) {
    return (sums_values(cut) * (cut.packs_right ? 2 : 1) + cut.part_rows * cut.panels.lanes +
            panel_values(cut) + left_values(cut)) *
           std::int64_t{sizeof(Scalar)};
  }

 private:
  SYNELIX_FUNCTION static std::int64_t sums_values(const FormCut& cut) {
    return cut.part_rows * cut.group_width();
  }
  SYNELIX_FUNCTION static std::int64_t panel_values(const FormCut& cut) {
    return cut.has_panels ? 0 : tune::host_matrix_inner * cut.panels.width;
  }
  SYNELIX_FUNCTION static std::int64_t left_values(const FormCut& cut) {
    return cut.packs_left ? cut.part_rows * tune::host_matrix_inner : 0;
  }
};

}  // namespace synelix::sweep
