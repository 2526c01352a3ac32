// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/report.hpp"

#include "tool/options/values.hpp"
#include "tool/text/stream_report.hpp"
#include "tool/text/terminal_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <vector>

namespace synelix::tool {
namespace {

/// The text of a part of a sentence.
struct Written {
  std::string text;
  bool is_whole = true;  ///< whether all its values are there, and its conditions hold
};

Written written(std::string_view pattern, const Json& tree, bool needs_more_than_zero);

/// The value at a place; null: none.
const Json* value_at(const Json& tree, std::string_view place) {
  const Json* value = &tree;
  while (!place.empty()) {
    const std::string_view key = place.substr(0, place.find('.'));
    place.remove_prefix(std::min(key.size() + 1, place.size()));
    const auto found = value->is_object() ? value->find(std::string(key)) : value->end();
    if (found == value->end()) return nullptr;
    value = &*found;
  }
  return value;
}

/// Whether a value is there, and not 0, false or empty.
bool is_something(const Json* value) {
  if (value == nullptr || value->is_null()) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_string()) return !value->get_ref<const std::string&>().empty();
  return value->is_number() ? value->get<double>() != 0 : !value->empty();
}

bool holds(char condition, const Json* value) {
  const bool is_number = value != nullptr && value->is_number();
  switch (condition) {
    case '!':
      return !is_something(value);
    case '+':
      return is_number && value->get<double>() > 1;
    case '&':
      return is_number && !std::isnan(value->get<double>());
    default:
      return is_something(value);
  }
}

std::string printed(std::string_view pattern, double number) {
  if (pattern.front() == 'M') return printed(pattern.substr(1), number / 1e6);
  if (pattern.front() == 'G') return printed(pattern.substr(1), number / 1e9);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), std::string(pattern).c_str(), number);
  return text.data();
}

std::string formatted(const Json& value, std::string_view form) {
  if (value.is_string()) return terminal_text(value.get<std::string>(), Lines::escaped);
  if (value.is_object() && form == "spikes") return sentence_of(spikes_sentence, value);
  if (value.is_array() && form == "count") {
    return format_count(static_cast<std::int64_t>(value.size()));
  }
  if (value.is_array()) {
    std::string text;
    for (const Json& item : value) {
      text += (text.empty() ? "" : item.is_string() ? ", " : " x ") + formatted(item, form);
    }
    return text;
  }
  if (!value.is_number()) return {};
  if (form == "s") return value == 1 ? "" : "s";
  if (form == "plain") return std::to_string(value.get<std::int64_t>());
  if (form == "bytes") return format_bytes(value.get<double>());
  if (form == "seconds") return format_seconds(value.get<double>());
  if (form == "number") return format_number(value.get<double>());
  return form.empty() ? format_count(value.get<std::int64_t>())
                      : printed(form, value.get<double>());
}

/// The text for each item, or for the first ones: "8:TEXT".
std::string for_each_item(const Json& items, std::string_view pattern) {
  std::size_t most = items.size();
  const auto [end, error] = std::from_chars(pattern.data(), pattern.data() + pattern.size(), most);
  if (error == std::errc())
    pattern.remove_prefix(static_cast<std::size_t>(end - pattern.data()) + 1);
  std::string text;
  std::size_t number = 0;
  for (const auto& [key, value] : items.items()) {
    if (number++ == most) return text + ", ...";
    const Json item = items.is_object() ? Json{{"key", key}, {"value", value}} : value;
    const bool is_separated = text.empty() || pattern.starts_with(';');
    text += (is_separated ? "" : ", ") + written(pattern, item, false).text;
  }
  return text;
}

