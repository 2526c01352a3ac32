// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/design/design_inputs.hpp"

#include "tool/run/output.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>
#include <variant>

namespace synelix::tool {
namespace {

void mark_used(const DesignNode& node, std::vector<bool>& used) {
  for (const std::size_t input : node.inputs) used[input] = true;
  for (const DesignNode& part : node.parts) mark_used(part, used);
}

/// Whether the samples of two recordings have the same times, to half a sample at each start.
bool is_one_time(const SeriesDescription& first, const SeriesDescription& second, double rate_hz) {
  const auto starts = [](const SeriesDescription& of) {
    if (!of.segments.empty()) return of.segments;
    return std::vector<TimeSegment>{{0, of.start_seconds, of.rate_hz.value_or(0)}};
  };
  const std::vector<TimeSegment> a = starts(first);
  const std::vector<TimeSegment> b = starts(second);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const TimeSegment& one, const TimeSegment& other) {
                      const double apart = std::abs(one.start_seconds - other.start_seconds);
                      return one.first_sample == other.first_sample && apart * rate_hz < 0.5;
                    });
}

/// Whether two rates are equal for this number of samples: they drift apart by less than half a
/// sample.
bool is_one_rate(double first, double second, std::int64_t samples) {
  return std::abs(first / second - 1.0) * static_cast<double>(samples) < 0.5;
}

std::string number_text(double number) {
  std::ostringstream text;
  text.precision(12);
  text << number;
  return text.str();
}

}  // namespace

DesignInputs::DesignInputs(const DesignFile& design, DesignParts parts)
    : m_inputs(design.inputs.size()), m_rates(design.inputs.size()), m_parts(std::move(parts)) {
  if (m_parts.intervals && m_parts.intervals->table.file.empty()) {
    m_parts.intervals->table.file = design.inputs.front().file();
  }
  open_arrays(design);
  take_rate(design);
  open_spikes(design);
  require_one_grid(design);
  require_whole_target(design);
}

void DesignInputs::open_arrays(const DesignFile& design) {
  std::vector<bool> used(design.inputs.size(), false);
  for (const DesignTerm& term : design.terms) mark_used(term.node, used);
  if (m_parts.target) used[*m_parts.target] = true;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const auto* array = std::get_if<ArrayInput>(&design.inputs[i].from);
    if (!used[i]) continue;
    if (array == nullptr) {
      m_inputs[i] = std::make_unique<Recording>(SpikeTrains{
          .events = Events(1, {{}}), .description = {}, .counts = {}});  // until the grid is known
      continue;
    }
    ConvolveRequest request;
    request.input = array->data;
    request.channels = array->channels;
    request.time_axis = array->time_axis;
    request.scale = array->scale;
    request.offset = array->offset;
    request.epochs = m_parts.epochs;
    request.intervals = m_parts.intervals;
    if (m_parts.intervals) request.interval_stop = m_parts.intervals->rules.stop;
    m_inputs[i] = std::make_unique<Recording>(placed(design.inputs[i].place, [&] {
      return open_recording(request, known_fit(m_parts.fits, design.inputs[i].name));
    }));
    const Recording& source = *m_inputs[i];
    const std::optional<double> found = source.series().rate_hz;
    const double rate = found.value_or(array->rate_hz.value_or(0));
    const double wanted = array->rate_hz.value_or(rate);
    if (rate > 0 && !is_one_rate(wanted, rate, source.shape().samples)) {
      throw Error(design.inputs[i].place + " rate-hz",
                  number_text(wanted) + " is not the rate of the file, " + number_text(rate),
                  "Leave rate-hz out, or give that of the file");
    }
    if (rate > 0) m_rates[i] = rate;
    m_samples = m_has_arrays ? m_samples : source.shape().samples;
    if (!m_has_arrays || (found && !m_series.rate_hz)) {
      m_series = source.series();
      m_series.channel_ids.clear();
      m_epochs = source.shape().epochs;
    }
    m_has_arrays = true;
  }
  m_parts.fits.clear();
}

