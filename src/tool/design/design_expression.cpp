// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/design/design_inputs.hpp"

#include "tool/run/inputs.hpp"

#include <synelix/error.hpp>

#include <string>
#include <utility>
#include <variant>

namespace synelix::tool {
namespace {

/// The same family as an EvalBasis.
EvalBasis eval_basis_of(const BasisParameters& parameters) {
  return std::visit(
      [](const auto& known) -> EvalBasis {
        if constexpr (std::is_constructible_v<EvalBasis, decltype(known)>) {
          return known;
        } else {
          throw Error("type", "this basis has no eval mode",
                      "Give another type, or mode = \"conv\"");
        }
      },
      basis_of(parameters));
}

class Maker {
 public:
  Maker(const DesignFile& design, std::optional<double> rate_hz, const ConvolveOptions& options)
      : windows(design.bases.size()), m_design(design), m_rate_hz(rate_hz), m_options(options) {}

  Expression made(const DesignNode& node) {
    if (node.kind == DesignNode::Kind::atom) return atom(node);
    Expression result = made(node.parts.front());
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
      const Expression next = made(node.parts[i]);
      result = placed(node.place, [&] {
        return node.kind == DesignNode::Kind::sum ? result + next : result * next;
      });
    }
    return result;
  }

  Expression named(const DesignTerm& term) {
    const Expression unnamed = made(term.node);
    return placed(term.node.place, [&] { return unnamed.labelled(term.name); });
  }

  std::vector<std::size_t> inputs;
  std::vector<std::int64_t> windows;

 private:
  Expression atom(const DesignNode& node) {
    inputs.insert(inputs.end(), node.inputs.begin(), node.inputs.end());
    const DesignBasis& basis = m_design.bases[node.basis];
    return placed(basis.place, [&] {
      return basis.mode == BasisMode::conv ? filters(basis, windows[node.basis])
                                           : functions(basis, node.inputs.size());
    });
  }

  [[nodiscard]] Expression filters(const DesignBasis& basis, std::int64_t& window) const {
    ConvTerm options{.causality = basis.causality.value_or(m_options.causality),
                     .shift = m_options.shift};
    // A basis that is acausal in its own entry is not shifted by the options for other bases.
    if (basis.shift) {
      options.shift = *basis.shift ? Shift::on : Shift::off;
    } else if (options.causality == Causality::acausal) {
      options.shift = Shift::off;
    }
    if (basis.bank) {
      const CustomTaps taps = read_bank(file_path(*basis.bank));
      window = taps.window;
      return conv(taps, options);
    }
    const Basis family = basis_of(basis.parameters);
    options.window =
        taps_of({.basis = family, .window = basis.window, .file = {}}, m_rate_hz).window;
    window = options.window;
    return conv(family, options);
  }

  [[nodiscard]] static Expression functions(const DesignBasis& basis, std::size_t inputs) {
    EvalTerm options;
    options.fill = basis.fill;
    for (const auto& [lower, upper] : basis.bounds) options.bounds.push_back({lower, upper});
    switch (basis.mode) {
      case BasisMode::identity:
        return eval(Identity{}, options);
      case BasisMode::zero:
        return eval(Zero{});
      case BasisMode::fourier:
        options.fill = EvalTerm{}.fill;
        return eval(
            Fourier{.frequencies = basis.frequencies,
                    .dimensions = static_cast<std::int64_t>(inputs),
                    .intercept = basis.keeps_constant ? Intercept::with : Intercept::without},
            options);
      case BasisMode::eval:
      case BasisMode::conv:
        break;
    }
    return eval(eval_basis_of(basis.parameters), options);
  }

  const DesignFile& m_design;
  std::optional<double> m_rate_hz;
  const ConvolveOptions& m_options;
};

}  // namespace

DesignExpression expression_of(const DesignFile& design, std::optional<double> rate_hz,
                               const ConvolveOptions& options) {
  Maker maker(design, rate_hz, options);
  Expression sum = maker.named(design.terms.front());
  for (std::size_t i = 1; i < design.terms.size(); ++i) {
    const Expression next = maker.named(design.terms[i]);
    sum = placed(design.terms[i].node.place, [&] { return sum + next; });
  }
  return {std::move(sum), std::move(maker.inputs), std::move(maker.windows)};
}

}  // namespace synelix::tool
