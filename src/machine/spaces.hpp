// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// The execution spaces of this build: the only list for explicit instantiations.
/// SYNELIX_FOR_EACH_SCALAR_AND_SPACE(M) expands to M(float, space) M(double, space) for each space,
/// and SYNELIX_FOR_EACH_SPACE(M) to M(space).

#ifdef KOKKOS_ENABLE_SERIAL
#define SYNELIX_FOR_SERIAL(M) M(float, Kokkos::Serial) M(double, Kokkos::Serial)
#define SYNELIX_IN_SERIAL(M) M(Kokkos::Serial)
#else
#define SYNELIX_FOR_SERIAL(M)
#define SYNELIX_IN_SERIAL(M)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define SYNELIX_FOR_OPENMP(M) M(float, Kokkos::OpenMP) M(double, Kokkos::OpenMP)
#define SYNELIX_IN_OPENMP(M) M(Kokkos::OpenMP)
#else
#define SYNELIX_FOR_OPENMP(M)
#define SYNELIX_IN_OPENMP(M)
#endif
#ifdef KOKKOS_ENABLE_CUDA
#define SYNELIX_FOR_CUDA(M) M(float, Kokkos::Cuda) M(double, Kokkos::Cuda)
#define SYNELIX_IN_CUDA(M) M(Kokkos::Cuda)
#else
#define SYNELIX_FOR_CUDA(M)
#define SYNELIX_IN_CUDA(M)
#endif
#ifdef KOKKOS_ENABLE_HIP
#define SYNELIX_FOR_HIP(M) M(float, Kokkos::HIP) M(double, Kokkos::HIP)
#define SYNELIX_IN_HIP(M) M(Kokkos::HIP)
#else
#define SYNELIX_FOR_HIP(M)
#define SYNELIX_IN_HIP(M)
#endif

#define SYNELIX_FOR_EACH_SCALAR_AND_SPACE(M) \
  SYNELIX_FOR_SERIAL(M)                      \
  SYNELIX_FOR_OPENMP(M)                      \
  SYNELIX_FOR_CUDA(M)                        \
  SYNELIX_FOR_HIP(M)

#define SYNELIX_FOR_EACH_SPACE(M) \
  SYNELIX_IN_SERIAL(M)            \
  SYNELIX_IN_OPENMP(M)            \
  SYNELIX_IN_CUDA(M)              \
  SYNELIX_IN_HIP(M)
