// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// --part auto with the variables of schedulers.
#include "tool/process/scheduler_part.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace synelix::tool::scheduler_part_tests {
namespace {

using testing::HasSubstr;
using Environment = std::map<std::string, std::string>;

SchedulerPart part_in(const Environment& environment) {
  return part_of_scheduler([&](const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
}

void expect(const Environment& environment, std::int64_t number, std::int64_t of) {
  const SchedulerPart found = part_in(environment);
  EXPECT_EQ(found.part.number, number) << found.variables;
  EXPECT_EQ(found.part.of, of) << found.variables;
}

void refused(const Environment& environment, const std::string& says) {
  try {
    const SchedulerPart found = part_in(environment);
    ADD_FAILURE() << found.part.number << "/" << found.part.of << " by " << found.variables;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(says));
    EXPECT_THAT(error.what(), HasSubstr("--part NUMBER/PARTS"));
  }
}

TEST(SchedulerPart, OfRanks) {
  expect({{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_NTASKS", "9"}}, 2, 4);
  expect({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "3"}}, 1, 3);
  expect({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}, 0, 2);
  // mpirun inside a step: the variables of Slurm are those of its daemon.
  expect({{"OMPI_COMM_WORLD_RANK", "5"},
          {"OMPI_COMM_WORLD_SIZE", "8"},
          {"SLURM_PROCID", "1"},
          {"SLURM_STEP_NUM_TASKS", "2"}},
         5, 8);
}

TEST(SchedulerPart, ABatchScriptIsNoStep) {
  refused({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}, "no step of Slurm");
  refused({}, "A batch script alone is one process");
}

TEST(SchedulerPart, OfArrays) {
  const Environment slurm = {{"SLURM_PROCID", "0"},         {"SLURM_NTASKS", "1"},
                             {"SLURM_ARRAY_TASK_ID", "7"},  {"SLURM_ARRAY_TASK_COUNT", "3"},
                             {"SLURM_ARRAY_TASK_MIN", "3"}, {"SLURM_ARRAY_TASK_MAX", "7"},
                             {"SLURM_ARRAY_TASK_STEP", "2"}};
  expect(slurm, 2, 3);
  Environment step = slurm;
  step["SLURM_STEP_NUM_TASKS"] = "1";  // srun -n 1 in the script
  expect(step, 2, 3);
  step["SLURM_STEP_NUM_TASKS"] = "4";
  refused(step, "it may be either");
  Environment uneven = slurm;
  uneven["SLURM_ARRAY_TASK_COUNT"] = "2";  // --array=3,7 reports a step of 1 or 2
  refused(uneven, "not evenly spaced");
  expect({{"SGE_TASK_ID", "4"},
          {"SGE_TASK_FIRST", "1"},
          {"SGE_TASK_LAST", "4"},
          {"SGE_TASK_STEPSIZE", "1"}},
         3, 4);
  refused({{"SGE_TASK_ID", "undefined"}}, "no variable of a scheduler");
}

TEST(SchedulerPart, RefusesWhatIsNoPart) {
  refused({{"PBS_ARRAY_INDEX", "3"}}, "PBS_ARRAY_INDEX is set");
  refused({{"LSB_JOBINDEX", "3"}}, "LSB_JOBINDEX is set");
  refused({{"LSB_JOBINDEX", "0"}}, "no variable of a scheduler");  // LSF outside of arrays
  refused({{"SLURM_PROCID", "two"}, {"SLURM_STEP_NUM_TASKS", "4"}}, "'two', which is not a number");
  refused({{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}}, "part 4 of 4, which is none");
}

}  // namespace
}  // namespace synelix::tool::scheduler_part_tests
