// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

namespace synelix::python {
namespace {

/// Applies an option that convolutions and designs have. Returns whether the keyword is one.
template <class Options>
bool take_common(Options& options, const std::string& key, nb::handle value) {
  if (key == "border") {
    options.border = border_of(value);
  } else if (key == "method") {
    options.method = method_of(value);
  } else if (key == "instruction_set") {
    options.machine.instruction_set = instruction_set_of(value);
  } else if (key == "machine") {
    options.machine = calibration_of(value);
  } else if (key == "budget") {
    options.budget = whole(key, value);
  } else if (key == "every") {
    options.every = whole(key, value);
  } else if (key == "batch_size_samples") {
    options.batch.samples = whole(key, value);
  } else if (key == "batch_size_channels") {
    options.batch.channels = whole(key, value);
  } else if (key == "batch_size_basis") {
    options.batch.bases = whole(key, value);
  } else {
    return false;
  }
  return true;
}

template <class Value>
Value cast_or_refuse(const std::string& argument, nb::handle value, const char* kind,
                     const char* remedy) {
  Value result{};
  if (nb::isinstance<nb::bool_>(value) || !nb::try_cast(value, result)) {
    throw Error(argument, nb::cast<std::string>(nb::repr(value)) + " is not a " + kind, remedy);
  }
  return result;
}

}  // namespace

std::int64_t whole(const std::string& argument, nb::handle value) {
  return cast_or_refuse<std::int64_t>(argument, value, "whole number", "Use an int");
}

double real(const std::string& argument, nb::handle value) {
  return cast_or_refuse<double>(argument, value, "number", "Use a float");
}

std::vector<std::int64_t> wholes(const std::string& argument, nb::handle value) {
  return cast_or_refuse<std::vector<std::int64_t>>(argument, value, "list of whole numbers",
                                                   "Use ints");
}

std::vector<double> reals(const std::string& argument, nb::handle value) {
  return cast_or_refuse<std::vector<double>>(argument, value, "list of numbers", "Use floats");
}

Causality causality_of(nb::handle text) {
  return word<Causality>("causality", text,
                         {{"causal", Causality::causal},
                          {"acausal", Causality::acausal},
                          {"anti-causal", Causality::anti_causal}});
}

Shift shift_of(nb::handle value) {
  if (value.is_none()) return Shift::automatic;
  if (value.is(Py_True)) return Shift::on;
  if (value.is(Py_False)) return Shift::off;
  throw Error("shift", nb::cast<std::string>(nb::repr(value)) + " is not known",
              "Use None, True or False");
}

Method method_of(nb::handle text) {
  return word<Method>("method", text,
                      {{"auto", Method::automatic},
                       {"direct", Method::direct},
                       {"events", Method::events},
                       {"fft", Method::fft}});
}

Border border_of(nb::handle text) {
  return word<Border>("border", text,
                      {{"nan", Border::nan}, {"zero", Border::zero}, {"valid", Border::valid}});
}

InstructionSet instruction_set_of(nb::handle text) {
  return word<InstructionSet>("instruction_set", text,
                              {{"auto", InstructionSet::automatic},
                               {"plain", InstructionSet::plain},
                               {"avx2", InstructionSet::avx2},
                               {"avx512", InstructionSet::avx512},
                               {"neon", InstructionSet::neon},
                               {"sve256", InstructionSet::sve256}});
}

void throw_unexpected(const std::string& keyword) {
  throw nb::type_error(("unexpected keyword argument '" + keyword + "'").c_str());
}

ConvolveOptions convolve_options(const nb::dict& keywords) {
  ConvolveOptions options;
  for (const auto& [name, value] : keywords) {
    const auto key = nb::cast<std::string>(name);
    if (take_common(options, key, value)) continue;
    if (key == "causality") {
      options.causality = causality_of(value);
    } else if (key == "shift") {
      options.shift = shift_of(value);
    } else if (key == "fft_parts") {
      options.fft_parts = whole(key, value);
    } else {
      throw_unexpected(key);
    }
  }
  return options;
}

FeaturesOptions features_options(const nb::dict& keywords) {
  FeaturesOptions options;
  for (const auto& [name, value] : keywords) {
    const auto key = nb::cast<std::string>(name);
    if (!take_common(options, key, value)) throw_unexpected(key);
  }
  return options;
}

nb::dict described(const Choice& choice) {
  nb::dict seconds;
  for (const Candidate& candidate : choice.candidates) {
    seconds[name_of(candidate.method)] = candidate.seconds;
  }
  nb::dict result;
  result["method"] = name_of(choice.method);
  result["instruction_set"] = name_of(choice.instruction_set);
  result["rows"] = choice.rows;
  result["batch_samples"] = choice.batch_samples;
  result["batch_channels"] = choice.batch_channels;
  result["batch_bases"] = choice.batch_bases;
  result["fft_length"] = choice.fft_length;
  result["fft_parts"] = choice.fft_parts;
  result["threads"] = choice.teams;
  result["workspace_bytes"] = choice.workspace_bytes;
  result["flops"] = choice.flops;
  result["bytes"] = choice.bytes;
  result["seconds"] = choice.seconds;
  result["candidates"] = seconds;
  return result;
}

nb::list described(const std::vector<Term>& terms) {
  nb::list list;
  for (const Term& term : terms) {
    list.append(nb::make_tuple(term.label, term.columns.begin, term.columns.end,
                               term.channel_extents, term.bases));
  }
  return list;
}

}  // namespace synelix::python
