// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/private_memory.hpp"

#include <array>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace promises {
namespace {

/// A line "KEY: N kB" of /proc/self/status in bytes; 0 if there is none.
std::int64_t status_bytes(std::string_view key) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key)) return std::stoll(line.substr(key.size())) * 1024;
  }
  return 0;
}

/// Mapped parts of files that can be read, as addresses.
std::vector<std::pair<std::uint64_t, std::uint64_t>> mapped_files() {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
  std::ifstream file("/proc/self/maps");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char dash = '-';
    std::string access;
    std::string offset;
    std::string device;
    std::string inode;
    std::string name;
    words >> std::hex >> begin >> dash >> end >> access >> offset >> device >> inode >> name;
    if (access.starts_with('r') && name.starts_with('/')) parts.emplace_back(begin, end);
  }
  return parts;
}

}  // namespace

PrivatePeak::PrivatePeak() {
  // Read through this file, a page beyond the end of a mapped file is an error and no signal.
  const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (memory < 0) return;
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  std::array<char, 1> byte{};
  for (const auto& [begin, end] : mapped_files()) {
    for (std::uint64_t at = begin; at < end; at += static_cast<std::uint64_t>(page)) {
      if (pread(memory, byte.data(), 1, static_cast<off_t>(at)) != 1) break;
    }
  }
  close(memory);
}

std::int64_t PrivatePeak::bytes() const {
  const std::int64_t files = status_bytes("RssFile:");
  const std::int64_t peak = status_bytes("VmHWM:");
  return peak > files ? peak - files : 0;
}

namespace {
const std::string peak_is = "private peak ";
}

void PrivatePeak::print() const { std::cout << peak_is << bytes() << std::endl; }

MeasuredRun run_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const std::size_t at = text.rfind(peak_is);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || at == std::string::npos) {
    std::string all;
    for (const std::string& word : words) all += " " + word;
    std::cout << text;
    throw std::runtime_error("failed:" + all);
  }
  return {std::stoll(text.substr(at + peak_is.size())), text.substr(0, at)};
}

std::int64_t peak_of_run(const std::vector<std::string>& words) {
  const MeasuredRun run = run_of(words);
  std::cout << run.text;
  return run.peak;
}

bool counts_private_memory() {
  const PrivatePeak peak;
  const std::int64_t before = peak.bytes();
  constexpr std::size_t bytes = std::size_t{64} << 20;
  {
    const std::vector<char> taken(bytes, 1);
  }
  return before > 0 && peak.bytes() - before > static_cast<std::int64_t>(bytes - bytes / 8);
}

int main_of(int argc, char** argv, std::size_t words_of_run, const Main& run, const Main& compare) {
#if defined(__SANITIZE_ADDRESS__)
  std::cout << "skipped: the address sanitizer takes memory of its own\n";
  return 77;
#endif
  try {
    const std::vector<std::string> words(argv, argv + argc);
    if (words.size() == words_of_run) {
      const PrivatePeak peak;
      const int result = run(words);
      peak.print();
      return result;
    }
    if (!counts_private_memory()) {
      std::cout << "skipped: this system does not tell the peak of private memory\n";
      return 77;
    }
    return compare(words);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

}  // namespace promises
