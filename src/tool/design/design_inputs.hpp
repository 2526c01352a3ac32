// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/design/design_report.hpp"
#include "tool/options/request.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/part_facts.hpp"

#include <synelix/choice.hpp>
#include <synelix/expression.hpp>
#include <synelix/types/stream.hpp>
#include <synelix/types/stream_features.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// \file
/// A design, opened: its inputs on one time grid, its terms as an expression, its files, and its
/// outline in a report.

namespace synelix::tool {

/// The selected parts of the recordings, and the budgets for spike trains.
struct DesignParts {
  std::optional<DatasetPath> epochs;
  std::optional<IntervalsSource> intervals;
  ConvolveOptions computing = {};
  std::optional<std::size_t> target = {};   ///< an input that is used besides those of the terms
  InputFits fits = {};                      ///< of timestamps, if they are known
  std::optional<double> from_seconds = {};  ///< the beginning of bins without arrays and intervals
};

class DesignInputs {
 public:
  /// Opens the inputs of the terms. Spike trains are binned on the grid of the arrays if there are
  /// any; otherwise in separate bins by the rule of nwb.hpp.
  /// Throws Error if inputs differ in samples, rate, start or epochs, listing all of them.
  explicit DesignInputs(const DesignFile& design, DesignParts parts = {});

  /// The description of the grid.
  [[nodiscard]] const SeriesDescription& series() const { return m_series; }
  [[nodiscard]] std::int64_t samples() const { return m_samples; }
  /// Whether the design uses an input.
  [[nodiscard]] bool is_used(std::size_t input) const { return m_inputs[input] != nullptr; }
  [[nodiscard]] const SeriesShape& shape_of(std::size_t input) const {
    return m_inputs[input]->shape();
  }
  /// Its spike trains; null if it is an array.
  [[nodiscard]] const SpikeTrains* trains(std::size_t input) const {
    return m_inputs[input]->trains();
  }
  [[nodiscard]] StreamInput stream_input(std::size_t input) const {
    return m_inputs[input]->stream();
  }
  /// Ids of its channels; empty: 0, 1, ...
  [[nodiscard]] std::vector<std::int64_t> channel_ids(std::size_t input) const {
    return description_of(input).channel_ids;
  }
  /// Bytes of spike trains in memory.
  [[nodiscard]] std::int64_t held_bytes() const;
  /// If the budget is too small for its spike trains: the bytes needed to read all of them. They
  /// are only counted.
  [[nodiscard]] const std::optional<Refusal>& refused() const { return m_refused; }
  /// Fits of the timestamps of arrays, and the files used by arrays, by the names of inputs.
  [[nodiscard]] InputFits fits(const DesignFile& design) const;
  [[nodiscard]] Fingerprint files(const DesignFile& design) const;

 private:
  void open_arrays(const DesignFile& design);
  void open_spikes(const DesignFile& design);
  void take_rate(const DesignFile& design);
  /// Reads spike trains, besides others with `held` bytes.
  [[nodiscard]] SpikeTrains binned(const SpikeInput& spikes, std::int64_t held) const;
  void keep_refusal(const Refusal& refused, const std::string& place);
  void require_one_grid(const DesignFile& design) const;
  /// \throws Error if the grid is that of the target alone, and inputs have spikes after it
  void require_whole_target(const DesignFile& design) const;
  [[nodiscard]] SeriesDescription description_of(std::size_t input) const {
    return m_inputs[input]->series();
  }
  [[nodiscard]] std::string table_of(const DesignFile& design) const;

  std::vector<std::unique_ptr<Recording>> m_inputs;  ///< of each input of the design; null: not
                                                     ///< used
  std::vector<std::optional<double>> m_rates;        ///< of each input, if it is known
  SeriesDescription m_series;
  std::int64_t m_samples = 0;
  DesignParts m_parts;
  Epochs m_epochs;  ///< of the arrays
  bool m_has_arrays = false;
  std::optional<Refusal> m_refused;
};

/// The terms of a design as one expression.
struct DesignExpression {
  Expression expression;
  std::vector<std::size_t> inputs;    ///< of the design, for each of the expression's
  std::vector<std::int64_t> windows;  ///< of each basis of the design, in samples; 0: none
};

/// Makes the sum of all terms, each under its name. Windows with a unit need the rate; causality
/// and shift are those of the options if a basis does not set them.
/// Throws Error with the place of the fault.
DesignExpression expression_of(const DesignFile& design, std::optional<double> rate_hz,
                               const ConvolveOptions& options);

/// Throws if a file that is read would be replaced.
void require_other_files(const DesignFile& design, const DesignRequest& request,
                         const DatasetPath& output);

/// Files that a run depends on, other than arrays.
std::vector<InputFile> files_held(const DesignFile& design, const DesignRequest& request);

/// The beginning of a report on a design with this layout of terms: its parts.
Json outline_of(const std::string& name, const DesignFile& design, const DesignInputs& inputs,
                const DesignExpression& from, const std::vector<Term>& terms);

}  // namespace synelix::tool