/// `{...}` without its braces.
void add_value(std::string_view inner, const Json& tree, bool needs_more_than_zero,
               Written& result) {
  const bool is_condition =
      !inner.empty() && std::string_view("?!+&").find(inner.front()) != std::string_view::npos;
  if (is_condition) {
    const bool is_true = holds(inner.front(), value_at(tree, inner.substr(1)));
    result.is_whole = result.is_whole && is_true;
    return;
  }
  const std::size_t end = std::min(inner.find_first_of("/:"), inner.size());
  const Json* const value = value_at(tree, inner.substr(0, end));
  const std::string_view rest = inner.substr(std::min(end + 1, inner.size()));
  const bool is_there = value != nullptr && !value->is_null() &&
                        (value->is_number() || is_something(value)) &&
                        (!needs_more_than_zero || is_something(value));
  if (!is_there) {
    result.is_whole = false;
  } else if (end < inner.size() && inner[end] == ':') {
    result.text += for_each_item(*value, rest);
  } else {
    result.text += formatted(*value, rest);
  }
}

/// The place of the bracket that closes the one at `begin`.
std::size_t end_of(std::string_view pattern, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < pattern.size(); ++i) {
    if (std::string_view("{[<").find(pattern[i]) != std::string_view::npos) ++depth;
    if (std::string_view("}]>").find(pattern[i]) != std::string_view::npos) --depth;
    if (depth == 0) return i;
  }
  return pattern.size();
}

/// `<...>` without its brackets.
void add_choices(std::string_view inner, const Json& tree, Written& result) {
  std::string text;
  for (std::size_t i = 0; i <= inner.size();) {
    std::size_t end = i;
    while (end < inner.size() && inner[end] != ';') {
      end = std::string_view("{[<").find(inner[end]) == std::string_view::npos
                ? end + 1
                : end_of(inner, end) + 1;
    }
    const Written part = written(inner.substr(i, end - i), tree, true);
    if (part.is_whole) text += (text.empty() ? "" : ", ") + part.text;
    i = end + 1;
  }
  result.is_whole = result.is_whole && !text.empty();
  result.text += text;
}

Written written(std::string_view pattern, const Json& tree, bool needs_more_than_zero) {
  Written result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t end = end_of(pattern, i);
    const std::string_view inner = pattern.substr(i, end - i).substr(end > i ? 1 : 0);
    if (pattern[i] == '{') {
      add_value(inner, tree, needs_more_than_zero, result);
    } else if (pattern[i] == '<') {
      add_choices(inner, tree, result);
    } else if (pattern[i] == '[') {
      const Written part = written(inner, tree, needs_more_than_zero);
      if (part.is_whole) result.text += part.text;
    } else {
      result.text += pattern[i];
    }
    i = end;
  }
  return result;
}

std::string line_of(std::string_view name, const std::string& text) {
  if (text.empty()) return {};
  std::string result(name);
  result.resize(std::max<std::size_t>(result.size() + 1, 10), ' ');
  return result + text + "\n";
}

}  // namespace

std::string sentence_of(std::string_view pattern, const Json& tree) {
  return written(pattern, tree, false).text;
}

std::string lines_of(std::span<const ReportLine> lines, const Json& tree) {
  std::string text;
  for (const ReportLine& line : lines) {
    if (line.list.empty()) {
      text += line_of(line.name, sentence_of(line.sentence, tree));
      continue;
    }
    const Json* const list = value_at(tree, line.list);
    if (list == nullptr) continue;
    if (list->is_object()) text += line_of(line.name, sentence_of(line.sentence, *list));
    const std::size_t all = list->is_array() ? list->size() : 0;
    for (std::size_t i = 0; i < std::min(all, line.most); ++i) {
      text += line_of(line.name, sentence_of(line.sentence, (*list)[i]));
    }
    if (all <= line.most) continue;
    text += line_of("", format_count(static_cast<std::int64_t>(all - line.most)) + " more");
  }
  return text;
}

std::string in_one_line(const Json& tree) {
  return tree.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string indented(const Json& tree) {
  return tree.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json parse_json(const std::string& text) { return Json::parse(text); }

Json number_or_text(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_number() ? value : Json(text);
}

void print_result(const Messages& messages, const Json& tree, std::span<const ReportLine> lines) {
  if (messages.json) std::cout << indented(tree);
  if (!messages.quiet) std::cerr << lines_of(lines, tree);
}

}  // namespace synelix::tool
