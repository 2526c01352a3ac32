// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/score/rate_walk.hpp"

#include "glm/sweep/host_items.hpp"
#include "launch/arrays.hpp"
#include "machine/host_memory.hpp"
#include "pack/value.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstddef>

namespace synelix::glm {

namespace {

/// Bytes of the linear predictors of a part. Small compared with any budget, and enough rows for
/// all threads.
constexpr std::int64_t bytes_of_part = std::int64_t{4} << 20;

}  // namespace

OffsetColumns::OffsetColumns(const Operand& offset, std::int64_t rows, std::int64_t targets)
    : m_offset(offset) {
  if (!offset.is_given()) return;
  plan::check_array("offset", offset.array());
  const auto& extents = offset.array().extents;
  const bool is_column = offset.rank() == 1 && extents[0] == rows;
  if (!is_column && !(offset.rank() == 2 && extents[0] == rows && extents[1] == targets)) {
    throw Error("offset", plan::extents_text(offset.array()) + " does not match the rows",
                "Use (" + std::to_string(rows) + ") or (" + std::to_string(rows) + ", " +
                    std::to_string(targets) + ")");
  }
  plan::check_channels("offset", offset, is_column ? 1 : targets);
  if (*offset.memory_space() != '\0' && !is_reached_by_host(offset.memory_space())) {
    throw Error("offset", std::string("it lies in ") + offset.memory_space(),
                "Use memory of the host");
  }
}

double OffsetColumns::value(std::int64_t row, std::int64_t target) const {
  if (!m_offset.is_given()) return 0;
  const Strided& array = m_offset.array();
  const std::int64_t column = array.rank == 2 ? target : 0;
  const double stored = pack::stored_value(array.data, array.type,
                                           row * array.strides[0] + column * array.strides[1]);
  const PerChannel& scale = m_offset.scale();
  const PerChannel& shift = m_offset.offset();
  return stored * (scale.is_each() ? scale.each()[column] : scale.all()) +
         (shift.is_each() ? shift.each()[column] : shift.all());
}

RateWalk::RateWalk(Pass& pass, const ModelView& model, std::int64_t shares)
    : m_pass(pass), m_model(model), m_rows(pass.rows()) {
  const std::int64_t bytes_of_row = 8 * model.predictors() * shares;
  const std::int64_t items = std::max<std::int64_t>(1, bytes_of_part / bytes_of_row / rows_of_item);
  m_rows_of_part = std::min(items * rows_of_item, std::max<std::int64_t>(m_rows, 1));
  // A single part may have any number of rows; several parts begin at multiples of an item.
  m_predictors.resize(static_cast<std::size_t>(m_rows_of_part * model.predictors()));
}

void OutsideRows::add(const WalkItems& items) {
  for (std::int64_t item = 0; item < items.count; ++item) {
    const Found& part = m_of_items[static_cast<std::size_t>(item)];
    if (part.count == 0) continue;
    Found& all = m_found[static_cast<std::size_t>(items.target(item))];
    if (all.count == 0) all.first = part.first;
    all.count += part.count;
  }
}

std::vector<std::string> OutsideRows::warnings() const {
  constexpr int most_targets = 4;
  std::string text;
  int named = 0;
  std::int64_t targets = 0;
  for (std::size_t i = 0; i < m_found.size(); ++i) {
    const Found& found = m_found[i];
    if (found.count == 0) continue;
    ++targets;
    if (named >= most_targets) continue;
    ++named;
    text += (text.empty() ? "" : ", ") + std::to_string(found.count) +
            (found.count == 1 ? " row" : " rows") + " of target " + std::to_string(i) +
            " (the first is row " + std::to_string(found.first) + ")";
  }
  if (targets == 0) return {};
  if (targets > named) text += " and rows of " + std::to_string(targets - named) + " more targets";
  return {std::string("the model gives means that the family ") + name_of(m_model.loss.family) +
          " cannot have, with the inverse link " + name_of(m_model.loss.inverse_link) + ": in " +
          text};
}

WalkedRows RateWalk::part(Range rows) {
  const std::int64_t n = m_model.predictors();
  m_pass.apply(m_model.coefficients, n, rows, m_predictors.data());
  const WalkItems items(rows, 1);
  sweep::run_host_loop("synelix::glm::intercepts", items.count, [&](std::int64_t item) {
    const Range block = items.block(item);
    for (std::int64_t t = block.begin; t < block.end; ++t) {
      double* const row = m_predictors.data() + (t - rows.begin) * n;
      for (std::int64_t i = 0; i < n; ++i) row[i] += m_model.intercepts[i];
    }
  });
  return {rows, m_predictors.data(), n};
}

}  // namespace synelix::glm
