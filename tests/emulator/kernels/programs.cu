// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A whole program: kernels with known answers by calls of the runtime, and planted faults. For
// `scripts/emulate --tests`.
#include <cmath>
#include <cstdio>
#include <vector>

#include "basics.cu"

__global__ void race() {
  scratch[threadIdx.x] = threadIdx.x;
  if (threadIdx.x > 0) scratch[threadIdx.x - 1] += 1;
}
__global__ void beyond(int* y, int n) { y[threadIdx.x + (threadIdx.x == 3 ? n : 0)] = 1; }
__global__ void beyond_shared() { scratch[threadIdx.x + 1] = 1; }
__global__ void teams_race(int* y) { y[0] = blockIdx.x; }
__global__ void unwritten(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void divided(int* y) {
  if (threadIdx.x < 16) {
    __syncthreads();
    y[threadIdx.x] = 1;
  } else {
    y[threadIdx.x] = 2;
    __syncthreads();
  }
}
__global__ void misaligned(char* y) { *reinterpret_cast<int*>(y + 2) = 1; }

namespace {

int bad = 0;

void expect(bool good, const char* what) {
  std::printf("%s: %s\n", what, good ? "good" : "BAD");
  bad += good ? 0 : 1;
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* made = nullptr;
  cudaMalloc(&made, values.size() * sizeof(T));
  cudaMemcpy(made, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return made;
}

template <class T>
std::vector<T> back(const T* from, std::size_t size) {
  std::vector<T> values(size);
  cudaMemcpy(values.data(), from, size * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

void check_symbols_and_streams() {
  constexpr int n = 1000;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = (i - 500) * 0.037f;
  const float factors[2] = {5, -1};
  cudaMemcpyToSymbol(scale, factors, sizeof factors);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float* in = on_device(x);
  float* out = nullptr;
  float* pinned = nullptr;
  cudaMalloc(&out, n * sizeof(float));
  cudaMallocHost(&pinned, n * sizeof(float));
  functions_float<<<4, 256, 0, stream>>>(in, out, n);
  cudaMemcpyAsync(pinned, out, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    const double v = x[i], size = std::fabs(v);
    const double e = (std::sqrt(size) + std::exp(-v * v) + std::log1p(size) + std::tanh(v)) * 5 - 1;
    worst = std::fmax(worst, std::fabs(pinned[i] - e) / (1 + std::fabs(e)));
  }
  expect(worst < 5e-7, "symbols, streams, pinned memory");
  cudaStreamDestroy(stream);
  cudaFreeHost(pinned);
}

void check_sums_and_calls() {
  float* sum = on_device(std::vector<float>(1, 0.0f));
  total<<<3, 256>>>(on_device(std::vector<float>(1000, 1.0f)), sum, 1000);
  expect(back(sum, 1)[0] == 1000.0f, "sums");
  double* y = nullptr;
  cudaMalloc(&y, 64 * sizeof(double));
  called<<<1, 64>>>(y);
  const auto values = back(y, 64);
  bool good = true;
  for (int i = 0; i < 64; ++i) good &= values[i] == i / 32.0 + 5 + (i & 7) * i;
  expect(good, "calls and local memory");
}

void check_attributes() {
  cudaFuncAttributes attributes;
  expect(cudaFuncGetAttributes(&attributes, total) == cudaSuccess && attributes.numRegs > 0 &&
             attributes.sharedSizeBytes == 1024 && attributes.maxThreadsPerBlock == 1024,
         "attributes of kernels");
  int teams = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&teams, total, 256, 0);
  expect(teams == 8, "occupancy");
}

void plant_faults() {
  int* y = on_device(std::vector<int>(64));
  int* z = nullptr;
  cudaMalloc(&z, 256);
  race<<<1, 64, 512>>>();
  beyond<<<1, 64>>>(y, 100);
  beyond_shared<<<1, 64, 512>>>();
  teams_race<<<2, 1>>>(y);
  unwritten<<<1, 64>>>(z, y);
  divided<<<1, 32>>>(y);
  misaligned<<<1, 1>>>(reinterpret_cast<char*>(y));
  race<<<1, 64, 60000>>>();
  expect(cudaGetLastError() == cudaErrorInvalidValue, "too much shared memory is refused");
  race<<<1, 2048, 512>>>();
  expect(cudaGetLastError() == cudaErrorInvalidConfiguration, "too many threads are refused");
  cudaMemcpy(y, z, 300, cudaMemcpyDeviceToDevice);
  int of_host = 0;
  cudaMemcpy(&of_host, &bad, sizeof bad, cudaMemcpyDeviceToHost);
  cudaFree(y);
  beyond<<<1, 2>>>(y, 0);
  cudaDeviceSynchronize();
}

}  // namespace

int main(int count, char**) {
  check_symbols_and_streams();
  check_sums_and_calls();
  check_attributes();
  if (count > 1) plant_faults();
  return bad;
}
