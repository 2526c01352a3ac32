// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `SumNodes`: nodes of one binary tree whose leaves are numbered blocks. Node (k, level) is the
/// sum of blocks [k 2^level, (k + 1) 2^level): left child + right child. So its bits follow from
/// the blocks, whoever adds them, and in which order.

namespace synelix::glm {

/// One node.
struct SumNode {
  std::int64_t begin = 0;  ///< the first block
  int level = 0;
  std::vector<double> sum;

  /// Behind the last block. Levels end at 62, so nothing overflows.
  [[nodiscard]] std::int64_t end() const { return begin + (std::int64_t{1} << level); }
};

/// Nodes in the order of their blocks, without two siblings.
class SumNodes {
 public:
  /// Adds a node, and then parents as long as both children are there.
  /// \returns false, without a change, where one of its blocks is there already
  [[nodiscard]] bool add(SumNode node);

  [[nodiscard]] const std::vector<SumNode>& nodes() const { return m_nodes; }

  /// The first of [0, blocks) that is missing; `blocks` where none is.
  [[nodiscard]] std::int64_t missing(std::int64_t blocks) const;

  /// The sum of all nodes. Those without a sibling are added from the last, which is the smallest,
  /// to the first. \param numbers  of each node
  [[nodiscard]] std::vector<double> total(std::int64_t numbers) const;

 private:
  std::vector<SumNode> m_nodes;
};

}  // namespace synelix::glm
