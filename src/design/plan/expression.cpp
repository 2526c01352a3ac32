// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bases/eval_basis.hpp"
#include "bases/families.hpp"
#include "design/plan/expression_node.hpp"

#include <synelix/error.hpp>
#include <synelix/expression.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace synelix {
namespace {

using Node = Expression::Node;

/// Bounds the recursion over an expression, whose depth may be its number of bases.
constexpr std::int64_t most_inputs = 1024;

void check_label(const std::string& label, const std::string& own) {
  if (label != own && bases::is_basis_name(label)) {
    throw Error("label", "\"" + label + "\" is the name of another basis",
                "Use a label that is not the name of a basis" +
                    (own.empty() ? std::string() : ", or " + own));
  }
}

void collect_labels(const Node& node, std::vector<std::string>& labels) {
  if (!node.label.empty()) labels.push_back(node.label);
  if (node.is_basis()) return;
  collect_labels(*node.left, labels);
  collect_labels(*node.right, labels);
}

std::vector<std::string> labels_of(const Node& node) {
  std::vector<std::string> labels;
  collect_labels(node, labels);
  return labels;
}

bool has_fourier(const Node& node) {
  if (node.kind == Node::Kind::eval) return std::holds_alternative<Fourier>(node.function);
  return !node.is_basis() && (has_fourier(*node.left) || has_fourier(*node.right));
}

Expression composed(Node::Kind kind, const Expression& a, const Expression& b) {
  if (a.inputs() + b.inputs() > most_inputs) {
    throw Error("expression", std::to_string(a.inputs() + b.inputs()) + " inputs are too many",
                "Use at most " + std::to_string(most_inputs));
  }
  const std::vector<std::string> taken = labels_of(*a.node());
  for (const std::string& label : labels_of(*b.node())) {
    if (std::find(taken.begin(), taken.end(), label) != taken.end()) {
      throw Error("label", "\"" + label + "\" stands twice in an expression",
                  "Use each label once");
    }
  }
  Node node;
  node.kind = kind;
  node.left = a.node();
  node.right = b.node();
  node.inputs = a.inputs() + b.inputs();
  return Expression(std::make_shared<const Node>(std::move(node)));
}

void check_copies(const char* argument, const Expression& a, std::int64_t count) {
  if (count < 1) throw Error(argument, std::to_string(count) + " is too small", "Use at least 1");
  const std::vector<std::string> labels = labels_of(*a.node());
  if (!labels.empty()) {
    throw Error(argument, "copies of \"" + labels.front() + "\" would have the same label",
                "Use expressions without labels, since each label stands once");
  }
}

void check_bounds(const EvalBasis& basis, const std::vector<Bounds>& bounds) {
  if (bounds.empty()) return;
  if (std::holds_alternative<Zero>(basis)) {
    throw Error("bounds", "Zero has no functions that bounds apply to", "Leave them out");
  }
  const auto count = static_cast<std::int64_t>(bounds.size());
  const std::int64_t inputs = bases::input_count(basis);
  if (count != 1 && count != inputs) {
    throw Error(
        "bounds",
        std::to_string(count) + " pairs for " + std::to_string(inputs) + " inputs do not match",
        "Give none, one, or one for each input");
  }
  for (const Bounds& pair : bounds) {
    if (!std::isfinite(pair.lower) || !std::isfinite(pair.upper) || !(pair.lower < pair.upper) ||
        !std::isfinite(pair.upper - pair.lower)) {
      throw Error("bounds",
                  "(" + std::to_string(pair.lower) + ", " + std::to_string(pair.upper) +
                      ") is not an interval",
                  "Use finite numbers, the lower one less than the upper one");
    }
  }
}

}  // namespace

std::int64_t Expression::inputs() const { return m_node->inputs; }

std::string Expression::label() const { return plan::resolve(*this).label; }

Expression Expression::labelled(std::string label) const {
  if (m_node->kind == Node::Kind::sum) {
    throw Error("label", "\"" + label + "\" cannot label a sum", "Label bases and products");
  }
  check_label(label, m_node->basis);
  Node node = *m_node;
  node.label.clear();
  const std::vector<std::string> taken = labels_of(node);
  if (std::find(taken.begin(), taken.end(), label) != taken.end()) {
    throw Error("label", "\"" + label + "\" stands twice in an expression", "Use each label once");
  }
  node.label = std::move(label);
  return Expression(std::make_shared<const Node>(std::move(node)));
}

Expression conv(const Basis& basis, ConvTerm options) {
  Node node;
  node.kind = Node::Kind::conv;
  node.basis = basis_name(basis);
  check_label(options.label, node.basis);
  require_known("causality", options.causality);
  require_known("shift", options.shift);
  if (options.causality == Causality::acausal && options.shift == Shift::on) {
    throw Error("shift", "on does not go with causality acausal, whose window is not shifted",
                "Use automatic or off");
  }
  node.taps = evaluate_taps(
      basis, options.window == 0 ? std::nullopt : std::optional<std::int64_t>(options.window));
  options.window = node.taps.window;
  node.label = options.label;
  node.conv = std::move(options);
  return Expression(std::make_shared<const Node>(std::move(node)));
}

