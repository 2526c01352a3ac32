// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vocabulary/json.hpp"

#include "vocabulary/number_text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace synelix {
namespace {

constexpr int most_levels = 64;  // far below what the stack of a thread holds

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Appends a code point as UTF-8.
void append_utf8(std::string& text, std::uint32_t code) {
  const auto append = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xC0U | (code >> 6U));
    append(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    append(0xE0U | (code >> 12U));
    append(0x80U | ((code >> 6U) & 0x3FU));
    append(0x80U | (code & 0x3FU));
  } else {
    append(0xF0U | (code >> 18U));
    append(0x80U | ((code >> 12U) & 0x3FU));
    append(0x80U | ((code >> 6U) & 0x3FU));
    append(0x80U | (code & 0x3FU));
  }
}

/// Reads one text. Each function takes what it reads from the front, and returns whether it was
/// there.
class Reader {
 public:
  explicit Reader(std::string_view text) : m_rest(text) {}

  bool whole(Json& value) {
    if (!any(value, 0)) return false;
    skip_blanks();
    return m_rest.empty();
  }

 private:
  void skip_blanks() {
    const std::size_t first = m_rest.find_first_not_of(" \t\r\n");
    m_rest.remove_prefix(first == std::string_view::npos ? m_rest.size() : first);
  }

  bool take(std::string_view expected) {
    if (!m_rest.starts_with(expected)) return false;
    m_rest.remove_prefix(expected.size());
    return true;
  }

  bool take_after_blanks(char expected) {
    skip_blanks();
    return take(std::string_view(&expected, 1));
  }

  bool any(Json& value, int level) {
    skip_blanks();
    if (m_rest.empty() || level > most_levels) return false;
    switch (m_rest.front()) {
      case '{':
        return items(value, Json::Kind::object, level);
      case '[':
        return items(value, Json::Kind::list, level);
      case '"':
        value.kind = Json::Kind::text;
        return characters(value.text);
      case 't':
        return word(value, Json::Kind::boolean, "true");
      case 'f':
        return word(value, Json::Kind::boolean, "false");
      case 'n':
        return word(value, Json::Kind::null, "null");
      default:
        return number(value);
    }
  }

  bool word(Json& value, Json::Kind kind, std::string_view expected) {
    value.kind = kind;
    if (kind == Json::Kind::boolean) value.text = expected;
    return take(expected);
  }

  bool items(Json& value, Json::Kind kind, int level) {
    value.kind = kind;
    m_rest.remove_prefix(1);
    const char end = kind == Json::Kind::object ? '}' : ']';
    if (take_after_blanks(end)) return true;
    for (;;) {
      Json& item = value.items.emplace_back();
      if (kind == Json::Kind::object) {
        skip_blanks();
        if (!characters(item.name) || !take_after_blanks(':')) return false;
      }
      if (!any(item, level + 1)) return false;
      if (take_after_blanks(end)) return true;
      if (!take(",")) return false;
    }
  }

  std::size_t count_digits(std::size_t from) const {
    std::size_t end = from;
    while (end < m_rest.size() && is_digit(m_rest[end])) ++end;
    return end - from;
  }

  bool is_at(std::size_t place, std::string_view any_of) const {
    return place < m_rest.size() && any_of.find(m_rest[place]) != std::string_view::npos;
  }

  bool number(Json& value) {
    std::size_t end = is_at(0, "-") ? 1 : 0;
    const std::size_t whole = count_digits(end);
    if (whole == 0 || (whole > 1 && m_rest[end] == '0')) return false;
    end += whole;
    if (is_at(end, ".")) {
      const std::size_t fraction = count_digits(end + 1);
      if (fraction == 0) return false;
      end += 1 + fraction;
    }
    if (is_at(end, "eE")) {
      end += is_at(end + 1, "+-") ? 2 : 1;
      const std::size_t exponent = count_digits(end);
      if (exponent == 0) return false;
      end += exponent;
    }
    value.kind = Json::Kind::number;
    value.text = m_rest.substr(0, end);
    m_rest.remove_prefix(end);
    return true;
  }

