// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "objects.hpp"

#include <synelix/stream.hpp>
#include <synelix/stream_features.hpp>

#include <memory>
#include <string>
#include <vector>

/// \file
/// Sources and sinks given by Python: any object with a shape, a type and slices.

namespace synelix::python {

/// read(begin, end, first_channel, last_channel, buffer) fills a buffer (samples, channels).
class PythonSource final : public Source {
 public:
  PythonSource(nb::callable read, SeriesShape shape, std::vector<std::int64_t> extents,
               SeriesDescription description);
  ~PythonSource() override;
  [[nodiscard]] const SeriesShape& shape() const override { return m_shape; }
  [[nodiscard]] std::vector<std::int64_t> channel_extents() const override { return m_extents; }
  [[nodiscard]] SeriesDescription description() const override { return m_description; }
  void read(Range samples, Range channels, void* buffer) override;

 private:
  nb::callable m_read;
  SeriesShape m_shape;
  std::vector<std::int64_t> m_extents;
  SeriesDescription m_description;
};

/// create(rows, channel_extents, bases, type) comes first, then write(ranges..., values).
class PythonSink final : public Sink {
 public:
  PythonSink(nb::callable create, nb::callable write);
  ~PythonSink() override;
  void begin(const FeaturesDescription& description) override;
  void write(const Block& block, const void* values) override;
  void finish() override {}
  void abandon() noexcept override {}

 private:
  nb::callable m_create;
  nb::callable m_write;
  StoredType m_type = StoredType::float32;
};

/// An input of a stream from a Source or Trains, which it refers to.
StreamInput stream_input(nb::handle input);

}  // namespace synelix::python
