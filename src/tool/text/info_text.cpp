// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/info_text.hpp"

#include "tool/options/values.hpp"
#include "tool/text/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <utility>

namespace synelix::tool {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string extents_text(const std::vector<std::int64_t>& sizes) {
  std::vector<std::string> words;
  words.reserve(sizes.size());
  for (const std::int64_t size : sizes) words.push_back(format_count(size));
  return joined(words, " x ");
}

/// Attributes that describe the values, in the order of interest to a reader.
constexpr std::array<std::string_view, 7> first_attributes{
    "axes", "rate_hz", "bin_seconds", "units", "unit", "position", "source"};
/// Attributes of their origin, which interest few readers.
constexpr std::array<std::string_view, 11> last_attributes{
    "coordinates",      "centers",         "method",      "fft_length",
    "fft_parts",        "instruction_set", "fingerprint", "synelix_version",
    "synelix_revision", "synelix_build",   "history"};

using Attribute = std::pair<std::string, std::string>;

/// The position of an attribute: unknown ones are between the two groups.
std::ptrdiff_t rank_of(const Attribute& attribute) {
  const std::string& name = attribute.first;
  const auto* const first = std::find(first_attributes.begin(), first_attributes.end(), name);
  if (first != first_attributes.end()) return first - first_attributes.end();
  const auto* const last = std::find(last_attributes.begin(), last_attributes.end(), name);
  return last == last_attributes.end() ? 0 : last - last_attributes.begin() + 1;
}

/// Whether a dataset is a main one of the file, and not one beside them.
bool is_main(const DatasetReport& dataset) {
  return std::any_of(dataset.attributes.begin(), dataset.attributes.end(),
                     [](const Attribute& attribute) { return attribute.first == "axes"; });
}

std::string item_text(const DatasetReport& dataset) {
  std::string text = dataset.path + "\n  ";
  if (dataset.type == "unknown type" && !dataset.refusal.empty()) {
    return dataset.path + "\n  cannot be read: " + dataset.refusal + "\n";
  }
  text += dataset.extents.empty() ? "scalar" : extents_text(dataset.extents);
  text += " " + dataset.type;
  const bool is_of_matlab =
      std::any_of(dataset.attributes.begin(), dataset.attributes.end(),
                  [](const Attribute& attribute) { return attribute.first == "MATLAB_class"; });
  if (is_of_matlab && dataset.extents.size() > 1) {
    text += ", in MATLAB " + extents_text({dataset.extents.rbegin(), dataset.extents.rend()});
  }
  text += "\n";
  std::vector<Attribute> attributes = dataset.attributes;
  std::stable_sort(attributes.begin(), attributes.end(), [](const auto& one, const auto& other) {
    return rank_of(one) < rank_of(other);
  });
  const auto later = std::find_if(attributes.begin(), attributes.end(),
                                  [](const Attribute& each) { return rank_of(each) > 0; });
  const auto add = [&](auto begin, auto end) {
    for (; begin != end; ++begin) {
      text.append("    ").append(begin->first).append(" = ").append(begin->second).append("\n");
    }
  };
  add(attributes.begin(), later);
  text += "    stored in " + format_byte_count(dataset.stored_bytes);
  if (!dataset.chunk.empty()) text += ", chunks of " + extents_text(dataset.chunk);
  if (!dataset.filters.empty()) text += ", " + joined(dataset.filters, ", ");
  text += "\n";
  for (const FileBehindReport& file : dataset.files) {
    text += "    read from " + file.path + " (" + file.role + ", " + format_byte_count(file.bytes) +
            ")\n";
  }
  if (!dataset.refusal.empty()) text += "    cannot be read: " + dataset.refusal + "\n";
  add(later, attributes.end());
  return text;
}

std::string item_text(const LinkReport& link) {
  std::string text = link.path + "\n  external link to " + link.file + ":" + link.object + "\n";
  if (!link.refusal.empty()) text += "    is not followed: " + link.refusal + "\n";
  return text;
}

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

std::string item_text(const SignalReport& signal) {
  std::string text = "  " + signal.path + ": " + extents_text(signal.extents) + " " + signal.type;
  if (!signal.kind.empty()) text += " (" + signal.kind + ")";
  if (!signal.refusal.empty()) return text + "; cannot be read: " + signal.refusal + "\n";
  if (!signal.rate_hz) return text + ", no rate\n";
  text += ", " + number(*signal.rate_hz) + " Hz" + (signal.is_fitted ? " by timestamps" : "");
  if (signal.segments.empty()) return text + " from " + number(signal.start_seconds) + " s\n";
  text += " in " + format_count(static_cast<std::int64_t>(signal.segments.size())) + " segments:";
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < signal.segments.size() && i < most; ++i) {
    const auto& [sample, seconds] = signal.segments[i];
    text += (i == 0 ? " sample " : ", ") + format_count(sample) + " from " + number(seconds) + " s";
  }
  return text + (signal.segments.size() > most ? ", ...\n" : "\n");
}

