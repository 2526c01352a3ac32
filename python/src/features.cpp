// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.hpp"
#include "options.hpp"

#include <synelix/error.hpp>
#include <synelix/features.hpp>

#include <optional>

namespace synelix::python {

Inputs::Inputs(const nb::list& inputs, const std::optional<Ranges>& epochs) : m_objects(inputs) {
  m_arrays.reserve(inputs.size());  // series refer to what it holds
  for (const nb::handle& input : inputs) {
    if (nb::isinstance<Trains>(input)) {
      m_series.emplace_back(nb::inst_ptr<Trains>(input)->get());
    } else {
      m_arrays.push_back(nb::cast<Array>(input));
      m_owned.push_back(std::make_unique<StridedSeries>(series_of(m_arrays.back(), 0, epochs)));
      m_series.emplace_back(*m_owned.back());
    }
    m_shapes.push_back(m_series.back().shape());
  }
}

namespace {

nb::tuple compute_design(const Expression& expression, const nb::list& inputs,
                         const std::optional<Ranges>& epochs, const nb::object& out, bool is_double,
                         const nb::dict& keywords, int threads) {
  const Inputs given(inputs, epochs);
  const FeaturesOptions options = features_options(keywords);
  nb::list terms;
  nb::object result = out;
  for_type(is_double, [&]<class Scalar>(Scalar*) {
    // Two calls, and Python between them. A call in flight that waited for the GIL would keep a
    // fork waiting for it, because the thread that forks holds the GIL.
    std::optional<Lease> lease;
    Held<FeaturesPlan<Scalar, Exec>> made;
    DesignExtents columns;  // between the calls the plan may go, because Python may end
    {
      const WithoutGil released;
      const Running running;
      lease.emplace(threads, Lease::For::plan);
      const std::vector<InputStatistics> statistics =
          find_statistics(**lease, expression, given.series());
      made.emplace(**lease, expression, given.shapes(), options, statistics);
      const FeaturesPlan<Scalar, Exec>& plan = *made.get();
      columns = {.rows = plan.rows(), .columns = plan.columns(), .terms = plan.terms()};
    }
    terms = described(columns.terms);
    result = output_of(out, is_double, {columns.rows, columns.columns});
    if (columns.rows > 0 && columns.columns > 0) {
      const StridedOutput features = written(result);
      const WithoutGil released;
      const Running running;
      const FeaturesPlan<Scalar, Exec>* plan = made.get();
      if (plan == nullptr) refuse_at_end("synelix");
      plan->run_watched(**lease, given.series(), features, watch_of(plan->choice().flops / 2));
      made.reset();  // without the GIL: Kokkos may wait for other calls where memory is freed
    }
  });
  pass_warnings();
  return nb::make_tuple(result, terms);
}

nb::dict choose_design(const Expression& expression, const nb::list& inputs,
                       const std::optional<Ranges>& epochs, bool is_double,
                       const nb::dict& keywords, int threads) {
  const Inputs given(inputs, epochs);
  const FeaturesOptions options = features_options(keywords);
  FeaturesChoice choice;
  for_type(is_double, [&]<class Scalar>(Scalar*) {
    compute(threads, [&](const Exec& exec) {
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
  module.def("compute_features", &compute_design, nb::arg("expression"), nb::arg("inputs"),
             nb::arg("epochs").none(), nb::arg("out").none(), nb::arg("is_double"),
             nb::arg("options"), nb::arg("threads"));
  module.def("choose_features", &choose_design, nb::arg("expression"), nb::arg("inputs"),
             nb::arg("epochs").none(), nb::arg("is_double"), nb::arg("options"),
             nb::arg("threads"));
}

}  // namespace synelix::python
