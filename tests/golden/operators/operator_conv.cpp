// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/operators/operator_conv.hpp"

#include <synelix/conv.hpp>

#include "golden/operators/operator_case.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace golden {
namespace {

using synelix::ChannelOrder;
using synelix::ConvOperator;
using synelix::PaddingKind;
using synelix::PaddingSize;
using synelix::PerDimension;

struct ConvCase {
  ConvOperator op = ConvOperator::forward;
  bool is_true = false;  ///< whether windows are reversed
  int dimensions = 0;
  synelix::ConvOptions options = {};
  StoredOperand first;
  std::optional<StoredOperand> second = {};
  std::optional<StoredOperand> bias = {};
  Array result;
};

PerDimension per_dimension(const std::string& path, const std::vector<std::int64_t>& numbers) {
  switch (numbers.size()) {
    case 1:
      return {numbers[0]};
    case 2:
      return {numbers[0], numbers[1]};
    case 3:
      return {numbers[0], numbers[1], numbers[2]};
    default:
      throw FormatError(path + ": " + std::to_string(numbers.size()) +
                        " numbers; there may be one, or one for each dimension of space");
  }
}

std::optional<PerDimension> dimensions_of(const Group& group, const std::string& name) {
  const auto numbers = group.numbers(name);
  if (!numbers) return std::nullopt;
  std::vector<std::int64_t> whole;
  for (const double number : *numbers) {
    if (std::nearbyint(number) != number || std::abs(number) > 9.0e15) {
      throw FormatError(group.path() + ": " + name + " is not a whole number");
    }
    whole.push_back(static_cast<std::int64_t>(number));
  }
  return per_dimension(group.path() + ": " + name, whole);
}

synelix::ConvOptions conv_options_of(const Group& group) {
  synelix::ConvOptions options;
  options.stride = dimensions_of(group, "stride").value_or(1);
  options.dilation = dimensions_of(group, "dilation").value_or(1);
  options.padding = dimensions_of(group, "padding").value_or(0);
  options.padding_after = dimensions_of(group, "padding_after");
  options.output_padding = dimensions_of(group, "output_padding").value_or(0);
  options.groups = group.integer("groups").value_or(1);
  options.padding_size = named<PaddingSize>(
      group, "padding_size",
      {{"given", PaddingSize::given}, {"valid", PaddingSize::valid}, {"same", PaddingSize::same}});
  options.padding_kind = named<PaddingKind>(group, "padding_kind",
                                            {{"zero", PaddingKind::zero},
                                             {"circular", PaddingKind::circular},
                                             {"reflect", PaddingKind::reflect}});
  options.channels = named<ChannelOrder>(
      group, "channels", {{"first", ChannelOrder::first}, {"last", ChannelOrder::last}});
  return options;
}

ConvCase read_case(const Group& group) {
  refuse_unknown(group,
                 {"operator", "dimensions", "stride", "dilation", "padding", "padding_after",
                  "output_padding", "padding_size", "padding_kind", "groups", "channels",
                  "first_scale", "first_offset", "second_scale", "second_offset", "rtol", "source"},
                 {"first", "second", "bias", "result"});
  if (!group.text("operator")) throw FormatError(group.path() + ": attribute operator is missing");
  const auto dimensions = group.integer("dimensions");
  if (!dimensions || *dimensions < 1 || *dimensions > 3) {
    throw FormatError(group.path() + ": attribute dimensions has to be 1, 2 or 3");
  }
  ConvCase item{.first = StoredOperand(group, "first"), .result = group.array("result")};
  item.is_true = group.text("operator") == "true_conv";
  item.op = named<ConvOperator>(group, "operator",
                                {{"forward", ConvOperator::forward},
                                 {"true_conv", ConvOperator::forward},
                                 {"transposed", ConvOperator::transposed},
                                 {"grad_input", ConvOperator::grad_input},
                                 {"grad_weights", ConvOperator::grad_weights},
                                 {"grad_bias", ConvOperator::grad_bias}});
  item.dimensions = static_cast<int>(*dimensions);
  item.options = conv_options_of(group);
  if (item.op != ConvOperator::grad_bias || group.has("second")) {
    item.second.emplace(group, "second");
  }
  if (group.has("bias")) item.bias.emplace(group, "bias");
  return item;
}

synelix::Operand operand(const std::optional<StoredOperand>& stored) {
  if (!stored) return {};
  if (!stored->is_scaled()) return stored->strided();
  return scaled(stored->strided(), stored->scale(), stored->offset());
}

synelix::ConvArrays arrays_of(const ConvCase& item) {
  synelix::ConvArrays arrays;
  arrays.op = item.op;
  arrays.dimensions = item.dimensions;
  arrays.first = operand(item.first);
  arrays.second = operand(item.second);
  if (item.is_true) arrays.second = flipped(arrays.second);
  arrays.bias = operand(item.bias);
  return arrays;
}

/// The extents of a gradient that its operands do not determine, from those of the case.
PerDimension size_of_result(const Group& group, const ConvCase& item) {
  const auto& extents = item.result.extents;
  if (item.op != ConvOperator::grad_input && item.op != ConvOperator::grad_weights) return 1;
  if (extents.size() != static_cast<std::size_t>(item.dimensions) + 2) {
    throw FormatError(group.path() + ": result has " + std::to_string(extents.size()) +
                      " dimensions");
  }
  const bool is_image = item.op == ConvOperator::grad_input;
  const auto first =
      extents.begin() + (is_image && item.options.channels == ChannelOrder::last ? 1 : 2);
  return per_dimension(group.path(), {first, first + item.dimensions});
}

/// The extents of the result by the library.
Outcome check_extents(const Group& group, const ConvCase& item) {
  const std::vector<std::int64_t> found =
      synelix::conv_extents(arrays_of(item), item.options, size_of_result(group, item));
  if (found == item.result.extents) return {};
  return {Outcome::Kind::differs,
          "the result is " + extents_text(found) + ", not " + extents_text(item.result.extents)};
}

/// The largest sum of magnitudes over all dimensions except `kept`.
TermSizes sum_beside(const StoredOperand& operand, std::size_t kept) {
  std::vector<bool> is_summed(operand.extents().size(), true);
  is_summed.at(kept) = false;
  return operand.largest_sum(is_summed);
}

TermSizes sizes_of(const ConvCase& item) {
  const std::size_t channels = item.options.channels == ChannelOrder::first
                                   ? 1
                                   : static_cast<std::size_t>(item.dimensions) + 1;
  if (!item.second) return sum_beside(item.first, channels);  // a gradient by bias
  TermSizes sizes = sum_beside(*item.second, item.op == ConvOperator::forward        ? 0
                                             : item.op == ConvOperator::grad_weights ? channels
                                                                                     : 1);
  // Padding that repeats the input adds to its gradient from up to three places of each dimension.
  const bool is_repeated =
      item.op == ConvOperator::grad_input && item.options.padding_kind != PaddingKind::zero;
  const double times = is_repeated ? std::pow(3.0, item.dimensions) : 1.0;
  sizes.terms *= times;
  sizes.size *= times * item.first.largest();
  if (item.bias) sizes.size += item.bias->largest();
  return sizes;
}

/// The outcome of a method, with a tolerance relative to that of direct sums.
template <class Scalar>
Outcome check_method(const Group& group, const ConvCase& item, synelix::ConvMethod method,
                     double factor) {
  // Values that mark unwritten places.
  const auto result = placed(std::vector<Scalar>(item.result.values.size(), Scalar(-12345)));
  synelix::ConvArrays arrays = arrays_of(item);
  arrays.result = synelix::StridedOutput(result.data(), item.result.extents);
  synelix::ConvOptions options = item.options;
  options.method = method;
  synelix::convolve_arrays(OperatorSpace(), arrays, options);
  TermSizes sizes = sizes_of(item);
  sizes.size *= factor;
  return compare_sums(group, item.result, values_of(result), sizes);
}

/// Samples of a block, if the operator is computed by transforms; 0 where these do not serve.
template <class Scalar>
std::int64_t fft_length_of(const ConvCase& item) {
  const auto result = placed(std::vector<Scalar>(item.result.values.size()));
  synelix::ConvArrays arrays = arrays_of(item);
  arrays.result = synelix::StridedOutput(result.data(), item.result.extents);
  synelix::ConvOptions options = item.options;
  options.method = synelix::ConvMethod::fft;
  try {
    return synelix::choose_conv(OperatorSpace(), arrays, options).fft_length;
  } catch (const synelix::Error&) {
    return 0;
  }
}

template <class Scalar>
Outcome check_type(const Group& group, const ConvCase& item) {
  const auto automatic = check_method<Scalar>(group, item, item.options.method, 1.0);
  const std::int64_t fft_length = fft_length_of<Scalar>(item);
  if (automatic.kind != Outcome::Kind::agrees || fft_length == 0) return automatic;
  // Within the rounding errors of the values in a block.
  return both(automatic, check_method<Scalar>(group, item, synelix::ConvMethod::fft,
                                              std::sqrt(static_cast<double>(fft_length))));
}

}  // namespace

Outcome check_conv_operator(const Group& group) {
  const ConvCase item = read_case(group);
  Outcome outcome = check_extents(group, item);
  if (outcome.kind != Outcome::Kind::agrees) return outcome;
  return both(check_type<double>(group, item), check_type<float>(group, item));
}

}  // namespace golden
