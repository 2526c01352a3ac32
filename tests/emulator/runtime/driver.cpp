// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The few functions of the driver (libcuda.so.1) that Kokkos calls.
extern "C" {

using CUresult = int;

CUresult cuInit(unsigned) { return 0; }
CUresult cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
CUresult cuCtxPushCurrent_v2(void*) { return 0; }
CUresult cuCtxPopCurrent_v2(void** context) {
  *context = nullptr;
  return 0;
}
CUresult cuStreamGetCtx(void*, void** context) {
  *context = nullptr;
  return 0;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

}  // extern "C"
