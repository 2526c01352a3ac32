// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/process/resources.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace synelix::tool {
namespace {

/// Lowers `least` to this number, rounded up.
void keep_least(std::optional<int>& least, double processors) {
  if (!(processors > 0) || processors > std::numeric_limits<int>::max()) return;
  const int whole = std::max(1, static_cast<int>(std::ceil(processors)));
  least = least ? std::min(*least, whole) : whole;
}

/// The limit of one group of the second version: "QUOTA PERIOD", or "max PERIOD".
void read_group(const std::filesystem::path& folder, std::optional<int>& least) {
  std::ifstream file(folder / "cpu.max");
  double quota = 0;
  double period = 0;
  if (file >> quota >> period && period > 0) keep_least(least, quota / period);
}

/// The limit of one group of the first version; a quota of -1 means no limit.
void read_old_group(const std::filesystem::path& folder, std::optional<int>& least) {
  std::ifstream quota_file(folder / "cpu.cfs_quota_us");
  std::ifstream period_file(folder / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (quota_file >> quota && period_file >> period && period > 0) {
    keep_least(least, quota / period);
  }
}

/// Calls read(folder, least) for a group and its parents. In a container, the names of groups are
/// those of the machine, and the container's own group is the topmost visible one.
template <class Read>
void read_up(const std::filesystem::path& top, std::string_view group, const Read& read,
             std::optional<int>& least) {
  std::filesystem::path folder = (top / std::filesystem::path(group).relative_path());
  for (; folder != top && folder.has_relative_path(); folder = folder.parent_path()) {
    read(folder, least);
  }
  read(top, least);
}

/// Whether a list like "cpu,cpuacct" contains the controller of processor time.
bool has_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == "cpu") return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

}  // namespace

std::optional<int> granted_processors(const std::filesystem::path& root) {
  std::optional<int> least;
  const std::filesystem::path groups = root / "sys/fs/cgroup";
  std::ifstream file(root / "proc/self/cgroup");
  std::string line;  // "ID:CONTROLLERS:GROUP"; the second version has no controllers
  while (std::getline(file, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = std::string_view(line).substr(second + 1);
    if (controllers.empty()) {
      read_up(groups, group, read_group, least);
    } else if (has_cpu(controllers)) {
      read_up(groups / controllers, group, read_old_group, least);
      read_up(groups / "cpu", group, read_old_group, least);
    }
  }
  return least;
}

}  // namespace synelix::tool
