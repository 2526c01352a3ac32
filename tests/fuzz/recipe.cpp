// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe.hpp"

#include "bytes.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace fuzz {
namespace {

constexpr std::array<const char*, 24> paths = {"/x",
                                               "/g/x",
                                               "/units",
                                               "/units/id",
                                               "/units/spike_times",
                                               "/units/spike_times_index",
                                               "/units/quality",
                                               "/units/quality_index",
                                               "/units/obs_intervals",
                                               "/units/obs_intervals_index",
                                               "/intervals/epochs/start_time",
                                               "/intervals/epochs/stop_time",
                                               "/intervals/trials/id",
                                               "/intervals/trials/start_time",
                                               "/intervals/trials/stop_time",
                                               "/intervals/trials/kind",
                                               "/intervals/trials/kind_index",
                                               "/acquisition/e/data",
                                               "/acquisition/e/starting_time",
                                               "/acquisition/e/timestamps",
                                               "/acquisition/e/electrodes",
                                               "/acquisition/e/channel_conversion",
                                               "/acquisition/e",
                                               "/"};

constexpr std::array<const char*, 16> attributes = {
    "conversion",    "offset",         "scale_factor", "add_offset",  "rate",        "rate_hz",
    "sampling_rate", "neurodata_type", "unit",         "nwb_version", "description", "axis",
    "table",         "namespace",      "continuity",   "interval"};

constexpr hsize_t huge = std::numeric_limits<hsize_t>::max();
constexpr std::array<hsize_t, 18> extents = {0,
                                             1,
                                             2,
                                             3,
                                             4,
                                             5,
                                             7,
                                             16,
                                             100,
                                             1000,
                                             hsize_t{1} << 30,
                                             hsize_t{1} << 31,
                                             hsize_t{1} << 32,
                                             hsize_t{1} << 40,
                                             hsize_t{1} << 60,
                                             hsize_t{1} << 63,
                                             (hsize_t{1} << 63) - 1,
                                             huge};

/// Closes an identifier at the end, if it is valid.
struct Id {
  hid_t id = H5I_INVALID_HID;
  explicit Id(hid_t given) : id(given) {}
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  ~Id() {
    if (id >= 0) H5Idec_ref(id);
  }
};

hid_t copied(hid_t type) { return H5Tcopy(type); }

hid_t text_type(std::size_t size) {
  const hid_t type = copied(H5T_C_S1);
  H5Tset_size(type, size);
  return type;
}

hid_t boolean_type(const char* first) {
  const hid_t type = H5Tenum_create(H5T_STD_I8LE);
  std::int8_t value = 0;
  H5Tenum_insert(type, first, &value);
  value = 1;
  H5Tenum_insert(type, "TRUE", &value);
  return type;
}

hid_t compound_type() {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(type, "idx_start", 0, H5T_STD_I32LE);
  H5Tinsert(type, "count", 4, H5T_STD_I32LE);
  H5Tinsert(type, "timeseries", 8, H5T_STD_REF_OBJ);
  return type;
}

hid_t list_type() { return H5Tvlen_create(H5T_IEEE_F64LE); }

hid_t array_type() {
  const hsize_t extent = 3;
  return H5Tarray_create2(H5T_IEEE_F32LE, 1, &extent);
}

/// A float of eight bytes that is not IEEE's.
hid_t odd_float() {
  const hid_t type = copied(H5T_IEEE_F64LE);
  H5Tset_fields(type, 40, 41, 8, 0, 40);
  return type;
}

hid_t short_integer() {
  const hid_t type = copied(H5T_STD_I32LE);
  H5Tset_precision(type, 11);
  return type;
}

hid_t any_type(Bytes& bytes) {
  switch (bytes.below(24)) {
    case 0:
      return copied(H5T_STD_I8LE);
    case 1:
      return copied(H5T_STD_U8LE);
    case 2:
      return copied(H5T_STD_I16LE);
    case 3:
      return copied(H5T_STD_U16BE);
    case 4:
      return copied(H5T_STD_I32LE);
    case 5:
      return copied(H5T_STD_U32LE);
    case 6:
      return copied(H5T_STD_I64LE);
    case 7:
      return copied(H5T_STD_U64LE);
    case 8:
      return copied(H5T_IEEE_F32LE);
    case 9:
      return copied(H5T_IEEE_F64LE);
    case 10:
      return copied(H5T_IEEE_F64BE);
    case 11:
      return text_type(H5T_VARIABLE);
    case 12:
      return text_type(1 + bytes.below(40));
    case 13:
      return text_type(std::size_t{1} << 20);
    case 14:
      return boolean_type("FALSE");
    case 15:
      return boolean_type("NO");
    case 16:
      return compound_type();
    case 17:
      return list_type();
    case 18:
      return array_type();
    case 19:
      return copied(H5T_STD_REF_OBJ);
    case 20:
      return copied(H5T_STD_REF_DSETREG);
    case 21:
      return copied(H5T_STD_B16LE);
    case 22:
      return odd_float();
    default:
      return short_integer();
  }
}

/// Number of values of a space; -1 if it does not fit in 64 bits, for which HDF5 would give the low
/// bits.
hssize_t count_of(hid_t space) {
  std::array<hsize_t, H5S_MAX_RANK> given{};
  const int rank = H5Sget_simple_extent_dims(space, given.data(), nullptr);
  hssize_t count = 1;
  for (int i = 0; i < rank; ++i) {
    if (__builtin_mul_overflow(count, given[static_cast<std::size_t>(i)], &count)) return -1;
  }
  return H5Sget_simple_extent_type(space) == H5S_NULL ? 0 : count;
}

/// Values of a type: bytes as they come, but no pointers.
std::vector<std::uint8_t> any_values(Bytes& bytes, hid_t type, hssize_t count) {
  constexpr hssize_t most = 4096;
  const std::size_t size = H5Tget_size(type);
  if (count <= 0 || count > most || size == 0 || size > 64) return {};
  if (H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0 ||
      H5Tdetect_class(type, H5T_REFERENCE) > 0) {
    return {};
  }
  const std::size_t kind = bytes.below(4);
  std::vector<std::uint8_t> values(size * static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (kind) {
      case 0:
        values[i] = bytes.one();
        break;
      case 1:
        values[i] = i % size == 0 ? static_cast<std::uint8_t>(1 + i / size) : 0;
        break;
      case 2:
        values[i] = 0xFF;
        break;
      default:
        values[i] = i % size == 0 ? bytes.one() : 0;
        break;
    }
  }
  return values;
}

Id any_space(Bytes& bytes, std::vector<hsize_t>& given) {
  const std::size_t rank = bytes.below(10);
  if (rank == 8) return Id(H5Screate(H5S_SCALAR));
  if (rank == 9) return Id(H5Screate(H5S_NULL));
  for (std::size_t i = 0; i < rank; ++i) given.push_back(bytes.of(extents));
  if (rank == 0) return Id(H5Screate(H5S_SCALAR));
  return Id(H5Screate_simple(static_cast<int>(rank), given.data(), nullptr));
}

/// A file that is being made.
class Making {
 public:
  explicit Making(hid_t file) : m_file(file), m_links(H5Pcreate(H5P_LINK_CREATE)) {
    H5Pset_create_intermediate_group(m_links.id, 1);
  }

