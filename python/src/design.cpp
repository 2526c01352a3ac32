// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "models.hpp"
#include "options.hpp"
#include "python_streams.hpp"

#include <synelix/stream_design_matrix.hpp>

namespace synelix::python {
namespace {

using namespace nb::literals;

DesignMatrixOptions design_options(const nb::dict& keywords) {
  DesignMatrixOptions options;
  for (const auto& [name, value] : keywords) {
    const auto key = nb::cast<std::string>(name);
    if (key == "keep") {
      options.keep = word<Keep>(
          key, value,
          {{"auto", Keep::automatic}, {"nothing", Keep::nothing}, {"features", Keep::features}});
    } else if (key == "method") {
      options.method = method_of(value);
    } else if (key == "budget") {
      options.budget = whole(key, value);
    } else if (key == "machine") {
      options.machine = calibration_of(value);
    } else {
      throw_unexpected(key);
    }
  }
  return options;
}

std::vector<std::int64_t> vector_extents(const Array& like, std::int64_t first) {
  std::vector<std::int64_t> extents{first};
  if (like.ndim() == 2) extents.push_back(static_cast<std::int64_t>(like.shape(1)));
  return extents;
}

nb::dict described(const DesignMatrixChoice& choice) {
  nb::dict result;
  result["source"] = name_of(choice.source);
  result["instruction_set"] = name_of(choice.instruction_set);
  result["rows_of_block"] = choice.rows_of_block;
  result["feature_bytes"] = choice.feature_bytes;
  result["buffer_bytes"] = choice.buffer_bytes;
  return result;
}

nb::object apply(Design& design, const Array& coefficients) {
  const nb::object result = new_array(true, vector_extents(coefficients, design.get().rows()));
  const StridedOutput out = written(result);
  const Strided in = strided(coefficients, "coefficients");
  design.use([&](const DesignMatrix& matrix) { matrix.apply(in, out); });
  return result;
}

nb::object apply_adjoint(Design& design, const Array& residuals) {
  const nb::object result = new_array(true, vector_extents(residuals, design.get().columns()));
  const StridedOutput out = written(result);
  const Strided in = strided(residuals, "residuals");
  design.use([&](const DesignMatrix& matrix) { matrix.apply_adjoint(in, out); });
  return result;
}

nb::object gram(Design& design, const std::optional<Array>& weights) {
  const std::int64_t n = design.get().columns() + 1;
  const nb::object result = new_array(true, {n, n});
  const StridedOutput out = written(result);
  std::optional<Strided> in;
  if (weights) in = strided(*weights, "weights");
  design.use([&](const DesignMatrix& matrix) {
    if (in) {
      matrix.gram_weighted(*in, out);
    } else {
      matrix.gram(out);
    }
  });
  return result;
}

}  // namespace

Design::Design(const Given& features, const nb::dict& options, int threads) : m_features(features) {
  const DesignMatrixOptions chosen = design_options(options);
  const Strided matrix = features.strided("X");
  make(features.memory(), threads,
       [&](const auto& exec) { return DesignMatrix(exec, matrix, chosen); });
}

Design::Design(const Expression& expression, const nb::list& inputs,
               const std::optional<Ranges>& epochs, const nb::dict& options, int threads) {
  const DesignMatrixOptions chosen = design_options(options);
  m_inputs.emplace(inputs, epochs);
  make(m_inputs->memory(), threads, [&](const auto& exec) {
    m_inputs->bring_events(exec);
    return DesignMatrix(exec, expression, m_inputs->series(), chosen);
  });
}

Design::Design(const Expression& expression, const nb::list& sources, const nb::dict& options,
               int threads)
    : m_sources(sources) {
  const DesignMatrixOptions chosen = design_options(options);
  std::vector<StreamInput> inputs;
  for (const nb::handle& source : sources) inputs.push_back(stream_input(source));
  run_in_flight([&] {
    m_lease.emplace(threads, Lease::For::plan);
    const StreamOptions stream{.cancel = ending()};
    m_matrix.emplace(stream_design_matrix(**m_lease, expression,
                                          std::span<const StreamInput>(inputs), chosen, stream));
  });
}

void bind_design(nb::module_& module) {
  nb::class_<Design>(module, "Design", "A matrix of features that need not be stored.")
      .def(nb::init<const Given&, const nb::dict&, int>(), "features"_a, "options"_a, "threads"_a)
      .def(nb::init<const Expression&, const nb::list&, const std::optional<Ranges>&,
                    const nb::dict&, int>(),
           "expression"_a, "inputs"_a, "epochs"_a.none(), "options"_a, "threads"_a)
      .def(nb::init<const Expression&, const nb::list&, const nb::dict&, int>(), "expression"_a,
           "sources"_a, "options"_a, "threads"_a)
      .def_prop_ro("rows", [](const Design& design) { return design.get().rows(); })
      .def_prop_ro("columns", [](const Design& design) { return design.get().columns(); })
      .def("choice", [](const Design& design) { return described(design.get().choice()); })
      .def("valid_rows",
           [](Design& design) {
             std::vector<Range> rows;
             design.use([&](const DesignMatrix& matrix) { rows = matrix.valid_rows(); });
             nb::list result;
             for (const Range& range : rows) result.append(nb::make_tuple(range.begin, range.end));
             return result;
           })
      .def("apply", &apply, "coefficients"_a)
      .def("apply_adjoint", &apply_adjoint, "residuals"_a)
      .def("gram", &gram, "weights"_a.none());
}

}  // namespace synelix::python
