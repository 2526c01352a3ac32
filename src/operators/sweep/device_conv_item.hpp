// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/problem/device_conv_cut.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/device_conv_window.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Work items of a convolution on a device: positions by output channels.

namespace synelix::sweep {

/// The work of a team.
struct DeviceConvItem {
  Range entries;
  std::int64_t group;
  std::int64_t panel;
  std::int64_t classes[index::conv_dimensions];
  Range along[index::conv_dimensions];  ///< positions of the class
  std::int32_t first;                   ///< number of the first position in the box
  std::int32_t positions;               ///< the most positions from there on
};

/// Item number `number`.
KOKKOS_INLINE_FUNCTION DeviceConvItem device_conv_item(const ConvProblem& problem,
                                                       const DeviceConvCut& cut,
                                                       std::int64_t number) {
  DeviceConvItem item;
  item.first = 0;
  item.positions = 1;
  std::int32_t apart = 1;
  for (int d = index::conv_dimensions - 1; d >= 0; --d) {
    const index::ConvAxis& axis = problem.axes[d];
    const std::int64_t part = take_item_digit(number, cut.boxes[d + 1]);
    item.classes[d] = take_item_digit(number, axis.classes);
    const std::int64_t positions =
        axis.stride == 1 ? axis.results : axis.positions(item.classes[d]);
    item.along[d] = part_of(positions, cut.box[d + 1].size, part);
    item.positions += static_cast<std::int32_t>(item.along[d].size() - 1) * apart;
    apart *= cut.box[d + 1].size;
    if (d == 1 && cut.run > 0) {
      const std::int64_t line = cut.box[3].size;
      const std::int64_t begin = part * cut.run / line;
      const std::int64_t end = ((part + 1) * cut.run - 1) / line + 1;
      item.first = static_cast<std::int32_t>(part * cut.run - begin * line);
      item.positions =
          static_cast<std::int32_t>(index::smaller(cut.run, positions * line - part * cut.run));
      item.along[d] = {begin, index::larger(begin, index::smaller(end, positions))};
    }
  }
  item.panel = take_item_digit(number, cut.panels);
  item.group = take_item_digit(number, problem.groups);
  item.entries = part_of(problem.batch, cut.box[0].size, number);
  if (cut.run == 0) {
    item.positions += static_cast<std::int32_t>(item.entries.size() - 1) * apart;
  }
  return item;
}

}  // namespace synelix::sweep
