// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cases.hpp"

#include "noise.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace synelix::perf {

namespace {

Case dense_case(const nlohmann::json& entry) {
  Case one{entry.at("name"),  entry.at("samples"), entry.at("channels"),
           entry.at("bases"), entry.at("window"),  true};
  if (entry.contains("scalars")) {
    one.has_double = false;
    for (const nlohmann::json& scalar : entry["scalars"]) one.has_double |= scalar == "float64";
  }
  return one;
}

}  // namespace

Cases read_cases() {
  std::ifstream file(SYNELIX_PERF_CASES);
  if (!file) file.open("cases.json");  // on another machine
  if (!file) {
    throw std::runtime_error("no table of cases at " SYNELIX_PERF_CASES
                             ", and no cases.json in this folder");
  }
  const nlohmann::json table = nlohmann::json::parse(file);
  Cases result;
  for (const nlohmann::json& entry : table.at("dense")) {
    result.dense.push_back(dense_case(entry));
  }
  const nlohmann::json& events = table.at("events");
  result.events = {events.at("samples"), events.at("channels"), events.at("bases"),
                   events.at("windows"), events.at("rates_hz"), events.at("bin_seconds")};
  const nlohmann::json& calls = table.at("small_calls");
  result.small_calls = {calls.at("samples"), calls.at("channels"), calls.at("bases"),
                        calls.at("window")};
  for (const nlohmann::json& entry : table.at("device_goals")) {
    result.goals.push_back({dense_case(entry), entry.at("method"), entry.value("milliseconds", 0.0),
                            entry.value("teraflops", 0.0)});
  }
  const nlohmann::json& through = table.at("device_through");
  result.through = {dense_case(through), through.at("budget_bytes"), through.at("of_bus")};
  return result;
}

Taps taps_of(Bank bank, std::int64_t bases, std::int64_t window) {
  if (bank == Bank::cosines && bases > 1) {
    return evaluate_taps(RaisedCosineLog{.bases = bases}, window);
  }
  CustomTaps taps{.window = window, .bases = bases};
  if (bank == Bank::cosines) {
    const Taps three = evaluate_taps(RaisedCosineLog{.bases = 3}, window);
    for (std::int64_t w = 0; w < window; ++w) taps.taps.push_back(three(w, 1));
  } else {
    Noise noise;
    for (std::int64_t i = 0; i < window * bases; ++i) taps.taps.push_back(noise.uniform() + 0.01);
  }
  return evaluate_taps(taps);
}

std::optional<Method> method_of(const std::string& name) {
  for (int number = 0; number < 64; ++number) {
    if (name == name_of(static_cast<Method>(number))) return static_cast<Method>(number);
  }
  return {};
}

std::int64_t taps_in_support(const Taps& taps) {
  std::int64_t count = 0;
  for (const Support& support : taps.support) count += support.last - support.first;
  return count;
}

}  // namespace synelix::perf
