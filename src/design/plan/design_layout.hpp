// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/plan/row_table.hpp"
#include "design/plan/expression_node.hpp"

#include <synelix/types/features.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// An expression with the shapes of its inputs: its columns, their places, and its rows. Host only,
/// before any choice.

namespace synelix::plan {

/// A node of the expression with its width, and the place of its values until they are multiplied.
struct Part {
  Node::Kind kind = Node::Kind::conv;
  std::int64_t component = -1;
  Range inputs;
  std::int64_t channels = 0;
  std::int64_t bases = 0;         ///< columns of each channel
  std::int64_t factor_place = 0;  ///< of a factor: values of a row before its own
  std::vector<Part> parts;
};

/// The layout of an expression.
struct DesignLayout {
  Expression expression;  ///< holds the nodes
  std::vector<InputShape> inputs;
  std::vector<Component> components;
  std::vector<const Node*> nodes;  ///< of each component
  std::vector<Part> parts;         ///< one for each term
  std::vector<Term> terms;         ///< one for each part
  std::int64_t columns = 0;
  std::int64_t factor_values = 0;  ///< values of a row of all factors of products together
  RowTable rows;                   ///< valid: rows in which every basis has a complete window
};

/// Lays an expression out. `orthonormal_columns` has the columns of each input with OrthExponential
/// in eval mode; 0: as many as rates.
/// \throws Error if inputs do not fit the expression or each other, or options are out of range
DesignLayout lay_out(const Expression& expression, const std::vector<InputShape>& inputs,
                     const FeaturesOptions& options,
                     const std::vector<std::int64_t>& orthonormal_columns);

/// The rows of a design for one of its bases: window 0 in eval mode.
RowTable rows_of(const DesignLayout& design, const Component& component,
                 const FeaturesOptions& options);

/// How a basis in conv mode is convolved.
ConvolveOptions convolve_options(const Component& component, const SeriesShape& shape,
                                 const FeaturesOptions& options);

}  // namespace synelix::plan
