// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.hpp"
#include "options.hpp"

#include <synelix/convolve.hpp>
#include <synelix/trials.hpp>

#include <tuple>

namespace synelix::python {
namespace {

/// Multiply-adds of a call, at most.
double work_of(const SeriesShape& shape, const Taps& taps) {
  return static_cast<double>(shape.samples) * static_cast<double>(shape.channels) *
         static_cast<double>(taps.window) * static_cast<double>(taps.bases);
}

template <class Input, class Output>
void convolve_into(const Input& input, Bank& bank, const Output& features, bool is_double,
                   const ConvolveOptions& options, int threads) {
  for_type(is_double, [&]<class Scalar>(Scalar*) {
    compute(threads, [&](const Exec& exec) {
      synelix::convolve(exec, input, bank.in<Scalar>(exec), features, options);
    });
  });
}

nb::object convolve_array(const Array& x, Bank& bank, const nb::object& out, bool is_double,
                          int axis, const std::optional<Ranges>& epochs, double scale,
                          double offset, const nb::dict& keywords, int threads) {
  const StridedSeries series = series_of(x, axis, epochs, scale, offset);
  ConvolveOptions options = convolve_options(keywords);
  options.watch = watch_of(work_of(series.shape(), bank.taps()));
  nb::object result = out;
  if (out.is_none()) {
    const Taps& taps = bank.taps();
    result = new_array(is_double, feature_extents(series, taps.window, taps.bases, options));
  }
  convolve_into(series, bank, written(result), is_double, options, threads);
  return result;
}

nb::object convolve_trains(const Trains& trains, Bank& bank, const nb::object& out, bool is_double,
                           const nb::dict& keywords, int threads) {
  const Events& events = trains.get();
  ConvolveOptions options = convolve_options(keywords);
  options.watch = watch_of(work_of(events.shape(), bank.taps()));
  nb::object result = out;
  if (out.is_none()) {
    const Taps& taps = bank.taps();
    result = new_array(is_double, feature_extents(events, taps.window, taps.bases, options));
  }
  convolve_into(events, bank, written(result), is_double, options, threads);
  return result;
}

nb::list convolve_trials(const std::vector<Array>& trials, Bank& bank, bool is_double,
                         const nb::dict& keywords, int threads) {
  ConvolveOptions options = convolve_options(keywords);
  nb::list result;
  std::vector<StridedSeries> series;
  std::vector<StridedOutput> features;
  double work = 0;
  for (const Array& trial : trials) {
    series.push_back(series_of(trial, 0, {}));
    const Taps& taps = bank.taps();
    const nb::object array =
        new_array(is_double, feature_extents(series.back(), taps.window, taps.bases, options));
    features.push_back(written(array));
    result.append(array);
    work += work_of(series.back().shape(), taps);
  }
  options.watch = watch_of(work);
  convolve_into(series, bank, features, is_double, options, threads);
  return result;
}

nb::dict choose_shape(const SeriesShape& shape, Bank& bank, bool is_double,
                      const nb::dict& keywords, int threads) {
  const ConvolveOptions options = convolve_options(keywords);
  Choice choice;
  for_type(is_double, [&]<class Scalar>(Scalar*) {
    compute(threads, [&](const Exec& exec) {
      choice = synelix::choose(exec, shape, bank.in<Scalar>(exec), options);
    });
  });
  return described(choice);
}

/// A ConvolvePlan of either type, on an instance of its own.
class Plan {
 public:
  Plan(const Array& x, Bank& bank, bool is_double, int axis, const std::optional<Ranges>& epochs,
       const nb::dict& keywords, int threads)
      : m_axis(axis), m_epochs(epochs_of(epochs)) {
    const StridedSeries series = series_of(x, axis, epochs);
    const ConvolveOptions options = convolve_options(keywords);
    m_extents = feature_extents(series, bank.taps().window, bank.taps().bases, options);
    m_is_double = is_double;
    m_work = work_of(series.shape(), bank.taps());
    {
      const WithoutGil released;
      make(series, bank, options, threads);
    }
    pass_warnings();
  }

