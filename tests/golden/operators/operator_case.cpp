// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/operators/operator_case.hpp"

#include "oracle/stored.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstring>

namespace golden {
namespace {

constexpr synelix::StoredType stored_types[] = {
    synelix::StoredType::float32, synelix::StoredType::float64, synelix::StoredType::int8,
    synelix::StoredType::uint8,   synelix::StoredType::int16,   synelix::StoredType::uint16};

std::string list_of(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void refuse(const Group& group, const char* what, const std::vector<std::string>& found,
            const std::set<std::string>& known) {
  for (const std::string& name : found) {
    if (known.contains(name)) continue;
    throw FormatError(group.path() + ": " + what + " " + name +
                      " is unknown; there are: " + list_of(known));
  }
}

synelix::StoredType type_of(const std::string& path, const Array& array) {
  std::string all;
  for (const synelix::StoredType type : stored_types) {
    if (array.stored == synelix::name_of(type)) return type;
    all += (all.empty() ? "" : ", ") + std::string(synelix::name_of(type));
  }
  throw FormatError(path + " is stored as " + (array.stored.empty() ? "no number" : array.stored) +
                    "; it may be " + all);
}

/// Numbers of each column from a dataset, otherwise from the constant if needed.
std::vector<double> columns_of(const Group& group, const std::string& name, std::int64_t columns,
                               std::optional<double> constant) {
  if (!group.has(name)) {
    return std::vector<double>(constant ? static_cast<std::size_t>(columns) : 0,
                               constant.value_or(0));
  }
  if (constant) throw FormatError(group.path() + ": " + name + " is a dataset beside a constant");
  const Array array = group.array(name);
  if (array.rank() == 1 && array.extents[0] == columns) return array.values;
  throw FormatError(group.path() + ": " + name + " is not a number for each of " +
                    std::to_string(columns) + " columns");
}

double value_at(const std::vector<double>& numbers, std::size_t i, double otherwise) {
  return numbers.empty() ? otherwise : numbers[i % numbers.size()];
}

}  // namespace

void refuse_unknown(const Group& group, const std::set<std::string>& attributes,
                    const std::set<std::string>& datasets) {
  refuse(group, "attribute", group.attributes(), attributes);
  refuse(group, "dataset", group.datasets(), datasets);
}

StoredOperand::StoredOperand(const Group& group, const std::string& name,
                             const std::string& suffix) {
  const Array array = group.array(name + suffix);
  const std::optional<double> scale = group.number(name + "_scale");
  const std::optional<double> offset = group.number(name + "_offset");
  m_extents = array.extents;
  m_scale = scale.value_or(1);
  m_offset = offset.value_or(0);
  place(group.path() + "/" + name + suffix, array);
  std::vector<double> scales;
  std::vector<double> offsets;
  const std::string column = name + "_column_";
  if (group.has(column + "scale") || group.has(column + "offset")) {
    scales = columns_of(group, column + "scale", m_extents.back(), scale);
    offsets = columns_of(group, column + "offset", m_extents.back(), offset);
    if (!scales.empty()) m_column_scale = placed(scales);
    if (!offsets.empty()) m_column_offset = placed(offsets);
  }
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    m_sizes.push_back(std::abs(array.values[i] * value_at(scales, i, m_scale)) +
                      std::abs(value_at(offsets, i, m_offset)));
  }
}

/// Copies the values to the execution space, in the type that they are stored in.
void StoredOperand::place(const std::string& path, const Array& array) {
  const synelix::StoredType type = type_of(path, array);
  if (array.rank() < 1 || array.rank() > synelix::max_rank) {
    throw FormatError(path + " has " + std::to_string(array.rank()) + " dimensions");
  }
  oracle::visit_type(type, [&]<class T>() {
    std::vector<std::byte> bytes(array.values.size() * sizeof(T));
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      const T value = static_cast<T>(array.values[i]);
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    m_memory = placed(bytes);
    m_strided = synelix::Strided(reinterpret_cast<const T*>(m_memory.data()), m_extents);
  });
}

TermSizes StoredOperand::largest_sum(const std::vector<bool>& is_summed) const {
  TermSizes result{0, 1};
  for (std::size_t d = 0; d < is_summed.size(); ++d) {
    if (is_summed[d]) result.terms *= static_cast<double>(m_extents[d]);
  }
  std::vector<double> sums(m_sizes.size(), 0.0);
  for (std::size_t i = 0; i < m_sizes.size(); ++i) {
    std::size_t rest = i;
    std::size_t sum =
        0;  // of the values that differ from this one along the summed dimensions only
    std::size_t step = 1;
    for (std::size_t d = is_summed.size(); d-- > 0;) {
      const auto extent = static_cast<std::size_t>(m_extents[d]);
      if (!is_summed[d]) sum += rest % extent * step;
      rest /= extent;
      step *= extent;
    }
    if (std::isfinite(m_sizes[i])) sums[sum] += m_sizes[i];
  }
  result.size = largest_finite(sums);
  return result;
}

}  // namespace golden
