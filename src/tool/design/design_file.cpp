// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tables of a design file except its bases.
#include "tool/design/design_file.hpp"
#include "tool/design/toml_tree.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <set>

namespace synelix::tool {
namespace {

/// Deeper than any model; the limit keeps a malicious file from exhausting the stack.
constexpr int most_levels = 16;

/// \param other  a key that is not an option; empty: none
std::vector<DesignOption> options_from(const Section& table, std::string_view other = {}) {
  std::vector<DesignOption> options;
  for (const auto& [key, value] : table.table().entries) {
    if (key == other) continue;
    DesignOption option{key, {}, table.place(key)};
    if (value.kind == TomlValue::Kind::flag) {
      option.flag = value.text == "true";
    } else {
      option.text = table.text(key);
    }
    options.push_back(std::move(option));
  }
  return options;
}

SpikeInput spikes_from(const Section& table) {
  table.require_only({"units", "events", "bin", "unit-ids", "where"});
  SpikeInput spikes;
  const bool is_events = table.has("events");
  if (is_events && (table.has("units") || table.has("unit-ids"))) {
    table.refuse("events", "it is given beside units or unit-ids", "Give one of them");
  }
  DatasetPath path;
  table.read(is_events ? "events" : "units", path, parse_dataset_path);
  if (is_events && path.dataset.empty()) {
    table.refuse("events", "'" + path.file + "' names no column of times",
                 "Give FILE:/TABLE/COLUMN");
  }
  spikes.file = beside(table.file(), path.file);
  spikes.tables = parse_tables(path.dataset);
  spikes.is_events = is_events;
  table.read("bin", spikes.bin_seconds, parse_bin);
  if (table.has("unit-ids")) {
    for (const std::string& text : table.texts("unit-ids")) {
      table.guarded("unit-ids", [&] { spikes.ids.push_back(parse_integer(text)); });
    }
  }
  if (table.has("where")) {
    for (const std::string& text : table.texts("where")) {
      table.guarded("where", [&] { spikes.where.push_back(parse_condition(text)); });
    }
  }
  return spikes;
}

ArrayInput array_from(const Section& table) {
  table.require_only({"data", "channels", "time-axis", "scale", "offset", "rate-hz"});
  ArrayInput array;
  table.read("data", array.data, parse_dataset_path);
  if (array.data.dataset.empty()) {
    table.refuse("data", "'" + array.data.file + "' names no dataset", "Give FILE:/dataset");
  }
  array.data.file = beside(table.file(), array.data.file);
  table.read("channels", array.channels, parse_index_range);
  table.read("time-axis", array.time_axis, parse_axis);
  table.read("scale", array.scale, parse_number);
  table.read("offset", array.offset, parse_number);
  table.read("rate-hz", array.rate_hz, parse_number);
  if (array.rate_hz && !(*array.rate_hz > 0)) {
    table.refuse("rate-hz", table.text("rate-hz") + " is not a rate", "Give a number above 0");
  }
  return array;
}

DesignInput input_from(const Section& table, const std::string& name) {
  DesignInput input{name, table.place(), {}};
  if (table.has("units") || table.has("events")) {
    input.from = spikes_from(table);
    return input;
  }
  if (!table.has("data")) {
    throw Error(table.place(), "neither 'data', 'units' nor 'events' is there",
                "Give data = \"FILE:/dataset\", units = \"FILE.nwb\", or events = "
                "\"FILE.nwb:/TABLE/COLUMN\"");
  }
  input.from = array_from(table);
  return input;
}

/// The entries of [fit]; its target is written as an input, or as FILE:/dataset alone.
void read_fit(const Section& table, DesignFile& design) {
  design.fit = options_from(table, "target");
  const TomlValue* const target = table.table().find("target");
  if (target == nullptr) return;
  if (target->kind == TomlValue::Kind::table) {
    design.target = input_from(Section(*target, "[fit.target]", table.file()), "target");
    return;
  }
  ArrayInput array;
  table.read("target", array.data, parse_dataset_path);
  if (array.data.dataset.empty()) {
    table.refuse("target", "'" + array.data.file + "' names no dataset",
                 "Give FILE:/dataset, or a table [fit.target] with units = \"FILE.nwb\"");
  }
  array.data.file = beside(table.file(), array.data.file);
  design.target = DesignInput{"target", table.place("target"), array};
}

/// Terms, with the names of inputs and bases looked up.
class Terms {
 public:
  explicit Terms(const DesignFile& design) : m_design(design) {}

  [[nodiscard]] DesignTerm term_from(const Section& table) const {
    table.require("name", "a name for the columns of the term");
    DesignTerm term{table.text("name"), {}};
    if (table.has("sum")) {
      table.refuse("sum", "a sum cannot be a term",
                   "Write two terms; a sum may be a factor of a product");
    }
    term.node = node_from(table, 0, "name");
    return term;
  }

 private:
  [[nodiscard]] DesignNode node_from(const Section& table, int level, std::string_view also) const {
    if (level > most_levels) {
      throw Error(table.place(), "sums and products lie too deep in each other",
                  "Valid are at most " + std::to_string(most_levels) + " levels");
    }
    if (table.has("product")) return composed(table, "product", level, also);
    if (table.has("sum")) return composed(table, "sum", level, also);
    return atom_from(table, also);
  }

