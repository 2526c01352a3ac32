// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/error.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Options of a convolution, and the choice that follows from them, the problem and the machine. A
/// choice is a value that is made without running anything.
///
///     sx::convolve(exec, samples, bank, features, {.border = sx::Border::zero, .every = 10});
///     const sx::Choice choice = sx::choose(exec, samples, bank);
///     std::puts(sx::name_of(choice.method));

namespace synelix {

/// Bytes in n mebibytes (2^20 bytes).
constexpr std::int64_t mebibytes(std::int64_t n) { return n << 20; }
/// Bytes in n gibibytes (2^30 bytes).
constexpr std::int64_t gibibytes(std::int64_t n) { return n << 30; }

/// The ways to compute a convolution. All give the same answer within rounding, and the same NaN.
enum class Method : std::uint8_t {
  automatic,  ///< the choice decides by its cost model
  direct,     ///< register-tiled sum over all taps
  events,     ///< adds the taps of each event; only for Events
  fft         ///< overlap-save: blocks of samples by fast Fourier transforms, for long windows
};

/// The instruction sets that a host tile is compiled for.
enum class InstructionSet : std::uint8_t {
  automatic,  ///< the widest that the processor and the build support
  plain,      ///< none beyond the compiler's default; a choice for a device has this one too
  avx2,       ///< AVX2 and FMA, of x86-64
  avx512,     ///< AVX-512 F, VL and DQ, and FMA, of x86-64
  neon,       ///< NEON, of 64-bit Arm
  sve256      ///< SVE with registers of 256 bits, of 64-bit Arm
};

/// The name of a method.
const char* name_of(Method method);
/// The name of an instruction set.
const char* name_of(InstructionSet set);

/// Whether a convolution brings samples to the memory of the execution space, and features back,
/// block by block. Results have the same bits either way.
enum class Staging : std::uint8_t {
  automatic,  ///< if an argument is out of reach, or is across a bus
  never,      ///< arguments are used in place; an argument that is out of reach is an error
  always      ///< all arguments that the host can copy, also if the device shares memory with it
};

/// Why arguments are staged or not.
enum class StagingReason : std::uint8_t {
  near,           ///< not staged: arguments are in the memory of the execution space
  shared_memory,  ///< not staged: the device and the host have one memory, or a coherent one
  not_wanted,     ///< not staged: Staging::never, though an argument is across a bus
  out_of_reach,   ///< staged: the execution space does not reach an argument
  across_a_bus,   ///< staged: kernels would read or write an argument across a bus
  asked_for       ///< staged: Staging::always
};

/// The name of a reason.
const char* name_of(StagingReason reason);

/// Upper bounds of the block that is resident at a time, as in NeMoS; absent: chosen.
/// A bound larger than the problem is clamped to it.
struct Batch {
  /// Input samples, at least the window. The FFT method takes complete blocks of `fft_length`
  /// samples, at least one, because its results depend on the block boundaries. If the window is
  /// cut into parts, it takes all blocks that a part reads.
  std::optional<std::int64_t> samples = {};
  std::optional<std::int64_t> channels = {};  ///< at least 1
  std::optional<std::int64_t> bases = {};     ///< at least 1
};

/// A part of the features: rows, channels and bases, each a half-open range.
struct Block {
  Range rows;      ///< of the features
  Range channels;  ///< counted with the last dimension fastest
  Range bases;     ///< filters of the bank; of a design, its columns
};

/// A number for each step of the methods: how often a run takes the step, or how long the step
/// takes. A register holds 16 floats or 8 doubles of AVX-512, 8 or 4 of AVX2 and SVE, 4 or 2 else.
struct Steps {
  // The direct method
  double multiply_add = 0;  ///< a register of multiply-adds
  double result = 0;        ///< a register of results, put in order and stored
  double run = 0;           ///< neighboring results of a row that fill no complete registers
  double strip = 0;         ///< a strip of rows of one channel, before its first row
  // The direct method and the FFT method
  double sample = 0;  ///< a register of samples, packed
  // The FFT method
  double fft_point = 0;   ///< a point of a register of lines, there or back, in short transforms
  double fft_far = 0;     ///< what a point costs more in long transforms, by the build's table
  double fft_result = 0;  ///< a register of results that are not complete cache lines
  double fft_run = 0;     ///< neighboring results of a row that are not complete cache lines
  // The event method
  double event = 0;         ///< an event, in each work item that sees it
  double event_tap = 0;     ///< a register of an event's taps
  double event_result = 0;  ///< a register of results
  double event_strip = 0;   ///< a work item of one channel
};

/// A member of `Steps` and its name.
struct NamedStep {
  const char* name;       ///< the member's name, as files of calibrations write it
  double Steps::* value;  ///< the member
};
/// All members of `Steps`, in the order of their declaration.
inline constexpr NamedStep all_steps[] = {{"multiply_add", &Steps::multiply_add},
                                          {"result", &Steps::result},
                                          {"run", &Steps::run},
                                          {"strip", &Steps::strip},
                                          {"sample", &Steps::sample},
                                          {"fft_point", &Steps::fft_point},
                                          {"fft_far", &Steps::fft_far},
                                          {"fft_result", &Steps::fft_result},
                                          {"fft_run", &Steps::fft_run},
                                          {"event", &Steps::event},
                                          {"event_tap", &Steps::event_tap},
                                          {"event_result", &Steps::event_result},
                                          {"event_strip", &Steps::event_strip}};

/// Sizes of work items in bytes. They change neither results nor methods. 0: the library's default.
struct WorkBytes {
  std::int64_t direct_block = 0;  ///< of packed samples of a work item of the direct method
  std::int64_t fft_block = 0;     ///< of packed samples of a work item of the FFT method
  /// Whether all members are equal.
  friend bool operator==(const WorkBytes&, const WorkBytes&) = default;
};

/// A member of `WorkBytes` and its name.
struct NamedBytes {
  const char* name;                 ///< the member's name, as files of calibrations write it
  std::int64_t WorkBytes::* value;  ///< the member
};
/// All members of `WorkBytes`, in the order of their declaration.
inline constexpr NamedBytes all_work_bytes[] = {{"direct_block", &WorkBytes::direct_block},
                                                {"fft_block", &WorkBytes::fft_block}};
/// Largest value of each.
inline constexpr std::int64_t most_work_bytes = std::int64_t{1} << 40;

/// What the cost model knows about a machine. The defaults are for machines that were not measured.
struct Machine {
  /// Widest instruction set to use; automatic: the widest that the processor and the build support.
  InstructionSet instruction_set = InstructionSet::automatic;
  /// Nanoseconds of each step on one core, from `calibrate` or from an earlier run that is to be
  /// repeated; absent: the library's defaults. They determine the method, and so the last bits of
  /// the results.
  std::optional<Steps> nanoseconds = {};
  /// From `calibrate`. They only change the speed.
  WorkBytes bytes = {};
};

/// Progress of a call in memory.
struct CallProgress {
  std::int64_t rows_done = 0;  ///< rows of features; of other functions, parts of equal work
  std::int64_t rows = 0;       ///< of the entire call, as rows_done counts them
  double seconds = 0;          ///< since the start
};

/// Reports the progress of a one-shot call, and cancels it. A watched call pauses about every 40 ms
/// to check for this. Results have the same bits as without.
struct Watch {
  /// Called on the caller's thread about every 40 ms, and at the end. An exception from it ends the
  /// call.
  std::function<void(const CallProgress&)> progress = {};
  /// Read about every 40 ms: once true, the call ends by `Cancelled`. May be set by a signal
  /// handler.
  const std::atomic<bool>* cancel = nullptr;

