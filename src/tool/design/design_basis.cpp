// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/design/design_file.hpp"

#include "tool/options/option_words.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <filesystem>

namespace synelix::tool {
namespace {

/// A number of columns that no model needs; the limit keeps a typing error from filling the memory.
constexpr std::int64_t most_frequencies = 1 << 20;

BasisMode mode_of(const Section& table, const std::string& type) {
  if (type == "identity") return BasisMode::identity;
  if (type == "fourier") return BasisMode::fourier;
  if (type == "zero") return BasisMode::zero;
  if (type != "bank" && !is_family(type)) {
    table.refuse("type", "'" + type + "' is not a type of a basis",
                 "Valid are: " + family_names() + ", bank, identity, fourier, zero");
  }
  const bool has_samples = type != "bank" && has_eval_mode(type);
  const std::string mode = table.has("mode") ? table.text("mode") : "conv";
  if (mode == "eval" && has_samples) return BasisMode::eval;
  if (mode != "conv") {
    table.refuse("mode", "'" + mode + "' is not a mode of the type " + type,
                 has_samples ? "Valid are: conv, eval" : "Valid is: conv");
  }
  return BasisMode::conv;
}

std::vector<std::string_view> keys_of(BasisMode mode, const std::string& type) {
  switch (mode) {
    case BasisMode::zero:
      return {"type"};
    case BasisMode::identity:
      return {"type", "bounds", "fill"};
    case BasisMode::fourier:
      return {"type", "frequencies", "bounds", "constant"};
    case BasisMode::eval:
    case BasisMode::conv:
      break;
  }
  if (type == "bank") return {"type", "mode", "bank", "causality", "shift"};
  std::vector<std::string_view> keys{"type", "mode"};
  for (const BasisOption& option : basis_options) keys.push_back(option.name);
  if (mode == BasisMode::eval) {
    keys.insert(keys.end(), {"bounds", "fill"});
  } else {
    keys.insert(keys.end(), {"window", "causality", "shift"});
  }
  return keys;
}

/// The entries of a list separated by commas, as on a command line.
std::string joined_texts(const Section& table, std::string_view key) {
  std::string joined;
  for (const std::string& text : table.texts(key)) joined += (joined.empty() ? "" : ",") + text;
  if (joined.empty()) table.refuse(key, "the list is empty", "Give at least one number");
  return joined;
}

BasisParameters parameters_of(const Section& table, const std::string& type) {
  BasisParameters parameters;
  parameters.family = type;
  for (std::size_t i = 0; i < basis_options.size(); ++i) {
    const BasisOption& option = basis_options[i];
    if (option.parse == nullptr) {
      if (table.flag(option.name)) parameters.values[i] = true;
    } else if (table.has(option.name)) {
      const bool is_list = option.parse == &parse_as<parse_numbers>;
      const std::string text = is_list ? joined_texts(table, option.name) : table.text(option.name);
      table.guarded(option.name, [&] { parameters.values[i] = option.parse(text); });
    }
  }
  if (const auto fault = fault_of(parameters)) {
    if (fault->is_missing) table.require(fault->parameter, "a value, which " + type + " needs");
    table.refuse(fault->parameter, "the type " + type + " takes no such parameter", "Remove it");
  }
  return parameters;
}

std::pair<double, double> interval_of(const Section& table, const TomlValue& list) {
  std::vector<double> ends;
  for (const TomlValue& item : list.items) {
    if (item.kind != TomlValue::Kind::number) break;
    table.guarded("bounds", [&] { ends.push_back(parse_number(item.text)); });
  }
  if (ends.size() != 2 || list.items.size() != 2 || !(ends[0] < ends[1])) {
    table.refuse("bounds", "the list is not a pair of a lower and a higher number",
                 "Give [LOW, HIGH] with LOW below HIGH");
  }
  return {ends[0], ends[1]};
}

/// [lo, hi], or one such pair for each dimension.
std::vector<std::pair<double, double>> bounds_of(const Section& table) {
  if (!table.has("bounds")) return {};
  const TomlValue& list = table.list("bounds");
  const bool is_nested = !list.items.empty() && list.items.front().kind == TomlValue::Kind::list;
  if (!is_nested) return {interval_of(table, list)};
  std::vector<std::pair<double, double>> bounds;
  bounds.reserve(list.items.size());
  for (const TomlValue& item : list.items) bounds.push_back(interval_of(table, item));
  return bounds;
}

std::int64_t frequency_of(const Section& table, const TomlValue& item) {
  std::int64_t frequency = -1;
  if (item.kind == TomlValue::Kind::number) {
    table.guarded("frequencies", [&] { frequency = parse_integer(item.text); });
  }
  if (frequency < 0 || frequency > most_frequencies) {
    table.refuse("frequencies",
                 (item.text.empty() ? std::string(kind_text(item)) : "'" + item.text + "'") +
                     " is not a frequency",
                 "Give a number N for 0 to N - 1, a list of whole numbers from 0 on, or a list of "
                 "such lists, one for each dimension");
  }
  return frequency;
}

/// An integer N means 0, 1, ..., N - 1; a list is used as given.
std::vector<std::int64_t> frequencies_from(const Section& table, const TomlValue& value) {
  std::vector<std::int64_t> frequencies;
  if (value.kind == TomlValue::Kind::list) {
    for (const TomlValue& item : value.items) frequencies.push_back(frequency_of(table, item));
  } else {
    frequencies.resize(static_cast<std::size_t>(frequency_of(table, value)));
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      frequencies[i] = static_cast<std::int64_t>(i);
    }
  }
  std::vector<std::int64_t> sorted = frequencies;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    table.refuse("frequencies", sorted.empty() ? "there is none" : "one is there twice",
                 "Give at least one, each once");
  }
  return sorted;
}

