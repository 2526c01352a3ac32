// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/design_files.hpp"

#include "tool/run/output.hpp"

#include <nlohmann/json.hpp>

#include <utility>
#include <variant>

namespace synelix::tool {
void require_other_files(const DesignFile& design, const DesignRequest& request,
                         const DatasetPath& output) {
  require_other_file(output, design.file, "the design");
  for (const DesignInput& input : design.inputs) {
    require_other_file(output, input.file(), "the input '" + input.name + "'");
  }
  for (const DesignBasis& basis : design.bases) {
    if (basis.bank) require_other_file(output, basis.bank->file, "taps");
  }
  require_other_files(output, files_of_options(request));
}

std::vector<InputFile> files_held(const DesignFile& design, const DesignRequest& request) {
  std::vector<ReadFile> files = files_of_options(request);
  files.push_back({{request.design, {}}, "the design", {}});
  for (const DesignInput& input : design.inputs) {
    const auto* spikes = std::get_if<SpikeInput>(&input.from);
    if (spikes == nullptr) continue;
    if (spikes->tables.empty()) files.push_back({{spikes->file, "/units"}, "units", {}});
    for (const std::string& table : spikes->tables) {
      files.push_back({{spikes->file, table}, "units", {}});
    }
  }
  for (const DesignBasis& basis : design.bases) {
    if (basis.bank) files.push_back({*basis.bank, "taps", {}});
  }
  if (request.intervals && request.intervals->table.file.empty()) {
    files.push_back(
        {{design.inputs.front().file(), request.intervals->table.dataset}, "intervals", {}});
  }
  return held_files(files);
}

Json outline_of(const std::string& name, const DesignFile& design, const DesignInputs& inputs,
                const DesignExpression& from, const std::vector<Term>& terms) {
  Json tree = {{"design", name}, {"inputs", Json::array()}};
  const std::vector<InputUse> uses = input_uses(from.expression);
  for (std::size_t i = 0; i < design.inputs.size(); ++i) {
    if (!inputs.is_used(i)) continue;
    const SeriesShape& shape = inputs.shape_of(i);
    bool is_read_twice = false;  // once for the range of a basis without bounds
    for (std::size_t k = 0; k < uses.size(); ++k) {
      is_read_twice |= from.inputs[k] == i && uses[k].needs_ranges && !shape.has_events;
    }
    tree["inputs"].push_back({{"name", design.inputs[i].name},
                              {"path", design.inputs[i].text()},
                              {"samples", shape.samples},
                              {"channels", shape.channels},
                              {"type", shape.has_events ? "events" : name_of(shape.type)},
                              {"read_for_range", is_read_twice}});
    if (const SpikeTrains* const trains = inputs.trains(i)) {
      tree["inputs"].back()["spikes"] = spikes_tree(trains->counts);
    }
  }
  const std::optional<double> rate = inputs.series().rate_hz;
  if (rate) tree["rate_hz"] = *rate;
  tree["bases"] = Json::array();
  for (std::size_t i = 0; i < design.bases.size(); ++i) {
    if (from.windows[i] == 0) continue;
    tree["bases"].push_back({{"name", design.bases[i].name}, {"window", from.windows[i]}});
    if (rate) {
      tree["bases"].back()["window_seconds"] = static_cast<double>(from.windows[i]) / *rate;
    }
  }
  tree["terms"] = Json::array();
  for (const Term& term : terms) {
    std::string names;
    for (std::int64_t k = term.inputs.begin; k < term.inputs.end; ++k) {
      const std::size_t input = from.inputs[static_cast<std::size_t>(k)];
      names += (names.empty() ? "" : ", ") + design.inputs[input].name;
    }
    tree["terms"].push_back({{"name", term.label},
                             {"inputs", names},
                             {"first_column", term.columns.begin},
                             {"end_column", term.columns.begin + term.channels * term.bases},
                             {"columns", term.channels * term.bases},
                             {"channels", term.channels},
                             {"bases", term.bases}});
  }
  return tree;
}

}  // namespace synelix::tool
