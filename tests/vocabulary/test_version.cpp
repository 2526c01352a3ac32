// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/version.hpp>

#include <gmock/gmock.h>

#include <string>

namespace version_tests {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

TEST(Version, HeaderAndLibraryAgree) {
  EXPECT_EQ(synelix::version(), SYNELIX_VERSION_STRING);
  const std::string numbers = std::to_string(SYNELIX_VERSION / 10000) + "." +
                              std::to_string(SYNELIX_VERSION / 100 % 100) + "." +
                              std::to_string(SYNELIX_VERSION % 100);
  EXPECT_EQ(synelix::version(), numbers);
}

TEST(Version, DescribesTheBuild) {
  const synelix::BuildDescription build = synelix::build_description();
  EXPECT_EQ(build.version, synelix::version());
  EXPECT_EQ(build.revision, synelix::revision());
  EXPECT_THAT(build.revision, MatchesRegex("unknown|[0-9a-f]{12}(-modified)?"));
  EXPECT_THAT(build.compiler, Not(IsEmpty()));
  EXPECT_THAT(build.kokkos_version, Not(IsEmpty()));
  EXPECT_THAT(build.components, Contains("core"));
  EXPECT_THAT(build.instruction_sets, Not(IsEmpty()));
  std::string joined;
  for (const std::string& backend : build.backends) joined += (joined.empty() ? "" : " ") + backend;
  EXPECT_EQ(joined, SYNELIX_KOKKOS_BACKENDS);
}

}  // namespace
}  // namespace version_tests
