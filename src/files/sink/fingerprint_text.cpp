// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/sink/fingerprint_text.hpp"

#include "streams/fingerprint.hpp"
#include "streams/input_files.hpp"

#include <synelix/error.hpp>
#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace synelix {
namespace h5 {
namespace {

constexpr std::string_view between = "; ";
constexpr std::string_view behind_name = ": ";
constexpr char escape = '\\';

/// Escapes a text so that it contains no separator.
std::string escaped(const std::string& text, std::initializer_list<std::string_view> separators) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    const bool is_separator =
        std::any_of(separators.begin(), separators.end(),
                    [&](std::string_view separator) { return rest.starts_with(separator); });
    if (is_separator || text[at] == escape) result += escape;
    result += text[at];
  }
  return result;
}

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == escape && at + 1 < text.size()) ++at;
    result += text[at];
  }
  return result;
}

/// The beginning of the next separator that is not escaped; the end of the text if there is none.
std::size_t find_separator(const std::string& text, std::string_view separator, std::size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] == escape) {
      ++at;
    } else if (std::string_view(text).substr(at).starts_with(separator)) {
      return at;
    }
  }
  return text.size();
}

}  // namespace

std::string text_of(const Fingerprint& fingerprint) {
  std::string text;
  for (const auto& [name, value] : fingerprint) {
    if (value.empty()) continue;
    if (!text.empty()) text += between;
    text += escaped(name, {between, behind_name});
    text += behind_name;
    text += escaped(value, {between});
  }
  return text;
}

Fingerprint fingerprint_from(const std::string& text) {
  Fingerprint fingerprint;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = find_separator(text, between, begin);
    const std::string item = text.substr(begin, end - begin);
    if (const std::size_t colon = find_separator(item, behind_name, 0); colon < item.size()) {
      fingerprint.emplace_back(unescaped(item.substr(0, colon)),
                               unescaped(item.substr(colon + behind_name.size())));
    }
    begin = end + between.size();
  }
  return fingerprint;
}

std::optional<std::string> value_of(const Fingerprint& fingerprint, const std::string& name) {
  for (const auto& [known, value] : fingerprint) {
    if (known == name && !value.empty()) return value;
  }
  return std::nullopt;
}

void require_same(const std::string& where, const Fingerprint& found, const Fingerprint& wanted,
                  const std::string& remedy, const std::string& but) {
  std::string there;
  std::string here;
  const auto compare = [&](const std::string& name) {
    const auto one = value_of(found, name);
    const auto other = value_of(wanted, name);
    if (one == other) return;
    there += (there.empty() ? "" : ", ") + name + " " + one.value_or("none");
    here += (here.empty() ? "" : ", ") + name + " " + other.value_or("none");
  };
  for (const auto& [name, value] : wanted) compare(name);
  for (const auto& [name, value] : found) {
    if (!value_of(wanted, name)) compare(name);
  }
  if (there.empty()) return;
  throw FileError(where, "it was made with " + there + ", but " + but + " " + here, remedy);
}

}  // namespace h5

Fingerprint fingerprint_of_text(const std::string& name, const std::string& text) {
  return {{name + " bytes", std::to_string(text.size())},
          {name + " checksum", stream::Checksum().add(text.data(), text.size()).text()}};
}

Fingerprint fingerprint_of_file(const std::string& file) {
  return stream::fingerprint_of({look_at_file(file)});
}

}  // namespace synelix
