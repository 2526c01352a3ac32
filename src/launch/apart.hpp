// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>
#include <synelix/types/matmul.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// \file
/// Whether the written memory of a call is disjoint from all of its other arguments.

namespace synelix::plan {

/// How a call uses the memory of an argument.
enum class Access : std::uint8_t { read, written };

/// One argument of a call: its name in messages, its memory, and how it is used.
struct Argument {
  const char* name = "";     ///< of the argument, or of the list that contains it
  std::int64_t number = -1;  ///< in that list; -1: no list
  const char* entry = "";    ///< of the entry of a list: ".a"
  const char* part = "";     ///< of the argument: "'s scales"
  Strided array;
  Access access = Access::read;

  [[nodiscard]] std::string text() const;
};

/// The arguments of a call. Every verb lists all of its own here: arrays, scales and offsets that
/// are read in a run, and workspaces. An absent argument may be listed; it overlaps nothing.
class Arguments {
 public:
  Arguments& writes(const char* name, const StridedOutput& array);
  Arguments& writes(const char* name, const std::byte* memory, std::size_t bytes);
  /// Values, and the scales and offsets of channels.
  Arguments& reads(const char* name, const Operand& operand);
  /// The following arguments are of an entry of a list: NAME[number] and the rest of the name.
  Arguments& of_entry(const char* name, std::int64_t number);

  [[nodiscard]] std::span<const Argument> all() const { return {m_all.data(), m_count}; }

 private:
  void add(const char* name, const char* part, const Strided& array, Access access);
  void add(const char* name, const char* part, const PerChannel& numbers);

  static constexpr std::size_t most = 10;  ///< bilinear forms: three scaled operands, a result
  std::array<Argument, most> m_all;
  std::size_t m_count = 0;
  const char* m_list = nullptr;
  std::int64_t m_number = -1;
};

/// Throws if a call writes memory of another argument. Allocates nothing, since each run checks.
/// \throws Error naming both arguments
void check_apart(const Arguments& arguments);

/// The same for a list of products. Takes 32 bytes for each while it runs.
void check_apart(std::span<const Product> products);

/// Whether two arrays share no value. Arrays with overlapping address ranges are known to be
/// disjoint if both are blocks of one matrix.
bool are_apart(const StridedOutput& output, const Strided& other);

}  // namespace synelix::plan