/// The rate of the grid: of the arrays, or the bins of spike trains.
void DesignInputs::take_rate(const DesignFile& design) {
  for (const std::optional<double>& rate : m_rates) {
    if (rate && !m_series.rate_hz) m_series.rate_hz = rate;
  }
  for (std::size_t i = 0; i < m_inputs.size(); ++i) {
    const auto* spikes = std::get_if<SpikeInput>(&design.inputs[i].from);
    if (m_inputs[i] == nullptr || spikes == nullptr || !spikes->bin_seconds) continue;
    if (!m_series.rate_hz) m_series.rate_hz = 1 / *spikes->bin_seconds;
  }
  // Spike trains are counted in bins that start at the samples of arrays.
  const bool has_spikes = std::any_of(m_inputs.begin(), m_inputs.end(), [](const auto& input) {
    return input != nullptr && input->trains() != nullptr;
  });
  if (has_spikes && m_series.rate_hz) m_series.bin_seconds = 1 / *m_series.rate_hz;
}

SpikeTrains DesignInputs::binned(const SpikeInput& spikes, std::int64_t held) const {
  if (!m_series.rate_hz) {
    throw Error("bin", "none is given, and no array has a rate",
                "Give a width such as bin = \"10ms\", or rate-hz of an array");
  }
  const double bin = spikes.bin_seconds.value_or(1 / *m_series.rate_hz);
  UnitsOptions options{.bin_seconds = bin,
                       .tables = spikes.tables,
                       .unit_ids = spikes.ids,
                       .links = links_followed()};
  limit_trains(m_parts.computing, held, options);
  for (const auto& [column, value] : spikes.where) options.where.push_back({column, value});
  // Events share the bins of spike trains, which end later.
  const bool has_grid = m_has_arrays || (spikes.is_events && m_samples > 0);
  if (has_grid) {
    std::vector<TimeSegment> segments = m_series.segments;
    if (segments.empty()) segments = {{0, m_series.start_seconds, *m_series.rate_hz}};
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const std::int64_t end = i + 1 < segments.size() ? segments[i + 1].first_sample : m_samples;
      const auto length = static_cast<double>(end - segments[i].first_sample);
      double stop = segments[i].start_seconds + length * bin;
      if (i + 1 < segments.size()) stop = std::min(stop, segments[i + 1].start_seconds);
      options.intervals.push_back({segments[i].start_seconds, stop});
    }
  }
  if (!has_grid && m_parts.intervals) {
    options.intervals = intervals_of(*m_parts.intervals);
    options.interval_stop = m_parts.intervals->rules.stop;
  }
  if (!has_grid) options.from_seconds = m_parts.from_seconds;
  const bool is_selected = m_parts.intervals.has_value();
  auto [units, refused] = read_or_count(spikes.file, options);
  SpikeTrains trains{.events = std::move(units.events),
                     .description = units.description(),
                     .counts = units.counts,
                     .is_selected = is_selected,
                     .is_end_known = !m_has_arrays,
                     .refused = std::move(refused)};
  trains.description.name = spikes.file;
  const std::int64_t rows = trains.events.shape().samples;
  if (!has_grid) {
    if (m_parts.epochs) {
      trains.events = trains.events.with_epochs(read_epochs(file_path(*m_parts.epochs)));
    }
    return trains;
  }
  if (rows != m_samples) {
    throw Error("spike trains",
                "they have " + format_count(rows) + " bins, but the other inputs have " +
                    format_count(m_samples) + " samples",
                "Give bins and arrays that cover the same time at the same rate");
  }
  trains.events = trains.events.with_epochs(m_epochs);
  return trains;
}

void DesignInputs::open_spikes(const DesignFile& design) {
  std::int64_t held = 0;
  for (const bool wants_events : {false, true}) {
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
      const auto* spikes = std::get_if<SpikeInput>(&design.inputs[i].from);
      if (m_inputs[i] == nullptr || spikes == nullptr || spikes->is_events != wants_events)
        continue;
      SpikeTrains trains = placed(design.inputs[i].place, [&] { return binned(*spikes, held); });
      held += trains.events.bytes();
      if (trains.refused) keep_refusal(*trains.refused, design.inputs[i].place);
      m_inputs[i] = std::make_unique<Recording>(std::move(trains));
      m_rates[i] = description_of(i).rate_hz;
      if (m_samples > 0) continue;
      m_samples = shape_of(i).samples;
      m_epochs = shape_of(i).epochs;
      m_series = description_of(i);
      m_series.channel_ids.clear();
    }
  }
}

/// Keeps the refusal that needs the most bytes.
void DesignInputs::keep_refusal(const Refusal& refused, const std::string& place) {
  const std::int64_t bytes = refused.error.least_bytes();
  const bool is_least = refused.is_least && (!m_refused || m_refused->is_least);
  if (!m_refused || bytes > m_refused->error.least_bytes()) {
    m_refused = Refusal{BudgetError(place + ": " + refused.error.what(), bytes)};
  }
  m_refused->is_least = is_least;
}

