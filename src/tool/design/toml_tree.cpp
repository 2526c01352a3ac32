// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/design/toml_tree.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <toml++/impl/preprocessor.hpp>

namespace {

/// Thrown if a text breaks an assumption of toml++ 3.4, for example "[ $". There it is an
/// assertion, or without assertions undefined behavior.
struct BrokenAssumption {};

constexpr void require(bool holds) {
  if (!holds) throw BrokenAssumption{};
}

}  // namespace

#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expr) require(static_cast<bool>(expr))
#include <toml++/toml.hpp>

namespace synelix::tool {
namespace {

using Kind = TomlValue::Kind;

std::string located(const std::string& file, std::int64_t line) {
  return file + ":" + std::to_string(line);
}

std::string shortest_number(double number) {
  if (std::isnan(number)) return "nan";
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

TomlValue converted(const toml::node& node, const std::string& file);

TomlValue converted_list(const toml::array& list, TomlValue value, const std::string& file) {
  value.kind = Kind::list;
  for (const toml::node& item : list) value.items.push_back(converted(item, file));
  return value;
}

TomlValue converted_table(const toml::table& table, TomlValue value, const std::string& file) {
  value.kind = Kind::table;
  for (const auto& [key, node] : table) {
    TomlValue entry = converted(node, file);
    if (!node.is_table()) entry.line = static_cast<std::int64_t>(key.source().begin.line);
    value.entries.push_back({std::string(key.str()), std::move(entry)});
  }
  std::stable_sort(value.entries.begin(), value.entries.end(),
                   [](const auto& a, const auto& b) { return a.value.line < b.value.line; });
  return value;
}

TomlValue converted(const toml::node& node, const std::string& file) {
  TomlValue value;
  value.line = static_cast<std::int64_t>(node.source().begin.line);
  if (const toml::table* table = node.as_table()) return converted_table(*table, value, file);
  if (const toml::array* list = node.as_array()) return converted_list(*list, value, file);
  if (const auto* text = node.as_string()) {
    value.kind = Kind::text;
    value.text = text->get();
  } else if (const auto* whole = node.as_integer()) {
    value.kind = Kind::number;
    value.text = std::to_string(whole->get());
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = Kind::number;
    value.text = shortest_number(number->get());
  } else if (const auto* flag = node.as_boolean()) {
    value.kind = Kind::flag;
    value.text = flag->get() ? "true" : "false";
  } else {
    throw Error(located(file, value.line), "a date or time is not read here",
                "Valid are text, numbers, true, false, lists and tables; quote times: \"250ms\"");
  }
  return value;
}

std::string listed_keys(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

std::string_view kind_text(const TomlValue& value) {
  switch (value.kind) {
    case Kind::text:
      return "text";
    case Kind::number:
      return "a number";
    case Kind::flag:
      return "a boolean";
    case Kind::list:
      return "a list";
    case Kind::table:
      return "a table";
  }
  return "nothing";
}

std::string plain_text(const TomlValue& value) {
  std::string text;
  switch (value.kind) {
    case TomlValue::Kind::text:
      return std::to_string(value.text.size()) + "\"" + value.text + "\"";
    case TomlValue::Kind::number:
    case TomlValue::Kind::flag:
      return value.text;
    case TomlValue::Kind::list:
      for (const TomlValue& item : value.items) text += plain_text(item) + ",";
      return "[" + text + "]";
    case TomlValue::Kind::table:
      for (const TomlEntry& entry : value.entries) {
        text += entry.key + "=" + plain_text(entry.value) + ";";
      }
      return "{" + text + "}";
  }
  return text;
}

TomlValue parse_toml(std::string_view text, const std::string& file) {
  try {
    return converted(toml::parse(text), file);
  } catch (const toml::parse_error& error) {
    throw Error(located(file, static_cast<std::int64_t>(error.source().begin.line)),
                "this is not valid TOML: " + std::string(error.description()), "Mend this line");
  } catch (const BrokenAssumption&) {
    throw Error(file, "this text is not TOML", "Give a design file");
  }
}

Section::Section(const TomlValue& table, std::string heading, std::string file)
    : m_table(&table), m_heading(std::move(heading)), m_file(std::move(file)) {
  if (table.kind != Kind::table) {
    throw Error(place(), "this is " + std::string(kind_text(table)), "Give a table");
  }
}

std::string Section::place() const {
  return located(m_file, m_table->line) + (m_heading.empty() ? "" : ": " + m_heading);
}

std::string Section::place(std::string_view key) const {
  const TomlValue* found = m_table->find(key);
  std::string text = located(m_file, found != nullptr ? found->line : m_table->line);
  text += ": ";
  if (!m_heading.empty()) text += m_heading + " ";
  return text + std::string(key);
}

void Section::require_only(const std::vector<std::string_view>& allowed) const {
  for (const auto& [key, value] : m_table->entries) {
    if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    throw Error(located(m_file, value.line) + (m_heading.empty() ? "" : ": " + m_heading),
                "there is no key '" + key + "'", "Valid are: " + listed_keys(allowed));
  }
}

void Section::require(std::string_view key, std::string_view what) const {
  if (!has(key)) refuse(key, "the key is missing", "Give " + std::string(what));
}

void Section::refuse(std::string_view key, std::string_view problem,
                     std::string_view remedy) const {
  throw Error(place(key), problem, remedy);
}

void Section::fail(std::string_view key, const std::string& message) const {
  throw Error(place(key) + ": " + message);
}

const TomlValue& Section::value(std::string_view key) const {
  const TomlValue* found = m_table->find(key);
  if (found == nullptr) refuse(key, "the key is missing", "Give a value");
  return *found;
}

std::string Section::text(std::string_view key) const {
  const TomlValue& found = value(key);
  if (found.kind != Kind::text && found.kind != Kind::number) {
    refuse(key, "this is " + std::string(kind_text(found)), "Give text or a number");
  }
  return found.text;
}

bool Section::flag(std::string_view key) const {
  if (!has(key)) return false;
  const TomlValue& found = value(key);
  if (found.kind != Kind::flag) {
    refuse(key, "this is " + std::string(kind_text(found)), "Give true or false");
  }
  return found.text == "true";
}

std::vector<std::string> Section::texts(std::string_view key) const {
  if (value(key).kind != Kind::list) return {text(key)};
  std::vector<std::string> result;
  for (const TomlValue& item : value(key).items) {
    if (item.kind != Kind::text && item.kind != Kind::number) {
      refuse(key, std::string(kind_text(item)) + " is in the list", "Give text or numbers");
    }
    result.push_back(item.text);
  }
  return result;
}

const TomlValue& Section::list(std::string_view key) const {
  const TomlValue& found = value(key);
  if (found.kind != Kind::list) {
    refuse(key, "this is " + std::string(kind_text(found)), "Give a list");
  }
  return found;
}

}  // namespace synelix::tool
