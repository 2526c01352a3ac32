// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels with known answers. basics.ptx is made of them (kernels/make), so that the tests need
// no nvcc.
#include <cstdint>

__device__ int table[4] = {3, 1, 4, 1};
__constant__ float scale[2] = {2, 3};
extern __shared__ double scratch[];

extern "C" {

__global__ void functions_double(const double* x, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = sqrt(fabs(x[i])) + exp(-x[i] * x[i]) + log1p(fabs(x[i])) + sin(x[i]) +
         pow(fabs(x[i]), 0.3) + fma(x[i], 2.0, 1.0) + table[i & 3];
}

__global__ void functions_float(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = (sqrtf(fabsf(x[i])) + expf(-x[i] * x[i]) + log1pf(fabsf(x[i])) + tanhf(x[i])) * scale[0] +
         scale[1];
}

__global__ void integers(const long long* x, long long* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long a = x[i], b = x[(i + 1) % n] | 1;
  long long r = a / b * 3 + a % b;
  r ^= (unsigned long long)a / 7 + (unsigned)a % 11u;
  r += __popcll(a) + __clzll(a) + (a >> 5) + ((unsigned long long)a >> 3) + (a << 7);
  r += (short)(a) + (signed char)(b) + (long long)__umul64hi(a, b);
  r += (long long)(double)a + (long long)(float)b + (int)(1e10f * (i & 1));
  y[i] = r;
}

__global__ void total(const float* x, float* sums, int n) {
  __shared__ float parts[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += x[i];
  }
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sums, parts[0]);
}

__global__ void shuffled(const int* x, int* y) {
  int v = x[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
  const unsigned mask = __ballot_sync(0xffffffffu, x[threadIdx.x] > 5);
  y[threadIdx.x] = v * 100 + __popc(mask);
}

__device__ __noinline__ double halves(double v, int n) {
  return n == 0 ? v : halves(v / 2, n - 1) + 1;
}

__global__ void called(double* y) {
  double local[8];
  for (int k = 0; k < 8; ++k) local[k] = k * threadIdx.x;
  y[threadIdx.x] = halves(threadIdx.x, 5) + local[threadIdx.x & 7];
}

/// A lock that one thread after the other takes, also of the same warp.
__global__ void locked(int* lock, int* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      const int before = *(volatile int*)count;
      *(volatile int*)count = before + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

/// Threads of a warp leave a loop at different times, and choose among many cases.
__global__ void diverging(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int steps = 0;
  for (unsigned v = x[i]; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) ++steps;
  switch (x[i] % 7) {
    case 0: steps += 10; break;
    case 1: steps *= 3; break;
    case 2: steps -= x[i]; break;
    case 3: steps ^= 5; break;
    case 4: steps = -steps; break;
    case 5: steps <<= 2; break;
    default: steps = ~steps;
  }
  y[i] = steps;
}

/// A small product of matrices: 64 x 64 of a team, 4 x 4 of a thread. To measure with.
__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][64], right[16][64];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int first_row = blockIdx.y * 64, first_column = blockIdx.x * 64;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int e = threadIdx.x; e < 1024; e += 256) {
      left[e % 16][e / 16] = a[(first_row + e / 16) * n + k + e % 16];
      right[e / 64][e % 64] = b[(k + e / 64) * n + first_column + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < 16; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += left[step][y * 4 + i] * right[step][x + 16 * j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) c[(first_row + y * 4 + i) * n + first_column + x + 16 * j] = sums[i][j];
  }
}

}  // extern "C"
