// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "linear_algebra.hpp"
#include "objects.hpp"
#include "options.hpp"
#include "python_code.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/version.hpp>

#include <array>
#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace synelix::python {
namespace {

/// The exception classes of the package, set by `set_errors`. The module does not import its
/// package, so that stubs can be made from the module alone.
struct ErrorClasses {
  PyObject* argument = PyExc_ValueError;
  PyObject* budget = PyExc_MemoryError;
  PyObject* file = PyExc_OSError;
  PyObject* state = PyExc_RuntimeError;
  PyObject* cancelled = PyExc_KeyboardInterrupt;

  [[nodiscard]] PyObject* of(ErrorKind kind) const {
    switch (kind) {
      case ErrorKind::budget:
        return budget;
      case ErrorKind::file:
        return file;
      case ErrorKind::state:
        return state;
      case ErrorKind::cancelled:
        return cancelled;
      case ErrorKind::argument:
        return argument;
    }
    return argument;
  }
};

ErrorClasses& error_classes() {
  static ErrorClasses classes;
  return classes;
}

/// Arguments whose names differ in Python, and such whose names in C++ have a prefix.
constexpr std::array python_names{Renamed{"bases", "n_basis_funcs"},
                                  Renamed{"window", "window_size"},
                                  Renamed{"series", "x"},
                                  Renamed{"features", "out"},
                                  Renamed{"sample_axis", "axis"},
                                  Renamed{"bank", "filters"},
                                  Renamed{"taps", "filters"},
                                  Renamed{"targets", "y"},
                                  Renamed{"intervals", "epochs"},
                                  Renamed{"trains", "times"},
                                  Renamed{"score", "scoring"},
                                  Renamed{"folds", "cv"},
                                  Renamed{"fold_of_row", "cv"},
                                  Renamed{"row_weights", "sample_weight"},
                                  Renamed{"start_coefficients", "init_params"},
                                  Renamed{"start_intercepts", "init_params"},
                                  Renamed{"filter", "compression"},
                                  Renamed{"budget", "budget"},  // of options.budget
                                  Renamed{"instruction_set", "instruction_set"},  // of machine
                                  Renamed{"bin_seconds", "bin_size"},
                                  Renamed{"bins", "bin_size"},
                                  Renamed{"batch.samples", "batch_size_samples"},
                                  Renamed{"batch.channels", "batch_size_channels"},
                                  Renamed{"batch.bases", "batch_size_basis"},
                                  Renamed{"width", "width"},  // of RaisedCosineLog.width
                                  Renamed{"order", "order"},
                                  Renamed{"time_scaling", "time_scaling"},
                                  Renamed{"decay", "enforce_decay_to_zero"},
                                  Renamed{"decay_rates", "decay_rates"},
                                  Renamed{"Fourier.frequencies", "frequencies"},
                                  Renamed{"Fourier.dimensions", "ndim"},
                                  Renamed{"Fourier.mask", "frequency_mask"},
                                  Renamed{"scaled", "scale"},
                                  Renamed{"stream.samples", "samples"},
                                  Renamed{"optimality_tolerance", "tol"},
                                  Renamed{"most_evaluations", "maxiter"},
                                  Renamed{"count", "n_strengths"},
                                  Renamed{"penalty.strength", "regularizer_strength"},
                                  Renamed{"penalty.ratio", "regularizer_strength"},
                                  Renamed{"penalty.groups", "regularizer"},
                                  Renamed{"penalty", "regularizer"},
                                  Renamed{"loss.dispersion", "observation_model"},
                                  Renamed{"loss", "observation_model"},
                                  Renamed{"loss.inverse_link", "inverse_link_function"}};

/// Python's name of an argument. An index after the name stays.
std::string name_in_python(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find_first_of("[("));
  const std::string_view last = name.substr(name.rfind('.') + 1);
  for (const Renamed& each : python_names) {
    if (!name.empty() && (name == each.ours || last == each.ours)) {
      return std::string(each.pythons).append(argument.substr(name.size()));
    }
  }
  return std::string(argument);
}

