// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A reader for files of golden numbers, on the HDF5 C API and on nothing of the library, so that a
// fault of the library's own reader cannot hide one of its numbers. Stored types are converted by
// HDF5: any integer or floating type, booleans (an enum), strings of fixed or variable length.

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace golden {

/// The file, or an object in it, does not have the format.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An HDF5 identifier that closes itself.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  /// Takes an identifier that a call returned; a negative one means that `what` failed.
  Handle(hid_t id, Close close, const std::string& what) : m_id(id), m_close(close) {
    if (id < 0) throw FormatError(what);
  }
  Handle(Handle&& other) noexcept
      : m_id(std::exchange(other.m_id, H5I_INVALID_HID)), m_close(other.m_close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (m_id >= 0) m_close(m_id);
  }

  operator hid_t() const { return m_id; }

 private:
  hid_t m_id;
  Close m_close;
};

/// A dataset as doubles in C order (last index fastest).
struct Array {
  std::vector<std::int64_t> extents;
  std::vector<double> values;
  bool is_narrow = false;  ///< stored as floating point of fewer bytes than double
  std::string stored;      ///< "float32", "uint8", ...: NumPy's name; empty for other types than
                           ///< numbers

  std::int64_t rank() const { return static_cast<std::int64_t>(extents.size()); }
};

class Group {
 public:
  /// Names of the groups, or of the datasets, in this group, sorted.
  std::vector<std::string> groups() const { return members(H5O_TYPE_GROUP); }
  std::vector<std::string> datasets() const { return members(H5O_TYPE_DATASET); }
  bool has(const std::string& name) const;
  /// Names of the attributes, sorted.
  std::vector<std::string> attributes() const;

  Group group(const std::string& name) const;
  Array array(const std::string& name) const;

  /// Attributes. Absent, and the string "none", give nothing.
  std::optional<std::string> text(const std::string& name) const;
  std::optional<double> number(const std::string& name) const;
  std::optional<std::vector<double>> numbers(const std::string& name) const;
  std::optional<std::int64_t> integer(const std::string& name) const;
  std::optional<bool> flag(const std::string& name) const;

  const std::string& path() const { return m_path; }
  /// Name of the file that the group is in.
  std::string file_name() const;

 protected:
  Group(Handle id, std::string path) : m_id(std::move(id)), m_path(std::move(path)) {}

 private:
  std::vector<std::string> members(H5O_type_t type) const;
  [[noreturn]] void fail(const std::string& what) const;

  Handle m_id;
  std::string m_path;
};

/// The root group of a file that is open for reading.
class File : public Group {
 public:
  explicit File(const std::string& path);
};

}  // namespace golden
