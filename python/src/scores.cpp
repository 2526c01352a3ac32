// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "models.hpp"
#include "options.hpp"

namespace synelix::python {
namespace {

using namespace nb::literals;

nb::object predict_rates(Design& design, const nb::dict& given,
                         const std::optional<Array>& offset) {
  const FitResult model = model_of(given);
  const nb::object result = new_array(true, {design.get().rows(), model.targets});
  const StridedOutput rates = written(result);
  Operand added;
  if (offset) added = Operand(strided(*offset, "offset"));
  design.use([&](const DesignMatrix& matrix) { predict(matrix, model, rates, added); });
  return result;
}

nb::object simulate_targets(Design& design, const nb::dict& given, std::uint64_t seed) {
  const FitResult model = model_of(given);
  const nb::object result = new_array(true, {design.get().rows(), model.targets});
  const StridedOutput targets = written(result);
  design.use([&](const DesignMatrix& matrix) { simulate(matrix, model, seed, targets); });
  return result;
}

nb::dict described(const Score& score) {
  nb::dict result;
  result["weight"] = score.weight;
  result["log-likelihood"] = score.log_likelihood;
  result["null-log-likelihood"] = score.null_log_likelihood;
  result["deviance"] = score.deviance;
  result["null-deviance"] = score.null_deviance;
  result["pseudo-r2-McFadden"] = score.pseudo_r2_mcfadden;
  result["pseudo-r2-Cohen"] = score.pseudo_r2_cohen;
  return result;
}

nb::dict score_model(Design& design, const nb::object& targets, const nb::dict& given,
                     const std::optional<Array>& offset, const std::optional<Array>& weights,
                     bool residuals, bool time_rescaling, std::uint64_t seed) {
  const Observed observed(targets, offset, weights);
  const FitResult model = model_of(given);
  ScoreOptions options{.time_rescaling = time_rescaling, .seed = seed};
  nb::object array = nb::none();
  if (residuals) {
    array = new_array(true, {design.get().rows(), model.targets});
    options.deviance_residuals = written(array);
  }
  ScoreResult found;
  design.use(
      [&](const DesignMatrix& matrix) { found = score(matrix, observed.get(), model, options); });
  nb::dict result = described(found.all);
  nb::list each;
  for (const Score& one : found.targets) each.append(described(one));
  result["targets"] = each;
  nb::list rescaled;
  for (const TimeRescaling& one : found.time_rescaling) {
    rescaled.append(nb::make_tuple(one.intervals, one.statistic, one.bound));
  }
  result["time_rescaling"] = rescaled;
  if (residuals) result["deviance_residuals"] = array;
  return result;
}

nb::tuple simulate_network(const Array& taps, const Array& coupling, const Array& intercepts,
                           const Array& initial, const std::string& inverse_link,
                           const Design& feedforward, const Array& coefficients, std::int64_t rows,
                           std::uint64_t seed) {
  RecurrentModel model{.taps = strided(taps, "basis"),
                       .coupling = strided(coupling, "coupling_coef"),
                       .intercepts = strided(intercepts, "intercepts")};
  model.initial_activity = strided(initial, "init_y");
  model.inverse_link =
      word<InverseLink>("inverse_link_function", nb::str(inverse_link.c_str()),
                        {{"exp", InverseLink::exp}, {"softplus", InverseLink::softplus}});
  model.feedforward = feedforward.get();
  model.feedforward_coefficients = strided(coefficients, "feedforward_coef");
  const std::int64_t units = model.intercepts.extents[0];
  const nb::object counts = new_array(true, {rows, units});
  const nb::object rates = new_array(true, {rows, units});
  const StridedOutput counted = written(counts);
  const StridedOutput rated = written(rates);
  run_in_flight([&] { simulate_recurrent(model, rows, seed, counted, rated); });
  return nb::make_tuple(counts, rates);
}

}  // namespace

ScoreKind score_kind_of(nb::handle text) {
  return word<ScoreKind>("score", text,
                         {{"log-likelihood", ScoreKind::log_likelihood},
                          {"pseudo-r2-McFadden", ScoreKind::pseudo_r2_mcfadden},
                          {"pseudo-r2-Cohen", ScoreKind::pseudo_r2_cohen},
                          {"deviance", ScoreKind::deviance}});
}

void bind_scores(nb::module_& module) {
  module.def("predict", &predict_rates, "design"_a, "model"_a, "offset"_a.none());
  module.def("simulate", &simulate_targets, "design"_a, "model"_a, "seed"_a);
  module.def("score", &score_model, "design"_a, "targets"_a, "model"_a, "offset"_a.none(),
             "weights"_a.none(), "residuals"_a, "time_rescaling"_a, "seed"_a);
  module.def("simulate_recurrent", &simulate_network, "taps"_a, "coupling"_a, "intercepts"_a,
             "initial"_a, "inverse_link"_a, "feedforward"_a, "coefficients"_a, "rows"_a, "seed"_a);
}

}  // namespace synelix::python
