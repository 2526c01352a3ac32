// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/part_facts.hpp"

#include "tool/text/report.hpp"

#include <synelix/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace synelix::tool {
namespace {

constexpr std::string_view format_version = "1";

/// JSON has no infinite numbers, which an empty range would need.
Json fact_json(double number) {
  if (std::isfinite(number)) return number;
  return number > 0 ? "inf" : "-inf";
}

double number_from(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const bool is_negative = json.get<std::string>() == "-inf";
  return (is_negative ? -1 : 1) * std::numeric_limits<double>::infinity();
}

Json fact_json(const Fingerprint& fingerprint) {
  Json list = Json::array();
  for (const auto& [name, value] : fingerprint) list.push_back({name, value});
  return list;
}

Fingerprint fingerprint_in(const Json& json) {
  Fingerprint result;
  for (const Json& entry : json) {
    result.emplace_back(entry.at(0).get<std::string>(), entry.at(1).get<std::string>());
  }
  return result;
}

Json fact_json(const Steps& nanoseconds) {
  Json steps = Json::object();
  for (const NamedStep& step : all_steps) steps[step.name] = nanoseconds.*step.value;
  return steps;
}

Steps steps_in(const Json& json) {
  Steps steps;
  for (const NamedStep& step : all_steps) steps.*step.value = json.at(step.name).get<double>();
  return steps;
}

/// Segments have the rate of the fit. There may be a million of them, so each takes only two
/// numbers.
Json fact_json(const std::string& input, const TimestampsFit& fit) {
  Json samples = Json::array();
  Json seconds = Json::array();
  for (const TimeSegment& segment : fit.segments) {
    samples.push_back(segment.first_sample);
    seconds.push_back(segment.start_seconds);
  }
  return {{"input", input},
          {"rate_hz", fit.rate_hz},
          {"most_deviation", fit.most_deviation},
          {"first_samples", std::move(samples)},
          {"start_seconds", std::move(seconds)}};
}

TimestampsFit fit_in(const Json& json) {
  TimestampsFit fit{.rate_hz = json.at("rate_hz").get<double>(),
                    .most_deviation = json.at("most_deviation").get<double>(),
                    .segments = {}};
  const Json& samples = json.at("first_samples");
  const Json& seconds = json.at("start_seconds");
  fit.segments.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    fit.segments.push_back(
        {samples.at(i).get<std::int64_t>(), seconds.at(i).get<double>(), fit.rate_hz});
  }
  return fit;
}

Json fact_json(const InputStatistics& statistics) {
  Json ranges = Json::array();
  for (const SampleRange& range : statistics.ranges) {
    ranges.push_back({fact_json(range.lower), fact_json(range.upper)});
  }
  return ranges;
}

InputStatistics statistics_in(const Json& json) {
  InputStatistics statistics;
  for (const Json& range : json) {
    statistics.ranges.push_back({number_from(range.at(0)), number_from(range.at(1))});
  }
  return statistics;
}

/// "1200 0123456789abcdef": length and checksum.
std::string sum_of(const std::string& text) {
  std::string sum;
  for (const auto& [name, value] : fingerprint_of_text("facts", text)) {
    sum += (sum.empty() ? "" : " ") + value;
  }
  return sum;
}

[[noreturn]] void refuse_damaged(const std::string& file) {
  throw FileError(file, "it is damaged: what all parts share does not match its checksum",
                  "Save it again by a dry run with --save");
}

PartFacts facts_in(const Json& json) {
  PartFacts facts;
  facts.follows_from = fingerprint_in(json.at("follows_from"));
  facts.files = fingerprint_in(json.at("files"));
  facts.instruction_set = json.at("instruction_set").get<std::string>();
  if (!json.at("nanoseconds").is_null()) facts.nanoseconds = steps_in(json.at("nanoseconds"));
  for (const Json& fit : json.at("timestamps")) {
    facts.fits.emplace_back(fit.at("input").get<std::string>(), fit_in(fit));
  }
  for (const Json& ranges : json.at("ranges")) facts.statistics.push_back(statistics_in(ranges));
  return facts;
}

}  // namespace

std::string facts_text(const PartFacts& facts) {
  Json json = {{"follows_from", fact_json(facts.follows_from)},
               {"files", fact_json(facts.files)},
               {"instruction_set", facts.instruction_set},
               {"nanoseconds", facts.nanoseconds ? fact_json(*facts.nanoseconds) : Json()},
               {"timestamps", Json::array()},
               {"ranges", Json::array()}};
  for (const auto& [input, fit] : facts.fits) json["timestamps"].push_back(fact_json(input, fit));
  for (const InputStatistics& statistics : facts.statistics) {
    json["ranges"].push_back(fact_json(statistics));
  }
  std::string text = in_one_line(json) + "\n";
  json = {};
  text.insert(0,
              std::string(facts_magic) + std::string(format_version) + " " + sum_of(text) + "\n");
  return text;
}

PartFacts facts_from(std::string text, const std::string& file) {
  const std::size_t line = text.find('\n');
  if (!text.starts_with(facts_magic) || line == std::string::npos) refuse_damaged(file);
  const std::string head = text.substr(facts_magic.size(), line - facts_magic.size());
  const std::string version = head.substr(0, head.find(' '));
  if (version != format_version) {
    throw FileError(file,
                    "it has format " + version + ", and this version of synelix reads format " +
                        std::string(format_version),
                    "Save it again by a dry run with --save");
  }
  text.erase(0, line + 1);
  if (head != version + " " + sum_of(text)) refuse_damaged(file);
  try {
    return facts_in(parse_json(text));
  } catch (const Json::exception&) {
    refuse_damaged(file);
  }
}

std::optional<std::string> difference(const Fingerprint& before, const Fingerprint& now) {
  const auto value_in = [](const Fingerprint& fingerprint, const std::string& name) {
    const auto found = std::find_if(fingerprint.begin(), fingerprint.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == fingerprint.end() ? std::string("not there") : found->second;
  };
  const Fingerprint printed = fingerprint_in(parse_json(in_one_line(fact_json(now))));
  for (const Fingerprint& one : {before, printed}) {
    for (const auto& [name, value] : one) {
      const std::string was = value_in(before, name);
      const std::string is = value_in(printed, name);
      if (was != is) return "'" + name + "' was " + was + " and is " + is;
    }
  }
  return std::nullopt;
}

InstructionSet set_of_facts(const std::string& name, const std::vector<InstructionSet>& usable,
                            const std::string& file) {
  std::string names;
  for (const InstructionSet set : usable) {
    if (name == name_of(set)) return set;
    names += (names.empty() ? "" : ", ") + std::string(name_of(set));
  }
  const std::string widest = usable.empty() ? "plain" : name_of(usable.back());
  throw FileError(file,
                  "all parts of this output use the instruction set " + name +
                      ", which this processor or this build does not have; it has " + names,
                  "Run this part where the other parts run; or save the facts with the least set "
                  "of all processors, such as --instruction-set " +
                      widest + ", and run all parts again");
}

std::optional<TimestampsFit> known_fit(const InputFits& fits, const std::string& input) {
  for (const auto& [name, fit] : fits) {
    if (name == input) return fit;
  }
  return std::nullopt;
}

}  // namespace synelix::tool
