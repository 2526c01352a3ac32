// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.hpp"
#include "options.hpp"

#include <synelix/convolve.hpp>
#include <synelix/trials.hpp>

#include <optional>
#include <string>
#include <tuple>

namespace synelix::python {
namespace {

using namespace nb::literals;

/// The most multiply-adds of a call.
double work_of(const SeriesShape& shape, const Taps& taps) {
  return static_cast<double>(shape.samples) * static_cast<double>(shape.channels) *
         static_cast<double>(taps.window) * static_cast<double>(taps.bases);
}

/// The arguments of a one-shot call.
struct Request {
  ConvolveOptions options;
  Memory computes = Memory::host;  ///< the memory whose arrays it computes on
};

/// \throws Error if the device is requested, and this build has none
Request request_of(nb::dict keywords, Memory arrays) {
  const char* const word = "on_device";
  const bool is_asked = keywords.contains(word);
  if (is_asked && !has_device) {
    throw Error(word, "this build computes on the host",
                "Leave it out, or build the package with a Kokkos with CUDA");
  }
  if (is_asked) keywords = nb::cast<nb::dict>(keywords.attr("copy")());
  if (is_asked) keywords.attr("pop")(word);
  Request request{convolve_options(keywords), is_asked ? Memory::device : arrays};
  if (is_asked) request.options.host_budget = request.options.budget;
  return request;
}

template <class Input, class Features>
void convolve_into(Memory memory, const Input& input, Bank& bank, const Features& features,
                   bool is_double, const ConvolveOptions& options, int threads) {
  for_type(is_double, [&]<class Scalar>(Scalar*) {
    compute_in(memory, threads, [&](const auto& exec) {
      synelix::convolve(exec, input, bank.in<Scalar>(exec), features, options);
    });
  });
}

template <class Series>
nb::object convolve_series(const Series& series, Memory memory, Bank& bank, const nb::object& out,
                           bool is_double, const nb::dict& keywords, int threads) {
  Request request = request_of(keywords, memory);
  ConvolveOptions& options = request.options;
  options.watch = watch_of(work_of(series.shape(), bank.taps()));
  const Output features = output_in(memory, out, is_double, [&] {
    return feature_extents(series, bank.taps().window, bank.taps().bases, options);
  });
  convolve_into(request.computes, series, bank, features.array, is_double, options, threads);
  return features.result;
}

nb::object convolve_array(const Given& x, Bank& bank, const nb::object& out, bool is_double,
                          int axis, const std::optional<Ranges>& epochs, double scale,
                          double offset, const nb::dict& keywords, int threads) {
  return convolve_series(series_of(x, axis, epochs, scale, offset), x.memory(), bank, out,
                         is_double, keywords, threads);
}

nb::object convolve_trains(const Trains& trains, Bank& bank, const nb::object& out, bool is_double,
                           const nb::dict& keywords, int threads) {
  return convolve_series(trains.get(), Memory::host, bank, out, is_double, keywords, threads);
}

nb::list convolve_trials(const std::vector<Given>& trials, Bank& bank, bool is_double,
                         const nb::dict& keywords, int threads) {
  const Memory memory = trials.empty() ? Memory::host : trials.front().memory();
  Request request = request_of(keywords, memory);
  ConvolveOptions& options = request.options;
  nb::list result;
  std::vector<StridedSeries> series;
  std::vector<StridedOutput> features;
  double work = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::string name = "x[" + std::to_string(i) + "]";
    common_memory({{"x[0]", trials.data()}, {name.c_str(), &trials[i]}});
    series.push_back(series_of(trials[i], 0, {}));
    const Taps& taps = bank.taps();
    const Output made = output_in(memory, nb::none(), is_double,
                                  feature_extents(series.back(), taps.window, taps.bases, options));
    features.push_back(made.array);
    result.append(made.result);
    work += work_of(series.back().shape(), taps);
  }
  options.watch = watch_of(work);
  convolve_into(request.computes, series, bank, features, is_double, options, threads);
  return result;
}

nb::dict choose_shape(Memory memory, const SeriesShape& shape, Bank& bank, bool is_double,
                      const nb::dict& keywords, int threads) {
  const ConvolveOptions options = convolve_options(keywords);
  Choice choice;
  for_type(is_double, [&]<class Scalar>(Scalar*) {
    compute_in(memory, threads, [&](const auto& exec) {
      choice = synelix::choose(exec, shape, bank.in<Scalar>(exec), options);
    });
  });
  return described(choice);
}

/// A ConvolvePlan of either type in one space, on its own instance.
template <class Space>
class PlanOn {
 public:
  /// Call inside a `Running`.
  void make(bool is_double, const StridedSeries& series, Bank& bank, const ConvolveOptions& options,
            int threads) {
    m_is_double = is_double;
    m_lease.emplace(threads, LeaseFor::plan);
    const At<Space> here;
    for_type(is_double, [&]<class Scalar>(Scalar*) {
      std::get<Held<ConvolvePlan<Scalar, Space>>>(m_plans).emplace(
          **m_lease, series, bank.in<Scalar>(**m_lease), options);
    });
  }

  void run(const StridedSeries& series, const StridedOutput& features, double work) const {
    const At<Space> here;
    visit([&](const auto& plan) {
      const Watch watch = watch_of(work);
      if (watch.is_set()) {
        plan.run_watched(**m_lease, series, features, watch);
      } else {
        plan.run(**m_lease, series, features);
        (**m_lease).fence("synelix.ConvolvePlan.run");
      }
    });
  }

  /// body(plan) with the plan of the type.
  template <class Body>
  decltype(auto) visit(const Body& body) const {
    return m_is_double ? body(of<double>()) : body(of<float>());
  }

