// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>
#include <synelix/expression.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// \file
/// The inside of an expression: a tree of shared, immutable nodes; and the resolved tree, with a
/// label and inputs for each node.

namespace synelix {

/// A basis in one of its modes, or a sum or product of two expressions.
struct Expression::Node {
  enum class Kind : std::uint8_t { conv, eval, sum, product };
  Kind kind = Kind::conv;
  std::string label;  ///< the user's; empty: by the rules
  std::string basis;  ///< name of the basis' type
  std::int64_t inputs = 1;
  Taps taps;           ///< conv
  ConvTerm conv;       ///< conv
  EvalBasis function;  ///< eval; lists of Fourier are sorted
  EvalTerm eval;       ///< eval
  std::shared_ptr<const Node> left;
  std::shared_ptr<const Node> right;

  [[nodiscard]] bool is_basis() const { return kind == Kind::conv || kind == Kind::eval; }
};

namespace plan {

using Node = Expression::Node;

/// A node with its label and inputs. Nested sums are merged into one, and so are nested products.
struct Resolved {
  const Node* node = nullptr;  ///< of a sum or product: the outermost of its nodes
  Node::Kind kind = Node::Kind::conv;
  std::string label;
  Range inputs;
  std::int64_t component = -1;  ///< of a basis: its number, from left to right
  std::vector<Resolved> parts;  ///< summands, or factors
};

/// Labels and inputs of an expression, from left to right.
Resolved resolve(const Expression& expression);

/// The bases of a resolved expression, by component.
std::vector<const Resolved*> components_of(const Resolved& resolved);

/// The description of a basis in a choice.
Component describe(const Resolved& component);

}  // namespace plan
}  // namespace synelix
