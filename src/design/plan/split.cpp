// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/error.hpp>
#include <synelix/expression.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace synelix {
namespace {

/// The part of an array that belongs to one term.
template <class Void>
BasicStrided<Void> part(const BasicStrided<Void>& array, const Term& term, int axis) {
  using Byte = std::conditional_t<std::is_const_v<Void>, const std::byte, std::byte>;
  const auto at = static_cast<std::size_t>(axis);
  const std::int64_t step = array.strides[at];
  BasicStrided<Void> result;
  result.type = array.type;
  result.data = array.data == nullptr ? nullptr
                                      : static_cast<Byte*>(array.data) +
                                            term.columns.begin * step * size_of(array.type);
  const auto append = [&](std::int64_t extent, std::int64_t stride) {
    result.extents[static_cast<std::size_t>(result.rank)] = extent;
    result.strides[static_cast<std::size_t>(result.rank)] = stride;
    ++result.rank;
  };
  const auto dimensions = static_cast<int>(term.channel_extents.size());
  const bool merged = array.rank + dimensions > max_rank;
  for (int i = 0; i < array.rank; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (i != axis) {
      append(array.extents[k], array.strides[k]);
      continue;
    }
    std::int64_t stride = step * term.bases * term.channels;
    if (merged) {
      append(term.channels, step * term.bases);
    } else {
      for (const std::int64_t extent : term.channel_extents) {
        if (extent > 0) stride /= extent;
        append(extent, stride);
      }
    }
    append(term.bases, step);
  }
  return result;
}

template <class Void>
std::vector<BasicStrided<Void>> parts(const BasicStrided<Void>& array,
                                      const std::vector<Term>& terms, int axis) {
  const int place = axis < 0 ? axis + array.rank : axis;
  if (place < 0 || place >= array.rank) {
    throw Error("axis", std::to_string(axis) + " is not a dimension of the features",
                "Use " + std::to_string(-array.rank) + " to " + std::to_string(array.rank - 1));
  }
  const std::int64_t columns = terms.empty() ? 0 : terms.back().columns.end;
  const std::int64_t found = array.extents[static_cast<std::size_t>(place)];
  if (found != columns) {
    throw Error("features",
                std::to_string(found) + " columns along axis " + std::to_string(axis) +
                    " do not match the terms",
                "Pass " + std::to_string(columns) + " columns, those of all terms together");
  }
  std::vector<BasicStrided<Void>> result;
  result.reserve(terms.size());
  for (const Term& term : terms) {
    if (array.rank + 1 > max_rank) {
      throw Error("features", std::to_string(array.rank) + " dimensions are too many",
                  "Use at most " + std::to_string(max_rank - 1));
    }
    result.push_back(part(array, term, place));
  }
  return result;
}

}  // namespace

std::vector<Strided> split(const Strided& features, const std::vector<Term>& terms, int axis) {
  return parts(features, terms, axis);
}

std::vector<StridedOutput> split(const StridedOutput& features, const std::vector<Term>& terms,
                                 int axis) {
  return parts(features, terms, axis);
}

const Term& term_of(const std::vector<Term>& terms, const std::string& label) {
  std::string labels;
  for (const Term& term : terms) {
    if (term.label == label) return term;
    labels += (labels.empty() ? "" : ", ") + term.label;
  }
  throw Error("term", "\"" + label + "\" is not a term", "Use one of " + labels);
}

}  // namespace synelix