void DesignInputs::require_one_grid(const DesignFile& design) const {
  for (std::size_t i = 0; i < m_inputs.size(); ++i) {
    if (m_inputs[i] == nullptr) continue;
    const SeriesDescription series = description_of(i);
    const double grid_rate = m_series.rate_hz.value_or(0);
    const double rate = m_rates[i].value_or(grid_rate);
    bool is_one = shape_of(i).samples == m_samples;
    if (grid_rate > 0) is_one = is_one && is_one_rate(rate, grid_rate, m_samples);
    if (series.rate_hz) is_one = is_one && is_one_time(series, m_series, grid_rate);
    if (is_one) continue;
    throw Error(design.inputs[i].place, "the inputs differ in time: " + table_of(design),
                "Give inputs of the same samples, rate, start and jumps of time (rates may drift "
                "apart by half a sample)");
  }
}

/// An array of targets is the grid of spike trains if there is no other array. It must not end
/// before the spike trains, unless there are intervals.
void DesignInputs::require_whole_target(const DesignFile& design) const {
  if (!m_parts.target || m_parts.intervals) return;
  for (std::size_t i = 0; i < m_inputs.size(); ++i) {
    if (m_inputs[i] == nullptr) continue;
    const bool is_array = std::holds_alternative<ArrayInput>(design.inputs[i].from);
    if (is_array != (i == *m_parts.target)) return;
  }
  for (std::size_t i = 0; i < m_inputs.size(); ++i) {
    const auto* spikes = std::get_if<SpikeInput>(&design.inputs[i].from);
    if (m_inputs[i] == nullptr || spikes == nullptr || !m_series.rate_hz) continue;
    if (trains(i) == nullptr || trains(i)->counts.behind == 0) continue;
    const SpikeCounts& counts = trains(i)->counts;
    const double bin = 1 / *m_series.rate_hz;
    UnitsOptions options{.bin_seconds = bin,
                         .tables = spikes->tables,
                         .unit_ids = spikes->ids,
                         .links = links_followed()};
    options.only_count = true;  // only to find their end
    for (const auto& [column, value] : spikes->where) options.where.push_back({column, value});
    const Units alone = read_units(spikes->file, options);
    const double end = alone.description().seconds_of(alone.rows());
    if (end < m_series.seconds_of(m_samples) + 1.5 * bin) continue;  // the last bin is not complete
    throw Error(design.inputs[*m_parts.target].place,
                "it has " + format_count(m_samples) + " samples and ends at " +
                    format_seconds(m_series.seconds_of(m_samples)) + ", but the spikes of '" +
                    design.inputs[i].name + "' go on to " + format_seconds(end) + ": " +
                    format_count(counts.behind) + " of " + format_count(counts.all) +
                    " would be dropped",
                "Give targets for all samples of the inputs, or select times by --intervals");
  }
}

/// "position 1000 samples at 100 Hz from 0 s, spikes ...".
std::string DesignInputs::table_of(const DesignFile& design) const {
  std::string text;
  for (std::size_t i = 0; i < m_inputs.size(); ++i) {
    if (m_inputs[i] == nullptr) continue;
    text += (text.empty() ? "" : ", ") + design.inputs[i].name + " with " +
            format_count(shape_of(i).samples) + " samples";
    const double rate = m_rates[i].value_or(0);
    if (rate > 0) {
      text += " at " + number_text(rate) + " Hz from " +
              number_text(description_of(i).start_seconds) + " s";
    }
  }
  return text;
}

std::int64_t DesignInputs::held_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& input : m_inputs) {
    if (input != nullptr) bytes += input->held_bytes();
  }
  return bytes;
}

InputFits DesignInputs::fits(const DesignFile& design) const {
  InputFits fits;
  for (std::size_t i = 0; i < m_inputs.size(); ++i) {
    if (m_inputs[i] == nullptr || m_inputs[i]->fit() == nullptr) continue;
    fits.emplace_back(design.inputs[i].name, *m_inputs[i]->fit());
  }
  return fits;
}

Fingerprint DesignInputs::files(const DesignFile& design) const {
  Fingerprint files;
  for (std::size_t i = 0; i < m_inputs.size(); ++i) {
    if (m_inputs[i] == nullptr || trains(i) != nullptr) continue;
    for (const auto& [what, value] : description_of(i).fingerprint) {
      files.emplace_back(what + " of " + design.inputs[i].name, value);
    }
  }
  return files;
}

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
