// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include <synelix/alignment.hpp>

/// \file
/// How a convolution is to be done, and how it will be done: options, and the choice that they,
/// the problem and the machine lead to. A choice is a value, made without running.

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
enum class InstructionSet : std::uint8_t { automatic, plain, avx2, avx512 };

/// The name of a method.
const char* name_of(Method method);
/// The name of an instruction set.
const char* name_of(InstructionSet set);

/// Upper bounds of the block that is resident at a time, as in NeMoS; absent: chosen.
/// A bound larger than the problem is clamped to it.
struct Batch {
  std::optional<std::int64_t> samples = {};   ///< input samples, at least the window
  std::optional<std::int64_t> channels = {};  ///< at least 1
  std::optional<std::int64_t> bases = {};     ///< at least 1
};

/// What the cost model knows of a machine. The defaults serve where nothing was measured.
struct Machine {
  /// Widest instruction set to use; automatic: the widest that the processor and the build have.
  InstructionSet instruction_set = InstructionSet::automatic;
};

/// How a series is convolved with a filter bank.
struct ConvolveOptions {
  Causality causality = Causality::causal;
  Shift shift = Shift::automatic;
  Border border = Border::nan;
  Method method = Method::automatic;
  Batch batch = {};
  /// Bytes that the call may use beyond its arguments; absent: a quarter of the available memory.
  std::optional<std::int64_t> budget = {};
  /// Only every n-th sample of each epoch, counted from its start, becomes a row.
  std::int64_t every = 1;
  Machine machine = {};
};

/// How a problem will be computed.
struct Choice {
  Method method = Method::direct;
  InstructionSet instruction_set = InstructionSet::plain;
  std::int64_t rows = 0;             ///< samples of the features
  std::int64_t every = 1;            ///< samples from one row to the next
  std::int64_t batch_samples = 0;    ///< input samples of a work item, halo included
  std::int64_t batch_channels = 0;   ///< channels of a work item
  std::int64_t batch_bases = 0;      ///< bases of a work item
  std::int64_t strip_rows = 0;       ///< output rows of one channel that are computed together
  std::int64_t strips = 0;           ///< such strips in a work item
  std::int64_t fft_length = 0;       ///< samples of a transformed block; 0 for other methods
  std::int64_t teams = 0;            ///< work items in flight
  std::int64_t workspace_bytes = 0;  ///< what the plan allocates, or borrows
  double flops = 0;                  ///< floating-point operations
  double bytes = 0;                  ///< bytes read and written, each once
  double seconds = 0;                ///< predicted by the cost model
};

/// A quarter of the memory that is available to this process: of the free memory of the machine
/// and of what its control groups (v1 or v2) still allow, the smaller. At least 64 MiB.
std::int64_t default_budget();

}  // namespace synelix