  /// Writes values, as far as there are any, replacing existing ones.
  void dataset(const char* path, hid_t type, hid_t space, hid_t creation,
               const std::vector<std::uint8_t>& values) const {
    H5Ldelete(m_file, path, H5P_DEFAULT);
    const Id made(H5Dcreate2(m_file, path, type, space, m_links.id, creation, H5P_DEFAULT));
    if (made.id < 0 || values.empty()) return;
    H5Dwrite(made.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }

  template <class Value>
  void list(const char* path, hid_t type, const std::vector<Value>& values) const {
    const hsize_t length = values.size();
    const Id space(H5Screate_simple(1, &length, nullptr));
    const Id made(H5Dcreate2(m_file, path, type, space.id, m_links.id, H5P_DEFAULT, H5P_DEFAULT));
    if (made.id >= 0) H5Dwrite(made.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }

  void attribute(const char* path, const char* name, hid_t type, hid_t space,
                 const void* values) const {
    const Id object(H5Oopen(m_file, path, H5P_DEFAULT));
    if (object.id < 0) return;
    H5Adelete(object.id, name);
    const Id made(H5Acreate2(object.id, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (made.id >= 0 && values != nullptr) H5Awrite(made.id, type, values);
  }

  void number(const char* path, const char* name, double value) const {
    const Id space(H5Screate(H5S_SCALAR));
    attribute(path, name, H5T_NATIVE_DOUBLE, space.id, &value);
  }

  void text(const char* path, const char* name, const char* value) const {
    const Id space(H5Screate(H5S_SCALAR));
    const Id type(text_type(H5T_VARIABLE));
    attribute(path, name, type.id, space.id, static_cast<const void*>(&value));
  }

  void spike_trains() const {
    text("/", "nwb_version", "2.6.0");
    list<std::int64_t>("/units/id", H5T_STD_I64LE, {0, 1, 2});
    list<double>("/units/spike_times", H5T_IEEE_F64LE, {0.1, 0.2, 0.25, 0.3, 0.1, 0.4});
    list<std::uint8_t>("/units/spike_times_index", H5T_STD_U8LE, {2, 4, 6});
    list<const char*>("/units/quality", Id(text_type(H5T_VARIABLE)).id, {"a", "b", "a", "c"});
    list<std::uint8_t>("/units/quality_index", H5T_STD_U8LE, {1, 3, 4});
    list<std::int64_t>("/intervals/trials/id", H5T_STD_I64LE, {0, 1});
    list<double>("/intervals/trials/start_time", H5T_IEEE_F64LE, {0.05, 0.2});
    list<double>("/intervals/trials/stop_time", H5T_IEEE_F64LE, {0.15, 0.35});
    list<const char*>("/intervals/trials/kind", Id(text_type(H5T_VARIABLE)).id, {"go", "stop"});
  }

  void signal() const {
    text("/", "nwb_version", "2.6.0");
    const std::array<hsize_t, 2> shape = {20, 3};
    const Id space(H5Screate_simple(2, shape.data(), nullptr));
    std::vector<std::uint8_t> values(120);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i);
    dataset("/acquisition/e/data", H5T_STD_I16LE, space.id, H5P_DEFAULT, values);
    number("/acquisition/e/data", "conversion", 1e-6);
    number("/acquisition/e/data", "offset", 0.5);
    text("/acquisition/e", "neurodata_type", "ElectricalSeries");
    list<double>("/acquisition/e/channel_conversion", H5T_IEEE_F64LE, {1, 2, 3});
    std::vector<double> times(20);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<double>(i) / 1000;
    list<double>("/acquisition/e/timestamps", H5T_IEEE_F64LE, times);
  }

  void starting_time() const {
    const Id scalar(H5Screate(H5S_SCALAR));
    dataset("/acquisition/e/starting_time", H5T_IEEE_F64LE, scalar.id, H5P_DEFAULT,
            std::vector<std::uint8_t>(8));
    number("/acquisition/e/starting_time", "rate", 1000.0);
    H5Ldelete(m_file, "/acquisition/e/timestamps", H5P_DEFAULT);
  }

  void any_dataset(Bytes& bytes) const {
    const char* const path = bytes.of(paths);
    const Id type(any_type(bytes));
    std::vector<hsize_t> given;
    const Id space(any_space(bytes, given));
    const Id creation(H5Pcreate(H5P_DATASET_CREATE));
    const std::size_t layout = bytes.below(6);
    if (layout >= 2 && !given.empty()) {
      std::vector<hsize_t> chunk;
      for (std::size_t i = 0; i < given.size(); ++i) chunk.push_back(bytes.of(extents));
      H5Pset_chunk(creation.id, static_cast<int>(chunk.size()), chunk.data());
      if (layout == 3) H5Pset_deflate(creation.id, 1);
      if (layout == 4) H5Pset_shuffle(creation.id);
      if (layout == 5) H5Pset_filter(creation.id, 32001, H5Z_FLAG_OPTIONAL, 0, nullptr);
    }
    if (layout == 1) H5Pset_layout(creation.id, H5D_COMPACT);
    // An array of types that has more than a few pages is not written.
    dataset(path, type.id, space.id, creation.id, any_values(bytes, type.id, count_of(space.id)));
  }

  void any_attribute(Bytes& bytes) const {
    const char* const path = bytes.of(paths);
    const char* const name = bytes.of(attributes);
    const Id type(any_type(bytes));
    std::vector<hsize_t> given;
    const Id space(any_space(bytes, given));
    // HDF5 1.14.5 itself fails at writing attributes that claim more than there is.
    const hssize_t count = count_of(space.id);
    if (count < 0 || count > 4096) return;
    const std::vector<std::uint8_t> values = any_values(bytes, type.id, count);
    attribute(path, name, type.id, space.id, values.empty() ? nullptr : values.data());
  }

  void any_number(Bytes& bytes) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr std::array<double, 12> numbers = {
        0,    1,     -1,     0.5,      1000,      1e-12,
        1e18, 1e308, 5e-324, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
    const char* const path = bytes.of(paths);
    number(path, bytes.of(attributes), bytes.of(numbers));
  }

  void any_list(Bytes& bytes) const {
    constexpr std::array<double, 8> steps = {
        0.001, 0.0, -0.001, 0.01, 1.0, 1e9, 1e300, std::numeric_limits<double>::quiet_NaN()};
    const char* const path = bytes.of(paths);
    std::vector<double> values;
    double value = 0;
    const std::size_t length = bytes.below(32);
    for (std::size_t i = 0; i < length; ++i) {
      values.push_back(value);
      value += bytes.of(steps);
    }
    H5Ldelete(m_file, path, H5P_DEFAULT);
    list<double>(path, H5T_IEEE_F64LE, values);
  }

  void any_link(Bytes& bytes) const {
    const char* const from = bytes.of(paths);
    const char* const to = bytes.of(paths);
    const std::size_t kind = bytes.below(3);
    H5Ldelete(m_file, from, H5P_DEFAULT);
    if (kind == 0) H5Lcreate_soft(to, m_file, from, m_links.id, H5P_DEFAULT);
    if (kind == 1) H5Lcreate_hard(m_file, to, m_file, from, m_links.id, H5P_DEFAULT);
    if (kind == 2) H5Lcreate_external("no_such_file.h5", to, m_file, from, m_links.id, H5P_DEFAULT);
  }

  void group(Bytes& bytes) const {
    const Id made(H5Gcreate2(m_file, bytes.of(paths), m_links.id, H5P_DEFAULT, H5P_DEFAULT));
  }

 private:
  hid_t m_file;
  Id m_links;
};

}  // namespace

Image image_of(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  Image image;
  const Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(access.id, 4096, 0);
  const std::size_t kind = bytes.one();
  if (kind >= 128) H5Pset_libver_bounds(access.id, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  std::vector<std::pair<std::size_t, std::uint8_t>> patches;
  {
    const Id file(H5Fcreate("image.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access.id));
    if (file.id < 0) return image;
    {
      const Making making(file.id);
      if (kind % 4 == 1 || kind % 4 == 3) making.spike_trains();
      if (kind % 4 >= 2) making.signal();
      if (kind / 4 % 2 == 1) making.starting_time();
      constexpr std::size_t most_changes = 32;
      for (std::size_t i = 0; i < most_changes && !bytes.empty(); ++i) {
        switch (bytes.below(8)) {
          case 0:
            making.group(bytes);
            break;
          case 1:
            making.any_attribute(bytes);
            break;
          case 2:
            making.any_link(bytes);
            break;
          case 3:
            making.any_number(bytes);
            break;
          case 4:
            making.any_list(bytes);
            break;
          case 5: {
            const std::size_t place = bytes.four();
            patches.emplace_back(place, bytes.one());
            break;
          }
          default:
            making.any_dataset(bytes);
            break;
        }
      }
    }
    H5Fflush(file.id, H5F_SCOPE_GLOBAL);
    const ssize_t length = H5Fget_file_image(file.id, nullptr, 0);
    if (length <= 0 || length > ssize_t{1} << 24) return image;
    image.bytes.resize(static_cast<std::size_t>(length));
    H5Fget_file_image(file.id, image.bytes.data(), image.bytes.size());
  }
  for (const auto& [place, byte] : patches) {
    image.is_sound = false;
    image.bytes[place % image.bytes.size()] ^= byte;
  }
  return image;
}

}  // namespace fuzz
