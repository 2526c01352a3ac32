// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "models.hpp"
#include "options.hpp"
#include "python_code.hpp"

#include <utility>

namespace synelix::python {
namespace {

std::vector<double> doubles_of(nb::handle value) {
  const auto array = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(value);
  return {array.data(), array.data() + array.size()};
}

Strength strength_of(const nb::dict& penalty) {
  if (!penalty.contains("per")) return real("regularizer_strength", penalty["strength"]);
  const auto per =
      word<Strength::Per>("regularizer_strength", penalty["per"],
                          {{"coefficient", Strength::Per::coefficient},
                           {"target", Strength::Per::target},
                           {"coefficient_of_target", Strength::Per::coefficient_of_target},
                           {"group", Strength::Per::group}});
  return {doubles_of(penalty["strength"]), per};
}

Penalty penalty_of(const nb::dict& penalty) {
  const auto kind = nb::cast<std::string>(penalty["kind"]);
  if (kind == "none") return NoPenalty{};
  if (kind == "ridge") return Ridge{strength_of(penalty)};
  if (kind == "lasso") return Lasso{strength_of(penalty)};
  if (kind == "elastic_net") {
    return ElasticNet{strength_of(penalty), real("regularizer_strength", penalty["ratio"])};
  }
  return GroupLasso{strength_of(penalty), nb::cast<std::vector<std::int64_t>>(penalty["groups"])};
}

Solver solver_of(nb::handle text) {
  return word<Solver>("solver_name", text,
                      {{"auto", Solver::automatic},
                       {"newton", Solver::newton},
                       {"lbfgs", Solver::lbfgs},
                       {"proximal_newton", Solver::proximal_newton}});
}

nb::list names_of(const std::vector<Stop>& stops) {
  nb::list names;
  for (const Stop stop : stops) names.append(name_of(stop));
  return names;
}

}  // namespace

Observed::Observed(const nb::object& targets, const std::optional<Array>& offset,
                   const std::optional<Array>& weights)
    : m_object(targets),
      m_offset(offset),
      m_weights(weights),
      m_observations([&]() -> Observations {
        if (nb::isinstance<Trains>(targets)) {
          const Events& events = nb::inst_ptr<Trains>(targets)->get();
          m_targets = events.shape().channels;
          return {AnySeries(events)};
        }
        m_array = nb::cast<Array>(targets);
        const Strided array = strided(*m_array, "y");
        m_targets = array.rank > 1 ? array.extents[1] : 1;
        return {AnySeries(Operand(array))};
      }()) {
  if (m_offset) m_observations.offset = Operand(strided(*m_offset, "offset"));
  if (m_weights) m_observations.row_weights = Operand(strided(*m_weights, "sample_weight"));
  m_observations.rows = Observations::Rows::common;
}

Loss loss_of(const nb::dict& options) {
  Loss loss;
  loss.family = word<Family>("observation_model", options["family"],
                             {{"gaussian", Family::gaussian},
                              {"poisson", Family::poisson},
                              {"bernoulli", Family::bernoulli},
                              {"gamma", Family::gamma},
                              {"negative_binomial", Family::negative_binomial}});
  loss.inverse_link = word<InverseLink>("inverse_link_function", options["inverse_link"],
                                        {{"auto", InverseLink::automatic},
                                         {"exp", InverseLink::exp},
                                         {"softplus", InverseLink::softplus},
                                         {"logistic", InverseLink::logistic},
                                         {"norm_cdf", InverseLink::norm_cdf},
                                         {"one_over_x", InverseLink::one_over_x},
                                         {"identity", InverseLink::identity}});
  loss.dispersion = real("observation_model", options["dispersion"]);
  return resolved(loss);
}

FitOptions fit_options(const nb::dict& given, const nb::object& progress) {
  FitOptions options;
  options.loss = loss_of(given);
  options.penalty = penalty_of(nb::cast<nb::dict>(given["penalty"]));
  options.solver = solver_of(given["solver"]);
  if (given.contains("feature_mask")) {
    options.feature_mask = nb::cast<std::vector<std::uint8_t>>(given["feature_mask"]);
  }
  if (given.contains("start_coefficients")) {
    options.start_coefficients = doubles_of(given["start_coefficients"]);
    options.start_intercepts = doubles_of(given["start_intercepts"]);
  }
  options.fit_intercept = nb::cast<bool>(given["fit_intercept"]);
  options.standard_errors = nb::cast<bool>(given["standard_errors"]);
  options.optimality_tolerance = real("tol", given["tol"]);
  options.standard_errors_tolerance = nb::cast<double>(given["standard_errors_tol"]);
  options.most_evaluations = whole("maxiter", given["maxiter"]);
  options.cancel = ending();
  options.during_walk = check_signals;
  options.progress = [&progress](const FitProgress& done) {
    check_signals();
    if (progress.is_none()) return;
    run_python([&] {
      progress(done.targets_done, done.targets, done.passes, done.worst_optimality, done.seconds);
    });
  };
  return options;
}

nb::dict described(const FitResult& model) {
  nb::dict result;
  result["coefficients"] = array_of(model.coefficients, {model.columns, model.targets});
  result["intercepts"] = array_of(model.intercepts, {model.targets});
  if (!model.standard_errors.empty()) {
    result["standard_errors"] = array_of(model.standard_errors, {model.columns + 1, model.targets});
  }
  const std::vector<std::int64_t> each{model.targets};
  result["objective"] = array_of(model.objective, each);
  result["optimality"] = array_of(model.optimality, each);
  result["stop"] = names_of(model.stop);
  result["evaluations"] = array_of(model.evaluations);
  result["residual_degrees_of_freedom"] = array_of(model.residual_degrees_of_freedom, each);
  result["scale"] = array_of(model.scale, each);
  result["solver"] = name_of(model.choice.solver);
  result["warnings"] = nb::cast(model.warnings);
  return result;
}

nb::dict described(const PathResult& path) {
  nb::dict result;
  const std::vector<std::int64_t> each{path.count, path.targets};
  result["strengths"] = array_of(path.strengths, each);
  result["strength_max"] = array_of(path.strength_max, {path.targets});
  result["coefficients"] = array_of(path.coefficients, {path.count, path.columns, path.targets});
  result["intercepts"] = array_of(path.intercepts, each);
  result["objective"] = array_of(path.objective, each);
  result["nonzero"] = array_of(path.nonzero).attr("reshape")(path.count, path.targets);
  result["stop"] = names_of(path.stop);
  result["walks"] = path.walks;
  result["warnings"] = nb::cast(path.warnings);
  return result;
}

FitResult model_of(const nb::dict& given) {
  FitResult model;
  model.loss = loss_of(given);
  model.coefficients = doubles_of(given["coefficients"]);
  model.intercepts = doubles_of(given["intercepts"]);
  model.columns = nb::cast<std::int64_t>(given["columns"]);
  model.targets = nb::cast<std::int64_t>(given["targets"]);
  model.scale = doubles_of(given["scale"]);
  return model;
}

}  // namespace synelix::python
