// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "streams/fingerprint.hpp"

#include "types/checks.hpp"

#include <synelix/version.hpp>

#include <cstdio>
#include <vector>

namespace synelix::stream {
namespace {

std::string value_text(double number) {
  char text[40] = {};
  std::snprintf(text, sizeof(text), "%.17g", number);
  return text;
}

std::string value_text(Range range) {
  return std::to_string(range.begin) + ":" + std::to_string(range.end);
}

/// "3, checksum 0123456789abcdef"; empty for an empty list.
template <class Value>
std::string value_text(const std::vector<Value>& values) {
  if (values.empty()) return {};
  return std::to_string(values.size()) + ", checksum " + Checksum().add(values).text();
}

std::string value_text(const Scaling& scaling) {
  if (scaling.is_identity()) return {};
  std::string text = "x * " + value_text(scaling.scale) + " + " + value_text(scaling.offset);
  if (!scaling.channel_scale.empty()) text += ", scales " + value_text(scaling.channel_scale);
  if (!scaling.channel_offset.empty()) text += ", offsets " + value_text(scaling.channel_offset);
  return text;
}

std::string value_text(const Events& events) {
  const auto size = static_cast<std::size_t>(events.shape().events);
  Checksum checksum;
  checksum.add(events.begins(),
               (static_cast<std::size_t>(events.shape().channels) + 1) * sizeof(*events.begins()));
  checksum.add(events.sample_indices(), size * sizeof(*events.sample_indices()));
  if (events.counts() != nullptr) checksum.add(events.counts(), size * sizeof(*events.counts()));
  return std::to_string(size) + ", checksum " + checksum.text();
}

std::string value_text(const std::vector<TimeSegment>& segments) {
  if (segments.empty()) return {};
  Checksum checksum;
  for (const TimeSegment& segment : segments) {
    checksum.add(&segment.first_sample, sizeof(segment.first_sample));
    checksum.add(&segment.start_seconds, sizeof(segment.start_seconds));
    checksum.add(&segment.rate_hz, sizeof(segment.rate_hz));
  }
  return std::to_string(segments.size()) + ", checksum " + checksum.text();
}

}  // namespace

Fingerprint fingerprint_of(const SeriesShape& shape, const SeriesDescription& description,
                           const Events* events) {
  const Fingerprint here = {
      {"series", std::to_string(shape.samples) + " x " + std::to_string(shape.channels) + " " +
                     std::string(shape.has_events ? "events" : name_of(shape.type))},
      {"events", events == nullptr ? std::string() : value_text(*events)},
      {"epochs", value_text(shape.epochs.list())},
      {"scaling", value_text(shape.scaling)},
      {"rate", description.rate_hz ? value_text(*description.rate_hz) : std::string()},
      {"start", value_text(description.start_seconds)},
      {"segments", value_text(description.segments)},
      {"first sample", std::to_string(description.first_sample)},
      {"channel ids", value_text(description.channel_ids)},
      {"bin centers", centers_text(description)}};
  return joined(description.fingerprint, here);
}

std::string centers_text(const SeriesDescription& description) {
  return description.bin_seconds ? "written" : std::string();
}

Fingerprint fingerprint_of(const Taps& taps, const ConvolveOptions& options, const Choice& choice,
                           const FeaturesShape& features, Range rows) {
  Fingerprint result = {{"basis", taps.basis},
                        {"bases", std::to_string(taps.bases)},
                        {"window", std::to_string(taps.window)},
                        {"taps", "checksum " + Checksum().add(taps.values).text()},
                        {"causality", file_name_of(options.causality)},
                        {"shift", is_shifted(options.causality, options.shift) ? "on" : "off"},
                        {"border", known_name(options.border)},
                        {"every", std::to_string(options.every)},
                        {"rows", value_text(rows)},
                        {"type", std::string(name_of(features.type))},
                        {"method", name_of(choice.method)},
                        {"instruction set", name_of(choice.instruction_set)},
                        {"synelix", std::string(version())}};
  if (choice.fft_length > 0) result.emplace_back("fft length", std::to_string(choice.fft_length));
  if (choice.fft_parts > 1) {
    result.emplace_back("fft parts", std::to_string(choice.fft_parts) + " of " +
                                         std::to_string(choice.fft_part_taps) + " taps");
  }
  return result;
}

Fingerprint joined(Fingerprint first, const Fingerprint& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Checksum& Checksum::add(const void* bytes, std::size_t size) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) {
    m_value = (m_value ^ next[i]) * 0x100000001b3U;
  }
  return *this;
}

std::string Checksum::text() const {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[(m_value >> shift) & 15U];
  }
  return digits;
}

}  // namespace synelix::stream