Expression eval(const EvalBasis& basis, EvalTerm options) {
  Node node;
  node.kind = Node::Kind::eval;
  node.basis = eval_basis_name(basis);
  check_label(options.label, node.basis);
  bases::check(basis);
  require_known("outside", options.outside);
  check_bounds(basis, options.bounds);
  node.function = basis;
  node.inputs = bases::input_count(basis);
  if (const auto* fourier = std::get_if<Fourier>(&basis)) {
    const bool ascending =
        std::all_of(fourier->frequencies.begin(), fourier->frequencies.end(),
                    [](const auto& list) { return std::is_sorted(list.begin(), list.end()); });
    if (!ascending) warn("Fourier: the frequencies are not ascending, and are sorted");
    node.function = bases::sorted(*fourier);
  }
  node.label = options.label;
  node.eval = std::move(options);
  return Expression(std::make_shared<const Node>(std::move(node)));
}

Expression operator+(const Expression& a, const Expression& b) {
  return composed(Node::Kind::sum, a, b);
}

Expression operator*(const Expression& a, const Expression& b) {
  if (has_fourier(*a.node()) && has_fourier(*b.node())) {
    throw Error("product", "two factors have a Fourier basis",
                "Use at most one, since cosines and sines are the parts of a complex number");
  }
  return composed(Node::Kind::product, a, b);
}

Expression repeated(const Expression& a, std::int64_t count) {
  check_copies("repeated", a, count);
  Expression sum = a;
  for (std::int64_t i = 1; i < count; ++i) sum = sum + a;
  return sum;
}

Expression power(const Expression& a, std::int64_t count) {
  check_copies("power", a, count);
  Expression product = a;
  for (std::int64_t i = 1; i < count; ++i) product = product * a;
  return product;
}

std::vector<InputUse> input_uses(const Expression& expression) {
  const plan::Resolved resolved = plan::resolve(expression);
  std::vector<InputUse> uses;
  for (const plan::Resolved* component : plan::components_of(resolved)) {
    const Node& node = *component->node;
    InputUse use;
    use.label = component->label;
    use.mode = node.kind == Node::Kind::conv ? Mode::conv : Mode::eval;
    if (use.mode == Mode::eval) {
      use.needs_ranges = node.eval.bounds.empty() && !std::holds_alternative<Zero>(node.function) &&
                         !std::holds_alternative<Identity>(node.function);
      use.needs_samples = std::holds_alternative<OrthExponential>(node.function);
    }
    for (use.dimension = 0; use.dimension < node.inputs; ++use.dimension) uses.push_back(use);
  }
  return uses;
}

namespace plan {
namespace {

/// Assigns labels and inputs from left to right.
class Resolver {
 public:
  explicit Resolver(const Node& root) {
    for (std::string& label : labels_of(root)) m_taken.insert(std::move(label));
  }

  Resolved resolve(const Node& node) {
    Resolved result;
    result.node = &node;
    result.kind = node.kind;
    result.inputs.begin = m_inputs;
    if (node.is_basis()) {
      result.component = m_components++;
      m_inputs += node.inputs;
      result.label = node.label.empty() ? free_label(node.basis) : node.label;
    } else {
      Resolved left = resolve(*node.left);
      Resolved right = resolve(*node.right);
      result.label =
          "(" + left.label + (node.kind == Node::Kind::sum ? " + " : " * ") + right.label + ")";
      if (!node.label.empty()) result.label = node.label;
      append(result, std::move(left));
      append(result, std::move(right));
    }
    result.inputs.end = m_inputs;
    return result;
  }

 private:
  std::string free_label(const std::string& name) {
    std::string label = name;
    for (int n = 1; !m_taken.insert(label).second; ++n) label = name + "_" + std::to_string(n);
    return label;
  }

  static void append(Resolved& whole, Resolved part) {
    const bool is_alike = part.kind == whole.kind && !part.parts.empty();
    if (is_alike && (part.kind == Node::Kind::sum || part.node->label.empty())) {
      std::move(part.parts.begin(), part.parts.end(), std::back_inserter(whole.parts));
    } else {
      whole.parts.push_back(std::move(part));
    }
  }

  std::set<std::string> m_taken;
  std::int64_t m_inputs = 0;
  std::int64_t m_components = 0;
};

void collect(const Resolved& resolved, std::vector<const Resolved*>& components) {
  if (resolved.component >= 0) components.push_back(&resolved);
  for (const Resolved& part : resolved.parts) collect(part, components);
}

}  // namespace

Resolved resolve(const Expression& expression) {
  return Resolver(*expression.node()).resolve(*expression.node());
}

std::vector<const Resolved*> components_of(const Resolved& resolved) {
  std::vector<const Resolved*> components;
  collect(resolved, components);
  return components;
}

Component describe(const Resolved& component) {
  const Node& node = *component.node;
  Component result;
  result.label = component.label;
  result.basis = node.basis;
  result.inputs = component.inputs;
  if (node.kind == Node::Kind::conv) {
    result.parameters = node.taps.parameters;
    result.taps = std::make_shared<const Taps>(node.taps);
    result.mode = Mode::conv;
    result.bases = node.taps.bases;
    result.window = node.taps.window;
    result.causality = node.conv.causality;
    result.shift = node.conv.shift;
  } else {
    result.parameters = bases::parameters_of(node.function);
    result.mode = Mode::eval;
    result.bases = bases::column_count(node.function);
    result.bounds = node.eval.bounds;
  }
  return result;
}

}  // namespace plan
}  // namespace synelix
