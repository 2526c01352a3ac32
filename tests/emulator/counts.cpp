// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "counts.hpp"

#include "access.hpp"
#include "faults.hpp"
#include "module.hpp"
#include "settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <utility>
#include <vector>

namespace emulator {
namespace {

constexpr std::size_t sector_bytes = 32, banks = 32, bank_bytes = 4;

/// Adds those sectors that the lanes of a warp touch. An access is aligned, so that a lane touches
/// one sector.
void add_sectors(const Access& access, std::uint64_t& sum,
                 std::unordered_set<std::uint64_t>& different) {
  std::array<std::uint64_t, lanes_of_warp> sectors;
  std::size_t count = 0;
  for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    sectors[count++] = access.address[k] / sector_bytes;
  }
  std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
  const auto end =
      std::unique(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
  sum += static_cast<std::uint64_t>(end - sectors.begin());
  different.insert(sectors.begin(), end);
}

/// The wavefronts of lanes that access shared memory together: the largest number of different
/// words in one bank.
std::uint64_t count_wavefronts(const Access& access, std::uint32_t lanes, std::size_t bytes) {
  std::array<std::array<std::uint64_t, lanes_of_warp>, banks> words;
  std::array<std::size_t, banks> counts{};
  std::size_t most = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    for (std::size_t byte = 0; byte < bytes; byte += bank_bytes) {
      const std::uint64_t word = (access.address[k] + byte) / bank_bytes;
      const std::size_t bank = word % banks;
      auto* begin = words[bank].begin();
      auto* end = begin + counts[bank];
      if (std::find(begin, end, word) != end) continue;
      words[bank][counts[bank]++] = word;
      most = std::max(most, counts[bank]);
    }
  }
  return most;
}

std::vector<const Function*>& profiled() {
  static auto& made = *new std::vector<const Function*>();
  return made;
}

/// The places of a function that run most instructions, those of a line together.
void print_profile(const Function& function) {
  if (function.executed.size() != function.code.size()) return;
  struct Sums {
    std::uint64_t executed = 0, issued = 0;
  };
  std::map<std::string, Sums> of_place;
  std::uint64_t all = 0;
  for (std::size_t k = 0; k < function.code.size(); ++k) {
    Sums& sums = of_place[function.module->where(function.code[k].place)];
    sums.executed += function.executed[k];
    sums.issued += function.issued[k];
    all += function.executed[k];
  }
  std::vector<std::pair<std::string, Sums>> places(of_place.begin(), of_place.end());
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.second.executed > b.second.executed; });
  std::fprintf(log_file(), "emulator: profile of %s\n", readable(function.name).c_str());
  const auto most = std::min(places.size(), static_cast<std::size_t>(settings().profile));
  for (std::size_t k = 0; k < most; ++k) {
    const auto& [place, sums] = places[k];
    const auto share = [&](std::uint64_t whole) {
      return static_cast<double>(sums.executed) /
             static_cast<double>(std::max<std::uint64_t>(1, whole));
    };
    std::fprintf(log_file(), "emulator:   %5.1f %% %12llu, %4.1f lanes  %s\n", 100.0 * share(all),
                 static_cast<unsigned long long>(sums.executed), share(sums.issued), place.c_str());
  }
}

}  // namespace

std::map<std::string, Counts>& all_counts() {
  static auto& made = *new std::map<std::string, Counts>();
  return made;
}

void count_access(Counts& counts, const Access& access, std::size_t bytes, bool writes) {
  if (access.space == Space::global) {
    if (writes) {
      add_sectors(access, counts.sectors_written, counts.different_written);
    } else {
      add_sectors(access, counts.sectors_read, counts.different_read);
    }
    return;
  }
  if (access.space == Space::local) {
    counts.local_bytes += bytes * static_cast<std::uint64_t>(std::popcount(access.lanes));
  }
  if (access.space != Space::shared) return;
  // 128 bytes are a wavefront: all lanes of 4 bytes, half of 8, a quarter of 16.
  const auto together = static_cast<int>(lanes_of_warp * bank_bytes / std::max(bytes, bank_bytes));
  for (int first = 0; first < lanes_of_warp; first += together) {
    const std::uint32_t group = together == lanes_of_warp ? all_lanes : (1U << together) - 1;
    const std::uint32_t lanes = access.lanes & (group << first);
    if (lanes == 0) continue;
    ++counts.shared_accesses;
    counts.bank_conflicts += count_wavefronts(access, lanes, bytes) - 1;
  }
}

void profile(const Function& function) {
  if (!function.executed.empty()) return;
  function.executed.assign(function.code.size(), 0);
  function.issued.assign(function.code.size(), 0);
  profiled().push_back(&function);
}

void print_counts() {
  std::FILE* out = log_file();
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::fprintf(out,
               "emulator: launches, teams, threads of a team, shared bytes, registers, "
               "instructions, seconds: kernel\n");
  for (const auto& [name, c] : all_counts()) {
    std::fprintf(out, "emulator:   %6llu %8llu %5u %7zu %4d %14llu %8.2f  %s\n", number(c.launches),
                 number(c.teams), c.threads, c.shared_bytes, c.registers, number(c.instructions),
                 c.seconds, readable(name).c_str());
    if (!settings().counts) continue;
    std::fprintf(out,
                 "emulator:     multiply-adds %llu, sectors read %llu, written %llu, shared "
                 "accesses %llu, bank conflicts %llu, barriers %llu, local bytes %llu, of warps "
                 "%llu, different sectors read %llu, written %llu\n",
                 number(c.multiply_adds), number(c.sectors_read), number(c.sectors_written),
                 number(c.shared_accesses), number(c.bank_conflicts), number(c.barriers),
                 number(c.local_bytes), number(c.issued), number(c.different_read.size()),
                 number(c.different_written.size()));
  }
  for (const Function* function : profiled()) print_profile(*function);
}

}  // namespace emulator
