// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "linear_algebra.hpp"
#include "machine.hpp"
#include "objects.hpp"
#include "python_code.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/version.hpp>

#include <algorithm>
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

/// Names of arguments that differ in Python.
struct PythonName {
  std::string_view ours;
  std::string_view pythons;
};
constexpr std::array python_names{PythonName{"bases", "n_basis_funcs"},
                                  PythonName{"window", "window_size"},
                                  PythonName{"series", "x"},
                                  PythonName{"features", "out"},
                                  PythonName{"sample_axis", "axis"},
                                  PythonName{"bank", "filters"},
                                  PythonName{"taps", "filters"},
                                  PythonName{"targets", "y"},
                                  PythonName{"intervals", "epochs"},
                                  PythonName{"trains", "times"},
                                  PythonName{"score", "scoring"},
                                  PythonName{"folds", "cv"},
                                  PythonName{"fold_of_row", "cv"},
                                  PythonName{"row_weights", "sample_weight"},
                                  PythonName{"start_coefficients", "init_params"},
                                  PythonName{"start_intercepts", "init_params"},
                                  PythonName{"filter", "compression"},
                                  PythonName{"budget", "budget"},  // of options.budget
                                  PythonName{"instruction_set", "instruction_set"},  // of machine
                                  PythonName{"bin_seconds", "bin_size"},
                                  PythonName{"bins", "bin_size"},
                                  PythonName{"batch.samples", "batch_size_samples"},
                                  PythonName{"batch.channels", "batch_size_channels"},
                                  PythonName{"batch.bases", "batch_size_basis"},
                                  PythonName{"width", "width"},  // of RaisedCosineLog.width
                                  PythonName{"order", "order"},
                                  PythonName{"time_scaling", "time_scaling"},
                                  PythonName{"decay_rates", "decay_rates"},
                                  PythonName{"Fourier.frequencies", "frequencies"},
                                  PythonName{"Fourier.dimensions", "ndim"},
                                  PythonName{"Fourier.mask", "frequency_mask"},
                                  PythonName{"scaled", "scale"},
                                  PythonName{"stream.samples", "samples"},
                                  PythonName{"optimality_tolerance", "tol"},
                                  PythonName{"most_evaluations", "maxiter"},
                                  PythonName{"count", "n_strengths"},
                                  PythonName{"penalty.strength", "regularizer_strength"},
                                  PythonName{"penalty.ratio", "regularizer_strength"},
                                  PythonName{"penalty.groups", "regularizer"},
                                  PythonName{"penalty", "regularizer"},
                                  PythonName{"loss.dispersion", "observation_model"},
                                  PythonName{"loss", "observation_model"},
                                  PythonName{"loss.inverse_link", "inverse_link_function"}};

/// Phrases of C++ messages that differ in Python.
constexpr std::array python_words{
    PythonName{"overlaps that of series.", "overlaps that of x."},
    PythonName{"(--overwrite, -O; Existing::replace)", "(existing='replace')"},
    PythonName{"(--append; Existing::append)", "(existing='append')"},
    PythonName{"synelix::Events", "synelix.Events"},
    PythonName{"Use automatic, ", "Use auto, "},
    PythonName{"run `synelix calibrate`", "use synelix.calibrate()"}};

/// The message with Python's name of the argument. An index after the name stays.
std::string message_of(const Error& error) {
  std::string text = error.what();
  for (const PythonName& word : python_words) {
    if (const auto place = text.find(word.ours); place != std::string::npos) {
      text.replace(place, word.ours.size(), word.pythons);
    }
  }
  std::string_view argument = error.argument();
  argument = argument.substr(0, argument.find_first_of("[("));
  const std::string_view last = argument.substr(argument.rfind('.') + 1);
  for (const PythonName& name : python_names) {
    if (!argument.empty() && (argument == name.ours || last == name.ours)) {
      return std::string(name.pythons) + text.substr(argument.size());
    }
  }
  return text;
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const PythonFailure& failure) {  // it is raised again unchanged
    drop_warnings();
    failure.error().restore();
  } catch (const Error& error) {
    drop_warnings();
    PyErr_SetString(error_classes().of(error.kind()), message_of(error).c_str());
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
      nb::arg("argument"), nb::arg("budget"), nb::arg("file"), nb::arg("state"),
      nb::arg("cancelled"));
  module.def("set_package_folder", &set_package_folder, nb::arg("folder"));
  module.def("set_threads", &set_threads, nb::arg("threads"));
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