  bool characters(std::string& text) {
    if (!take("\"")) return false;
    while (!m_rest.empty()) {
      const char c = m_rest.front();
      m_rest.remove_prefix(1);
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') {
        text += c;
      } else if (!escaped(text)) {
        return false;
      }
    }
    return false;
  }

  bool escaped(std::string& text) {
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (take("u")) return code_point(text);
    if (m_rest.empty()) return false;
    const std::size_t which = names.find(m_rest.front());
    if (which == std::string_view::npos) return false;
    text += meanings[which];
    m_rest.remove_prefix(1);
    return true;
  }

  bool four_digits(std::uint32_t& code) {
    if (m_rest.size() < 4) return false;
    const char* const end = m_rest.data() + 4;
    const auto read = std::from_chars(m_rest.data(), end, code, 16);
    if (read.ec != std::errc() || read.ptr != end) return false;
    m_rest.remove_prefix(4);
    return true;
  }

  bool code_point(std::string& text) {
    std::uint32_t code = 0;
    if (!four_digits(code)) return false;
    if (code >= 0xDC00 && code < 0xE000) return false;  // the second half of a pair alone
    if (code >= 0xD800 && code < 0xDC00) {
      std::uint32_t low = 0;
      if (!take("\\u") || !four_digits(low) || low < 0xDC00 || low >= 0xE000) return false;
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    }
    append_utf8(text, code);
    return true;
  }

  std::string_view m_rest;
};

void append_characters(std::string& text, std::string_view characters) {
  constexpr std::string_view digits = "0123456789abcdef";
  text += '"';
  for (const char c : characters) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') text += '\\';
    if (byte < 0x20) {
      text += "\\u00";
      text += digits[byte >> 4U];
      text += digits[byte & 0xFU];
    } else {
      text += c;
    }
  }
  text += '"';
}

void append_value(std::string& text, const Json& value, std::size_t level, bool indented) {
  switch (value.kind) {
    case Json::Kind::null:
      text += "null";
      return;
    case Json::Kind::boolean:
    case Json::Kind::number:
      text += value.text;
      return;
    case Json::Kind::text:
      append_characters(text, value.text);
      return;
    case Json::Kind::list:
    case Json::Kind::object:
      break;
  }
  const bool is_object = value.kind == Json::Kind::object;
  const auto new_line = [&](std::size_t blanks) {
    if (indented) text.append("\n").append(2 * blanks, ' ');
  };
  text += is_object ? '{' : '[';
  bool is_first = true;
  for (const Json& item : value.items) {
    if (!is_first) text += ',';
    is_first = false;
    new_line(level + 1);
    if (is_object) {
      append_characters(text, item.name);
      text += indented ? ": " : ":";
    }
    append_value(text, item, level + 1, indented);
  }
  if (!is_first) new_line(level);
  text += is_object ? '}' : ']';
}

}  // namespace

Json Json::of_text(std::string_view characters) {
  return {.kind = Kind::text, .name = {}, .text = std::string(characters), .items = {}};
}

Json Json::of_number(double value) {
  return {.kind = Kind::number, .name = {}, .text = number_text(value), .items = {}};
}

Json Json::of_number(std::int64_t value) {
  return {.kind = Kind::number, .name = {}, .text = number_text(value), .items = {}};
}

void Json::add(std::string_view member, Json value) {
  value.name = member;
  items.push_back(std::move(value));
}

const Json* Json::find(std::string_view member) const {
  if (kind != Kind::object) return nullptr;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    if (item->name == member) return &*item;
  }
  return nullptr;
}

Json* Json::find(std::string_view member) {
  return const_cast<Json*>(std::as_const(*this).find(member));
}

std::optional<double> Json::number() const {
  double value = 0;
  const char* const end = text.data() + text.size();
  if (kind != Kind::number) return {};
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || !std::isfinite(value)) return {};
  return value;
}

std::optional<std::int64_t> Json::whole_number() const {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  if (kind != Kind::number) return {};
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return value;
}

std::optional<Json> parse_json(std::string_view text) {
  Json value;
  if (!Reader(text).whole(value)) return {};
  return value;
}

std::string json_text(const Json& value, bool indented) {
  std::string text;
  append_value(text, value, 0, indented);
  return text;
}

}  // namespace synelix
