// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/fit_fingerprint.hpp"

#include "tool/options/option_words.hpp"
#include "tool/run/design_files.hpp"
#include "tool/run/fit_model.hpp"

#include <synelix/fit_file.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/version.hpp>

#include <span>
#include <string>
#include <variant>

namespace synelix::tool {
namespace {

std::string text_of(const std::vector<ColumnValue>& where) {
  std::string text;
  for (const auto& [column, value] : where) text += " where " + column + "=" + value;
  return text;
}

/// How a target is read.
std::string text_of(const DesignInput& target) {
  std::string text = path_of(target);
  if (const auto* const spikes = std::get_if<SpikeInput>(&target.from)) {
    text += " units";
    if (spikes->bin_seconds) text += " bin " + format_number(*spikes->bin_seconds);
    for (const std::int64_t id : spikes->ids) text += " " + std::to_string(id);
    return text + text_of(spikes->where);
  }
  const auto& array = std::get<ArrayInput>(target.from);
  if (array.channels) {
    text += " channels " + std::to_string(array.channels->begin) + ":";
    if (array.channels->end) text += std::to_string(*array.channels->end);
  }
  if (array.scale) text += " scale " + format_number(*array.scale);
  if (array.offset) text += " offset " + format_number(*array.offset);
  if (array.rate_hz) text += " rate " + format_number(*array.rate_hz);
  return text;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

}  // namespace

Fingerprint fingerprint_of(const FitRequest& request, const FittedDesign& design,
                           const DesignMatrix& matrix, const FitChoice& choice,
                           const std::vector<std::int64_t>& target_ids,
                           const std::vector<InputFile>& files) {
  Fingerprint result = fingerprint_of_text("design", design.file().columns_text);
  const auto add = [&](const std::string& name, const std::string& value) {
    result.emplace_back(name, value);
  };
  add("settings", settings_text(request.fit));
  add("solver", name_of(choice.solver));
  add("target", request.target ? text_of(*request.target) : std::string("none"));
  std::string ids;
  for (const std::int64_t id : target_ids) ids += std::to_string(id) + " ";
  add("targets", ids);
  add("mask", request.fit.mask ? request.fit.mask->text() : "none");
  add("rows", std::to_string(matrix.rows()));
  add("columns", std::to_string(matrix.columns()));
  add("row weights", design.weights_text());
  add("epochs", request.epochs ? request.epochs->text() : "none");
  add("intervals", request.intervals ? request.intervals->table.text() + text_of(request.where)
                                     : std::string("none"));
  add("feature source", matrix.choice().source == RowSource::events ? "events" : "dense");
  add("method", std::string(word_of(std::span<const MethodWord>(methods), request.options.method)) +
                    ": " + design.methods_text());
  add("instruction set", name_of(matrix.choice().instruction_set));
  add("synelix", std::string(version()));
  for (const InputFile& file : files) {
    const bool is_words =
        file.path == request.design || file.path == request.config || file.path == request.machine;
    if (is_words) continue;
    add("file " + file.resolved,
        std::to_string(file.bytes) + " bytes, modified " + std::to_string(file.modified_ns));
  }
  const std::string components = joined(component_texts(design.components()));
  for (const auto& [name, value] : fingerprint_of_text("bases", components)) add(name, value);
  return result;
}

}  // namespace synelix::tool
