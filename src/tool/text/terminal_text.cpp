// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/terminal_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <set>
#include <system_error>

namespace synelix::tool {
namespace {

/// A UTF-8 character: its code point and bytes; no bytes if the text is not valid UTF-8 there.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

Character character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 && first <= 0xf4   ? 4
                            : first >= 0xe0 && first <= 0xef ? 3
                            : first >= 0xc2 && first <= 0xdf ? 2
                                                             : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t code = first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = (code << 6) | (byte(i) & 0x3fU);
  }
  const std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[bytes] || is_surrogate || code > 0x10ffff) return {};
  return {code, bytes};
}

bool is_dangerous(char32_t code) {
  if (code < 0x20) return code != '\t';
  if (code >= 0x7f && code <= 0x9f) return true;      // DEL and C1
  if (code == 0x061c) return true;                    // Arabic letter mark
  if (code >= 0x200e && code <= 0x200f) return true;  // left-to-right and right-to-left marks
  if (code >= 0x2028 && code <= 0x202e) return true;  // separators of lines, embeddings, overrides
  return code >= 0x2066 && code <= 0x2069;            // isolates
}

std::string escape(const char* pattern, unsigned code) {
  std::array<char, 12> text{};
  std::snprintf(text.data(), text.size(), pattern, code);
  return text.data();
}

}  // namespace

std::string terminal_text(std::string_view text, Lines lines) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = character_at(text);
    if (character.bytes == 0) {
      shown += escape("\\x%02x", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    if (character.code == '\n') {
      shown += lines == Lines::kept ? "\n" : "\\n";
    } else if (!is_dangerous(character.code)) {
      shown += text.substr(0, character.bytes);
    } else {
      shown += escape(character.code < 0x100 ? "\\x%02x" : "\\u%04x", character.code);
    }
    text.remove_prefix(character.bytes);
  }
  return shown;
}

namespace {

/// The warnings so far, and their place.
struct Warnings {
  std::mutex mutex;
  std::string place;
  std::set<std::string> printed;
};

Warnings& warnings() {
  static Warnings all;
  return all;
}

}  // namespace

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return terminal_text(text);
}

void set_warning_place(const std::string& place) {
  Warnings& all = warnings();
  const std::scoped_lock lock(all.mutex);
  all.place = place;
  all.printed.clear();
}

void print_warning(std::string_view message) {
  Warnings& all = warnings();
  const std::scoped_lock lock(all.mutex);
  const std::string text = one_line(all.place + std::string(message));
  if (all.printed.insert(text).second) std::cerr << "synelix: warning: " << text << "\n";
}

void require_text_file(const std::string& file) {
  constexpr std::uintmax_t most_bytes = 1 << 20;
  std::error_code status;
  const std::filesystem::file_type type = std::filesystem::status(file, status).type();
  if (type == std::filesystem::file_type::not_found) {
    status = std::make_error_code(std::errc::no_such_file_or_directory);
  }
  if (status) throw Error(file + ": cannot be read: " + status.message());
  if (type != std::filesystem::file_type::regular) {
    throw Error(file, "this is not a regular file", "Give a text file");
  }
  const std::uintmax_t bytes = std::filesystem::file_size(file, status);
  if (status) throw Error(file + ": cannot be read: " + status.message());
  if (bytes > most_bytes) {
    throw Error(file, "it has " + std::to_string(bytes) + " bytes, which is too much for a text",
                "Give a text of at most " + std::to_string(most_bytes) + " bytes");
  }
}

std::string read_text_file(const std::string& file) {
  require_text_file(file);
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) throw Error(file + ": cannot be read: " + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) throw Error(file + ": cannot be read: " + std::strerror(errno));
  return text;
}

}  // namespace synelix::tool
