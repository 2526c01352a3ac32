// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The facts shared by the parts of one output: conversion to text and back.
#include "tool/run/part_facts.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <string>

namespace synelix::tool::part_facts_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

PartFacts some_facts() {
  Steps steps;
  steps.run = 0.1;
  steps.fft_point = 1.0 / 3;
  return {
      .follows_from = {{"input bytes", "7"}, {"dataset", "/x"}},
      .files = {{"change of a.h5", "1.000000001"}},
      .instruction_set = "avx2",
      .nanoseconds = steps,
      .fits = {{"x",
                {.rate_hz = 1.0 / 3e-5,
                 .most_deviation = 0.1,
                 .segments = {{0, 1.0 / 7, 1.0 / 3e-5}, {1234567890123, 1e9 / 3, 1.0 / 3e-5}}}}},
      .statistics = {{}, {.ranges = {{-1.0 / 3, 5e-324}, {-0.0, 0.0}, {}}}}};
}

TEST(PartFacts, ComeBackWithTheirBits) {
  const PartFacts before = some_facts();
  const PartFacts after = facts_from(facts_text(before), "facts");
  EXPECT_EQ(after.follows_from, before.follows_from);
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.instruction_set, "avx2");
  ASSERT_TRUE(after.nanoseconds);
  for (const NamedStep& step : all_steps) {
    EXPECT_EQ((*after.nanoseconds).*step.value, (*before.nanoseconds).*step.value) << step.name;
  }
  const auto fit = known_fit(after.fits, "x");
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rate_hz, before.fits[0].second.rate_hz);
  EXPECT_EQ(fit->most_deviation, 0.1);
  ASSERT_EQ(fit->segments.size(), 2U);
  EXPECT_EQ(fit->segments[1].first_sample, 1234567890123);
  EXPECT_EQ(fit->segments[1].start_seconds, 1e9 / 3);
  EXPECT_EQ(fit->segments[1].rate_hz, fit->rate_hz);
  EXPECT_FALSE(known_fit(after.fits, "y"));
  ASSERT_EQ(after.statistics.size(), 2U);
  EXPECT_EQ(after.statistics[1].ranges, before.statistics[1].ranges) << "also the range of nothing";
  EXPECT_TRUE(std::signbit(after.statistics[1].ranges[1].lower));
}

TEST(PartFacts, WithoutACalibration) {
  PartFacts facts = some_facts();
  facts.nanoseconds.reset();
  EXPECT_FALSE(facts_from(facts_text(facts), "facts").nanoseconds);
}

TEST(PartFacts, EveryByteIsUnderTheChecksum) {
  const std::string good = facts_text(some_facts());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(facts_from(good.substr(0, size), "facts"), FileError) << size;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_THROW(facts_from(bad, "facts"), FileError) << at;
  }
  EXPECT_THAT([&] { facts_from(good + " ", "out.facts"); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("out.facts: it is damaged"), HasSubstr("Save it again"))));
}

TEST(PartFacts, OfAnotherVersion) {
  std::string text = facts_text(some_facts());
  text[facts_magic.size()] = '7';
  EXPECT_THAT(
      [&] { facts_from(text, "out.facts"); },
      ThrowsMessage<Error>(HasSubstr("it has format 7, and this version of synelix reads")));
}

TEST(PartFacts, DifferencesAreNamed) {
  const Fingerprint before = {{"a", "1"}, {"b", "2"}};
  EXPECT_FALSE(difference(before, before));
  EXPECT_EQ(difference(before, {{"a", "1"}, {"b", "3"}}), "'b' was 2 and is 3");
  EXPECT_EQ(difference(before, {{"a", "1"}}), "'b' was 2 and is not there");
  EXPECT_EQ(difference({}, before), "'a' was not there and is 1");
}

TEST(PartFacts, BytesThatAreNoText) {
  PartFacts facts = some_facts();
  facts.files = {{"bytes of \xff.h5", "7"}};
  const PartFacts after = facts_from(facts_text(facts), "facts");
  EXPECT_FALSE(difference(after.files, facts.files));
}

TEST(PartFacts, AProcessorWithoutTheInstructionSet) {
  const std::vector<InstructionSet> usable = {InstructionSet::plain, InstructionSet::avx2};
  EXPECT_EQ(set_of_facts("avx2", usable, "f.facts"), InstructionSet::avx2);
  EXPECT_THAT([&] { set_of_facts("avx512", usable, "out.facts"); },
              ThrowsMessage<Error>(AllOf(
                  HasSubstr("out.facts: all parts of this output use the instruction set avx512"),
                  HasSubstr("it has plain, avx2"), HasSubstr("--instruction-set avx2"))));
}

}  // namespace
}  // namespace synelix::tool::part_facts_tests
