// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.hpp"
#include "options.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/conv.hpp>
#include <synelix/matmul.hpp>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace synelix::python {
namespace {

using namespace nb::literals;

/// A number for each dimension of space, or one for all.
PerDimension per_dimension(const std::string& key, nb::handle value) {
  if (!nb::isinstance<nb::sequence>(value)) return whole(key, value);
  const auto n = wholes(key, value);
  if (n.size() == 1) return {n[0]};
  if (n.size() == 2) return {n[0], n[1]};
  if (n.size() == 3) return {n[0], n[1], n[2]};
  throw Error(key, std::to_string(n.size()) + " numbers are too many or too few",
              "Give one number, or one for each dimension of space");
}

ConvOptions conv_options(const nb::dict& keywords) {
  ConvOptions options;
  for (const auto& [name, value] : keywords) {
    const auto key = nb::cast<std::string>(name);
    if (key == "budget") {
      options.budget = whole(key, value);
    } else if (key == "stride") {
      options.stride = per_dimension(key, value);
    } else if (key == "dilation") {
      options.dilation = per_dimension(key, value);
    } else if (key == "output_padding") {
      options.output_padding = per_dimension(key, value);
    } else if (key == "groups") {
      options.groups = whole(key, value);
    } else if (key == "padding" && nb::isinstance<nb::str>(value)) {
      options.padding_size = word<PaddingSize>(
          key, value, {{"same", PaddingSize::same}, {"valid", PaddingSize::valid}});
    } else if (key == "padding") {
      options.padding = per_dimension(key, value);
    } else if (key == "padding_mode") {
      options.padding_kind = word<PaddingKind>(key, value,
                                               {{"zeros", PaddingKind::zero},
                                                {"circular", PaddingKind::circular},
                                                {"reflect", PaddingKind::reflect}});
    } else if (key == "channels") {
      options.channels = word<ChannelOrder>(
          key, value, {{"first", ChannelOrder::first}, {"last", ChannelOrder::last}});
    } else {
      throw_unexpected(key);
    }
  }
  return options;
}

ConvOperator operator_of(const std::string& name) {
  return word<ConvOperator>("operator", nb::str(name.c_str()),
                            {{"forward", ConvOperator::forward},
                             {"transposed", ConvOperator::transposed},
                             {"grad_input", ConvOperator::grad_input},
                             {"grad_weights", ConvOperator::grad_weights},
                             {"grad_bias", ConvOperator::grad_bias}});
}

Operand operand_of(const Given& array, const char* name, double scale, double offset) {
  const Operand stored(array.strided(name));
  return scale == 1 && offset == 0 ? stored : scaled(stored, scale, offset);
}

/// Elements of an array.
template <class Void>
double values_of(const BasicStrided<Void>& array) {
  double size = 1;
  for (int d = 0; d < array.rank; ++d) {
    size *= static_cast<double>(array.extents[static_cast<std::size_t>(d)]);
  }
  return size;
}

/// The inner index of a product; 1 for arrays that are rejected later.
double last_extent(const Strided& array) {
  if (array.rank < 1) return 1;
  const std::int64_t extent = array.extents[static_cast<std::size_t>(array.rank - 1)];
  return static_cast<double>(std::max<std::int64_t>(1, extent));
}

/// At least the multiply-adds of an operator: each element of one array is multiplied with those of
/// the other that have the same channel.
double work_of(const ConvArrays& arrays, const ConvOptions& options) {
  const bool is_by_weights = arrays.op == ConvOperator::grad_weights;
  const Strided& array = (is_by_weights ? arrays.second : arrays.first).array();
  if (arrays.op == ConvOperator::grad_bias || array.rank < 2) return values_of(array);
  const auto last = static_cast<std::size_t>(array.rank - 1);
  const std::int64_t channels = array.extents[options.channels == ChannelOrder::last ? last : 1];
  const double weights =
      is_by_weights ? values_of(arrays.result) : values_of(arrays.second.array());
  return values_of(array) * weights / static_cast<double>(std::max<std::int64_t>(1, channels));
}

/// Runs body(), with Python's names of arguments in errors.
template <class Body>
auto with_names(std::initializer_list<Renamed> names, const Body& body) {
  const auto renamed = [&](std::string_view argument) {
    for (const Renamed& name : names) {
      if (argument == name.ours) return name.pythons;
    }
    return argument;
  };
  try {
    return body();
  } catch (const OverlapError& error) {
    throw OverlapError(renamed(error.argument()), renamed(error.other()), error.remedy());
  } catch (const Error& error) {
    const std::string_view name = renamed(error.argument());
    if (name == error.argument()) throw;
    throw Error(name, error.problem(), error.remedy(), error.kind(), error.remedy_id());
  }
}

const Given* given(const std::optional<Given>& array) { return array ? &*array : nullptr; }

nb::object conv_arrays(const std::string& op, int dimensions, const Given& first,
                       const std::optional<Given>& second, const std::optional<Given>& bias,
                       const nb::object& out, bool is_double, double scale, double offset,
                       const nb::dict& keywords, const nb::object& size, int threads) {
  ConvOptions options = conv_options(keywords);
  ConvArrays arrays{.op = operator_of(op), .dimensions = dimensions};
  arrays.first = operand_of(first, "input", scale, offset);
  if (second) arrays.second = Operand(second->strided("weight"));
  if (bias) arrays.bias = Operand(bias->strided("bias"));
  const bool is_by_input = arrays.op == ConvOperator::grad_input;
  const bool is_by_weights = arrays.op == ConvOperator::grad_weights;
  const char* const name = is_by_input ? "grad_output" : "input";
  const Memory memory = common_memory({{name, &first},
                                       {is_by_weights ? "grad_output" : "weight", given(second)},
                                       {"bias", given(bias)}});
  return with_names({{"x", "input"},
                     {"w", "weight"},
                     {"grad_y", "grad_output"},
                     {"y", "out"},
                     {"grad_x", "out"},
                     {"grad_w", "out"},
                     {"grad_b", "out"}},
                    [&] {
                      const auto extents = [&] {
                        const PerDimension space =
                            size.is_none() ? PerDimension(1) : per_dimension("size", size);
                        return conv_extents(arrays, options, space);
                      };
                      const Output made = output_in(memory, out, is_double, extents, name);
                      arrays.result = made.array;
                      options.watch = watch_of(work_of(arrays, options));
                      compute_in(memory, threads,
                                 [&](const auto& exec) { convolve_arrays(exec, arrays, options); });
                      return made.result;
                    });
}

nb::object multiply(const Given& a, const Given& b, const nb::object& out, bool is_double,
                    double alpha, double beta, double scale, double offset,
                    const std::optional<std::int64_t>& budget, int threads) {
  MatmulOptions options{.alpha = alpha, .beta = beta, .budget = budget};
  const Operand left = operand_of(a, "a", scale, offset);
  const Operand right(b.strided("b"));
  const Memory memory = common_memory({{"a", &a}, {"b", &b}});
  return with_names({{"c", "out"}}, [&] {
    const auto extents = [&] {
      const int rank = static_cast<int>(std::max(a.ndim(), b.ndim()));
      return seam::product_extents(left, right, rank, options);
    };
    const Output made = output_in(memory, out, is_double, extents, "a");
    const StridedOutput& product = made.array;
    options.watch = watch_of(values_of(product) * last_extent(left.array()));
    compute_in(memory, threads,
               [&](const auto& exec) { matmul(exec, left, right, product, options); });
    return made.result;
  });
}

nb::object forms(const Given& x, const Given& a, const std::optional<Given>& y,
                 const nb::object& out, bool is_double, const std::optional<std::int64_t>& budget,
                 int threads) {
  BilinearFormsOptions options{.budget = budget};
  const Operand vectors(x.strided("x"));
  const Operand matrix(a.strided("a"));
  const Memory memory = common_memory({{"x", &x}, {"a", &a}, {"y", given(y)}});
  const auto extents = [&] {
    std::vector<std::int64_t> found;
    if (a.ndim() == 3) found.push_back(static_cast<std::int64_t>(a.shape(0)));
    found.push_back(static_cast<std::int64_t>(x.shape(0)));
    return found;
  };
  const Output made = output_in(memory, out, is_double, extents);
  const StridedOutput& q = made.array;
  const double length = last_extent(vectors.array());
  options.watch = watch_of(values_of(vectors.array()) * values_of(matrix.array()) / length);
  std::optional<Operand> others;
  if (y) others = Operand(y->strided("y"));
  with_names({{"q", "out"}}, [&] {
    compute_in(memory, threads, [&](const auto& exec) {
      if (others) {
        bilinear_forms(exec, vectors, matrix, *others, q, options);
      } else {
        quadratic_forms(exec, vectors, matrix, q, options);
      }
    });
  });
  return made.result;
}

}  // namespace

void bind_operators(nb::module_& module) {
  module.def("conv", &conv_arrays, "operator"_a, "dimensions"_a, "first"_a, "second"_a.none(),
             "bias"_a.none(), "out"_a.none(), "is_double"_a, "scale"_a, "offset"_a, "options"_a,
             "size"_a.none(), "threads"_a);
  module.def("matmul", &multiply, "a"_a, "b"_a, "out"_a.none(), "is_double"_a, "alpha"_a, "beta"_a,
             "scale"_a, "offset"_a, "budget"_a.none(), "threads"_a);
  module.def("forms", &forms, "x"_a, "a"_a, "y"_a.none(), "out"_a.none(), "is_double"_a,
             "budget"_a.none(), "threads"_a);
}

}  // namespace synelix::python