std::string remedy_in_python(const Error& error) {
  switch (error.remedy_id()) {
    case Remedy::automatic: {
      constexpr std::string_view ours = "Use automatic";
      return std::string("Use auto").append(error.remedy().substr(ours.size()));
    }
    case Remedy::other_input:
      return "Use auto, direct or fft, or pass spike trains as synelix.Events";
    case Remedy::replace_file:
      return "Give a new name, or replace the file (existing='replace')";
    case Remedy::append_to_file:
      return "Give a new name, replace the file (existing='replace'), or append to it "
             "(existing='append')";
    case Remedy::calibrate:
      return "Move it away and use synelix.calibrate()";
    case Remedy::any:
      break;
  }
  return std::string(error.remedy());
}

/// The message in the words of Python.
std::string message_of(const Error& error) {
  if (error.argument().empty()) return error.what();
  const std::string name = name_in_python(error.argument());
  if (const auto* overlap = dynamic_cast<const OverlapError*>(&error)) {
    return OverlapError(name, name_in_python(overlap->other()), error.remedy()).what();
  }
  return Error(name, error.problem(), remedy_in_python(error)).what();
}

/// Raises the error in Python. The least budget becomes an argument of the exception.
void raise(const Error& error) {
  PyObject* const kind = error_classes().of(error.kind());
  nb::object message = nb::cast(message_of(error));
  const auto* budget = dynamic_cast<const BudgetError*>(&error);
  if (budget != nullptr && budget->least_bytes() > 0) {
    message = nb::make_tuple(message, budget->least_bytes());  // arguments of the constructor
  }
  PyErr_SetObject(kind, message.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const PythonFailure& failure) {  // it is raised again unchanged
    drop_warnings();
    failure.error().restore();
  } catch (const Error& error) {
    drop_warnings();
    raise(error);
  } catch (const std::bad_alloc&) {
    drop_warnings();
    PyErr_SetString(PyExc_MemoryError,
                    "The system has no memory for this call. Give it less, or end other programs.");
  }
}

nb::dict build_as_dict() {
  const BuildDescription build = build_description();
  nb::dict result;
  result["version"] = build.version;
  result["revision"] = build.revision;
  result["compiler"] = build.compiler;
  result["kokkos"] = build.kokkos_version;
  result["hdf5"] = hdf5_version();
  result["backends"] = build.backends;
  result["instruction_sets"] = build.instruction_sets;
  result["components"] = build.components;
  return result;
}

}  // namespace
}  // namespace synelix::python

NB_MODULE(_core, module) {
  using namespace synelix::python;
  using namespace nb::literals;
  nb::set_leak_warnings(false);  // threads that sleep while the process ends keep their objects
  nb::register_exception_translator(translate);
  collect_warnings();
  borrow_linear_algebra();
  prepare();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end));
  module.def(
      "set_errors",
      [](nb::object argument, nb::object budget, nb::object file, nb::object state,
         nb::object cancelled) {
        error_classes() = {argument.release().ptr(), budget.release().ptr(), file.release().ptr(),
                           state.release().ptr(), cancelled.release().ptr()};
      },
      "argument"_a, "budget"_a, "file"_a, "state"_a, "cancelled"_a);
  module.def("set_package_folder", &set_package_folder, "folder"_a);
  module.def("set_threads", &set_threads, "threads"_a);
  module.def("threads", &threads);
  module.def("is_running", &is_running);
  module.def("calls", &calls, "Calls that compute now, for tests that meet one.");
  module.def("build_description", &build_as_dict);
  bind_bases(module);
  bind_convolve(module);
  bind_device_arrays(module);
  bind_features(module);
  bind_fit(module);
  bind_files(module);
  bind_machine(module);
  bind_operators(module);
  bind_stream(module);
}