std::string item_text(const IntervalsReport& intervals) {
  constexpr std::string_view usual = "/intervals/";
  std::string name = intervals.path;
  if (name.starts_with(usual)) name.erase(0, usual.size());
  std::string text = "  " + name + ": " + format_count(intervals.rows);
  if (intervals.refusal.empty()) {
    text +=
        " from " + number(intervals.start_seconds) + " to " + number(intervals.stop_seconds) + " s";
    if (intervals.unusable > 0) {
      text += ", " + format_count(intervals.unusable) + " without a usable start and stop";
    }
    if (intervals.overlapping > 0) {
      text += ", " + format_count(intervals.overlapping) + " overlapping";
    }
  } else {
    text += "; cannot be read: " + intervals.refusal;
  }
  return text + "; columns " + joined(intervals.columns, ", ") + "\n";
}

std::string item_text(const TrainsReport& trains) {
  std::string text = "  " + trains.path + ": " + format_count(trains.rows);
  text += trains.is_units ? " units" : " times";
  if (!trains.refusal.empty()) return text + "; cannot be read: " + trains.refusal + "\n";
  if (trains.is_units) text += "; columns " + joined(trains.columns, ", ");
  return text + "\n";
}

std::string item_text(const DeviceDescription& device) {
  return std::to_string(device.number) + ": " + device.name + " (" + device.architecture + ", " +
         format_byte_count(device.memory_bytes) + ")";
}

Json item_json(const SignalReport& signal) {
  Json json = {{"path", signal.path},
               {"kind", signal.kind},
               {"type", signal.type},
               {"shape", signal.extents}};
  if (signal.rate_hz) {
    json["rate_hz"] = *signal.rate_hz;
    json["start_seconds"] = signal.start_seconds;
    json["is_fitted"] = signal.is_fitted;
  }
  for (const auto& [sample, seconds] : signal.segments) {
    json["segments"].push_back({{"first_sample", sample}, {"start_seconds", seconds}});
  }
  if (!signal.refusal.empty()) json["refusal"] = signal.refusal;
  return json;
}

Json item_json(const IntervalsReport& intervals) {
  Json json = {{"path", intervals.path}, {"rows", intervals.rows}, {"columns", intervals.columns}};
  if (intervals.refusal.empty()) {
    json["start_seconds"] = intervals.start_seconds;
    json["stop_seconds"] = intervals.stop_seconds;
    json["unusable"] = intervals.unusable;
    json["overlapping"] = intervals.overlapping;
  } else {
    json["refusal"] = intervals.refusal;
  }
  return json;
}

}  // namespace

std::string text_of(const BuildReport& build) {
  std::string devices;
  if (!build.device_architecture.empty()) {
    devices = "devices   compiled for " + build.device_architecture;
    for (const DeviceDescription& device : build.devices) {
      devices += "; " + item_text(device);
    }
    devices += build.devices.empty() ? "; found none\n" : "\n";
  }
  std::string text = "synelix   " + build.version + " (" + joined(build.components, ", ") + "), " +
                     build.build_type + ", " + build.compiler + ", revision " + build.revision +
                     "\n" + "kokkos    " + build.kokkos_version + ", " +
                     joined(build.backends, ", ") + "; runs on " + build.execution_space;
  const std::string sets = "compiled for " + joined(build.instruction_sets, ", ") + "\n";
  if (build.no_kokkos.empty()) {
    text +=
        " with a concurrency of " + std::to_string(build.concurrency) + "\n" + devices +
        "tiles     " + build.instruction_set + " here; " + sets + "choice    by " +
        (build.machine_file.empty() ? "the library's constants; `synelix calibrate` measures better"
                                    : build.machine_file) +
        "\n";
  } else {
    text += ", which cannot start here: " + build.no_kokkos + "\n" + devices + "tiles     " + sets;
  }
  return text + "hdf5      " + build.hdf5_version + "\n";
}

