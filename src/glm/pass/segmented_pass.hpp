// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/forwarding_pass.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

/// \file
/// `SegmentedPass`: sums over rows as the sum of segments of the recording. Segments are the leaves
/// of one binary tree, so several processes can each walk over some of them and get the bits of one
/// process.

namespace synelix::glm {

/// A node of a binary tree whose leaves are numbered blocks. Node (k, level) is the sum of blocks
/// [k 2^level, (k + 1) 2^level): left child + right child. So its bits depend only on the blocks,
/// and not on the process or the order of addition.
struct SumNode {
  std::int64_t begin = 0;  ///< the first block
  int level = 0;
  std::vector<double> sum;

  /// After the last block. Levels end at 62, so nothing overflows.
  [[nodiscard]] std::int64_t end() const { return begin + (std::int64_t{1} << level); }
};

/// Nodes in the order of their blocks, without pairs of siblings.
class SumNodes {
 public:
  /// Adds a node, and replaces pairs of siblings by their parents.
  /// \returns false, without a change, if one of its blocks exists already
  [[nodiscard]] bool add(SumNode node);

  [[nodiscard]] const std::vector<SumNode>& nodes() const { return m_nodes; }

  /// The first missing block of [0, blocks); `blocks` if none is missing.
  [[nodiscard]] std::int64_t missing(std::int64_t blocks) const;

  /// The sum of all nodes. Nodes without a sibling are added from the last, which is the smallest,
  /// to the first. \param numbers of each node
  [[nodiscard]] std::vector<double> total(std::int64_t numbers) const;

 private:
  std::vector<SumNode> m_nodes;
};

/// How the rows of a recording are cut into segments.
struct Segments {
  std::int64_t rows = 0;          ///< of the recording
  std::int64_t segment_rows = 1;  ///< of each segment but the last

  explicit Segments(std::int64_t all_rows);
  [[nodiscard]] std::int64_t count() const;
  /// The rows of consecutive segments.
  [[nodiscard]] Range rows_of(Range segments) const;
};

/// During its lifetime, walks of a pass only use some rows.
class SomeRows {
 public:
  SomeRows(Pass& pass, Range rows) : m_pass(pass) { pass.set_rows(rows); }
  SomeRows(const SomeRows&) = delete;
  SomeRows& operator=(const SomeRows&) = delete;
  ~SomeRows() { m_pass.set_rows({}); }

 private:
  Pass& m_pass;
};

/// Gives sums the sizes that a walk of the request would set: a process may have no walk.
/// \return the count of their numbers
std::int64_t size_for(const Request& request, std::int64_t parameters, Sums& sums);

/// Calls copy(number of the sums, number of an array) for all in order. \return the position after
/// the last one
template <class Number, class Copy>
Number* for_each_number(std::span<Sums> sums, Number* numbers, const Copy& copy) {
  for (Sums& one : sums) {
    copy(one.loss, *numbers++);
    copy(one.weight, *numbers++);
    for (std::vector<double>* list : {&one.gradient, &one.hessian, &one.scale}) {
      for (double& value : *list) copy(value, *numbers++);
    }
  }
  return numbers;
}

class SegmentedPass : public ForwardingPass {
 public:
  explicit SegmentedPass(std::shared_ptr<Pass> pass);

  std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) override;
  void return_share() override;
  [[nodiscard]] std::int64_t copies_of_sums() const override;
  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override;
  void gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
            double* result) override;
  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range columns, double* result) override;
  void gram_rows(const Observed& observed, const RowsOf& rows, Range columns,
                 double* result) override;
  void apply_adjoint(const Strided& residuals, double* sums) override;

 protected:
  /// The same pass, on the same memory.
  SegmentedPass(const SegmentedPass& other) = default;

  // Overridden for several processes.
  [[nodiscard]] virtual bool is_alone() const { return true; }
  /// The segments that this process walks over.
  [[nodiscard]] virtual Range own_segments() const { return {0, m_segments.count()}; }
  /// Runs a step that may fail.
  virtual void take_step(const std::function<void()>& step) const { step(); }
  /// The sum of the nodes of all processes.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a share of processes adds to the nodes
  [[nodiscard]] virtual std::vector<double> total(SumNodes nodes, std::int64_t numbers) const {
    return nodes.total(numbers);
  }

  [[nodiscard]] const Segments& segments() const { return m_segments; }

 private:
  class OwnShare;
  /// A walk that writes its sums to an array.
  using Walk = std::function<void(double* sums)>;
  /// The rows of a walk: complete blocks that contain all rows that count. Other rows would add
  /// zeros.
  [[nodiscard]] Range walked_for(const Observed& observed) const;
  /// The sum of all segments.
  std::vector<double> sum_of(Range counted, std::int64_t numbers, const Walk& walk);
  /// The sum of all segments of a product: takes a share if the caller has none.
  void add_up(Range counted, std::int64_t numbers, const Walk& walk, double* result);
  /// Whether there is one process and one segment, so sums are those of the pass itself.
  [[nodiscard]] bool is_one() const { return is_alone() && m_segments.count() == 1; }
  void evaluate_segments(const RowLoss& loss, const Observed& observed,
                         std::span<const Request> requests, Arithmetic arithmetic,
                         std::int64_t every, std::span<Sums> sums);

  std::shared_ptr<Pass> m_pass;
  Segments m_segments;
  bool m_is_shared = false;  ///< whether a caller has taken a share, which includes the sums
};

/// The pass of a design matrix.
std::shared_ptr<Pass> in_segments(std::shared_ptr<Pass> pass);

}  // namespace synelix::glm
