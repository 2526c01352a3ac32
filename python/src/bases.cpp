// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.hpp"
#include "options.hpp"

#include <synelix/basis.hpp>
#include <synelix/eval_basis.hpp>
#include <synelix/time_bins.hpp>

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace synelix::python {
namespace {

using namespace nb::literals;

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

/// Sets the parameters of a basis to those of Python.
template <class Family>
void read_parameters(Family& basis, const Parameters& p) {
  if constexpr (requires { basis.bases; }) basis.bases = p.get("bases", basis.bases);
  for_each_parameter(basis, [&]<class Value>(const char* name, Value& value) {
    if constexpr (std::is_same_v<Value, Decay>) {
      value = p.get(name, true) ? Decay::to_zero : Decay::open;
    } else {
      value = p.get(name, value);
    }
  });
}

void read_parameters(Fourier& basis, const Parameters& p) {
  basis.frequencies = p.get("frequencies", basis.frequencies);
  basis.dimensions = p.get("dimensions", basis.dimensions);
  basis.intercept = p.get("intercept", false) ? Intercept::with : Intercept::without;
  basis.mask = p.get("mask", basis.mask);
}

/// The basis of a list, such as `Basis`, that has this name.
template <class... Families>
std::variant<Families...> basis_named(const std::string& name, const Parameters& p,
                                      const char* mode, const std::variant<Families...>*) {
  std::optional<std::variant<Families...>> found;
  const auto consider = [&]<class Family>(Family basis) {
    if (name != Family::name) return;
    read_parameters(basis, p);
    found = std::move(basis);
  };
  (consider(Families{}), ...);
  if (!found) throw Error("basis", "'" + name + "' has no " + mode + " mode", "Use another basis");
  return *std::move(found);
}

Basis basis_of(const std::string& name, const nb::dict& parameters) {
  return basis_named(name, Parameters(parameters), "conv", static_cast<const Basis*>(nullptr));
}

EvalBasis eval_basis_of(const std::string& name, const nb::dict& parameters) {
  return basis_named(name, Parameters(parameters), "eval", static_cast<const EvalBasis*>(nullptr));
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
            auto bank = std::make_unique<Bank>(evaluate_taps(basis_of(name, parameters), window));
            pass_warnings();
            return bank;
          },
          "name"_a, "window"_a, "parameters"_a)
      .def_static(
          "of_taps",
          [](const DoubleMatrix& taps) {
            return std::make_unique<Bank>(evaluate_taps(custom_taps(taps)));
          },
          "taps"_a)
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
            return conv(basis_of(name, parameters),
                        {window, causality_of(causality), shift_of(shift), {}});
          },
          "name"_a, "window"_a, "causality"_a, "shift"_a.none(), "parameters"_a)
      .def_static(
          "conv_taps",
          [](const DoubleMatrix& taps, const nb::object& causality, const nb::object& shift) {
            return conv(custom_taps(taps), {0, causality_of(causality), shift_of(shift), {}});
          },
          "taps"_a, "causality"_a, "shift"_a.none())
      .def_static(
          "eval",
          [](const std::string& name, const std::vector<std::pair<double, double>>& bounds,
             double fill, const nb::dict& parameters) {
            EvalTerm term{.fill = fill};
            for (const auto& [lower, upper] : bounds) term.bounds.push_back({lower, upper});
            return eval(eval_basis_of(name, parameters), term);
          },
          "name"_a, "bounds"_a, "fill"_a, "parameters"_a)
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
          "trains"_a, "bin_seconds"_a, "intervals"_a, "has_stop"_a)
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
        return taps_array(evaluate_taps(basis_of(name, parameters), window));
      },
      "name"_a, "window"_a, "parameters"_a, "Taps (window, bases) of a basis, in float64.");
  module.def("start_of_bin", &start_of_bin, "bin_seconds"_a, "seconds"_a, "from_seconds"_a,
             "Where the bin of a time begins.");
  module.def("start_of_bins", &start_of_bins, "bin_seconds"_a, "first_seconds"_a, "last_seconds"_a,
             "Where bins of a recording begin.");
  bind_banks(module);
  bind_expressions(module);
  bind_trains(module);
}

}  // namespace synelix::python