std::string json_of(const BuildReport& build) {
  Json devices = Json::array();
  for (const DeviceDescription& device : build.devices) {
    devices.push_back({{"number", device.number},
                       {"name", device.name},
                       {"architecture", device.architecture},
                       {"memory_bytes", device.memory_bytes}});
  }
  Json json = {{"version", build.version},
               {"revision", build.revision},
               {"build_type", build.build_type},
               {"compiler", build.compiler},
               {"components", build.components},
               {"kokkos_version", build.kokkos_version},
               {"backends", build.backends},
               {"execution_space", build.execution_space},
               {"devices", devices}};
  if (build.no_kokkos.empty()) {
    json["concurrency"] = build.concurrency;
  } else {
    json["no_kokkos"] = build.no_kokkos;
  }
  json["instruction_sets"] = build.instruction_sets;
  if (build.no_kokkos.empty()) {
    json["instruction_set"] = build.instruction_set;
    json["machine_file"] = build.machine_file;
  }
  json["hdf5_version"] = build.hdf5_version;
  if (!build.device_architecture.empty()) json["device_architecture"] = build.device_architecture;
  return indented(json);
}

namespace {

/// "2026-11-25 18:00:00 UTC".
std::string time_text(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  char text[32] = {};
  if (gmtime_r(&time, &parts) == nullptr) return std::to_string(seconds);
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

/// One line for consecutive shares with the same state.
std::string shares_text(const std::vector<ShareReport>& shares) {
  std::int64_t rows = 0;
  std::int64_t written = 0;
  for (const ShareReport& share : shares) {
    rows += share.rows;
    written += share.rows_written;
  }
  std::string text = "an output in parts, not finished: " + format_count(written) + " of " +
                     format_count(rows) + " rows are written\n";
  const auto who = [](const ShareReport& share) {
    std::string words = share.state;
    if (share.host.empty()) return words;
    words += "; process " + std::to_string(share.process) + " on " + share.host + ", " +
             time_text(share.seconds);
    return share.failure.empty() ? words : words + ": " + share.failure;
  };
  for (std::size_t i = 0; i < shares.size();) {
    std::int64_t run = 0;
    std::int64_t written_in_run = 0;
    std::size_t end = i;
    while (end < shares.size() && who(shares[end]) == who(shares[i])) {
      run += shares[end].rows;
      written_in_run += shares[end].rows_written;
      ++end;
    }
    text += "  rows " + std::to_string(shares[i].first_row) + " to " +
            std::to_string(shares[i].first_row + run - 1) + ": " + format_count(written_in_run) +
            " written, " + who(shares[i]) + "\n";
    i = end;
  }
  return text;
}

std::string part_file_text(const PartFileReport& part) {
  const std::string name = std::to_string(part.number) + "/" + std::to_string(part.of);
  const std::string rows = part.rows == 0 ? "no row"
                                          : "rows " + std::to_string(part.first_row) + " to " +
                                                std::to_string(part.first_row + part.rows - 1);
  return "part " + name + " of an output (" + part.dataset + "): " + rows + " of " +
         format_count(part.of_rows) + ", " +
         (part.is_finished ? "finished; `synelix join` makes the output of all parts\n"
                           : "not finished\n");
}

}  // namespace

std::string text_of(const FileReport& file) {
  std::string text = file.file + ": " + format_byte_count(file.bytes);
  if (!file.nwb_version.empty()) text += ", NWB " + file.nwb_version;
  text += "\n";
  std::string units;
  for (const UnitReport& unit : file.units) {
    units +=
        (units.empty() ? "" : ", ") + std::to_string(unit.id) + ": " + format_count(unit.spikes);
  }
  if (file.further_units > 0) units += ", and " + format_count(file.further_units) + " more";
  if (!units.empty()) text += "units (id: spikes)\n  " + units + "\n";
  if (!file.unit_columns.empty()) text += "  columns " + joined(file.unit_columns, ", ") + "\n";
  if (!file.signals.empty()) text += "signals (FILE:PATH)\n";
  for (const SignalReport& signal : file.signals) text += item_text(signal);
  if (!file.intervals.empty()) text += "intervals (--intervals NAME)\n";
  for (const IntervalsReport& intervals : file.intervals) text += item_text(intervals);
  if (!file.trains.empty()) text += "units and events (FILE:PATH with --units)\n";
  for (const TrainsReport& trains : file.trains) text += item_text(trains);
  if (!file.nwb_version.empty() && !file.datasets.empty()) text += "datasets\n";
  for (const bool wants_main : {true, false}) {
    for (const DatasetReport& dataset : file.datasets) {
      if (is_main(dataset) == wants_main) text += item_text(dataset);
    }
  }
  for (const LinkReport& link : file.links) text += item_text(link);
  if (!file.shares.empty()) text += shares_text(file.shares);
  if (file.part_file) text += part_file_text(*file.part_file);
  return text;
}

std::string json_of(const FileReport& file) {
  Json json = {{"file", file.file}, {"bytes", file.bytes}};
  if (!file.nwb_version.empty()) json["nwb_version"] = file.nwb_version;
  json["datasets"] = Json::array();
  for (const DatasetReport& dataset : file.datasets) {
    Json entry = {{"path", dataset.path},        {"shape", dataset.extents},
                  {"type", dataset.type},        {"chunk", dataset.chunk},
                  {"filters", dataset.filters},  {"stored_bytes", dataset.stored_bytes},
                  {"attributes", Json::object()}};
    for (const auto& [name, value] : dataset.attributes)
      entry["attributes"][name] = number_or_text(value);
    for (const FileBehindReport& behind : dataset.files) {
      entry["files"].push_back(
          {{"path", behind.path}, {"role", behind.role}, {"bytes", behind.bytes}});
    }
    if (!dataset.refusal.empty()) entry["refusal"] = dataset.refusal;
    json["datasets"].push_back(entry);
  }
  for (const LinkReport& link : file.links) {
    Json entry = {{"path", link.path}, {"file", link.file}, {"object", link.object}};
    if (!link.refusal.empty()) entry["refusal"] = link.refusal;
    json["links"].push_back(entry);
  }
  for (const UnitReport& unit : file.units) {
    json["units"].push_back({{"id", unit.id}, {"spikes", unit.spikes}});
  }
  if (file.further_units > 0) json["further_units"] = file.further_units;
  if (!file.unit_columns.empty()) json["unit_columns"] = file.unit_columns;
  for (const SignalReport& signal : file.signals) json["signals"].push_back(item_json(signal));
  for (const IntervalsReport& intervals : file.intervals) {
    json["intervals"].push_back(item_json(intervals));
  }
  for (const TrainsReport& trains : file.trains) {
    Json entry = {{"path", trains.path}, {"rows", trains.rows}};
    if (trains.is_units) entry["columns"] = trains.columns;
    if (!trains.refusal.empty()) entry["refusal"] = trains.refusal;
    json[trains.is_units ? "unit_tables" : "events"].push_back(entry);
  }
  for (const ShareReport& share : file.shares) {
    json["shares"].push_back({{"first_row", share.first_row},
                              {"rows", share.rows},
                              {"rows_written", share.rows_written},
                              {"state", share.state},
                              {"host", share.host},
                              {"process", share.process},
                              {"seconds", share.seconds},
                              {"failure", share.failure}});
  }
  if (file.part_file) {
    const PartFileReport& part = *file.part_file;
    json["part"] = {
        {"number", part.number},          {"of", part.of},     {"dataset", part.dataset},
        {"first_row", part.first_row},    {"rows", part.rows}, {"of_rows", part.of_rows},
        {"is_finished", part.is_finished}};
  }
  return indented(json);
}

}  // namespace synelix::tool
