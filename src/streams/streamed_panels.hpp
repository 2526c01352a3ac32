// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/buffer.hpp"
#include "blocks/handoff.hpp"

#include <synelix/types/stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <thread>
#include <vector>

/// \file
/// `PanelReader`: the samples that rows depend on, read ahead by a thread.
///
/// It holds two panels of every source: one in use, and one that is being read. A walk requests
/// rows in ascending order, so the rows after those in use are read next. If a walk requests
/// others, the panel that was read ahead is dropped.

namespace synelix::stream {

/// The samples of one source that some rows depend on: (samples, channels), row-major.
struct PanelSamples {
  const std::byte* data = nullptr;
  Range samples;
};

class PanelReader {
 public:
  /// \param rows         of the entire design
  /// \param panel_rows   of a panel
  /// \param samples_for  samples of a source that rows depend on
  /// \param most         most samples of each source that the rows of a panel depend on
  PanelReader(std::vector<Source*> sources, std::int64_t rows, std::int64_t panel_rows,
              std::function<Range(std::size_t source, Range rows)> samples_for,
              const std::vector<std::int64_t>& most);
  PanelReader(const PanelReader&) = delete;
  PanelReader& operator=(const PanelReader&) = delete;
  ~PanelReader();

  /// Reads rows from `row` on into memory, and starts reading the following ones. Returns the rows
  /// in memory: at least `row`. \throws what a source throws
  Range bring(std::int64_t row);
  /// The samples of the last call, for each source.
  [[nodiscard]] std::span<const PanelSamples> samples() const { return m_current->samples; }

 private:
  struct Panel {
    Range rows = {0, 0};
    std::vector<blocks::Buffer> buffers;
    std::vector<PanelSamples> samples;
    std::exception_ptr failure = {};
  };

  [[nodiscard]] Range rows_from(std::int64_t row) const;
  void start_reading(Panel& panel, Range rows);
  void wait();
  void read(Panel& panel) const;

  std::vector<Source*> m_sources;
  std::int64_t m_rows;
  std::int64_t m_panel_rows;
  std::function<Range(std::size_t, Range)> m_samples_for;
  std::array<Panel, 2> m_panels;
  Panel* m_current = &m_panels[0];
  Panel* m_next = &m_panels[1];
  bool m_is_reading = false;  ///< whether the thread has, or had, `m_next`
  blocks::Handoff<Panel*> m_to_read;
  blocks::Handoff<Panel*> m_read;
  std::thread m_thread;
};

}  // namespace synelix::stream
