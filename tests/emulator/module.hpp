// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A decoded PTX module: functions of decoded instructions, and variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace emulator {

struct Warp;
struct Function;
struct Instruction;
struct Module;

/// Runs an instruction for those lanes of a warp.
using Handler = void (*)(Warp&, const Instruction&, std::uint32_t lanes);

enum class Space : std::uint8_t { generic, global, shared, local, param, constant };

/// The layout of the 32 lanes of a register in a frame: one bit each, 4 bytes each, 8 bytes each.
enum class Row : std::uint8_t { none, mask, narrow, wide };

/// A place in the sources: a file, a line, and the place that it was inlined at (-1: none).
struct Place {
  int file, line, column, parent;
};

/// Copies of parameters at a call: offsets of the caller, and those of the called function.
struct Call {
  const Function* function = nullptr;
  std::string name;
  std::vector<std::uint32_t> results, arguments;
};

/// The places in a frame for unused results, and for missing operands.
constexpr std::uint32_t sink_offset = 64;

/// Operands are numbers of slots while a function is parsed, and then offsets in its frame.
struct Instruction {
  Handler run = nullptr;
  std::uint32_t predicate = 0;  ///< a mask of lanes
  std::uint32_t invert = 0;     ///< all ones: those outside of the mask run it
  std::uint32_t to[4] = {0, 0, 0, 0};
  std::uint32_t from[5] = {0, 0, 0, 0, 0};
  std::uint32_t base = 0;   ///< of an address
  std::int32_t target = 0;  ///< of a branch: number of an instruction, or of a table
  std::int64_t offset = 0;  ///< of an address
  Row base_row = Row::none;
  Space space = Space::generic;
  std::uint8_t vector = 1;  ///< number of values that are loaded, stored, packed
  std::uint8_t mode = 0;    ///< interpreted by the handler
  std::uint8_t counts = 1;  ///< 0: a part of the instruction before or after it
  bool is_atomic = false;   ///< volatile, relaxed and the like: no race with its like
  bool is_multiply_add = false;
  std::int32_t place = -1;
  std::uint32_t line = 0;  ///< of the module's text
  std::uint32_t text_begin = 0, text_bytes = 0;
  const Call* call = nullptr;
};

struct Parameter {
  std::string name;
  std::size_t bytes, align, offset;
};

/// Registers that a thread finds filled when it starts.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
  smid,
  nsmid,
  gridid,
};

/// The contents of a slot of a frame.
enum class Content : std::uint8_t { variable, constant, special, shared, local, global };

struct Slot {
  Row row = Row::none;
  Content content = Content::variable;
  Special special = Special::tid_x;
  std::uint64_t value = 0;   ///< of a constant; of local memory: the offset
  std::string name{};        ///< of a variable in memory
  std::uint64_t addend = 0;  ///< to its address
  std::uint32_t offset = 0;
};

struct Function {
  std::string name;
  std::uint64_t id = 0;  ///< of all functions of the process
  const Module* module = nullptr;
  bool is_kernel = false, has_body = false;
  int max_threads = 0;  ///< 0: no bound
  std::vector<Parameter> parameters, results;
  std::size_t parameter_bytes = 0;  ///< of results, parameters, and those of calls
  std::size_t uniform_bytes = 0;    ///< the first of them, which all threads share: a kernel's own
  std::vector<Instruction> code;
  std::vector<Slot> slots;
  std::vector<std::uint32_t> filled;  ///< slots that are filled when a frame is entered
  std::size_t frame_bytes = 0, local_bytes = 0;
  std::vector<std::vector<std::int32_t>> tables;
  std::vector<std::unique_ptr<Call>> calls;
  int registers = 0;  ///< of the compiled code; 0: not known
  /// For each instruction, the number of threads and of warps that executed it; empty: not counted.
  mutable std::vector<std::uint64_t> executed, issued;
  // Of a kernel, when it was laid out:
  bool is_laid_out = false;
  std::size_t static_shared = 0;
  std::map<std::string, std::uint64_t> shared_places;
};

struct Variable {
  std::string name;
  Space space = Space::global;
  std::size_t bytes = 0, align = 1;
  bool is_dynamic = false;  ///< extern .shared x[]
  std::vector<unsigned char> initial;
  std::vector<std::pair<std::size_t, std::string>> addresses;  ///< of others, in the initial bytes
  std::uint64_t address = 0;
};

struct Module {
  std::string text;
  std::vector<std::string> files;
  std::vector<Place> places;
  std::map<std::string, std::unique_ptr<Function>> functions;
  std::map<std::string, Variable> variables;
  std::vector<int> place_of_line;  ///< of lines of the text

  /// FILE:LINE < FILE:LINE ..., the innermost function first.
  std::string where(int place) const;
  std::string where_of_line(std::uint32_t line) const;
  std::string path_of_line(std::uint32_t line) const;  ///< of the innermost function's file
  std::string text_of(const Instruction& instruction) const;
};

/// Throws std::runtime_error, which names the line that it cannot read.
std::unique_ptr<Module> parse(std::string text);

/// Parses, puts the variables into memory and fills in their addresses.
std::unique_ptr<Module> load(std::string text);

/// The kernel of that name, or nullptr.
Function* find_kernel(Module& module, const std::string& name);

}  // namespace emulator
