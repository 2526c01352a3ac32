// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blocks/slots.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <new>

// The memory of a slot, on a host that represents a device, and of blocks that are not staged.

namespace slots_tests {
namespace {

using namespace synelix::blocks;
using Space = Kokkos::DefaultHostExecutionSpace;

TEST(Slots, CopyInAndOutThroughTheirOwnMemory) {
  const Slots<Space> slots(Space(), "synelix::test", 2,
                           {.inputs = {8, 0}, .output = 4, .workspace = 64});
  ASSERT_EQ(slots.count(), 2U);
  EXPECT_EQ(slots.workspace(0).size(), 0U) << "the plan's own is used";
  EXPECT_EQ(slots.workspace(1).size(), 64U);
  const Buffer from("synelix::test::pinned_input", 8);
  const Buffer to("synelix::test::pinned_output", 4);
  for (std::size_t slot = 0; slot < 2; ++slot) {
    std::memcpy(from.data(), slot == 0 ? "abcdefgh" : "ijklmnop", 8);
    const std::byte* const read = slots.input(slot, 0, from, 6);
    slots.wait(slot);
    EXPECT_NE(read, from.data());
    EXPECT_EQ(std::memcmp(read, from.data(), 6), 0);
    std::byte* const written = slots.output(slot, to);
    EXPECT_NE(written, to.data());
    std::memcpy(written, read + 1, 4);
    slots.fetch(slot, to, 3);
    slots.wait(slot);
    EXPECT_EQ(std::memcmp(to.data(), from.data() + 1, 3), 0);
  }
}

TEST(Slots, LeaveBlocksWhereTheyLieWithoutADevice) {
  const Slots<Space> slots(Space(), "synelix::test");
  ASSERT_EQ(slots.count(), 1U);
  const Buffer from(8);
  const Buffer to(4);
  EXPECT_EQ(slots.input(0, 0, from, 8), from.data());
  EXPECT_EQ(slots.output(0, to), to.data());
  std::memcpy(to.data(), "abcd", 4);
  slots.fetch(0, to, 4);
  slots.wait(0);
  EXPECT_EQ(std::memcmp(to.data(), "abcd", 4), 0);
}

TEST(Slots, NameTheBudgetOfMemoryThatIsRefused) {
  const auto allocate = [] {
    return allocated_or_refused("host_budget", "pinned memory", 7,
                                []() -> int { throw std::bad_alloc(); });
  };
  EXPECT_THAT(allocate, testing::ThrowsMessage<synelix::Error>(testing::AllOf(
                            testing::StartsWith("host_budget: pinned memory refuses 7 bytes"),
                            testing::HasSubstr("Give a smaller budget"))));
}

}  // namespace
}  // namespace slots_tests
