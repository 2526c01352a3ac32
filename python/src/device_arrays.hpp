// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arrays.hpp"
#include "runtime.hpp"

#include <synelix/strided.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// \file
/// Arrays of Python in memory of a device, in place, and arrays of either memory as arguments.
///
/// Order: when an array is passed in, one stream of this package, the stream of arrivals, waits for
/// the work that other libraries have queued for it. A call waits for that stream before it
/// computes, and returns when its result is complete. So nobody has to wait for the streams of this
/// package.

namespace synelix::python {

/// An array in memory of the device of this process: the caller's, or our own.
class DeviceArray {
 public:
  /// Takes a capsule of DLPack; the stream of arrivals waits for its work.
  /// \throws Error naming `name` for a type that the library does not read, more than 8 dimensions,
  ///         and memory of another device
  static DeviceArray of_capsule(nb::handle capsule, const std::string& name);
  /// Describes memory with the values of __cuda_array_interface__. `owner` keeps it alive.
  /// \param strides  in bytes; absent: last dimension fastest
  /// \throws Error as of_capsule
  static DeviceArray of_interface(std::uintptr_t address, const std::vector<std::int64_t>& shape,
                                  const std::optional<std::vector<std::int64_t>>& strides,
                                  const std::string& type, bool is_read_only, nb::object owner,
                                  const std::string& name);
  /// New memory, which is freed when the last reference is gone. \throws std::bad_alloc
  static DeviceArray empty(bool is_double, const std::vector<std::int64_t>& extents);

  [[nodiscard]] Strided read() const;
  /// \throws Error naming `name` if the array is read-only
  [[nodiscard]] StridedOutput written(const char* name) const;
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return m_shape; }
  [[nodiscard]] nb::object dtype() const;
  [[nodiscard]] nb::tuple byte_strides() const;
  [[nodiscard]] nb::dict cuda_array_interface();
  /// An object of nanobind with __dlpack__. `self` is this object in Python.
  [[nodiscard]] nb::object exported(nb::handle self);
  /// Whether other libraries have the address of the memory, and so may use it in their streams.
  [[nodiscard]] bool is_shared() const { return m_is_shared; }

 private:
  void check_place(const std::string& name) const;

  StridedOutput m_array;
  std::vector<std::int64_t> m_shape;
  bool m_is_bool = false;
  bool m_is_read_only = false;
  bool m_is_shared = false;
  std::shared_ptr<void> m_memory;  ///< our own memory, or the owner of foreign memory
};

/// An array that is read, in memory of the host or of a device.
class Given {
 public:
  Given() = default;
  explicit Given(Array host) : m_host(std::move(host)) {}
  explicit Given(nb::object device)
      : m_object(std::move(device)), m_device(nb::inst_ptr<DeviceArray>(m_object)) {}
  [[nodiscard]] Memory memory() const {
    return m_device != nullptr ? Memory::device : Memory::host;
  }
  [[nodiscard]] std::size_t ndim() const {
    return m_device != nullptr ? m_device->shape().size() : m_host.ndim();
  }
  [[nodiscard]] std::size_t shape(std::size_t i) const {
    return m_device != nullptr ? static_cast<std::size_t>(m_device->shape()[i]) : m_host.shape(i);
  }
  /// \throws Error naming `name`, as `strided` of arrays.hpp
  [[nodiscard]] Strided strided(const char* name) const {
    return m_device != nullptr ? m_device->read() : python::strided(m_host, name);
  }

 private:
  Array m_host;
  nb::object m_object;
  const DeviceArray* m_device = nullptr;
};

/// An array and the name of its argument.
struct NamedArray {
  const char* name;
  const Given* array;  ///< null: not given
};
/// The memory of the arrays of a call. \throws Error if they are in both memories
Memory common_memory(std::initializer_list<NamedArray> arrays);

/// An output of a call: the object for Python, and its address.
struct Output {
  nb::object result;
  StridedOutput array;
};
/// The caller's output, or a new array if it is None, in the memory of the input `name`.
/// \throws Error if the output is in other memory, or cannot be written
Output output_in(Memory memory, const nb::object& out, bool is_double,
                 const std::vector<std::int64_t>& extents, const char* name = "x");
/// As above, for extents that are computed only if `out` is None, since they may be invalid
/// otherwise.
template <class Extents>
  requires std::is_invocable_v<const Extents&>
Output output_in(Memory memory, const nb::object& out, bool is_double, const Extents& extents,
                 const char* name = "x") {
  return out.is_none() ? output_in(memory, out, is_double, extents(), name)
                       : output_in(memory, out, is_double, std::vector<std::int64_t>(), name);
}

/// A series with samples along an axis, in either memory.
StridedSeries series_of(const Given& x, int axis, const std::optional<Ranges>& epochs,
                        double scale = 1, double offset = 0);

void bind_device_arrays(nb::module_& module);

}  // namespace synelix::python

namespace nanobind::detail {

template <>
struct type_caster<synelix::python::Given> {
  NB_TYPE_CASTER(synelix::python::Given, const_name("object"))

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (synelix::python::has_device && isinstance<synelix::python::DeviceArray>(source)) {
      value = synelix::python::Given(borrow<object>(source));
      return true;
    }
    make_caster<synelix::python::Array> host;
    if (!host.from_python(source, flags, cleanup)) return false;
    value = synelix::python::Given(std::move(host.value));
    return true;
  }
};

}  // namespace nanobind::detail