  /// Whether there is a function or a flag.
  [[nodiscard]] bool is_set() const { return progress != nullptr || cancel != nullptr; }
};

/// How a series is convolved with a filter bank.
struct ConvolveOptions {
  Causality causality = Causality::causal;  ///< the side of a row that its window is on
  Shift shift = Shift::automatic;           ///< whether the window leaves out the present sample
  Border border = Border::nan;              ///< content of rows whose window leaves its epoch
  Method method = Method::automatic;        ///< an Error if it does not apply to the problem
  Batch batch = {};                         ///< bounds of the resident block; they change no bit
  /// Bytes that the call may use beyond its arguments, in the memory of the execution space;
  /// absent: a quarter of what is available there.
  std::optional<std::int64_t> budget = {};
  /// Only every n-th sample of each epoch, counted from its start, becomes a row.
  std::int64_t every = 1;
  Machine machine = {};  ///< widest instruction set, and times of the cost model
  /// Parts that the FFT method cuts the window into, 1 to 16; absent: the number that is predicted
  /// to be fastest, from the problem and the instruction set alone. A part is a whole number of
  /// rows, so there may be fewer parts. The number of parts determines the last bits of the
  /// results.
  std::optional<std::int64_t> fft_parts = {};
  /// For one-shot calls and streams; plans never copy.
  Staging staging = Staging::automatic;
  /// Bytes of host memory that staged blocks may use in addition to `budget`. In a stream: all host
  /// memory that it holds. Absent: a quarter of the available memory.
  std::optional<std::int64_t> host_budget = {};
  /// Reports the progress of a one-shot call, and cancels it. For streams use StreamOptions.
  Watch watch = {};
};

/// A method that can compute a problem.
struct Candidate {
  Method method = Method::direct;  ///< never `automatic`
  double seconds = 0;              ///< predicted by the cost model
};

/// How a problem is copied through the device in blocks. If it is not, all members except `reason`
/// are 0.
struct StagedBlocks {
  StagingReason reason = StagingReason::near;  ///< why blocks are staged or not
  bool input = false;             ///< whether samples, or events, are copied to the device
  bool features = false;          ///< whether features are copied back
  bool whole_events = false;      ///< whether all events are copied once, before the first block
  std::int64_t slots = 0;         ///< blocks in flight
  std::int64_t rows = 0;          ///< most rows of a block
  std::int64_t channels = 0;      ///< most channels of a block
  std::int64_t samples = 0;       ///< most samples of a block, halo included; of arrays
  std::int64_t events = 0;        ///< most events of a block, if they are not all copied once
  std::int64_t device_bytes = 0;  ///< in the memory of the execution space, workspace included
  std::int64_t host_bytes = 0;    ///< of pinned host memory

