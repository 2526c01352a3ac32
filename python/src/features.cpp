// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.hpp"
#include "options.hpp"

#include <synelix/error.hpp>
#include <synelix/features.hpp>

#include <optional>
#include <string>
#include <type_traits>

namespace synelix::python {

using namespace nb::literals;

Inputs::Inputs(const nb::list& inputs, const std::optional<Ranges>& epochs) : m_objects(inputs) {
  m_arrays.reserve(inputs.size());  // series refer to its elements
  std::string first_name;
  for (const nb::handle& input : inputs) {
    if (nb::isinstance<Trains>(input)) {
      m_series.emplace_back(nb::inst_ptr<Trains>(input)->get());
    } else {
      m_arrays.push_back(nb::cast<Given>(input));
      const std::string name = "xi[" + std::to_string(m_series.size()) + "]";
      if (m_arrays.size() == 1) first_name = name;
      const Given& first = m_arrays.front();
      m_memory = common_memory({{first_name.c_str(), &first}, {name.c_str(), &m_arrays.back()}});
      m_owned.push_back(std::make_unique<StridedSeries>(series_of(m_arrays.back(), 0, epochs)));
      m_series.emplace_back(*m_owned.back());
    }
    m_shapes.push_back(m_series.back().shape());
  }
}

namespace {

/// The features of inputs, in the memory of the inputs.
template <class Scalar, class Space>
nb::tuple compute_on(const Expression& expression, Inputs& given, const nb::object& out,
                     const FeaturesOptions& options, int threads) {
  constexpr bool is_double = std::is_same_v<Scalar, double>;
  // Two calls with Python code between them. If one call waited for the GIL, a fork would wait for
  // it, because the forking thread holds the GIL.
  std::optional<LeaseOn<Space>> lease;
  Held<FeaturesPlan<Scalar, Space>> made;
  DesignExtents columns;  // the plan may be released between the calls, because Python may end
  {
    const WithoutGil released;
    const Running running;
    lease.emplace(threads, LeaseFor::plan);
    const At<Space> here;
    given.bring_events(**lease);
    const std::vector<InputStatistics> statistics =
        find_statistics(**lease, expression, given.series());
    made.emplace(**lease, expression, given.shapes(), options, statistics);
    const FeaturesPlan<Scalar, Space>& plan = *made.get();
    columns = {.rows = plan.rows(), .columns = plan.columns(), .terms = plan.terms()};
  }
  const Output features =
      output_in(given.memory(), out, is_double, {columns.rows, columns.columns}, "xi");
  if (columns.rows > 0 && columns.columns > 0) {
    const WithoutGil released;
    const Running running;
    const At<Space> here;
    const FeaturesPlan<Scalar, Space>* plan = made.get();
    if (plan == nullptr) refuse_at_end("synelix");
    plan->run_watched(**lease, given.series(), features.array, watch_of(plan->choice().flops / 2));
    made.reset();  // without the GIL: Kokkos may wait for other calls when memory is freed
  }
  return nb::make_tuple(features.result, described(columns.terms));
}

nb::tuple compute_design(const Expression& expression, const nb::list& inputs,
                         const std::optional<Ranges>& epochs, const nb::object& out, bool is_double,
                         const nb::dict& keywords, int threads) {
  Inputs given(inputs, epochs);
  const FeaturesOptions options = features_options(keywords);
  const nb::tuple result = for_type(is_double, [&]<class Scalar>(Scalar*) {
    if (given.memory() == Memory::device) {
      return compute_on<Scalar, DeviceExec>(expression, given, out, options, threads);
    }
    return compute_on<Scalar, Exec>(expression, given, out, options, threads);
  });
  pass_warnings();
  return result;
}

nb::dict choose_design(const Expression& expression, const nb::list& inputs,
                       const std::optional<Ranges>& epochs, bool is_double,
                       const nb::dict& keywords, int threads) {
  const Inputs given(inputs, epochs);
  const FeaturesOptions options = features_options(keywords);
  FeaturesChoice choice;
  for_type(is_double, [&]<class Scalar>(Scalar*) {
    compute_in(given.memory(), threads, [&](const auto& exec) {
      choice = choose_features<Scalar>(exec, expression, given.shapes(), options);
    });
  });
  nb::list components;
  for (std::size_t i = 0; i < choice.components.size(); ++i) {
    components.append(nb::make_tuple(choice.components[i].label, described(choice.choices[i])));
  }
  nb::dict result;
  result["rows"] = choice.rows;
  result["columns"] = choice.columns;
  result["workspace_bytes"] = choice.workspace_bytes;
  result["flops"] = choice.flops;
  result["bytes"] = choice.bytes;
  result["seconds"] = choice.seconds;
  result["components"] = components;
  return result;
}

}  // namespace

void bind_features(nb::module_& module) {
  module.def("compute_features", &compute_design, "expression"_a, "inputs"_a, "epochs"_a.none(),
             "out"_a.none(), "is_double"_a, "options"_a, "threads"_a);
  module.def("choose_features", &choose_design, "expression"_a, "inputs"_a, "epochs"_a.none(),
             "is_double"_a, "options"_a, "threads"_a);
}

}  // namespace synelix::python
