// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

/// \file
/// RAII handles of HDF5 identifiers, a lock for HDF5 calls, and HDF5's errors as Error.

namespace synelix::h5 {

/// While an object exists, only this thread of the library calls HDF5, and HDF5 prints nothing. The
/// destructor restores the error handler that the program had set.
class Call {
 public:
  Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

 private:
  std::unique_lock<std::recursive_mutex> m_lock;
  H5E_auto2_t m_handler = nullptr;
  void* m_data = nullptr;
};

/// HDF5's message for the call that failed last, as one line.
std::string failure_text();

/// Whether the call that failed last could not lock a file.
bool is_lock_failure();

/// Throws Error("WHAT: HDF5's message").
[[noreturn]] void fail(const std::string& what);

/// Throws unless the status of a call is a success.
inline void check(herr_t status, const std::string& what) {
  if (status < 0) fail(what);
}

/// An identifier that is closed by the destructor. `close` is the HDF5 function for it.
template <herr_t (*close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  /// Takes the result of a call. \throws Error if it is a failure
  Handle(hid_t id, const std::string& what) : m_id(id) {
    if (id < 0) fail(what);
  }
  Handle(Handle&& other) noexcept : m_id(std::exchange(other.m_id, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(m_id, other.m_id);
    return *this;
  }
  ~Handle() { release(); }

  [[nodiscard]] hid_t id() const { return m_id; }
  [[nodiscard]] bool is_open() const { return m_id >= 0; }
  /// Closes now. \throws Error if that fails, for example because the disk is full
  void close_now(const std::string& what) {
    if (m_id >= 0 && close(std::exchange(m_id, H5I_INVALID_HID)) < 0) fail(what);
  }

 private:
  void release() noexcept {
    if (m_id < 0) return;
    const Call call;
    close(std::exchange(m_id, H5I_INVALID_HID));
  }
  hid_t m_id = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using AttributeHandle = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;
using Object = Handle<H5Oclose>;

}  // namespace synelix::h5
