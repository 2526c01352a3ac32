// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/text_file.hpp"

#include <synelix/error.hpp>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace synelix::tool {

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
