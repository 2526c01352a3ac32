// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.hpp"
#include "options.hpp"

#include <synelix/basis.hpp>
#include <synelix/eval_basis.hpp>
#include <synelix/time_bins.hpp>

#include <algorithm>

namespace synelix::python {
namespace {

/// Parameters of a basis by the names of the C++ library.
class Parameters {
 public:
  explicit Parameters(nb::dict values) : m_values(std::move(values)) {}
  template <class T>
  [[nodiscard]] T get(const char* name, T otherwise) const {
    T value = otherwise;
    if (m_values.contains(name) && !nb::try_cast(m_values[name], value)) {
      throw Error(name, nb::cast<std::string>(nb::repr(m_values[name])) + " is not supported",
                  "Use a number, or numbers where there are several");
    }
    return value;
  }

 private:
  nb::dict m_values;
};

/// A family that has both modes.
template <class Either>
std::optional<Either> family_of(const std::string& name, const Parameters& p) {
  const auto bases = p.get<std::int64_t>("bases", 0);
  const auto order = p.get<std::int64_t>("order", 4);
  const auto width = p.get<double>("width", 2.0);
  if (name == RaisedCosineLinear::name) return RaisedCosineLinear{bases, width};
  if (name == RaisedCosineLog::name) {
    return RaisedCosineLog{bases, width, p.get<double>("time_scaling", 50.0),
                           p.get<bool>("decay_to_zero", true) ? Decay::to_zero : Decay::open};
  }
  if (name == BSpline::name) return BSpline{bases, order};
  if (name == CyclicBSpline::name) return CyclicBSpline{bases, order};
  if (name == MSpline::name) return MSpline{bases, order};
  if (name == OrthExponential::name) {
    return OrthExponential{p.get<std::vector<double>>("decay_rates", {})};
  }
  return std::nullopt;
}

Basis basis_of(const std::string& name, const Parameters& p) {
  if (name == History::name) return History{};
  if (const auto found = family_of<Basis>(name, p)) return *found;
  throw Error("basis", "'" + name + "' has no conv mode", "Use another basis");
}

EvalBasis eval_basis_of(const std::string& name, const Parameters& p) {
  if (name == Identity::name) return Identity{};
  if (name == Zero::name) return Zero{};
  if (name == Fourier::name) {
    return Fourier{p.get<std::vector<std::vector<std::int64_t>>>("frequencies", {}),
                   p.get<std::int64_t>("dimensions", 1),
                   p.get<bool>("intercept", false) ? Intercept::with : Intercept::without,
                   p.get<std::vector<std::uint8_t>>("mask", {})};
  }
  if (const auto found = family_of<EvalBasis>(name, p)) return *found;
  throw Error("basis", "'" + name + "' has no eval mode", "Use another basis");
}

CustomTaps custom_taps(const DoubleMatrix& taps) {
  return {static_cast<std::int64_t>(taps.shape(0)), static_cast<std::int64_t>(taps.shape(1)),
          std::vector<double>(taps.data(), taps.data() + taps.size())};
}

nb::object taps_array(const Taps& taps) { return array_of(taps.values, {taps.window, taps.bases}); }

void bind_banks(nb::module_& module) {
  nb::class_<Bank>(module, "Bank", "Filters as taps (window, bases).")
      .def_static(
          "of_basis",
          [](const std::string& name, std::int64_t window, const nb::dict& parameters) {
            auto bank = std::make_unique<Bank>(
                evaluate_taps(basis_of(name, Parameters(parameters)), window));
            pass_warnings();
            return bank;
          },
          nb::arg("name"), nb::arg("window"), nb::arg("parameters"))
      .def_static(
          "of_taps",
          [](const DoubleMatrix& taps) {
            return std::make_unique<Bank>(evaluate_taps(custom_taps(taps)));
          },
          nb::arg("taps"))
      .def_prop_ro("window", [](const Bank& bank) { return bank.taps().window; })
      .def_prop_ro("bases", [](const Bank& bank) { return bank.taps().bases; })
      .def_prop_ro("taps", [](const Bank& bank) { return taps_array(bank.taps()); });
}

void bind_expressions(nb::module_& module) {
  nb::class_<Expression>(module, "Expression", "A sum or product of bases.")
      .def_static(
          "conv",
          [](const std::string& name, std::int64_t window, const nb::object& causality,
             const nb::object& shift, const nb::dict& parameters) {
            return conv(basis_of(name, Parameters(parameters)),
                        {window, causality_of(causality), shift_of(shift), {}});
          },
          nb::arg("name"), nb::arg("window"), nb::arg("causality"), nb::arg("shift").none(),
          nb::arg("parameters"))
      .def_static(
          "conv_taps",
          [](const DoubleMatrix& taps, const nb::object& causality, const nb::object& shift) {
            return conv(custom_taps(taps), {0, causality_of(causality), shift_of(shift), {}});
          },
          nb::arg("taps"), nb::arg("causality"), nb::arg("shift").none())
      .def_static(
          "eval",
          [](const std::string& name, const std::vector<std::pair<double, double>>& bounds,
             double fill, const nb::dict& parameters) {
            EvalTerm term{.fill = fill};
            for (const auto& [lower, upper] : bounds) term.bounds.push_back({lower, upper});
            return eval(eval_basis_of(name, Parameters(parameters)), term);
          },
          nb::arg("name"), nb::arg("bounds"), nb::arg("fill"), nb::arg("parameters"))
      .def_prop_ro("inputs", &Expression::inputs)
      .def_prop_ro("label", &Expression::label)
      .def("__add__", [](const Expression& a, const Expression& b) { return a + b; })
      .def("__mul__", [](const Expression& a, const Expression& b) { return a * b; });
}

void bind_trains(nb::module_& module) {
  using Seconds = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  nb::class_<Trains>(module, "Trains", "Spike trains: samples with counts.")
      .def_static(
          "from_times",
          [](const std::vector<Seconds>& trains, double bin_seconds, const DoubleMatrix& intervals,
             bool has_stop) {
            std::vector<Interval> stretches;
            for (std::size_t i = 0; i < intervals.shape(0); ++i) {
              stretches.push_back({intervals(i, 0), intervals(i, 1)});
            }
            const TimeBins bins(bin_seconds, stretches,
                                has_stop ? IntervalStop::included : IntervalStop::excluded);
            std::vector<std::span<const double>> times;
            for (const Seconds& train : trains) times.emplace_back(train.data(), train.size());
            auto events = std::make_unique<Trains>(
                Events::from_times(std::span<const std::span<const double>>(times), bins));
            pass_warnings();
            nb::list epochs;
            for (const Epoch& epoch : bins.epochs()) {
              epochs.append(nb::make_tuple(epoch.begin, epoch.end));
            }
            return nb::make_tuple(nb::cast(std::move(events)),
                                  array_of(bins.centres(), {bins.rows()}), epochs);
          },
          nb::arg("trains"), nb::arg("bin_seconds"), nb::arg("intervals"), nb::arg("has_stop"))
      .def_prop_ro("shape",
                   [](const Trains& trains) {
                     const SeriesShape& shape = trains.get().shape();
                     return nb::make_tuple(shape.samples, shape.channels);
                   })
      .def_prop_ro("events", [](const Trains& trains) { return trains.get().shape().events; })
      .def_prop_ro("nbytes", [](const Trains& trains) { return trains.get().bytes(); });
}

}  // namespace

void bind_bases(nb::module_& module) {
  module.def(
      "taps",
      [](const std::string& name, std::int64_t window, const nb::dict& parameters) {
        return taps_array(evaluate_taps(basis_of(name, Parameters(parameters)), window));
      },
      nb::arg("name"), nb::arg("window"), nb::arg("parameters"),
      "Taps (window, bases) of a basis, in float64.");
  module.def("start_of_bin", &start_of_bin, nb::arg("bin_seconds"), nb::arg("seconds"),
             nb::arg("from_seconds"), "Where the bin of a time begins.");
  module.def("start_of_bins", &start_of_bins, nb::arg("bin_seconds"), nb::arg("first_seconds"),
             nb::arg("last_seconds"), "Where bins of a recording begin.");
  bind_banks(module);
  bind_expressions(module);
  bind_trains(module);
}

}  // namespace synelix::python
