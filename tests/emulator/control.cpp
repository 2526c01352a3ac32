// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Branches, calls, ends, and barriers of the team.
#include "faults.hpp"
#include "lanes.hpp"
#include "opcode.hpp"
#include "team.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace emulator {
namespace {

void do_nothing(Warp&, const Instruction&, u32) {}

void jump(Warp& warp, const Instruction& i, u32 lanes) {
  branch(warp, lanes, warp.frame->function->code.data() + (i.target - 1));
}

/// Lanes with the same index go together; the others become fragments of their own.
void jump_by_table(Warp& warp, const Instruction& i, u32 lanes) {
  const Function& f = *warp.frame->function;
  const auto& table = f.tables[static_cast<std::size_t>(-1 - i.target)];
  const auto* index = source<u32>(warp, i.from[0]);
  while (lanes != 0) {
    const u32 wanted = index[std::countr_zero(lanes)];
    u32 same = 0;
    for (u32 left = lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (index[lane] == wanted) same |= 1U << lane;
    }
    lanes &= ~same;
    if (wanted >= table.size()) {
      report("branch out of its table", warp, i, std::to_string(wanted));
      continue;
    }
    warp.fragments.push_back({warp.frame, f.code.data() + table[wanted], same});
    leave(warp, same);
  }
  warp.stop = nullptr;
}

void end_threads(Warp& warp, const Instruction&, u32 lanes) {
  warp.unused |= lanes;
  leave(warp, lanes);
}

void trap(Warp& warp, const Instruction& i, u32 lanes) {
  report("trap", warp, i,
         "the kernel stops itself, in " + thread_name(warp, std::countr_zero(lanes)));
  end_threads(warp, i, lanes);
}

void wait_at_barrier(Warp& warp, const Instruction& i, u32 lanes) {
  const int first = std::countr_zero(lanes);
  Fragment f{warp.frame, warp.next, lanes, State::at_barrier, &i};
  f.barrier = static_cast<int>(source<u32>(warp, i.from[0])[first] & 15);
  const bool counts_threads = i.mode == 0 && i.from[1] != sink_offset;
  f.barrier_threads = counts_threads ? static_cast<int>(source<u32>(warp, i.from[1])[first]) : 0;
  warp.fragments.push_back(f);
  leave(warp, lanes);
}

/// The active lanes. Others of the warp may have gone another way for a while.
void read_active_mask(Warp& warp, const Instruction& i, u32 lanes) {
  fill<u32>(warp, i.to[0], lanes, [lanes](int) { return lanes; });
}

unsigned char* parameters_of(Frame& frame, int lane) {
  return frame.parameters.data() + static_cast<std::size_t>(lane) * frame.parameter_stride;
}

void copy_parameter(Frame& to, std::size_t to_offset, Frame& from, std::size_t from_offset,
                    std::size_t bytes, u32 lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    std::memcpy(parameters_of(to, lane) + (to_offset - to.function->uniform_bytes),
                parameters_of(from, lane) + (from_offset - from.function->uniform_bytes), bytes);
  }
}

void call_without_body(Warp& warp, const Instruction& i, u32 lanes) {
  const std::string& name = i.call->name;
  if (name == "vprintf") return;
  const bool is_assertion = name == "__assertfail";
  report(is_assertion ? "assertion" : "call of a function without a body", warp, i,
         name + " by " + thread_name(warp, std::countr_zero(lanes)));
  if (is_assertion) end_threads(warp, i, lanes);
}

}  // namespace

void run_call(Warp& warp, const Instruction& i, u32 lanes) {
  const Call& call = *i.call;
  const Function& callee = *call.function;
  if (!callee.has_body) return call_without_body(warp, i, lanes);
  if (const u32 rest = warp.active & ~lanes; rest != 0) {
    warp.fragments.push_back({warp.frame, warp.next, rest});
    warp.active = lanes;
  }
  Frame& caller = *warp.frame;
  Frame& frame = enter_frame(warp, callee, lanes);
  frame.next = warp.next;
  frame.call = &call;
  const std::size_t count = std::min(call.arguments.size(), callee.parameters.size());
  for (std::size_t k = 0; k < count; ++k) {
    const Parameter& p = callee.parameters[k];
    copy_parameter(frame, p.offset, caller, call.arguments[k], p.bytes, lanes);
  }
  warp.next = callee.code.data();
  warp.stop = nullptr;
}

void run_return(Warp& warp, const Instruction& i, u32 lanes) {
  Frame& frame = *warp.frame;
  if (frame.caller == nullptr) return end_threads(warp, i, lanes);
  const std::size_t count = std::min(frame.call->results.size(), frame.function->results.size());
  for (std::size_t k = 0; k < count; ++k) {
    const Parameter& p = frame.function->results[k];
    copy_parameter(*frame.caller, frame.call->results[k], frame, p.offset, p.bytes, lanes);
  }
  warp.fragments.push_back({frame.caller, frame.next, lanes});
  leave(warp, lanes);
  warp.stop = nullptr;
  frame.lanes &= ~lanes;
  if (frame.lanes != 0) return;
  const auto found = std::find_if(warp.frames.begin(), warp.frames.end(),
                                  [&](const auto& other) { return other.get() == &frame; });
  warp.spare_frames.push_back(std::move(*found));
  warp.frames.erase(found);
}

/// bar.red.popc.u32, bar.red.and.pred, bar.red.or.pred of all threads.
Shape find_reducing_barrier(const Opcode& opcode, Instruction& i) {
  const std::size_t begin = opcode.has("cta") ? 2 : 1;
  if (opcode.parts.size() < begin + 3 || opcode.parts[begin] != "red") return {};
  const std::string& operation = opcode.parts[begin + 1];
  const bool is_count = operation == "popc" && opcode.type() == "u32";
  const bool is_predicate = (operation == "and" || operation == "or") && opcode.type() == "pred";
  if (!is_count && !is_predicate) return {};
  i.mode = static_cast<u8>(is_count             ? AtBarrier::count
                           : operation == "and" ? AtBarrier::conjunction
                                                : AtBarrier::disjunction);
  return {wait_at_barrier, is_count ? "n=nm" : "m=nm"};
}

Shape find_control(const Opcode& opcode, Instruction& i) {
  const std::string& name = opcode.name();
  if (name == "bra") return {jump, "="};
  if (name == "brx") return {jump_by_table, "=n"};
  if (name == "ret") return {run_return, "="};
  if (name == "exit") return {end_threads, "="};
  if (name == "trap" || name == "brkpt") return {trap, "="};
  if (name == "activemask") return {read_active_mask, "n="};
  if (name == "membar" || name == "fence" || name == "griddepcontrol" || name == "pmevent") {
    return {do_nothing, "=n"};
  }
  if (name == "prefetch" || name == "prefetchu" || name == "discard") return {do_nothing, "=n"};
  if (name == "nanosleep") return {do_nothing, "=n"};
  const bool is_barrier = name == "bar" || name == "barrier";
  if (!is_barrier || opcode.has("warp")) return {};
  if (opcode.has("red")) return find_reducing_barrier(opcode, i);
  for (std::size_t k = 1; k < opcode.parts.size(); ++k) {
    const std::string& part = opcode.parts[k];
    if (part != "sync" && part != "cta" && part != "aligned") return {};
  }
  return {wait_at_barrier, "=nn"};
}

}  // namespace emulator
