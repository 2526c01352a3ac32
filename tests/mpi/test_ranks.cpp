// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/mpi.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

// Errors, facts and sums of all ranks.

namespace ranks_tests {
namespace {

using namespace synelix;
using mpi::OrderedSum;
using mpi::RankError;
using mpi::Ranks;
using testing::HasSubstr;
using testing::StartsWith;

/// The message of a call that all ranks refuse. Never stops a rank: others would wait for it.
template <class Call>
std::string refusal_of(const Call& call, ErrorKind kind = ErrorKind::argument) {
  try {
    call();
  } catch (const RankError& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

TEST(Ranks, AreThoseOfTheCommunicator) {
  const Ranks ranks(MPI_COMM_WORLD);
  int rank = -1;
  int size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(ranks.rank(), rank);
  EXPECT_EQ(ranks.size(), size);
  EXPECT_EQ(ranks.on_node(), size);
  EXPECT_EQ(ranks.messages(), mpi::MessageMemory::host);
  EXPECT_EQ(Ranks(MPI_COMM_WORLD, mpi::MessageMemory::device).messages(),
            mpi::MessageMemory::device);
  EXPECT_THROW(Ranks(MPI_COMM_WORLD, static_cast<mpi::MessageMemory>(9)), Error);
  int compared = MPI_UNEQUAL;
  MPI_Comm_compare(ranks.comm(), MPI_COMM_WORLD, &compared);
  EXPECT_EQ(compared, MPI_CONGRUENT);
}

TEST(Ranks, SharesAreEvenAndWhole) {
  const Ranks ranks;
  for (const std::int64_t items : {0, 1, 5, 1000}) {
    const Range own = ranks.share(items);
    EXPECT_LE(own.size(), items / ranks.size() + 1);
    EXPECT_GE(own.size(), items / ranks.size());
    std::int64_t all = own.size();
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, ranks.comm());
    EXPECT_EQ(all, items);
  }
  EXPECT_THROW((void)ranks.share(-1), Error);
  EXPECT_THROW(Ranks(MPI_COMM_NULL), Error);
}

TEST(Together, AStepThatThrowsOnOneRankThrowsOnAll) {
  const Ranks ranks;
  for (int failing = 0; failing < ranks.size(); ++failing) {
    const std::string message = refusal_of(
        [&] {
          together(ranks, [&] {
            if (ranks.rank() == failing) throw BudgetError("budget", "3 is too small", "Give 4");
          });
        },
        ErrorKind::budget);
    EXPECT_EQ(message, "rank " + std::to_string(failing) + ": budget: 3 is too small. Give 4.");
  }
  together(ranks, [] {});  // messages work normally after it
}

TEST(Together, TheLowestRankIsHeard) {
  const Ranks ranks;
  EXPECT_THAT(refusal_of([&] {
                together(ranks, [&] { throw Error("no " + std::to_string(ranks.rank())); });
              }),
              testing::Eq("rank 0: no 0"));
}

TEST(Together, AnyExceptionIsHeard) {
  const Ranks ranks;
  const int last = ranks.size() - 1;
  const auto message_of = [&](const auto& fail, ErrorKind kind) {
    return refusal_of(
        [&] {
          together(ranks, [&] {
            if (ranks.rank() == last) fail();
          });
        },
        kind);
  };
  EXPECT_THAT(message_of([] { throw std::runtime_error("disk full"); }, ErrorKind::state),
              HasSubstr(": disk full"));
  EXPECT_THAT(message_of([] { throw std::bad_alloc(); }, ErrorKind::budget), HasSubstr("memory"));
  EXPECT_THAT(message_of([] { throw 3; }, ErrorKind::state), HasSubstr("not a std::exception"));
  EXPECT_THAT(message_of([] { throw Error(std::string(100'000, 'x')); }, ErrorKind::argument),
              testing::EndsWith("x (cut off)"));
}

TEST(RequireSame, AgreesOnWhatIsAlike) {
  const Ranks ranks;
  require_same(ranks, "options", {{"window", "12"}, {"border", "nan"}});
  require_same(ranks, "options", {});
}

TEST(RequireSame, NamesWhatDiffers) {
  const Ranks ranks;
  if (ranks.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const bool is_last = ranks.rank() == ranks.size() - 1;
  const std::string who = "rank " + std::to_string(ranks.size() - 1) + ": options: ";
  EXPECT_EQ(refusal_of([&] {
              require_same(ranks, "options",
                           {{"window", "12"}, {"border", is_last ? "zero" : "nan"}});
            }),
            who + "border is 'zero', and 'nan' on rank 0. Give all ranks the same.");
  EXPECT_EQ(refusal_of([&] {
              require_same(ranks, "options",
                           is_last ? Fingerprint{} : Fingerprint{{"window", "12"}});
            }),
            who + "window is nothing, and '12' on rank 0. Give all ranks the same.");
  EXPECT_THAT(refusal_of([&] {
                require_same(ranks, "options",
                             is_last ? Fingerprint{{"a", "1"}, {"b", "2"}}
                                     : Fingerprint{{"b", "2"}, {"a", "1"}});
              }),
              StartsWith(who + "its facts have another order"));
}

/// Numbers of a block, of both signs and of many magnitudes.
std::vector<double> numbers_of(std::int64_t block, std::int64_t count) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t x = static_cast<std::uint64_t>(block) * 0x9E3779B97F4A7C15U +
                      static_cast<std::uint64_t>(i) * 0xD1B54A32D192ED03U;
    x = (x ^ (x >> 31U)) * 0xBF58476D1CE4E5B9U;
    numbers.push_back((static_cast<double>(x >> 11U) * 0x1p-53 - 0.5) *
                      static_cast<double>(1ULL << (x % 30U)));
  }
  return numbers;
}

TEST(OrderedSum, HasTheBitsOfOneProcess) {
  const Ranks ranks;
  const Ranks alone(MPI_COMM_SELF);
  for (const std::int64_t blocks : {0, 1, 2, 13, 100, 1000}) {
    OrderedSum whole(alone, blocks, 37);
    for (std::int64_t k = 0; k < blocks; ++k) whole.add(k, numbers_of(k, 37));
    const std::vector<double> expected = whole.sum();
    ASSERT_EQ(expected.size(), 37U);
    // Neighbors on a rank, and blocks that are dealt out like cards.
    OrderedSum cut(ranks, blocks, 37);
    const Range own = ranks.share(blocks);
    for (std::int64_t k = own.begin; k < own.end; ++k) cut.add(k, numbers_of(k, 37));
    EXPECT_EQ(cut.sum(), expected) << blocks << " blocks";
    for (std::int64_t k = ranks.rank(); k < blocks; k += ranks.size()) {
      cut.add(k, numbers_of(k, 37));
    }
    EXPECT_EQ(cut.sum(), expected) << blocks << " blocks, dealt out";
  }
}

TEST(OrderedSum, RefusesBlocksThatAreMissingOrTwice) {
  const Ranks ranks;
  OrderedSum sum(ranks, 10, 1);
  const std::vector<double> one{1.0};
  const Range own = ranks.share(10);
  for (std::int64_t k = own.begin; k < own.end; ++k) {
    if (k != 6) sum.add(k, one);
  }
  EXPECT_EQ(refusal_of([&] { (void)sum.sum(); }),
            "rank 0: block: 6 was added by no rank. Add each block of 0 to 9 on one rank.");
  for (std::int64_t k = own.begin; k < own.end; ++k) sum.add(k, one);
  if (ranks.size() > 1) {
    if (ranks.rank() == ranks.size() - 1) sum.add(0, one);
    EXPECT_THAT(refusal_of([&] { (void)sum.sum(); }), HasSubstr("block: 0 was added by two ranks"));
    for (std::int64_t k = own.begin; k < own.end; ++k) sum.add(k, one);
  }
  EXPECT_EQ(sum.sum(), std::vector<double>{10.0});
  // On one rank, without a message about the others.
  sum.add(own.begin == own.end ? 0 : own.begin, one);
  EXPECT_THROW(sum.add(own.begin == own.end ? 0 : own.begin, one), Error);
  EXPECT_THROW(sum.add(10, one), Error);
  EXPECT_THROW(sum.add(-1, one), Error);
  EXPECT_THROW(sum.add(1, std::vector<double>{1.0, 2.0}), Error);
  EXPECT_THROW(OrderedSum(ranks, -1, 1), Error);
  EXPECT_THROW(OrderedSum(ranks, 1, -1), Error);
}

}  // namespace
}  // namespace ranks_tests
