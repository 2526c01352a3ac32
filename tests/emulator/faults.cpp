// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "faults.hpp"

#include "settings.hpp"
#include "team.hpp"
#include "warp.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <utility>

namespace emulator {
namespace {

struct Log {
  std::vector<Fault> faults;
  std::map<std::string, std::size_t> numbers;  // by the identity of faults
};

Log& log() {
  static auto& made = *new Log();  // programs end after static objects
  return made;
}

void print(const Fault& fault) {
  if (settings().quiet || log().faults.size() > static_cast<std::size_t>(settings().most)) return;
  std::fprintf(log_file(), "emulator: %s: %s\n", fault.kind.c_str(), fault.text.c_str());
  if (!fault.kernel.empty()) {
    std::fprintf(log_file(), "  in %s\n  at %s\n  PTX line %u: %s\n", fault.kernel.c_str(),
                 fault.place.c_str(), fault.line, fault.instruction.c_str());
  }
  std::fflush(log_file());
}

void add(const std::string& key, Fault fault) {
  const auto [found, is_new] = log().numbers.emplace(key, log().faults.size());
  if (!is_new) {
    ++log().faults[found->second].times;
    return;
  }
  log().faults.push_back(std::move(fault));
  print(log().faults.back());
  if (settings().stop) std::abort();
}

}  // namespace

void report(const std::string& kind, const Warp& warp, const Instruction& i,
            const std::string& text, const std::string& detail) {
  const Function& kernel = *warp.team->kernel;
  const std::string line = std::to_string(i.place) + "\n" + std::to_string(i.line);
  const std::string key = kind + "\n" + kernel.name + "\n" + line + "\n" + detail;
  const auto known = log().numbers.find(key);
  if (known != log().numbers.end()) {
    ++log().faults[known->second].times;
    return;
  }
  const Module& module = *kernel.module;
  add(key, {kind, text, readable(kernel.name), module.where(i.place), module.text_of(i), i.line});
}

void report_host(const std::string& kind, const std::string& text) {
  add(kind + "\n" + text, {.kind = kind, .text = text});
}

const std::vector<Fault>& faults() { return log().faults; }

void clear_faults() { log() = {}; }

void print_faults() {
  if (faults().empty()) {
    std::fprintf(log_file(), "emulator: no fault\n");
    return;
  }
  std::map<std::string, std::pair<int, std::uint64_t>> kinds;
  for (const Fault& fault : faults()) {
    auto& kind = kinds[fault.kind];
    ++kind.first;
    kind.second += fault.times;
  }
  std::fprintf(log_file(), "emulator: %zu different faults\n", faults().size());
  for (const auto& [kind, count] : kinds) {
    std::fprintf(log_file(), "emulator:   %d places, %llu times: %s\n", count.first,
                 static_cast<unsigned long long>(count.second), kind.c_str());
  }
}

std::FILE* log_file() {
  static std::FILE* file = [] {
    const std::string& name = settings().log;
    std::FILE* opened = name.empty() ? nullptr : std::fopen(name.c_str(), "a");
    return opened != nullptr ? opened : stderr;
  }();
  return file;
}

std::string readable(const std::string& kernel) {
  int status = 0;
  char* text = abi::__cxa_demangle(kernel.c_str(), nullptr, nullptr, &status);
  const std::string name = status == 0 && text != nullptr ? text : kernel;
  std::free(text);
  return name.substr(0, 240);
}

}  // namespace emulator
