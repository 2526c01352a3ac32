// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_arrays.hpp"

#include "device_calls.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstddef>
#include <new>

namespace synelix::python {
namespace {

using namespace nb::literals;

/// Any memory that is written.
using AnyTarget = nb::ndarray<>;

constexpr int cuda_type = 2;  ///< of DLPack

StoredType type_of_words(const std::string& word, const std::string& name) {
  // '<f4', '|b1': byte order, kind, bytes. Devices use little-endian numbers.
  const std::string rest = word.size() == 3 ? word.substr(1) : "";
  const bool is_swapped = !word.empty() && word[0] == '>' && rest != "i1" && rest != "u1";
  if (!is_swapped) {
    if (rest == "f4") return StoredType::float32;
    if (rest == "f8") return StoredType::float64;
    if (rest == "i1") return StoredType::int8;
    if (rest == "u1" || rest == "b1") return StoredType::uint8;
    if (rest == "i2") return StoredType::int16;
    if (rest == "u2") return StoredType::uint16;
  }
  throw Error(name, "values of type '" + word + "' are not read in memory of a device",
              "Use float32, float64, int8, uint8, int16, uint16 or bool, as x.astype makes");
}

std::string digits_of(int number) { return std::to_string(number); }

bool is_empty(const std::vector<std::int64_t>& shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

/// Keeps the owner of foreign memory. Its release may happen during an exception, and runs foreign
/// code then, which must not see the exception.
template <class Owner>
class TheirMemory {
 public:
  explicit TheirMemory(Owner owner) : m_owner(std::move(owner)) {}
  TheirMemory(const TheirMemory&) = delete;
  TheirMemory& operator=(const TheirMemory&) = delete;
  ~TheirMemory() {
    const nb::error_scope error;
    m_owner.reset();
  }

 private:
  std::optional<Owner> m_owner;
};

/// The address of an array without values.
void* somewhere() {
  alignas(64) static std::byte place[64];
  return place;
}

}  // namespace

void DeviceArray::check_place(const std::string& name) const {
  if (is_empty(m_shape)) return;
  const auto address = reinterpret_cast<std::uintptr_t>(m_array.data);
  if (address % static_cast<std::uintptr_t>(size_of(m_array.type)) != 0) {
    throw Error(name, "the array begins inside a number", "Use an aligned array, such as a copy");
  }
  const int found = device_of(m_array.data);
  if (found < 0) {
    throw Error(name,
                "the array says that it lies in memory of a device, and the device does not "
                "know this memory",
                "Use memory of the device, as cupy.asarray makes");
  }
  if (found != device_number()) {
    const std::string ours = digits_of(device_number());
    throw Error(name,
                "the array lies on device " + digits_of(found) +
                    ", and this process computes on device " + ours,
                "Bring it to device " + ours + ", or set KOKKOS_DEVICE_ID=" + digits_of(found) +
                    " before the process starts");
  }
}

DeviceArray DeviceArray::of_capsule(nb::handle capsule, const std::string& name) {
  DeviceArray result;
  AnyTarget target;
  AnyArray array;
  if (nb::try_cast(capsule, target)) {
    array = AnyArray(target);
  } else if (nb::try_cast(capsule, array)) {
    result.m_is_read_only = true;
  } else {
    throw Error(name, "its __dlpack__ gives no capsule of DLPack",
                "Use an array of cupy, torch or jax");
  }
  const Strided found = strided(array, name.c_str());
  result.m_array.data = const_cast<void*>(found.data);
  result.m_array.type = found.type;
  result.m_array.rank = found.rank;
  result.m_array.extents = found.extents;
  result.m_array.strides = found.strides;
  result.m_shape.assign(found.extents.begin(), found.extents.begin() + found.rank);
  result.m_is_bool = array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool);
  if (is_empty(result.m_shape)) result.m_array.data = somewhere();
  result.m_memory = std::make_shared<TheirMemory<AnyArray>>(std::move(array));
  result.check_place(name);
  return result;
}

DeviceArray DeviceArray::of_interface(std::uintptr_t address,
                                      const std::vector<std::int64_t>& shape,
                                      const std::optional<std::vector<std::int64_t>>& strides,
                                      const std::string& type, bool is_read_only, nb::object owner,
                                      const std::string& name) {
  if (shape.empty() || shape.size() > static_cast<std::size_t>(max_rank)) {
    throw Error(name, std::to_string(shape.size()) + " dimensions are not supported",
                "Use 1 to 8 dimensions");
  }
  if (strides && strides->size() != shape.size()) {
    throw Error(name,
                std::to_string(strides->size()) + " strides for " + std::to_string(shape.size()) +
                    " dimensions do not match",
                "Give one stride for each dimension");
  }
  DeviceArray result;
  result.m_array.type = type_of_words(type, name);
  result.m_is_bool = type.size() == 3 && type[1] == 'b';
  result.m_is_read_only = is_read_only;
  result.m_array.rank = static_cast<int>(shape.size());
  result.m_shape = shape;
  const std::int64_t bytes = size_of(result.m_array.type);
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    result.m_array.extents[i] = shape[i];
    result.m_array.strides[i] = step;
    step *= std::max<std::int64_t>(1, shape[i]);
    if (!strides) continue;
    if ((*strides)[i] % bytes != 0) {
      throw Error(name, "the stride of dimension " + std::to_string(i) + " ends inside a number",
                  "Use an aligned array, such as a copy");
    }
    result.m_array.strides[i] = (*strides)[i] / bytes;
  }
  result.m_array.data =
      is_empty(shape) ? somewhere()
                      : reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  result.m_memory = std::make_shared<TheirMemory<nb::object>>(std::move(owner));
  result.check_place(name);
  return result;
}