 private:
  template <class Scalar>
  [[nodiscard]] const ConvolvePlan<Scalar, Space>& of() const {
    const auto* plan = std::get<Held<ConvolvePlan<Scalar, Space>>>(m_plans).get();
    if (plan == nullptr) refuse_at_end("plan");
    return *plan;
  }

  bool m_is_double = false;
  std::optional<LeaseOn<Space>> m_lease;
  std::tuple<Held<ConvolvePlan<float, Space>>, Held<ConvolvePlan<double, Space>>> m_plans;
};

/// A ConvolvePlan in the memory of the arrays.
class Plan {
 public:
  Plan(const Given& x, Bank& bank, bool is_double, int axis, const std::optional<Ranges>& epochs,
       const nb::dict& keywords, int threads)
      : m_axis(axis), m_memory(x.memory()), m_epochs(epochs_of(epochs)) {
    const StridedSeries series = series_of(x, axis, epochs);
    const ConvolveOptions options = convolve_options(keywords);
    m_extents = feature_extents(series, bank.taps().window, bank.taps().bases, options);
    m_is_double = is_double;
    m_work = work_of(series.shape(), bank.taps());
    run_in_flight(
        [&] { visit([&](auto& plan) { plan.make(is_double, series, bank, options, threads); }); });
  }

  nb::object run(const nb::object& x, const nb::object& out) {
    refuse_mask(x, m_plain, "x");  // this function is called directly, without a Python wrapper
    refuse_mask(out, m_plain, "out");
    Given samples;
    if (!nb::try_cast(x, samples)) {
      if (m_memory == Memory::host && lies_on_device(x)) refuse_memory(Memory::device);
      throw Error("x", "it is not an array that is read where it lies",
                  "Use one like the one that the plan was made with");
    }
    if (samples.memory() != m_memory) refuse_memory(samples.memory());
    const StridedSeries series(Operand(samples.strided("x")),
                               {.sample_axis = m_axis, .epochs = m_epochs});
    const Output features = output_in(m_memory, out, m_is_double, [&] { return m_extents; });
    run_in_flight([&] {
      const Alone::Use use(m_alone, "plan");
      visit([&](const auto& plan) { plan.run(series, features.array, m_work); });
    });
    return features.result;
  }

  [[nodiscard]] Choice choice() const {
    Choice found;
    const_cast<Plan*>(this)->visit(
        [&](const auto& plan) { plan.visit([&](const auto& each) { found = each.choice(); }); });
    return found;
  }

 private:
  /// Whether an object that was passed unchanged to this function is on the device.
  static bool lies_on_device(const nb::object& x) {
    return nb::cast<bool>(nb::module_::import_("synelix._inputs").attr("lies_on_device")(x));
  }

  [[noreturn]] void refuse_memory(Memory found) const {
    throw Error("x",
                found == Memory::device
                    ? "it lies in memory of a device, and this plan is for arrays of the host"
                    : "it lies in memory of the host, and this plan is for arrays of a device",
                "Make a plan with an array like it");
  }

  /// Calls body(plan) with the plan of the memory.
  template <class Body>
  void visit(const Body& body) {
    if constexpr (has_device) {
      if (m_memory == Memory::device) return body(m_on_device);
    }
    body(m_on_host);
  }

  int m_axis;
  Memory m_memory;
  double m_work = 0;
  nb::object m_plain = nb::module_::import_("numpy").attr("ndarray");
  Epochs m_epochs;
  std::vector<std::int64_t> m_extents;
  bool m_is_double = false;
  Alone m_alone;
  PlanOn<Exec> m_on_host;
  PlanOn<DeviceExec> m_on_device;
};

}  // namespace

void bind_convolve(nb::module_& module) {
  module.def("convolve", &convolve_array, "x"_a, "bank"_a, "out"_a.none(), "is_double"_a, "axis"_a,
             "epochs"_a.none(), "scale"_a, "offset"_a, "options"_a, "threads"_a);
  module.def("convolve_trains", &convolve_trains, "trains"_a, "bank"_a, "out"_a.none(),
             "is_double"_a, "options"_a, "threads"_a);
  module.def("convolve_trials", &convolve_trials, "trials"_a, "bank"_a, "is_double"_a, "options"_a,
             "threads"_a);
  module.def(
      "choose",
      [](const Given& x, Bank& bank, bool is_double, int axis, const std::optional<Ranges>& epochs,
         const nb::dict& keywords, int threads) {
        return choose_shape(x.memory(), series_of(x, axis, epochs).shape(), bank, is_double,
                            keywords, threads);
      },
      "x"_a, "bank"_a, "is_double"_a, "axis"_a, "epochs"_a.none(), "options"_a, "threads"_a);
  module.def(
      "choose_trains",
      [](const Trains& trains, Bank& bank, bool is_double, const nb::dict& keywords, int threads) {
        return choose_shape(Memory::host, trains.get().shape(), bank, is_double, keywords, threads);
      },
      "trains"_a, "bank"_a, "is_double"_a, "options"_a, "threads"_a);
  nb::class_<Plan>(module, "Plan", "A convolution that is run again and again.")
      .def(nb::init<const Given&, Bank&, bool, int, const std::optional<Ranges>&, const nb::dict&,
                    int>(),
           "x"_a, "bank"_a, "is_double"_a, "axis"_a, "epochs"_a.none(), "options"_a, "threads"_a)
      .def("run", &Plan::run, "x"_a, "out"_a = nb::none())
      .def("choice", [](const Plan& plan) { return described(plan.choice()); });
}

}  // namespace synelix::python
