// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/select.hpp"

#include "lanes/set_of.hpp"
#include "tile/column_table.hpp"
#include "tile/event_products.hpp"
#include "tile/row_products.hpp"

#include <synelix/error.hpp>

#include <cstddef>
#include <string>
#ifdef __aarch64__
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace synelix::tile {
namespace {

/// Whether the processor has the instructions of a set. A build may leave sets out.
[[maybe_unused]] bool is_on_processor(lanes::Plain) { return true; }
#ifdef __x86_64__
[[maybe_unused]] bool is_on_processor(lanes::Avx2) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
[[maybe_unused]] bool is_on_processor(lanes::Avx512) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma");
}
#endif

#ifdef __aarch64__
[[maybe_unused]] bool is_on_processor(lanes::Neon) { return true; }
[[maybe_unused]] bool is_on_processor(lanes::Sve256) {
  constexpr unsigned long has_sve = 1UL << 22;  // HWCAP_SVE of Linux
  constexpr int get_length = 51;                // PR_SVE_GET_VL
  constexpr int length_bits = 0xffff;           // PR_SVE_VL_LEN_MASK
  if ((getauxval(AT_HWCAP) & has_sve) == 0) return false;
  const int answer = prctl(get_length);
  return answer >= 0 && (answer & length_bits) == lanes::Sve256::bytes;
}
#endif

template <class... Sets>
InstructionSet select_of(lanes::SetList<Sets...>, InstructionSet wanted) {
  constexpr auto absent = InstructionSet::automatic;
  const InstructionSet sets[] = {(is_on_processor(Sets{}) ? lanes::set_of(Sets{}) : absent)...};
  std::string usable;
  for (std::size_t i = sizeof...(Sets); i-- > 0;) {  // the widest first
    if (sets[i] == absent) continue;
    if (wanted == InstructionSet::automatic || wanted == sets[i]) return sets[i];
    usable += usable.empty() ? name_of(sets[i]) : std::string(", ") + name_of(sets[i]);
  }
  throw Error("machine.instruction_set",
              std::string(name_of(wanted)) +
                  (usable.empty() ? " cannot serve: this build has no tiles for this processor"
                                  : " is not in this build or not on this processor"),
              usable.empty() ? std::string("Build for this processor")
                             : "Use automatic, or one of " + usable,
              usable.empty() ? Remedy::any : Remedy::automatic);
}

/// The table that table_for(tag) returns for a set.
template <class Table, class TableFor>
const Table& built(InstructionSet set, const TableFor& table_for) {
  const auto* const table = lanes::built_table<Table>(set, table_for);
  if (table != nullptr) return *table;
  throw Error("machine.instruction_set", std::string(name_of(set)) + " is not in this build",
              "Use a set of this build");
}

}  // namespace

InstructionSet select_set(InstructionSet wanted) { return select_of(lanes::BuiltSets{}, wanted); }

template <class Scalar>
const TileTable<Scalar>& table_of(InstructionSet set) {
  return built<TileTable<Scalar>>(
      set, [](auto tag) -> const auto& { return table_for<Scalar, decltype(tag)>(); });
}

template <class Scalar>
const EventTable<Scalar>& event_table_of(InstructionSet set) {
  return built<EventTable<Scalar>>(
      set, [](auto tag) -> const auto& { return event_table_for<Scalar, decltype(tag)>(); });
}

template <class Scalar>
const ColumnTable<Scalar>& column_table_of(InstructionSet set) {
  return built<ColumnTable<Scalar>>(
      set, [](auto tag) -> const auto& { return column_table_for<Scalar, decltype(tag)>(); });
}

template const ColumnTable<float>& column_table_of<float>(InstructionSet);
template const ColumnTable<double>& column_table_of<double>(InstructionSet);
template const TileTable<float>& table_of<float>(InstructionSet);
template const TileTable<double>& table_of<double>(InstructionSet);
template const EventTable<float>& event_table_of<float>(InstructionSet);
template const EventTable<double>& event_table_of<double>(InstructionSet);

template <class Feature, class Scalar>
const RowTable<Feature, Scalar>& row_table_of(InstructionSet set) {
  return built<RowTable<Feature, Scalar>>(
      set, [](auto tag) -> const auto& { return row_table_for<Feature, Scalar, decltype(tag)>(); });
}

template const RowTable<float, float>& row_table_of<float, float>(InstructionSet);
template const RowTable<float, double>& row_table_of<float, double>(InstructionSet);
template const RowTable<double, double>& row_table_of<double, double>(InstructionSet);

const LossTable& loss_table_of(InstructionSet set) {
  return built<LossTable>(set,
                          [](auto tag) -> const auto& { return loss_table_for<decltype(tag)>(); });
}

int register_bytes(InstructionSet set) {
  int bytes = lanes::Plain::bytes;
  lanes::visit_set(lanes::HostSets{}, set, [&](auto tag) { bytes = tag.bytes; });
  return bytes;
}

}  // namespace synelix::tile
