// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// The tags of instruction sets. Every template of a tile has one as an argument, so that the
/// linker never uses a copy that was compiled for another processor.

#if defined(__CUDACC__) || defined(__HIPCC__)
#define SYNELIX_DEVICE_COMPILER
#define SYNELIX_FUNCTION __host__ __device__
#define SYNELIX_INLINE __host__ __device__ inline __attribute__((always_inline))
#define SYNELIX_APART __host__ __device__ inline
#else
#define SYNELIX_FUNCTION
#define SYNELIX_APART __attribute__((noinline))  // a separate function, on hosts
#define SYNELIX_INLINE inline __attribute__((always_inline))
#endif

/// Unrolls the following loop, which has at most n iterations. The host pass of nvcc has no host
/// tile, and its compiler warns of the device's pragma.
#define SYNELIX_PRAGMA(text) _Pragma(#text)
#if defined(__CUDACC__) && !defined(__CUDA_ARCH__)
#define SYNELIX_UNROLL(n)
#elif defined(SYNELIX_DEVICE_COMPILER)
#define SYNELIX_UNROLL(n) SYNELIX_PRAGMA(unroll n)
#else
#define SYNELIX_UNROLL(n) SYNELIX_PRAGMA(GCC unroll n)
#endif

/// The same on devices only, where n may be a member of a template's argument, which g++ does not
/// accept.
#ifdef SYNELIX_DEVICE_COMPILER
#define SYNELIX_UNROLL_ON_DEVICE(n) SYNELIX_UNROLL(n)
#else
#define SYNELIX_UNROLL_ON_DEVICE(n)
#endif

namespace synelix::lanes {

/// Available on every 64-bit processor: 16-byte registers on x86-64; product and sum are rounded
/// separately.
struct Plain {
  static constexpr const char* name = "plain";
  static constexpr int bytes = 16;
  static constexpr int registers = 16;
  static constexpr bool is_fused = false;  ///< a multiply-add rounds once
};

/// 32-byte registers with fused multiply-add.
struct Avx2 {
  static constexpr const char* name = "avx2";
  static constexpr int bytes = 32;
  static constexpr int registers = 16;
  static constexpr bool is_fused = true;  ///< a multiply-add rounds once
};

/// 64-byte registers, twice as many.
struct Avx512 {
  static constexpr const char* name = "avx512";
  static constexpr int bytes = 64;
  static constexpr int registers = 32;
  static constexpr bool is_fused = true;  ///< a multiply-add rounds once
};

/// 64-bit Arm: 16-byte registers with fused multiply-add.
struct Neon {
  static constexpr const char* name = "neon";
  static constexpr int bytes = 16;
  static constexpr int registers = 32;
  static constexpr bool is_fused = true;  ///< a multiply-add rounds once
};

/// 64-bit Arm with 32-byte registers of the Scalable Vector Extension, a length known at compile
/// time. A processor with another length uses Neon.
struct Sve256 {
  static constexpr const char* name = "sve256";
  static constexpr int bytes = 32;
  static constexpr int registers = 32;
  static constexpr bool is_fused = true;  ///< a multiply-add rounds once
};

template <class... Sets>
struct SetList {};
/// All sets of hosts; those of one kind of processor start with the narrowest. A build has those of
/// SYNELIX_INSTRUCTION_SETS.
using HostSets = SetList<Plain, Avx2, Avx512, Neon, Sve256>;

/// A thread of a device: 16 bytes are one memory access, and the lanes are an array.
struct DeviceThread {
  static constexpr int bytes = 16;
  static constexpr int registers = 128;
};

}  // namespace synelix::lanes
