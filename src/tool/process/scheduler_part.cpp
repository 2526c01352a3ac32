// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/process/scheduler_part.hpp"

#include <synelix/error.hpp>

#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace synelix::tool {
namespace {

struct Ranks {
  const char* rank;
  const char* size;
};
/// The first one that is set is used: mpirun inside a Slurm step passes on the variables of the
/// step, which are those of its daemon. Slurm also sets SLURM_PROCID and SLURM_NTASKS in batch
/// scripts, where there is one process; SLURM_STEP_NUM_TASKS is set only in steps.
constexpr std::array<Ranks, 3> all_ranks{{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"PMI_RANK", "PMI_SIZE"},
                                          {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}};

struct Array {
  const char* id;
  const char* first;
  const char* last;
  const char* step;
};
constexpr std::array<Array, 2> all_arrays{
    {{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
      "SLURM_ARRAY_TASK_STEP"},
     {"SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE"}}};

/// Job arrays that provide a task's number, but not the number of tasks.
constexpr std::array<const char*, 3> numbers_alone{"PBS_ARRAY_INDEX", "PBS_ARRAYID",
                                                   "LSB_JOBINDEX"};

constexpr const char* give_part = "Give --part NUMBER/PARTS";

std::optional<std::int64_t> number_in(const Variable& variable, const char* name) {
  const auto text = variable(name);
  if (!text || text->empty() || *text == "undefined") return std::nullopt;  // Grid Engine: none
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) {
    throw Error("--part auto", std::string(name) + " is '" + *text + "', which is not a number",
                give_part);
  }
  return number;
}

SchedulerPart checked(SchedulerPart found) {
  const OutputPart& part = found.part;
  if (part.of >= 1 && part.number >= 0 && part.number < part.of) return found;
  throw Error("--part auto",
              found.variables + " say part " + std::to_string(part.number) + " of " +
                  std::to_string(part.of) + ", which is none",
              give_part);
}

std::optional<SchedulerPart> from_ranks(const Variable& variable) {
  for (const Ranks& names : all_ranks) {
    const auto rank = number_in(variable, names.rank);
    const auto size = number_in(variable, names.size);
    if (!rank || !size) continue;
    return checked({{*rank, *size}, std::string(names.rank) + " and " + names.size});
  }
  return std::nullopt;
}

std::optional<SchedulerPart> from_array(const Variable& variable) {
  for (const Array& names : all_arrays) {
    const auto id = number_in(variable, names.id);
    if (!id) continue;
    const auto first = number_in(variable, names.first);
    const auto last = number_in(variable, names.last);
    const std::int64_t step = number_in(variable, names.step).value_or(1);
    if (!first || !last || step < 1) {
      throw Error("--part auto",
                  std::string(names.id) + " is set without " + names.first + " and " + names.last,
                  give_part);
    }
    const std::int64_t tasks = (*last - *first) / step + 1;
    const auto count = number_in(variable, "SLURM_ARRAY_TASK_COUNT");
    const bool is_slurm = &names == all_arrays.data();
    if ((*id - *first) % step != 0 || (is_slurm && count.value_or(tasks) != tasks)) {
      throw Error("--part auto",
                  "the ids of this job array are not evenly spaced, so none of them tells the "
                  "number of a part",
                  give_part);
    }
    return checked({{(*id - *first) / step, tasks},
                    std::string(names.id) + ", " + names.first + " and " + names.last});
  }
  return std::nullopt;
}

}  // namespace

SchedulerPart part_of_scheduler(const Variable& variable) {
  const auto ranks = from_ranks(variable);
  const auto array = from_array(variable);
  if (ranks && array && ranks->part.of > 1 && array->part.of > 1) {
    throw Error("--part auto",
                "this is a rank of " + std::to_string(ranks->part.of) + " (" + ranks->variables +
                    ") inside a job array of " + std::to_string(array->part.of) + " tasks (" +
                    array->variables + "), so it may be either",
                give_part);
  }
  if (array && (!ranks || ranks->part.of == 1)) return *array;
  if (ranks) return *ranks;
  for (const char* name : numbers_alone) {
    const auto number = number_in(variable, name);
    if (!number || *number == 0) continue;
    throw Error("--part auto",
                std::string(name) +
                    " is set, but this scheduler does not say how many tasks the "
                    "array has",
                "Give --part NUMBER/PARTS, with parts counted from 0");
  }
  throw Error("--part auto",
              "no variable of a scheduler says which part this is: there is no step of Slurm "
              "(srun), no mpirun and no job array. A batch script alone is one process",
              "Start the program by srun or mpirun, as a job array, or give --part NUMBER/PARTS");
}

SchedulerPart part_of_process(const PartWish& wish) {
  if (wish.part) return {.part = *wish.part, .variables = {}};
  return part_of_scheduler([](const std::string& name) {
    const char* const text = std::getenv(name.c_str());
    return text == nullptr ? std::nullopt : std::optional<std::string>(text);
  });
}

}  // namespace synelix::tool
