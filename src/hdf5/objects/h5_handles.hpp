// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

/// \file
/// RAII handles of HDF5 identifiers, a lock for HDF5 calls, HDF5's errors as Error, and transfers
/// of entire datasets and of boxes.

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

/// Runs a step. \returns the message of the Error that it throws; empty: none
template <class Step>
std::string refusal_of(const Step& step) {
  try {
    step();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
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

/// Extents as HDF5 takes them.
inline std::vector<hsize_t> sizes_from(const std::vector<std::int64_t>& extents) {
  return {extents.begin(), extents.end()};
}

/// A dataspace of these extents.
Space space_of(const std::vector<hsize_t>& extents, const std::string& what);
/// Selects a box.
void select_box(const Space& space, const std::vector<hsize_t>& start,
                const std::vector<hsize_t>& count, const std::string& what);

/// Reads or writes a box of a dataset, from or to contiguous memory.
void read_box(const Dataset& dataset, hid_t memory_type, const std::vector<std::int64_t>& start,
              const std::vector<std::int64_t>& count, void* to, const std::string& what);
void write_box(const Dataset& dataset, hid_t memory_type, const std::vector<std::int64_t>& start,
               const std::vector<std::int64_t>& count, const void* values, const std::string& what);
/// Reads or writes all values of a dataset.
void read_all(const Dataset& dataset, hid_t memory_type, void* to, const std::string& what);
void write_all(const Dataset& dataset, hid_t memory_type, const void* values,
               const std::string& what);

}  // namespace synelix::h5
