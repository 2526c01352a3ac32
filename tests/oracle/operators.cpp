// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/operators.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace oracle {
namespace {

Convolution::Sizes at(const Convolution::Sizes& sizes, std::int64_t i) {
  return {i / (sizes[1] * sizes[2]), i / sizes[2] % sizes[1], i % sizes[2]};
}

/// The place that each tap of each position reads in a channel, (position, tap); -1: a zero.
std::vector<std::int64_t> sources_of(const Convolution& conv) {
  const Convolution::Sizes out = conv.out();
  std::vector<std::int64_t> sources;
  for (std::int64_t p = 0; p < volume(out); ++p) {
    for (std::int64_t k = 0; k < volume(conv.taps); ++k) {
      const Convolution::Sizes position = at(out, p);
      const Convolution::Sizes tap = at(conv.taps, k);
      Convolution::Sizes source{};
      for (std::size_t d = 0; d < 3; ++d) source[d] = conv.source(d, position[d], tap[d]);
      const bool is_zero = *std::min_element(source.begin(), source.end()) < 0;
      sources.push_back(is_zero ? -1
                                : (source[0] * conv.in[1] + source[1]) * conv.in[2] + source[2]);
    }
  }
  return sources;
}

/// Calls visit(x, w, y) with the indices of each product.
template <class Visit>
void for_each_product(const Convolution& conv, const Visit& visit) {
  const std::vector<std::int64_t> sources = sources_of(conv);
  const std::int64_t positions = volume(conv.out());
  const std::int64_t taps = volume(conv.taps);
  const std::int64_t group_inputs = conv.inputs / conv.groups;
  const std::int64_t group_outputs = conv.outputs / conv.groups;
  for (std::int64_t n = 0; n < conv.batch; ++n) {
    for (std::int64_t o = 0; o < conv.outputs; ++o) {
      for (std::int64_t p = 0; p < positions; ++p) {
        for (std::int64_t c = 0; c < group_inputs; ++c) {
          const std::int64_t channel = o / group_outputs * group_inputs + c;
          const std::int64_t x = (n * conv.inputs + channel) * volume(conv.in);
          for (std::int64_t k = 0; k < taps; ++k) {
            const std::int64_t source = sources[static_cast<std::size_t>(p * taps + k)];
            if (source < 0) continue;
            visit(x + source, (o * group_inputs + c) * taps + k,
                  (n * conv.outputs + o) * positions + p);
          }
        }
      }
    }
  }
}

double value_at(const std::vector<double>& values, std::int64_t i) {
  return values[static_cast<std::size_t>(i)];
}

}  // namespace

std::int64_t volume(const Convolution::Sizes& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

Sums convolved(const Convolution& conv, const std::vector<double>& x, const std::vector<double>& w,
               const std::vector<double>& bias) {
  const std::int64_t positions = volume(conv.out());
  Sums y(conv.batch * conv.outputs * positions);
  for_each_product(conv, [&](std::int64_t i, std::int64_t k, std::int64_t p) {
    y.add(p, value_at(x, i) * value_at(w, k));
  });
  for (std::int64_t p = 0; !bias.empty() && p < static_cast<std::int64_t>(y.values.size()); ++p) {
    y.add(p, value_at(bias, p / positions % conv.outputs));
  }
  return y;
}

Sums gradient_by_input(const Convolution& conv, const std::vector<double>& y,
                       const std::vector<double>& w) {
  Sums x(conv.batch * conv.inputs * volume(conv.in));
  for_each_product(conv, [&](std::int64_t i, std::int64_t k, std::int64_t p) {
    x.add(i, value_at(y, p) * value_at(w, k));
  });
  return x;
}

Sums gradient_by_weights(const Convolution& conv, const std::vector<double>& x,
                         const std::vector<double>& y) {
  Sums w(conv.outputs * conv.inputs / conv.groups * volume(conv.taps));
  for_each_product(conv, [&](std::int64_t i, std::int64_t k, std::int64_t p) {
    w.add(k, value_at(x, i) * value_at(y, p));
  });
  return w;
}

}  // namespace oracle
