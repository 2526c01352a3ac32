// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arrays.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>

namespace synelix::python {
namespace {

StoredType stored_type_of(nb::dlpack::dtype type, const char* name) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(type.code);
  if (type.lanes == 1) {
    if (code == Code::Float && type.bits == 32) return StoredType::float32;
    if (code == Code::Float && type.bits == 64) return StoredType::float64;
    if (code == Code::Int && type.bits == 8) return StoredType::int8;
    if ((code == Code::UInt || code == Code::Bool) && type.bits == 8) return StoredType::uint8;
    if (code == Code::Int && type.bits == 16) return StoredType::int16;
    if (code == Code::UInt && type.bits == 16) return StoredType::uint16;
  }
  throw Error(name,
              "values of " + std::to_string(type.bits) + " bits and DLPack code " +
                  std::to_string(type.code) + " are not read",
              "Use float32, float64, int8, uint8, int16, uint16 or bool");
}

template <class Void, class From>
BasicStrided<Void> as_strided(const From& array, const char* name) {
  if (array.ndim() < 1 || array.ndim() > static_cast<std::size_t>(max_rank)) {
    throw Error(name, std::to_string(array.ndim()) + " dimensions are not supported",
                "Use 1 to 8 dimensions");
  }
  BasicStrided<Void> result;
  result.data = static_cast<std::byte*>(array.data_handle()) + array.byte_offset();
  result.type = stored_type_of(array.dtype(), name);
  result.rank = static_cast<int>(array.ndim());
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    result.extents[i] = static_cast<std::int64_t>(array.shape(i));
    result.strides[i] = array.stride(i);
  }
  return result;
}

nb::object numpy_empty(const std::vector<std::int64_t>& extents, const char* type) {
  return nb::module_::import_("numpy").attr("empty")(tuple_of(extents), type);
}

/// numpy.empty whose data begin on a cache line, so that full rows can bypass the caches. NumPy's
/// own arrays begin 16 bytes after one.
nb::object on_a_line(const std::vector<std::int64_t>& extents, const char* type,
                     std::int64_t bytes) {
  constexpr std::int64_t line = 64;
  const nb::object memory = numpy_empty({bytes + line}, "uint8");
  const auto address = reinterpret_cast<std::uintptr_t>(nb::cast<Array>(memory).data());
  const auto first = static_cast<std::int64_t>((line - address % line) % line);
  return nb::module_::import_("numpy").attr("ndarray")(tuple_of(extents), type, memory, first);
}

}  // namespace

nb::tuple tuple_of(const std::vector<std::int64_t>& extents) {
  return nb::tuple(nb::cast(extents));
}

Strided strided(const Array& array, const char* name) {
  return as_strided<const void>(array, name);
}

Strided strided(const AnyArray& array, const char* name) {
  return as_strided<const void>(array, name);
}

StridedOutput strided(const Target& array, const char* name) {
  return as_strided<void>(array, name);
}

void refuse_mask(nb::handle array, nb::handle plain, const char* name) {
  if (array.is_none() || array.type().is(plain)) return;
  const nb::object masked = nb::module_::import_("numpy.ma").attr("MaskedArray");
  if (PyObject_IsInstance(array.ptr(), masked.ptr()) != 1) return;
  const std::string text = name;
  throw Error(name, "masks are not read",
              "Use " + text + ".filled(numpy.nan), or leave the masked values out");
}

StridedOutput written(const nb::object& array, const char* name) {
  Target target;
  if (!nb::try_cast(array, target)) {
    throw Error(name, "the array is read-only, or not one of memory of the host",
                "Use an array of float32 or float64 that can be written");
  }
  const StridedOutput found = strided(target, name);
  const auto address = reinterpret_cast<std::uintptr_t>(found.data);
  if (address % static_cast<std::uintptr_t>(size_of(found.type)) != 0) {
    throw Error(name, "the array begins inside a number",
                "Use an aligned array, as numpy.require(array, requirements=\"A\") makes");
  }
  return found;
}

Epochs epochs_of(const std::optional<Ranges>& ranges) {
  if (!ranges) return {};
  if (ranges->shape(0) == 0) {
    throw Error("epochs", "there is none, so no row would have features",
                "Give at least one range of samples, or None for one epoch of all samples");
  }
  std::vector<Epoch> epochs;
  epochs.reserve(ranges->shape(0));
  for (std::size_t i = 0; i < ranges->shape(0); ++i) {
    epochs.push_back({(*ranges)(i, 0), (*ranges)(i, 1)});
  }
  return epochs;
}

nb::object new_array(bool is_double, const std::vector<std::int64_t>& extents) {
  constexpr std::int64_t large = std::int64_t{1} << 20;
  constexpr std::int64_t most = std::int64_t{1} << 60;  // above it, NumPy raises the error
  const char* const type = is_double ? "float64" : "float32";
  std::int64_t bytes = is_double ? 8 : 4;
  for (const std::int64_t extent : extents) {
    bytes = extent <= 0 || bytes > most / extent ? 0 : bytes * extent;
  }
  return bytes < large ? numpy_empty(extents, type) : on_a_line(extents, type, bytes);
}

nb::object array_of(const std::vector<double>& values, const std::vector<std::int64_t>& extents) {
  const std::int64_t size = std::accumulate(extents.begin(), extents.end(), std::int64_t{1},
                                            std::multiplies<std::int64_t>());
  if (size != std::ssize(values)) {
    throw StateError(
        "synelix",
        std::to_string(values.size()) + " values do not fill an array of " + std::to_string(size),
        "Report this as an error of the package");
  }
  nb::object result = new_array(true, extents);
  std::copy(values.begin(), values.end(),
            nb::cast<nb::ndarray<double, nb::c_contig>>(result).data());
  return result;
}

nb::object array_of(const std::vector<std::int64_t>& values) {
  nb::object result = numpy_empty({static_cast<std::int64_t>(values.size())}, "int64");
  std::copy(values.begin(), values.end(),
            nb::cast<nb::ndarray<std::int64_t, nb::c_contig>>(result).data());
  return result;
}

}  // namespace synelix::python