DeviceArray DeviceArray::empty(bool is_double, const std::vector<std::int64_t>& extents) {
  DeviceArray result;
  result.m_array.type = is_double ? StoredType::float64 : StoredType::float32;
  result.m_array.rank = static_cast<int>(extents.size());
  result.m_shape = extents;
  constexpr std::int64_t most = std::int64_t{1} << 60;
  std::int64_t count = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    result.m_array.extents[i] = extents[i];
    result.m_array.strides[i] = count;
    if (extents[i] > 0 && count > most / extents[i]) throw std::bad_alloc();
    count *= std::max<std::int64_t>(1, extents[i]);
  }
  result.m_memory = device_memory(static_cast<std::size_t>(count * size_of(result.m_array.type)));
  result.m_array.data = result.m_memory.get();
  return result;
}

Strided DeviceArray::read() const {
  Strided result;
  result.data = m_array.data;
  result.type = m_array.type;
  result.rank = m_array.rank;
  result.extents = m_array.extents;
  result.strides = m_array.strides;
  return result;
}

StridedOutput DeviceArray::written(const char* name) const {
  if (m_is_read_only) {
    throw Error(name, "the array is read-only", "Use one that can be written");
  }
  if (m_is_bool || (m_array.type != StoredType::float32 && m_array.type != StoredType::float64)) {
    throw Error(name, "values of type " + std::string(name_of(m_array.type)) + " cannot be written",
                "Use float32 or float64");
  }
  return m_array;
}

nb::object DeviceArray::dtype() const {
  const std::string name(m_is_bool ? "bool" : name_of(m_array.type));
  return nb::module_::import_("numpy").attr("dtype")(name);
}

nb::tuple DeviceArray::byte_strides() const {
  nb::list strides;
  for (std::size_t i = 0; i < m_shape.size(); ++i) {
    strides.append(m_array.strides[i] * size_of(m_array.type));
  }
  return nb::tuple(strides);
}

nb::dict DeviceArray::cuda_array_interface() {
  m_is_shared = true;
  const auto address = is_empty(m_shape) ? 0 : reinterpret_cast<std::uintptr_t>(m_array.data);
  nb::dict result;
  result["shape"] = tuple_of(m_shape);
  result["typestr"] = dtype().attr("str");
  result["data"] = nb::make_tuple(address, m_is_read_only);
  result["strides"] = byte_strides();
  result["stream"] = nb::none();  // all streams have already been awaited
  result["version"] = 3;
  return result;
}

nb::object DeviceArray::exported(nb::handle self) {
  m_is_shared = true;
  using Code = nb::dlpack::dtype_code;
  const bool is_float = m_array.type == StoredType::float32 || m_array.type == StoredType::float64;
  const bool is_signed = m_array.type == StoredType::int8 || m_array.type == StoredType::int16;
  const Code code = m_is_bool   ? Code::Bool
                    : is_float  ? Code::Float
                    : is_signed ? Code::Int
                                : Code::UInt;
  const nb::dlpack::dtype type{static_cast<std::uint8_t>(code),
                               static_cast<std::uint8_t>(8 * size_of(m_array.type)), 1};
  const std::vector<std::size_t> shape(m_shape.begin(), m_shape.end());
  const void* const data = is_empty(m_shape) ? nullptr : m_array.data;
  if (m_is_read_only) {
    return nb::cast(nb::ndarray<nb::array_api, nb::ro>(data, shape.size(), shape.data(), self,
                                                       m_array.strides.data(), type, cuda_type,
                                                       device_number()));
  }
  return nb::cast(nb::ndarray<nb::array_api>(const_cast<void*>(data), shape.size(), shape.data(),
                                             self, m_array.strides.data(), type, cuda_type,
                                             device_number()));
}

