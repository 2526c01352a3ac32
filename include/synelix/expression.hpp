// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/basis.hpp>
#include <synelix/eval_basis.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/series.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Sums and products of bases: `Expression`, a value that describes the columns of a design, and
/// `Term`, the range of columns of each of its terms.
///
///     auto coupling = sx::conv(sx::RaisedCosineLog{.bases = 8}, {.window = 100});
///     auto position = sx::eval(sx::BSpline{.bases = 10}, {.bounds = {{0.0, 2.0}}});
///     auto speed = sx::eval(sx::RaisedCosineLinear{.bases = 5});
///     auto design = 2 * coupling + position * speed;   // four inputs, three terms
///
/// Inputs are consumed from left to right, one for each basis (for Fourier, one for each
/// dimension). The columns of a sum are those of its first term, then those of the next. For one
/// basis on an input of V channels with K functions, channel v and function b have column v K + b.
/// A product needs inputs of one shape and is taken channel by channel: of factors with Ka and Kb
/// columns for each channel, column (v Ka + a) Kb + b holds the product of a and b. A sum inside a
/// product is taken channel by channel too: channel v, then the columns of its summands in order.
/// (NeMoS mixes channels there.) Factors are multiplied from left to right. An expression has 1024
/// inputs at most.

namespace synelix {

/// How a basis is applied.
enum class Mode : std::uint8_t {
  conv,  ///< its functions are filters, the input is convolved with them
  eval   ///< the input's samples are mapped through its functions
};

/// A basis in conv mode.
struct ConvTerm {
  std::int64_t window = 0;  ///< taps in samples, at least 1; may be left at 0 for CustomTaps only
  Causality causality = Causality::causal;  ///< the side of a row that its window is on
  Shift shift = Shift::automatic;           ///< whether the window leaves out the present sample
  std::string label = {};                   ///< empty: the basis' name
};

/// A basis in eval mode.
struct EvalTerm {
  /// The values of u = 0 and u = 1: empty (the range of each channel), one for all inputs of the
  /// basis, or (Fourier) one for each. Not for Zero.
  std::vector<Bounds> bounds = {};
  /// The value for a sample outside the bounds. Fourier has no outside.
  double fill = std::numeric_limits<double>::quiet_NaN();
  Outside outside = Outside::row;  ///< what is filled if a sample is outside
  std::string label = {};          ///< empty: the basis' name
};

/// A sum or product of bases. An immutable value; copies share their data. A basis that is used
/// twice counts twice, and consumes an input each time.
class Expression {
 public:
  struct Node;  ///< internal
  explicit Expression(std::shared_ptr<const Node> node) : m_node(std::move(node)) {}

  /// Number of inputs that are consumed.
  [[nodiscard]] std::int64_t inputs() const;
  /// "(RaisedCosineLog + (BSpline * RaisedCosineLinear))", or the label that was given.
  [[nodiscard]] std::string label() const;
  /// The same, under the caller's label. \throws Error for a sum, which is not a term, and for the
  /// name of another basis
  [[nodiscard]] Expression labelled(std::string label) const;
  /// internal
  [[nodiscard]] const std::shared_ptr<const Node>& node() const { return m_node; }

 private:
  std::shared_ptr<const Node> m_node;
};

/// A basis in conv mode. \throws Error if a parameter of the basis, the window or the shift is
/// out of its range, or the label is the name of another basis
Expression conv(const Basis& basis, ConvTerm options = {});

/// A basis in eval mode. \throws Error if a parameter of the basis is out of its range, bounds
/// are not finite, not ascending or not as many as inputs, or the label is the name of another
/// basis
Expression eval(const EvalBasis& basis, EvalTerm options = {});

/// The columns of a, then those of b. \throws Error if both have the same user-defined label
Expression operator+(const Expression& a, const Expression& b);

/// Every column of a times every column of b, channel by channel. \throws Error if both have the
/// same user-defined label, or both contain a Fourier basis
Expression operator*(const Expression& a, const Expression& b);

/// The sum of `count` copies of a, also written 2 * a. \throws Error for a count below 1, or a
/// user-defined label
/// @{
Expression repeated(const Expression& a, std::int64_t count);
template <std::integral Integer>
Expression operator*(Integer count, const Expression& a) {
  return repeated(a, static_cast<std::int64_t>(count));
}
template <std::integral Integer>
Expression operator*(const Expression& a, Integer count) {
  return repeated(a, static_cast<std::int64_t>(count));
}
/// @}

/// The product of `count` copies of a. \throws Error for a count below 1, a user-defined label, or
/// a Fourier basis in two factors
Expression power(const Expression& a, std::int64_t count);

/// What is known of one input: its series, and the dimensions other than time.
struct InputShape {
  SeriesShape series;  ///< samples, channels, type, epochs, scaling
  /// Their product is series.channels. Empty: {channels}, or none if there is one channel.
  std::vector<std::int64_t> channel_extents = {};
};

/// What an expression does with one of its inputs.
struct InputUse {
  std::string label;           ///< of the basis that consumes it
  Mode mode = Mode::conv;      ///< how the basis is applied to the input
  std::int64_t dimension = 0;  ///< of a Fourier basis: the number of this input
  /// Whether a plan needs the range of its samples: eval mode without bounds.
  bool needs_ranges = false;
  /// Whether a plan needs all samples and not only their range (OrthExponential in eval mode), so
  /// the input cannot be streamed.
  bool needs_samples = false;
};

/// One entry for each input, from left to right.
std::vector<InputUse> input_uses(const Expression& expression);

/// A summand of the expression, and its columns. A product is one term, even with a sum inside.
struct Term {
  std::string label;  ///< unique among the terms: "BSpline", "BSpline_1", ...
  Range columns;      ///< of the entire design
  std::vector<std::int64_t> channel_extents;  ///< dimensions of its inputs other than time
  std::int64_t channels = 0;                  ///< their product
  std::int64_t bases = 0;                     ///< columns of each channel
  Range inputs;                               ///< the inputs of the expression that it consumes
};

/// One basis of an expression, as it is applied.
struct Component {
  std::string label;                        ///< unique among the bases: "BSpline", "BSpline_1", ...
  std::string basis;                        ///< name of its type
  std::vector<BasisParameter> parameters;   ///< as records write them, without window and bounds
  Mode mode = Mode::conv;                   ///< how the basis is applied
  Range inputs;                             ///< the inputs of the expression that it consumes
  std::int64_t bases = 0;                   ///< columns of each channel
  std::int64_t window = 0;                  ///< 0 in eval mode
  Causality causality = Causality::causal;  ///< not used in eval mode
  Shift shift = Shift::automatic;           ///< not used in eval mode
  std::vector<Bounds> bounds;               ///< in eval mode, those that the caller gave
  std::shared_ptr<const Taps> taps;  ///< in conv mode, the taps of the convolution; else null
};

/// The term of that label. \throws Error that names the existing labels
const Term& term_of(const std::vector<Term>& terms, const std::string& label);

/// The part of an array that belongs to each term, without copying. `axis` (from the end if
/// negative) must be as long as all columns together. It is replaced by the dimensions of the
/// term's channels, then its bases. If the array would have more than 8 dimensions, all channels
/// are one dimension.
/// \throws Error for another length, or an axis outside the array
/// @{
std::vector<Strided> split(const Strided& features, const std::vector<Term>& terms, int axis = 1);
std::vector<StridedOutput> split(const StridedOutput& features, const std::vector<Term>& terms,
                                 int axis = 1);
/// @}

}  // namespace synelix
