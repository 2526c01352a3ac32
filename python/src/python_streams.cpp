// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python_streams.hpp"

#include "python_code.hpp"

#include <utility>

namespace synelix::python {
namespace {

/// An array of NumPy that refers to memory of the library for the time of one call.
nb::object borrowed(const void* data, StoredType type, const std::vector<std::size_t>& extents,
                    bool is_written) {
  using Code = nb::dlpack::dtype_code;
  const bool is_float = type == StoredType::float32 || type == StoredType::float64;
  const bool is_signed = type == StoredType::int8 || type == StoredType::int16;
  const Code code = is_float ? Code::Float : is_signed ? Code::Int : Code::UInt;
  const nb::dlpack::dtype dtype{static_cast<std::uint8_t>(code),
                                static_cast<std::uint8_t>(8 * size_of(type)), 1};
  if (is_written) {
    return nb::cast(nb::ndarray<nb::numpy>(const_cast<void*>(data), extents.size(), extents.data(),
                                           {}, nullptr, dtype),
                    nb::rv_policy::reference);
  }
  return nb::cast(
      nb::ndarray<nb::numpy, nb::ro>(data, extents.size(), extents.data(), {}, nullptr, dtype),
      nb::rv_policy::reference);
}

/// Releases an object when the GIL may not be held.
void drop(nb::callable& object) {
  const WithGil held;
  object.reset();
}

std::size_t size_of_range(Range range) { return static_cast<std::size_t>(range.size()); }

}  // namespace

PythonSource::PythonSource(nb::callable read, SeriesShape shape, std::vector<std::int64_t> extents,
                           SeriesDescription description)
    : m_read(std::move(read)),
      m_shape(std::move(shape)),
      m_extents(std::move(extents)),
      m_description(std::move(description)) {
  require_valid(m_shape);
}

PythonSource::~PythonSource() { drop(m_read); }

void PythonSource::read(Range samples, Range channels, void* buffer) {
  run_python([&] {
    m_read(samples.begin, samples.end, channels.begin, channels.end,
           borrowed(buffer, m_shape.type, {size_of_range(samples), size_of_range(channels)}, true));
  });
}

StreamInput stream_input(nb::handle input) {
  if (nb::isinstance<Trains>(input)) return {nb::inst_ptr<Trains>(input)->get()};
  return {*nb::cast<Source*>(input)};
}

PythonSink::PythonSink(nb::callable create, nb::callable write)
    : m_create(std::move(create)), m_write(std::move(write)) {}

PythonSink::~PythonSink() {
  drop(m_create);
  drop(m_write);
}

void PythonSink::begin(const FeaturesDescription& description) {
  const FeaturesShape& shape = description.shape;
  m_type = shape.type;
  run_python([&] {
    m_create(shape.rows, shape.channel_extents, shape.bases, std::string(name_of(m_type)));
  });
}

void PythonSink::write(const Block& block, const void* values) {
  run_python([&] {
    m_write(block.rows.begin, block.rows.end, block.channels.begin, block.channels.end,
            block.bases.begin, block.bases.end,
            borrowed(values, m_type,
                     {size_of_range(block.rows), size_of_range(block.channels),
                      size_of_range(block.bases)},
                     false));
  });
}

}  // namespace synelix::python
