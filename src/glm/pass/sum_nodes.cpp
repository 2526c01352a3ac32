// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/sum_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace synelix::glm {
namespace {

void add_to(std::vector<double>& left, const std::vector<double>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
}

/// Whether two nodes that follow each other are the children of one node.
bool are_siblings(const SumNode& left, const SumNode& right) {
  return left.level == right.level && left.end() == right.begin &&
         left.begin % (std::int64_t{2} << left.level) == 0;
}

}  // namespace

bool SumNodes::add(SumNode node) {
  auto place = std::lower_bound(
      m_nodes.begin(), m_nodes.end(), node.begin,
      [](const SumNode& other, std::int64_t begin) { return other.begin < begin; });
  if (place != m_nodes.end() && place->begin < node.end()) return false;
  if (place != m_nodes.begin() && std::prev(place)->end() > node.begin) return false;
  place = m_nodes.insert(place, std::move(node));
  for (;;) {
    if (place != m_nodes.begin() && are_siblings(*std::prev(place), *place)) {
      --place;
    } else if (std::next(place) == m_nodes.end() || !are_siblings(*place, *std::next(place))) {
      return true;
    }
    add_to(place->sum, std::next(place)->sum);
    ++place->level;
    place = std::prev(m_nodes.erase(std::next(place)));
  }
}

std::int64_t SumNodes::missing(std::int64_t blocks) const {
  std::int64_t next = 0;
  for (const SumNode& node : m_nodes) {
    if (node.begin != next) break;
    next = node.end();
  }
  return std::min(next, blocks);
}

std::vector<double> SumNodes::total(std::int64_t numbers) const {
  if (m_nodes.empty()) return std::vector<double>(static_cast<std::size_t>(numbers), 0.0);
  std::vector<double> sum = m_nodes.back().sum;
  for (std::size_t k = m_nodes.size() - 1; k-- > 0;) {
    std::vector<double> left = m_nodes[k].sum;
    add_to(left, sum);
    sum = std::move(left);
  }
  return sum;
}

}  // namespace synelix::glm
