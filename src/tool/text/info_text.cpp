// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/report.hpp"

#include "tool/options/values.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

/// Attributes that describe the values, in the order of interest to a reader.
constexpr std::array<std::string_view, 7> first_attributes{
    "axes", "rate_hz", "bin_seconds", "units", "unit", "position", "source"};
/// Attributes of their origin, which interest few readers.
constexpr std::array<std::string_view, 11> last_attributes{
    "coordinates",      "centers",         "method",      "fft_length",
    "fft_parts",        "instruction_set", "fingerprint", "synelix_version",
    "synelix_revision", "synelix_build",   "history"};

/// The position of an attribute: unknown ones are between the two groups.
std::ptrdiff_t rank_of(std::string_view name) {
  const auto* const first = std::find(first_attributes.begin(), first_attributes.end(), name);
  if (first != first_attributes.end()) return first - first_attributes.end();
  const auto* const last = std::find(last_attributes.begin(), last_attributes.end(), name);
  return last == last_attributes.end() ? 0 : last - last_attributes.begin() + 1;
}

std::string dataset_text(const Json& dataset) {
  if (dataset["type"] == "unknown type" && dataset.contains("refusal")) {
    return sentence_of("{path}\n  cannot be read: {refusal}\n", dataset);
  }
  std::vector<std::pair<std::ptrdiff_t, std::string>> attributes;
  for (const auto& [name, value] : dataset["attributes"].items()) {
    const Json attribute = {{"name", name}, {"value", value}};
    attributes.emplace_back(rank_of(name), sentence_of("    {name} = {value}\n", attribute));
  }
  std::stable_sort(attributes.begin(), attributes.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::string origin;
  std::string text = sentence_of(
      "{path}\n  [{!shape}scalar]{shape} {type}[, in MATLAB {matlab_shape}]\n", dataset);
  for (const auto& [rank, line] : attributes) (rank > 0 ? origin : text) += line;
  text += sentence_of("    stored in {stored_bytes/bytes}[, chunks of {chunk}][, {filters}]\n",
                      dataset);
  for (const Json& file : dataset.value("files", Json::array())) {
    text += sentence_of("    read from {path} ({role}, {bytes/bytes})\n", file);
  }
  return text + sentence_of("[    cannot be read: {refusal}\n]", dataset) + origin;
}

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
std::string shares_text(const Json& shares) {
  Json all = {{"rows", 0}, {"written", 0}};
  const auto add = [](const Json& share, Json& sum) {
    sum["rows"] = sum["rows"].get<std::int64_t>() + share["rows"].get<std::int64_t>();
    sum["written"] = sum["written"].get<std::int64_t>() + share["rows_written"].get<std::int64_t>();
  };
  const auto who = [](Json share) {
    share["time"] = time_text(share["seconds"].get<std::int64_t>());
    return sentence_of("{state}[; process {process/plain} on {host}, {time}[: {failure}]]", share);
  };
  std::string text;
  for (std::size_t i = 0; i < shares.size();) {
    const std::string writer = who(shares[i]);
    Json run = {{"first", shares[i]["first_row"]}, {"rows", 0}, {"written", 0}, {"who", writer}};
    for (; i < shares.size() && who(shares[i]) == writer; ++i) {
      add(shares[i], run);
      add(shares[i], all);
    }
    run["last"] = run["first"].get<std::int64_t>() + run["rows"].get<std::int64_t>() - 1;
    text += sentence_of("  rows {first/plain} to {last/plain}: {written} written, {who}\n", run);
  }
  return sentence_of("an output in parts, not finished: {written} of {rows} rows are written\n",
                     all) +
         text;
}

}  // namespace

std::string build_text(const Json& build) {
  static constexpr std::array lines{
      ReportLine{"synelix",
                 "{version} ({components}), {build_type}, {compiler}, revision {revision}"},
      ReportLine{"kokkos",
                 "{kokkos_version}, {backends}; runs on {execution_space}"
                 "[ with a concurrency of {concurrency/plain}]"
                 "[, which cannot start here: {no_kokkos}]"},
      ReportLine{"devices",
                 "[compiled for {device_architecture}[{!devices}; found none]"
                 "[{devices:; {number/plain}: {name} ({architecture}, {memory_bytes/bytes})}]]"},
      ReportLine{"tiles", "[{instruction_set} here; ]compiled for {instruction_sets}"},
      ReportLine{"choice",
                 "[{!no_kokkos}by {machine_file}]"
                 "[{!no_kokkos}{!machine_file}by the library's constants; `synelix calibrate` "
                 "measures better]"},
      ReportLine{"hdf5", "{hdf5_version}"},
  };
  return lines_of(lines, build);
}

std::string file_text(const Json& file) {
  std::string text = sentence_of(
      "{file}: {bytes/bytes}[, NWB {nwb_version}]\n"
      "[units (id: spikes)\n  {units:{id/plain}: {spikes}}[, and {further_units} more]\n]"
      "[  columns {unit_columns}\n][{?signals}signals (FILE:PATH)\n]",
      file);
  const auto add_each = [&](const char* list, std::string_view pattern) {
    for (const Json& item : file.value(list, Json::array())) text += sentence_of(pattern, item);
  };
  add_each("signals",
           "  {path}: {shape} {type}[ ({kind})][; cannot be read: {refusal}]"
           "[{!refusal}{!rate_hz}, no rate][{!refusal}, {rate_hz/%.10g} Hz"
           "[{?is_fitted} by timestamps][{!segments} from {start_seconds/%.10g} s]"
           "[ in {segments/count} segments: sample "
           "{segments:8:{first_sample} from {start_seconds/%.10g} s}]]\n");
  text += sentence_of("[{?intervals}intervals (--intervals NAME)\n]", file);
  add_each("intervals",
           "  {name}: {rows}[ from {start_seconds/%.10g} to {stop_seconds/%.10g} s"
           "[{?unusable}, {unusable} without a usable start and stop]"
           "[{?overlapping}, {overlapping} overlapping]]"
           "[; cannot be read: {refusal}]; columns {columns}\n");
  if (file.contains("unit_tables") || file.contains("events")) {
    text += "units and events (FILE:PATH with --units)\n";
  }
  add_each("unit_tables",
           "  {path}: {rows} units[; cannot be read: {refusal}][{!refusal}; columns {columns}]\n");
  add_each("events", "  {path}: {rows} times[; cannot be read: {refusal}]\n");
  text += sentence_of("[{?nwb_version}{?datasets}datasets\n]", file);
  for (const bool is_main : {true, false}) {
    for (const Json& dataset : file["datasets"]) {
      if (dataset["attributes"].contains("axes") == is_main) text += dataset_text(dataset);
    }
  }
  add_each("links",
           "{path}\n  external link to {file}:{object}\n[    is not followed: {refusal}\n]");
  if (file.contains("shares")) text += shares_text(file["shares"]);
  return text +
         sentence_of(
             "[part {part.number/plain}/{part.of/plain} of an output ({part.dataset}): "
             "[{!part.rows}no row]"
             "[{?part.rows}rows {part.first_row/plain} to {part.last_row/plain}] of "
             "{part.of_rows}, "
             "[{!part.is_finished}not finished]"
             "[{?part.is_finished}finished; `synelix join` makes the output of all parts]\n]",
             file);
}

}  // namespace synelix::tool
