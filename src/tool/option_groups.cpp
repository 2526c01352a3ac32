// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/option_groups.hpp"

#include <array>

namespace synelix::tool {
namespace {

using Style = std::pair<std::string_view, ProgressStyle>;
constexpr std::array<Style, 5> progress_styles{{{"auto", ProgressStyle::automatic},
                                                {"bar", ProgressStyle::bar},
                                                {"lines", ProgressStyle::lines},
                                                {"json", ProgressStyle::json},
                                                {"none", ProgressStyle::none}}};

/// Which parameters a family of filters has.
struct Family {
  std::string_view name;
  bool bases;
  bool raised_cosine;
  bool logarithmic;
  bool spline;
  bool decay_rates;
};
constexpr std::array<Family, 7> families{{
    {"raised-cosine-linear", true, true, false, false, false},
    {"raised-cosine-log", true, true, true, false, false},
    {"bspline", true, false, false, true, false},
    {"cyclic-bspline", true, false, false, true, false},
    {"mspline", true, false, false, true, false},
    {"orth-exponential", false, false, false, false, true},
    {"history", false, false, false, false, false},
}};

const Family& family_named(const std::string& name) {
  std::string allowed;
  for (const Family& family : families) {
    if (family.name == name) return family;
    allowed += (allowed.empty() ? "" : ", ") + std::string(family.name);
  }
  throw CLI::ValidationError("--basis", "found '" + name + "'; allowed: " + allowed);
}

void require_parameter(bool given, bool applies, std::string_view option, const Family& family) {
  if (given && !applies) {
    throw CLI::ValidationError(std::string(option),
                               "not a parameter of --basis " + std::string(family.name));
  }
}

void check_parameters(const BankFields& fields, const Family& family) {
  require_parameter(fields.bases.has_value(), family.bases, "--bases", family);
  require_parameter(fields.width.has_value(), family.raised_cosine, "--width", family);
  require_parameter(fields.time_scaling.has_value(), family.logarithmic, "--time-scaling", family);
  require_parameter(fields.no_decay, family.logarithmic, "--no-decay", family);
  require_parameter(fields.order.has_value(), family.spline, "--order", family);
  require_parameter(fields.decay_rates.has_value(), family.decay_rates, "--decay-rates", family);
  const auto missing = [&](const char* option) {
    return CLI::ValidationError(option, "--basis " + std::string(family.name) + " needs it");
  };
  if (family.bases && !fields.bases) throw missing("--bases");
  if (family.decay_rates && !fields.decay_rates) throw missing("--decay-rates");
  if (!fields.window) throw missing("--window");
}

Basis basis_from(const BankFields& fields) {
  const std::int64_t bases = fields.bases.value_or(0);
  if (fields.family == "raised-cosine-linear") {
    RaisedCosineLinear basis{.bases = bases};
    basis.width = fields.width.value_or(basis.width);
    return basis;
  }
  if (fields.family == "raised-cosine-log") {
    RaisedCosineLog basis{.bases = bases};
    basis.width = fields.width.value_or(basis.width);
    basis.time_scaling = fields.time_scaling.value_or(basis.time_scaling);
    if (fields.no_decay) basis.decay = Decay::open;
    return basis;
  }
  if (fields.family == "orth-exponential") {
    return OrthExponential{fields.decay_rates.value_or(std::vector<double>{})};
  }
  if (fields.family == "history") return History{};
  const auto with_order = [&](auto spline) -> Basis {
    spline.bases = bases;
    spline.order = fields.order.value_or(spline.order);
    return spline;
  };
  if (fields.family == "bspline") return with_order(BSpline{});
  if (fields.family == "cyclic-bspline") return with_order(CyclicBSpline{});
  return with_order(MSpline{});
}

}  // namespace

void add_basis_options(CLI::App& app, BankFields& fields) {
  const std::string group = "Filters";
  app.add_option("--basis", fields.family,
                 "raised-cosine-linear, raised-cosine-log, bspline, cyclic-bspline, mspline, "
                 "orth-exponential or history")
      ->type_name("NAME")
      ->group(group);
  add_parsed(app, "--bases", fields.bases, parse_integer, "B", "number of filters")->group(group);
  add_parsed(app, "--window", fields.window, parse_duration, "W",
             "taps of each filter: samples, or a time such as 100ms")
      ->group(group);
  add_parsed(app, "--width", fields.width, parse_number, "X",
             "raised cosines: half a filter's width in peak spacings (2)")
      ->group(group);
  add_parsed(app, "--time-scaling", fields.time_scaling, parse_number, "X",
             "raised-cosine-log: how much the filters crowd at the present (50)")
      ->group(group);
  app.add_flag("--no-decay", fields.no_decay,
               "raised-cosine-log: the last filter peaks at the window's end")
      ->group(group);
  add_parsed(app, "--order", fields.order, parse_integer, "N", "splines: degree + 1 (4)")
      ->group(group);
  add_parsed(app, "--decay-rates", fields.decay_rates, parse_numbers, "X,X,...",
             "orth-exponential: one for each filter, per window")
      ->group(group);
}

BankSource bank_from(const BankFields& fields) {
  if (fields.file) {
    if (!fields.family.empty()) {
      throw CLI::ValidationError("--bank", "found beside --basis; allowed: one of the two");
    }
    if (fields.bases || fields.width || fields.time_scaling || fields.no_decay || fields.order ||
        fields.decay_rates || fields.window) {
      throw CLI::ValidationError("--bank", "found beside parameters of a basis; allowed: alone");
    }
    if (fields.file->dataset.empty()) {
      throw CLI::ValidationError("--bank",
                                 "found '" + fields.file->file + "'; allowed: FILE:/dataset");
    }
    return {.basis = {}, .window = {}, .file = fields.file};
  }
  if (fields.family.empty()) {
    throw CLI::ValidationError("--basis", "the filters are missing; give --basis NAME");
  }
  check_parameters(fields, family_named(fields.family));
  return {.basis = basis_from(fields), .window = fields.window, .file = {}};
}

void add_existing_options(CLI::App& app, ExistingFields& fields) {
  auto* replace = app.add_flag("-O,--overwrite", fields.replace, "replace an existing output file");
  auto* append = app.add_flag("--append", fields.append,
                              "add the dataset to an existing file (a copy, then renamed)");
  replace->group("Output");
  append->group("Output")->excludes(replace);
}

Standing standing_from(const ExistingFields& fields) {
  if (fields.replace) return Standing::replace;
  return fields.append ? Standing::append : Standing::refuse;
}

void add_message_options(CLI::App& app, Messages& messages) {
  app.add_flag("--json", messages.json, "print the result as JSON on stdout")->group("Messages");
  app.add_flag("--quiet", messages.quiet, "print nothing but errors")->group("Messages");
}

void add_progress_option(CLI::App& app, Messages& messages) {
  add_parsed(app, "--progress", messages.progress, one_of(std::span<const Style>(progress_styles)),
             "STYLE",
             "auto (a bar on a terminal, else lines), bar, lines, json (on stderr) or none")
      ->group("Messages");
}

}  // namespace synelix::tool
