// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "files/made_file.hpp"
#include "made_units.hpp"

#include <synelix/error.hpp>
#include <synelix/nwb.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Units with many spikes: reading in parts, and budgets.

namespace nwb_budgets_tests {
namespace {

namespace sx = synelix;
using made::read;
using made::train;
using made::UnitsFile;
using testing::AllOf;
using testing::HasSubstr;

TEST(NwbBudgets, ManySpikesAreReadInParts) {
  const made::Folder folder;
  const std::string file = folder / "many.nwb";
  constexpr std::int64_t spikes = 200'000;
  UnitsFile made;
  made.times.clear();
  for (std::int64_t i = 0; i < spikes; ++i) made.times.push_back(static_cast<double>(i) * 0.01);
  for (std::int64_t i = spikes; i-- > 0;) made.times.push_back(static_cast<double>(i) * 0.01);
  made.ids = {1, 2};
  {
    const made::File written(file);
    written.dataset("/units/id", {2}, made.ids);
    written.dataset("/units/spike_times", {made.times.size()}, made.times);
    written.dataset("/units/spike_times_index", {2}, std::vector<std::int64_t>{spikes, 2 * spikes});
  }
  const sx::Units units = read(file, 0.02);
  EXPECT_EQ(units.spikes, 2 * spikes);
  EXPECT_EQ(train(units, 0), train(units, 1));  // in order, and not
  EXPECT_EQ(train(units, 0).size(), static_cast<std::size_t>(spikes / 2));
  EXPECT_EQ(train(units, 0)[70'000], std::pair(std::int64_t{70'000}, 2.0F));
}

/// The error if units do not fit in their budget; nothing if they do.
std::string refusal(const std::string& file, const sx::UnitsOptions& options) {
  try {
    (void)sx::read_units(file, options);
  } catch (const sx::Error& error) {
    return error.what();
  }
  return {};
}

/// The number after a word of a message.
std::int64_t number_behind(const std::string& text, const std::string& word) {
  return std::stoll(text.substr(text.find(word) + word.size()));
}

TEST(NwbBudgets, UnitsThatAreOnlyCountedHaveShapeAndBytes) {
  const made::Folder folder;
  const std::string file = folder / "units.nwb";
  UnitsFile().write(file);
  sx::UnitsOptions options{.bin_seconds = 0.002, .budget = 1, .held_bytes = 1000};
  std::int64_t named = 0;
  try {
    (void)sx::read_units(file, options);
  } catch (const sx::BudgetError& error) {
    named = error.least_bytes();
  }
  options.only_count = true;
  const sx::Units counted = sx::read_units(file, options);
  EXPECT_EQ(counted.least_bytes, named);
  options = {.bin_seconds = 0.002, .budget = named, .held_bytes = 1000};
  const sx::Units units = sx::read_units(file, options);
  EXPECT_EQ(units.least_bytes, named);
  EXPECT_GT(units.spikes, 0);
  EXPECT_EQ(counted.ids, units.ids);
  EXPECT_EQ(counted.rows(), units.rows());
  EXPECT_EQ(counted.events.shape().channels, units.events.shape().channels);
  EXPECT_EQ(counted.events.shape().events, units.events.shape().events);
  EXPECT_EQ(counted.events.bytes(), units.events.bytes());
  EXPECT_EQ(counted.start_seconds, units.start_seconds);
  EXPECT_TRUE(counted.is_least);
  const std::int64_t channels = units.events.shape().channels;
  for (std::int64_t c = 0; c <= channels; ++c) {
    EXPECT_EQ(counted.events.begins()[c], units.events.begins()[c]) << c;
  }
  for (std::int64_t i = 0; i < units.events.shape().events; ++i) {
    EXPECT_EQ(counted.events.sample_indices()[i], 0) << i;
  }
}

TEST(NwbBudgets, ABudgetIsAskedBeforeTrainsAreHeld) {
  const made::Folder folder;
  const std::string file = folder / "units.nwb";
  UnitsFile().write(file);
  sx::UnitsOptions options{.bin_seconds = 0.002, .budget = 30, .budget_name = "--budget"};
  const std::string found = refusal(file, options);
  EXPECT_THAT(found, AllOf(HasSubstr("--budget: 30 bytes are not enough. Give at least "),
                           HasSubstr("that the spike trains take")));
  const std::int64_t least = number_behind(found, "at least ");
  options.budget = least - 1;
  EXPECT_THAT(refusal(file, options), HasSubstr("at least " + std::to_string(least)));
  options.budget = least;
  const sx::Units units = sx::read_units(file, options);
  EXPECT_EQ(train(units, 0), train(read(file, 0.002), 0));
  EXPECT_EQ(train(units, 2), train(read(file, 0.002), 2));
  // Other trains take their part of the same budget.
  options.held_bytes = 1;
  EXPECT_THAT(refusal(file, options), AllOf(HasSubstr("at least " + std::to_string(least + 1)),
                                            HasSubstr("1 that other spike trains hold already")));
  options.budget = least + 1;
  EXPECT_EQ(refusal(file, options), "");
  for (const std::int64_t held : {std::int64_t{-1}, (std::int64_t{1} << 56) + 1}) {
    options.held_bytes = held;
    EXPECT_THAT(refusal(file, options),
                HasSubstr(std::to_string(held) + " bytes are not a part of a budget"));
  }
}

/// Three units with a number of spikes each, two in each bin of 20 ms.
void write_units(const std::string& file, std::int64_t spikes, bool is_sorted) {
  std::vector<double> times;
  for (std::int64_t unit = 0; unit < 3; ++unit) {
    for (std::int64_t i = 0; i < spikes; ++i) {
      times.push_back(static_cast<double>(is_sorted ? i : spikes - 1 - i) * 0.01);
    }
  }
  const made::File made(file);
  made.dataset("/units/id", {3}, std::vector<std::int64_t>{1, 2, 3});
  made.dataset("/units/spike_times", {times.size()}, times);
  made.dataset("/units/spike_times_index", {3},
               std::vector<std::int64_t>{spikes, 2 * spikes, 3 * spikes});
}

TEST(NwbBudgets, ABudgetHoldsTrainsOnceAndTheUnitThatIsRead) {
  const made::Folder folder;
  constexpr std::int64_t spikes = 300'000;
  for (const bool is_sorted : {true, false}) {
    const std::string file = folder / (is_sorted ? "sorted.nwb" : "shuffled.nwb");
    write_units(file, spikes, is_sorted);
    sx::UnitsOptions options{.bin_seconds = 0.02, .budget = sx::mebibytes(5)};
    const std::int64_t least = number_behind(refusal(file, options), "at least ");
    options.budget = least - 1;
    EXPECT_THAT(refusal(file, options), HasSubstr("at least " + std::to_string(least)));
    options.budget = least;
    const sx::Units units = sx::read_units(file, options);
    EXPECT_EQ(units.events.shape().events, 3 * (spikes / 2 - 1)) << "the last bin is not kept";
    EXPECT_EQ(units.spikes, 2 * units.events.shape().events);
    const std::int64_t reading = is_sorted ? std::int64_t{1} << 16 : spikes;
    const std::int64_t once = units.events.bytes() + reading * std::int64_t{sizeof(double)};
    EXPECT_GE(least, once);
    EXPECT_LE(least, once + 1024) << "tables of one interval";
  }
  // Unsorted spikes are kept in memory to be counted: if the budget is too small for that, nothing
  // is counted.
  const std::string file = folder / "shuffled.nwb";
  sx::UnitsOptions options{.bin_seconds = 0.02, .budget = spikes * 8};
  const std::string found = refusal(file, options);
  EXPECT_THAT(found, HasSubstr("which are enough"));
  options.budget = number_behind(found, "Give ");
  EXPECT_EQ(refusal(file, options), "");
}

TEST(NwbBudgets, LongListsOfObservationsAreReadInParts) {
  const made::Folder folder;
  const std::string file = folder / "observed.nwb";
  std::vector<double> intervals;
  for (int i = 0; i < 50'000; ++i) {
    intervals.push_back(i * 0.001);
    intervals.push_back(i * 0.001 + 0.0005);
  }
  for (const std::size_t latest :
       {std::size_t{1}, intervals.size() / 2 + 1, intervals.size() - 1}) {
    std::vector<double> of = intervals;
    of[latest] = 70.0;
    const made::File made(file);
    UnitsFile().write(made);
    made.dataset("/units/obs_intervals", {of.size() / 2, 2}, of);
    EXPECT_DOUBLE_EQ(read(file, 0.01).end_seconds, 70.0);
  }
}

}  // namespace
}  // namespace nwb_budgets_tests
