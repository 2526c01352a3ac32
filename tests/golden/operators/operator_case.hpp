// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/scaled.hpp>
#include <synelix/strided.hpp>

#include "golden/comparison.hpp"
#include "golden/golden_file.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Common parts of the cases of operators: stored operands, results of float and double, and their
/// tolerances. The format is described in make_operators.py.

namespace golden {

using OperatorSpace = Kokkos::DefaultExecutionSpace;

/// \throws FormatError for an attribute or a dataset whose name is not among these
void refuse_unknown(const Group& group, const std::set<std::string>& attributes,
                    const std::set<std::string>& datasets);

/// The value that an attribute names; the first one if it is absent.
template <class Value>
Value named(const Group& group, const std::string& attribute,
            std::initializer_list<std::pair<const char*, Value>> values) {
  const std::optional<std::string> text = group.text(attribute);
  if (!text) return values.begin()->second;
  std::string all;
  for (const auto& [name, value] : values) {
    if (*text == name) return value;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw FormatError(group.path() + ": " + attribute + " is '" + *text + "'; it may be " + all);
}

/// Numbers in memory of the execution space, and of the host.
template <class T>
using Placed = Kokkos::View<T*, Kokkos::LayoutRight, OperatorSpace>;
template <class T>
using OnHost = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::HostSpace,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A copy for the execution space.
template <class T>
Placed<T> placed(const std::vector<T>& values) {
  Placed<T> result(Kokkos::view_alloc(Kokkos::WithoutInitializing, "golden::values"),
                   values.size());
  Kokkos::deep_copy(result, OnHost<const T>(values.data(), values.size()));
  return result;
}

/// A copy for the host, made after the work that writes them has ended.
template <class T>
std::vector<T> values_of(const Placed<T>& numbers) {
  std::vector<T> result(numbers.size());
  Kokkos::deep_copy(OnHost<T>(result.data(), result.size()), numbers);
  return result;
}

/// The largest sum of the sizes of an array's values, and how many are summed.
struct TermSizes {
  double size = 0;
  double terms = 0;
};

/// An operand as it is stored, in memory of the execution space.
class StoredOperand {
 public:
  /// The dataset NAME`suffix` with the attributes NAME_scale and NAME_offset, or with the datasets
  /// NAME_column_scale and NAME_column_offset.
  /// \throws FormatError if they are not of the format
  StoredOperand(const Group& group, const std::string& name, const std::string& suffix = "");

  [[nodiscard]] synelix::Strided strided() const { return m_strided; }
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return m_extents; }
  [[nodiscard]] double scale() const { return m_scale; }
  [[nodiscard]] double offset() const { return m_offset; }
  [[nodiscard]] bool is_scaled() const { return m_scale != 1 || m_offset != 0; }
  /// Numbers of each column, in memory of the execution space; 1 and 0 if there are none.
  [[nodiscard]] synelix::PerChannel column_scale() const {
    return m_column_scale.size() > 0 ? synelix::PerChannel(m_column_scale) : 1.0;
  }
  [[nodiscard]] synelix::PerChannel column_offset() const {
    return m_column_offset.size() > 0 ? synelix::PerChannel(m_column_offset) : 0.0;
  }
  [[nodiscard]] bool is_scaled_by_column() const {
    return m_column_scale.size() > 0 || m_column_offset.size() > 0;
  }

  /// The largest finite |stored scale| + |offset|.
  [[nodiscard]] double largest() const { return largest_finite(m_sizes); }
  /// Of these, the largest sum along some dimensions.
  [[nodiscard]] TermSizes largest_sum(const std::vector<bool>& is_summed) const;

 private:
  void place(const std::string& path, const Array& array);

  std::vector<std::int64_t> m_extents;
  Placed<std::byte> m_memory;
  synelix::Strided m_strided;
  double m_scale = 1;
  double m_offset = 0;
  Placed<double> m_column_scale;
  Placed<double> m_column_offset;
  std::vector<double> m_sizes;
};

/// A result against that of the case. The tolerance is `rtol` of the case times the sizes of the
/// terms, and twice the bound for the rounding of each product and each sum.
template <class Scalar>
Outcome compare_sums(const Group& group, const Array& expected, const std::vector<Scalar>& found,
                     const TermSizes& sizes) {
  const double epsilon = expected.is_narrow ? std::numeric_limits<float>::epsilon()
                                            : std::numeric_limits<Scalar>::epsilon();
  const double relative = epsilon * (sizes.terms + 4) + group.number("rtol").value_or(0);
  const double tolerance = relative * sizes.size;
  Outcome outcome = compare(expected, found, [tolerance](std::size_t) { return tolerance; });
  if (outcome.kind == Outcome::Kind::agrees) {
    char text[64];
    std::snprintf(text, sizeof text, "within %.2g", outcome.largest / std::max(sizes.size, 1e-300));
    outcome.text = text;
  }
  outcome.text = type_name<Scalar>() + " " + outcome.text;
  return outcome;
}

/// Both outcomes of a case, or that which differs.
inline Outcome both(const Outcome& first, const Outcome& second) {
  if (first.kind != Outcome::Kind::agrees) return first;
  if (second.kind != Outcome::Kind::agrees) return second;
  return {Outcome::Kind::agrees, first.text + ", " + second.text};
}

}  // namespace golden
