// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "streams/streamed_panels.hpp"

#include <algorithm>
#include <utility>

namespace synelix::stream {

PanelReader::PanelReader(std::vector<Source*> sources, std::int64_t rows, std::int64_t panel_rows,
                         std::function<Range(std::size_t source, Range rows)> samples_for,
                         const std::vector<std::int64_t>& most)
    : m_sources(std::move(sources)),
      m_rows(rows),
      m_panel_rows(panel_rows),
      m_samples_for(std::move(samples_for)) {
  for (Panel& panel : m_panels) {
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
      const SeriesShape& shape = m_sources[i]->shape();
      panel.buffers.emplace_back(most[i] * shape.channels * size_of(shape.type));
    }
    panel.samples.resize(m_sources.size());
  }
  m_thread = std::thread([this] {
    while (const std::optional<Panel*> panel = m_to_read.take()) {
      try {
        read(**panel);
      } catch (...) {
        (*panel)->failure = std::current_exception();
      }
      m_read.give(*panel);
    }
  });
}

PanelReader::~PanelReader() {
  m_to_read.stop();
  m_thread.join();
}

Range PanelReader::rows_from(std::int64_t row) const {
  return {row, std::min(row + m_panel_rows, m_rows)};
}

void PanelReader::read(Panel& panel) const {
  for (std::size_t i = 0; i < m_sources.size(); ++i) {
    const Range samples = m_samples_for(i, panel.rows);
    panel.samples[i] = {panel.buffers[i].data(), samples};
    if (samples.size() == 0) continue;
    m_sources[i]->read(samples, {0, m_sources[i]->shape().channels}, panel.buffers[i].data());
  }
}

void PanelReader::start_reading(Panel& panel, Range rows) {
  panel.rows = rows;
  panel.failure = {};
  m_is_reading = true;
  m_to_read.give(&panel);
}

/// Waits for the thread; afterwards `m_next` may be used.
void PanelReader::wait() {
  if (std::exchange(m_is_reading, false)) m_read.take();
}

Range PanelReader::bring(std::int64_t row) {
  const auto holds = [row](const Panel& panel) {
    return row >= panel.rows.begin && row < panel.rows.end;
  };
  if (holds(*m_current)) return m_current->rows;
  wait();
  if (!holds(*m_next)) {
    start_reading(*m_next, rows_from(row));
    wait();
  }
  if (m_next->failure) {
    const std::exception_ptr failure = std::exchange(m_next->failure, {});
    m_next->rows = {0, 0};  // a later call reads them again
    std::rethrow_exception(failure);
  }
  std::swap(m_current, m_next);
  m_next->rows = {0, 0};
  // After the last rows, the next walk begins at the first.
  const std::int64_t behind = m_current->rows.end < m_rows ? m_current->rows.end : 0;
  if (behind != m_current->rows.begin) start_reading(*m_next, rows_from(behind));
  return m_current->rows;
}

}  // namespace synelix::stream