  /// Whether anything is copied.
  [[nodiscard]] bool is_staged() const { return input || features; }
  /// Whether all members are the same.
  friend bool operator==(const StagedBlocks&, const StagedBlocks&) = default;
};

/// How a problem will be computed.
struct Choice {
  Method method = Method::direct;                          ///< never `automatic`
  InstructionSet instruction_set = InstructionSet::plain;  ///< of host tiles; on a device `plain`
  std::int64_t rows = 0;                                   ///< samples of the features
  std::int64_t every = 1;                                  ///< samples from one row to the next
  std::int64_t batch_samples = 0;    ///< input samples of a work item, halo included
  std::int64_t batch_channels = 0;   ///< channels of a work item
  std::int64_t batch_bases = 0;      ///< bases of a work item
  std::int64_t strip_rows = 0;       ///< output rows of one channel that are computed together
  std::int64_t strips = 0;           ///< such strips in a work item
  std::int64_t fft_length = 0;       ///< samples of a transformed block; 0 for other methods
  std::int64_t fft_parts = 0;        ///< parts of the window; 1: blocks see all of it; 0: not fft
  std::int64_t fft_part_taps = 0;    ///< taps of each part but the last, which has the rest
  std::int64_t teams = 0;            ///< work items in flight
  std::int64_t workspace_bytes = 0;  ///< what the plan allocates, or borrows
  double flops = 0;                  ///< floating-point operations
  double bytes = 0;                  ///< bytes read and written, each once
  double seconds = 0;                ///< predicted by the cost model
  /// Predicted times of the methods that apply, in the order of `Method`. `method` is the fastest,
  /// or the one that the options name.
  std::vector<Candidate> candidates = {};
  /// What a one-shot call or a stream copies, if the memory of its arguments is known.
  StagedBlocks staging = {};
};

/// A quarter of the memory that is available to this process: the smaller of the machine's free
/// memory and what its control groups (v1 or v2) still allow. At least 64 MiB.
std::int64_t default_budget();

}  // namespace synelix
