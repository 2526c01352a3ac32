// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tool/process/resources.hpp"

#include <gtest/gtest.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

// Limits of control groups, from files that are made up.

namespace control_groups_tests {
namespace {

using synelix::tool::granted_processors;

class ControlGroups : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "synelix-groups.XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    m_root = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(m_root); }

  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((m_root / file).parent_path());
    std::ofstream(m_root / file) << text;
  }
  [[nodiscard]] std::optional<int> granted() const { return granted_processors(m_root); }

 private:
  std::filesystem::path m_root;
};

TEST_F(ControlGroups, NoneSetsNoLimit) {
  EXPECT_EQ(granted(), std::nullopt);
  write("proc/self/cgroup", "0::/user.slice\n");
  EXPECT_EQ(granted(), std::nullopt);
  write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(granted(), std::nullopt);
}

TEST_F(ControlGroups, TheLeastOfAGroupAndThoseThatHoldIt) {
  write("proc/self/cgroup", "0::/job_7/step_0\n");
  write("sys/fs/cgroup/job_7/step_0/cpu.max", "800000 100000\n");
  EXPECT_EQ(granted(), 8);
  write("sys/fs/cgroup/job_7/cpu.max", "250000 100000\n");
  EXPECT_EQ(granted(), 3);  // two and a half
  write("sys/fs/cgroup/cpu.max", "5000 100000\n");
  EXPECT_EQ(granted(), 1);
}

TEST_F(ControlGroups, AContainerSeesItsGroupAtTheTop) {
  write("proc/self/cgroup", "0::/docker/0123\n");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(granted(), 2);
  write("proc/self/cgroup", "0::/\n");
  EXPECT_EQ(granted(), 2);
}

TEST_F(ControlGroups, TheFirstVersion) {
  write("proc/self/cgroup", "12:cpuset:/other\n4:cpu,cpuacct:/slurm/job_7\n1:name=systemd:/x\n");
  write("sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(granted(), std::nullopt);
  write("sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(granted(), 4);
}

TEST_F(ControlGroups, DamagedFilesSetNoLimit) {
  write("proc/self/cgroup", "nonsense\n0:\n0::/a\n");
  for (const char* text : {"", "x y", "100000", "100000 0", "-5 100000", "0 100000"}) {
    write("sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(granted(), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace control_groups_tests