  [[nodiscard]] DesignNode composed(const Section& table, std::string_view key, int level,
                                    std::string_view also) const {
    std::vector<std::string_view> allowed{key};
    if (!also.empty()) allowed.push_back(also);
    table.require_only(allowed);
    DesignNode node;
    node.kind = key == "sum" ? DesignNode::Kind::sum : DesignNode::Kind::product;
    node.place = table.place(key);
    for (const TomlValue& item : table.list(key).items) {
      const Section part(item, std::string(key) + " of " + table.heading(), table.file());
      node.parts.push_back(node_from(part, level + 1, {}));
    }
    if (node.parts.size() < 2) {
      table.refuse(key, "it has " + std::to_string(node.parts.size()) + " of two or more tables",
                   "Give at least two, such as {input = \"position\", basis = \"place\"}");
    }
    return node;
  }

  [[nodiscard]] DesignNode atom_from(const Section& table, std::string_view also) const {
    std::vector<std::string_view> allowed{"input", "inputs", "basis", "product", "sum"};
    if (!also.empty()) allowed = {also, "input", "inputs", "basis", "product"};
    table.require_only(allowed);
    if (table.has("input") == table.has("inputs")) {
      throw Error(
          table.place(),
          table.has("input") ? "both input and inputs are there" : "no input is there",
          "Give input = \"NAME\", inputs = [\"NAME\", ...] for several dimensions, or a product");
    }
    DesignNode node;
    node.place = table.place();
    const std::string_view key = table.has("input") ? "input" : "inputs";
    for (const std::string& name :
         key == "input" ? std::vector<std::string>{table.text(key)} : table.texts(key)) {
      node.inputs.push_back(number_of(m_design.inputs, name, table, key));
    }
    table.require("basis", "the name of a table [bases.NAME]");
    node.basis = number_of(m_design.bases, table.text("basis"), table, "basis");
    require_dimensions(table, m_design.bases[node.basis], node.inputs.size());
    return node;
  }

  static void require_dimensions(const Section& table, const DesignBasis& basis,
                                 std::size_t inputs) {
    if (basis.mode != BasisMode::fourier) {
      if (inputs == 1) return;
      table.refuse("inputs",
                   "there are " + std::to_string(inputs) +
                       " inputs, but only a basis of type fourier has several dimensions",
                   "Give one input");
    }
    for (const auto& [what, count] : {std::pair{"bounds", basis.bounds.size()},
                                      std::pair{"frequencies", basis.frequencies.size()}}) {
      if (inputs > 0 && (count <= 1 || count == inputs)) continue;
      table.refuse("inputs",
                   "there are " + std::to_string(inputs) + " inputs, but the basis '" + basis.name +
                       "' has " + std::to_string(count) + " " + what,
                   "Give as many inputs as the basis has " + std::string(what));
    }
  }

  template <class Named>
  static std::size_t number_of(const std::vector<Named>& all, const std::string& name,
                               const Section& table, std::string_view key) {
    std::string known;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].name == name) return i;
      known += (known.empty() ? "" : ", ") + all[i].name;
    }
    table.refuse(key, "the design defines no '" + name + "'",
                 known.empty() ? "It defines none at all; add one" : "It defines: " + known);
  }

  const DesignFile& m_design;
};

}  // namespace

std::string DesignInput::text() const {
  if (const auto* array = std::get_if<ArrayInput>(&from)) return array->data.text();
  const auto& spikes = std::get<SpikeInput>(from);
  std::string text = spikes.file;
  for (const std::string& table : spikes.tables) {
    text += (&table == &spikes.tables.front() ? ":" : ",") + table;
  }
  return text;
}

DesignFile parse_design(std::string_view text, const std::string& file) {
  const TomlValue document = parse_toml(text, file);
  const Section root(document, "", file);
  root.require_only({"options", "inputs", "bases", "terms", "fit"});
  DesignFile design;
  design.file = file;
  design.text = text;
  for (const char* const key : {"inputs", "bases", "terms"}) {
    const TomlValue* const found = document.find(key);
    if (found != nullptr) design.columns_text += std::string(key) + plain_text(*found);
  }
  const auto each_of = [&](std::string_view key, const auto& read) {
    const TomlValue* found = document.find(key);
    if (found == nullptr) return;
    const Section all(*found, "[" + std::string(key) + "]", file);
    for (const auto& [name, value] : found->entries) {
      read(Section(value, "[" + std::string(key) + "." + name + "]", file), name);
    }
  };
  if (const TomlValue* found = document.find("options")) {
    design.options = options_from(Section(*found, "[options]", file));
  }
  if (const TomlValue* found = document.find("fit")) {
    read_fit(Section(*found, "[fit]", file), design);
  }
  each_of("inputs", [&](const Section& table, const std::string& name) {
    design.inputs.push_back(input_from(table, name));
  });
  each_of("bases", [&](const Section& table, const std::string& name) {
    design.bases.push_back(basis_from(table, name));
  });
  root.require("terms", "tables [[terms]]");
  const Terms terms(design);
  std::set<std::string> names;
  for (const TomlValue& item : root.list("terms").items) {
    const Section table(item, "[[terms]]", file);
    design.terms.push_back(terms.term_from(table));
    if (!names.insert(design.terms.back().name).second) {
      table.refuse("name", "the name '" + design.terms.back().name + "' is there twice",
                   "Give another name");
    }
  }
  if (design.terms.empty()) {
    root.refuse("terms", "the design has none", "Add at least one table [[terms]]");
  }
  return design;
}

DesignFile read_design(const std::string& file) { return parse_design(read_text_file(file), file); }

}  // namespace synelix::tool