Memory common_memory(std::initializer_list<NamedArray> arrays) {
  const NamedArray* first = nullptr;
  for (const NamedArray& each : arrays) {
    if (each.array == nullptr) continue;
    if (first == nullptr) first = &each;
    if (each.array->memory() == first->array->memory()) continue;
    const bool is_host = each.array->memory() == Memory::host;
    throw Error(each.name,
                std::string(is_host ? "it lies in memory of the host, and "
                                    : "it lies in memory of a device, and ") +
                    first->name + (is_host ? " in memory of a device" : " in memory of the host"),
                is_host ? "Bring both to one memory: cupy.asarray(" + std::string(each.name) +
                              "), for example"
                        : "Bring both to one memory: cupy.asarray(" + std::string(first->name) +
                              "), for example");
  }
  return first == nullptr ? Memory::host : first->array->memory();
}

Output output_in(Memory memory, const nb::object& out, bool is_double,
                 const std::vector<std::int64_t>& extents, const char* name) {
  const bool is_device = memory == Memory::device;
  if (!out.is_none()) {
    if (has_device && nb::isinstance<DeviceArray>(out)) {
      if (!is_device) {
        throw Error(
            "out",
            std::string("it lies in memory of a device, and ") + name + " in memory of the host",
            "Use an array of NumPy, or bring " + std::string(name) + " to the device");
      }
      return {out, nb::inst_ptr<DeviceArray>(out)->written("out")};
    }
    if (is_device) {
      throw Error(
          "out",
          std::string("it lies in memory of the host, and ") + name + " in memory of a device",
          "Use an array of the device, or leave it out");
    }
    return {out, written(out)};
  }
  if (!is_device) {
    nb::object made = new_array(is_double, extents);
    const StridedOutput array = written(made);
    return {std::move(made), array};
  }
  DeviceArray made = DeviceArray::empty(is_double, extents);
  const StridedOutput array = made.written("out");
  return {nb::cast(std::move(made)), array};
}

StridedSeries series_of(const Given& x, int axis, const std::optional<Ranges>& epochs, double scale,
                        double offset) {
  const Operand samples(x.strided("x"));
  SeriesOptions options{.sample_axis = axis, .epochs = epochs_of(epochs)};
  if (scale == 1 && offset == 0) return StridedSeries(samples, std::move(options));
  return StridedSeries(scaled(samples, scale, offset), std::move(options));
}

void bind_device_arrays(nb::module_& module) {
  nb::class_<DeviceArray>(module, "DeviceArray",
                          "An array in memory of a device. It has __dlpack__ and "
                          "__cuda_array_interface__: cupy.from_dlpack takes it, for example.")
      .def_static("of_capsule", &DeviceArray::of_capsule, "capsule"_a, "name"_a)
      .def_static("of_interface", &DeviceArray::of_interface, "address"_a, "shape"_a,
                  "strides"_a.none(), "type"_a, "is_read_only"_a, "owner"_a, "name"_a)
      .def_prop_ro("shape", [](const DeviceArray& array) { return tuple_of(array.shape()); })
      .def_prop_ro("ndim", [](const DeviceArray& array) { return array.shape().size(); })
      .def_prop_ro("strides", &DeviceArray::byte_strides, "In bytes.")
      .def_prop_ro("dtype", &DeviceArray::dtype)
      .def_prop_ro("is_shared", &DeviceArray::is_shared)
      .def_prop_ro("__cuda_array_interface__", &DeviceArray::cuda_array_interface)
      .def("__dlpack__",
           [](nb::handle self, const nb::kwargs& keywords) {
             auto& array = nb::cast<DeviceArray&>(self);
             return array.exported(self).attr("__dlpack__")(**keywords);
           })
      .def("__dlpack_device__",
           [](const DeviceArray&) { return nb::make_tuple(cuda_type, device_number()); })
      .def("__array__",
           [](const DeviceArray&, const nb::args&, const nb::kwargs&) -> nb::object {
             throw nb::type_error(
                 "The array lies in memory of a device. Bring it to the host first: "
                 "cupy.from_dlpack(x).get(), for example.");
           })
      .def("__len__", [](const DeviceArray& array) { return array.shape()[0]; })
      .def("__repr__", [](nb::handle self) {
        return "DeviceArray(shape=" + nb::cast<std::string>(nb::repr(self.attr("shape"))) +
               ", dtype=" + nb::cast<std::string>(self.attr("dtype").attr("name")) + ")";
      });
  module.def(
      "has_device", [] { return has_device; }, "Whether arrays in memory of a device are taken.");
  module.def(
      "device_number",
      [] {
        threads();  // starts Kokkos
        return device_number();
      },
      "The device that this process computes on.");
  module.def(
      "arrivals",
      [] {
        threads();
        return arrivals();
      },
      "The stream that arrays of other libraries arrive in, for __dlpack__(stream=...).");
  module.def("await_stream", &await_stream, "stream"_a);
  module.def("await_device", [] {
    const WithoutGil released;  // work in a stream may need the GIL
    await_device();
  });
}

}  // namespace synelix::python