  nb::object run(const nb::object& x, const nb::object& out) {
    refuse_mask(x, m_plain, "x");  // Python calls this function without one of its own before it
    refuse_mask(out, m_plain, "out");
    Array samples;
    if (!nb::try_cast(x, samples)) {
      throw Error("x", "it is not an array that is read where it lies",
                  "Use one like the one that the plan was made with");
    }
    const StridedSeries series(Operand(strided(samples)),
                               {.sample_axis = m_axis, .epochs = m_epochs});
    nb::object result = out;
    if (out.is_none()) result = new_array(m_is_double, m_extents);
    const StridedOutput features = written(result);
    {
      const WithoutGil released;
      const Running running;
      const Alone::Use use(m_alone, "plan");
      if (m_is_double) {
        run_on(of<double>(), series, features);
      } else {
        run_on(of<float>(), series, features);
      }
    }
    pass_warnings();
    return result;
  }

  [[nodiscard]] const Choice& choice() const {
    return m_is_double ? of<double>().choice() : of<float>().choice();
  }

 private:
  template <class Scalar>
  [[nodiscard]] const ConvolvePlan<Scalar, Exec>& of() const {
    const auto* plan = std::get<Held<ConvolvePlan<Scalar, Exec>>>(m_plans).get();
    if (plan == nullptr) refuse_at_end("plan");
    return *plan;
  }

  void make(const StridedSeries& series, Bank& bank, const ConvolveOptions& options, int threads) {
    const Running running;
    m_lease.emplace(threads, Lease::For::plan);
    for_type(m_is_double, [&]<class Scalar>(Scalar*) {
      std::get<Held<ConvolvePlan<Scalar, Exec>>>(m_plans).emplace(
          **m_lease, series, bank.in<Scalar>(**m_lease), options);
    });
  }

  template <class Scalar>
  void run_on(const ConvolvePlan<Scalar, Exec>& plan, const StridedSeries& series,
              const StridedOutput& features) const {
    const Watch watch = watch_of(m_work);
    if (watch.is_set()) {
      plan.run_watched(**m_lease, series, features, watch);
    } else {
      plan.run(**m_lease, series, features);
      (**m_lease).fence("synelix.ConvolvePlan.run");
    }
  }

  int m_axis;
  double m_work = 0;
  nb::object m_plain = nb::module_::import_("numpy").attr("ndarray");
  Epochs m_epochs;
  std::vector<std::int64_t> m_extents;
  bool m_is_double = false;
  Alone m_alone;
  std::optional<Lease> m_lease;
  std::tuple<Held<ConvolvePlan<float, Exec>>, Held<ConvolvePlan<double, Exec>>> m_plans;
};

}  // namespace

void bind_convolve(nb::module_& module) {
  module.def("convolve", &convolve_array, nb::arg("x"), nb::arg("bank"), nb::arg("out").none(),
             nb::arg("is_double"), nb::arg("axis"), nb::arg("epochs").none(), nb::arg("scale"),
             nb::arg("offset"), nb::arg("options"), nb::arg("threads"));
  module.def("convolve_trains", &convolve_trains, nb::arg("trains"), nb::arg("bank"),
             nb::arg("out").none(), nb::arg("is_double"), nb::arg("options"), nb::arg("threads"));
  module.def("convolve_trials", &convolve_trials, nb::arg("trials"), nb::arg("bank"),
             nb::arg("is_double"), nb::arg("options"), nb::arg("threads"));
  module.def(
      "choose",
      [](const Array& x, Bank& bank, bool is_double, int axis, const std::optional<Ranges>& epochs,
         const nb::dict& keywords, int threads) {
        return choose_shape(series_of(x, axis, epochs).shape(), bank, is_double, keywords, threads);
      },
      nb::arg("x"), nb::arg("bank"), nb::arg("is_double"), nb::arg("axis"),
      nb::arg("epochs").none(), nb::arg("options"), nb::arg("threads"));
  module.def(
      "choose_trains",
      [](const Trains& trains, Bank& bank, bool is_double, const nb::dict& keywords, int threads) {
        return choose_shape(trains.get().shape(), bank, is_double, keywords, threads);
      },
      nb::arg("trains"), nb::arg("bank"), nb::arg("is_double"), nb::arg("options"),
      nb::arg("threads"));
  nb::class_<Plan>(module, "Plan", "A convolution that is run again and again.")
      .def(nb::init<const Array&, Bank&, bool, int, const std::optional<Ranges>&, const nb::dict&,
                    int>(),
           nb::arg("x"), nb::arg("bank"), nb::arg("is_double"), nb::arg("axis"),
           nb::arg("epochs").none(), nb::arg("options"), nb::arg("threads"))
      .def("run", &Plan::run, nb::arg("x"), nb::arg("out") = nb::none())
      .def("choice", [](const Plan& plan) { return described(plan.choice()); });
}

}  // namespace synelix::python