std::vector<std::vector<std::int64_t>> all_frequencies(const Section& table) {
  table.require("frequencies", "a number or a list, which fourier needs");
  const TomlValue& value = *table.table().find("frequencies");
  const bool is_nested =
      value.kind == TomlValue::Kind::list &&
      std::any_of(value.items.begin(), value.items.end(),
                  [](const TomlValue& item) { return item.kind == TomlValue::Kind::list; });
  if (!is_nested) return {frequencies_from(table, value)};
  constexpr std::size_t most_dimensions = 16;
  if (value.items.size() > most_dimensions) {
    table.refuse("frequencies",
                 "there are lists for " + std::to_string(value.items.size()) + " dimensions",
                 "Give at most " + std::to_string(most_dimensions));
  }
  std::vector<std::vector<std::int64_t>> result;
  result.reserve(value.items.size());
  for (const TomlValue& item : value.items) result.push_back(frequencies_from(table, item));
  return result;
}

void read_window(const Section& table, DesignBasis& basis) {
  table.require("window", "samples, or a time such as \"250ms\"");
  Duration window;
  table.read("window", window, parse_duration);
  if (!(window.value > 0)) {
    table.refuse("window", table.text("window") + " is not a length of a window",
                 "Give more than 0");
  }
  basis.window = window;
}

}  // namespace

std::string beside(const std::string& design, const std::string& file) {
  const std::filesystem::path name(file);
  return name.is_absolute() ? file : (std::filesystem::path(design).parent_path() / name).string();
}

DesignBasis basis_from(const Section& table, const std::string& name) {
  table.require("type", "one of: " + family_names() + ", bank, identity, fourier, zero");
  const std::string type = table.text("type");
  DesignBasis basis;
  basis.name = name;
  basis.place = table.place();
  basis.mode = mode_of(table, type);
  table.require_only(keys_of(basis.mode, type));
  basis.bounds = bounds_of(table);
  table.read("fill", basis.fill, [](const std::string& text) {
    return text == "nan" ? std::numeric_limits<double>::quiet_NaN() : parse_number(text);
  });
  if (basis.mode == BasisMode::fourier) {
    basis.frequencies = all_frequencies(table);
    basis.keeps_constant = table.flag("constant");
  } else if (basis.bounds.size() > 1) {
    table.refuse("bounds", "there are several pairs, but only fourier has several dimensions",
                 "Give one pair");
  }
  if (basis.mode == BasisMode::eval || (basis.mode == BasisMode::conv && type != "bank")) {
    basis.parameters = parameters_of(table, type);
    if (basis.mode == BasisMode::conv) read_window(table, basis);
  } else if (basis.mode == BasisMode::conv) {
    table.require("bank", "FILE:/dataset of (window, bases) taps");
    DatasetPath bank;
    table.read("bank", bank, parse_dataset_path);
    if (bank.dataset.empty()) {
      table.refuse("bank", "'" + bank.file + "' names no dataset", "Give FILE:/dataset");
    }
    bank.file = beside(table.file(), bank.file);
    basis.bank = bank;
  }
  table.read("causality", basis.causality, parse_causality);
  if (table.has("shift")) basis.shift = table.flag("shift");
  return basis;
}

}  // namespace synelix::tool
