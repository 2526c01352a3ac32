// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In builds for a device, `new` returns memory that both the host and the device can access, so
// that vectors of tests may be arguments of plans. A test that needs memory that only the host can
// access uses an Array that is Reached::by_host, or a static one. The device compiler has its own
// `new` in kernels, so this file is compiled by the host compiler.
#include "on_device/shared_memory.hpp"

#include <cstddef>
#include <new>

namespace {

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const data = tests::take_shared(bytes, alignment);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

// Functions that are not defined here call these.
void* operator new(std::size_t bytes) { return take_or_throw(bytes, usual); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return tests::take_shared(bytes, usual);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return tests::take_shared(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* data) noexcept { tests::give_back_shared(data); }
void operator delete(void* data, std::size_t) noexcept { tests::give_back_shared(data); }
void operator delete(void* data, std::align_val_t) noexcept { tests::give_back_shared(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept {
  tests::give_back_shared(data);
}
void operator delete(void* data, const std::nothrow_t&) noexcept { tests::give_back_shared(data); }
void operator delete(void* data, std::align_val_t, const std::nothrow_t&) noexcept {
  tests::give_back_shared(data);
}
