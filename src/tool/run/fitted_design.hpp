// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/design/design_inputs.hpp"
#include "tool/options/request.hpp"

#include <synelix/types/design_matrix.hpp>
#include <synelix/types/fit_file.hpp>
#include <synelix/types/stream_features.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// A design with its target, opened for `fit`, `predict` and `score`.

namespace synelix::tool {

/// Inputs, terms and target of a design, on one time grid. Its results refer to it.
class FittedDesign {
 public:
  /// \param target  absent: none
  FittedDesign(DesignFile design, const DesignRequest& request,
               const std::optional<DesignInput>& target);
  FittedDesign(const FittedDesign&) = delete;
  FittedDesign& operator=(const FittedDesign&) = delete;

  /// The design, and its target as the last of the inputs.
  [[nodiscard]] const DesignFile& file() const { return m_design; }
  [[nodiscard]] const DesignInputs& inputs() const { return m_inputs; }
  [[nodiscard]] const DesignExpression& terms() const { return m_terms; }
  [[nodiscard]] std::int64_t rows() const { return m_inputs.samples(); }
  /// Each basis with its taps.
  [[nodiscard]] const std::vector<Component>& components() const { return m_components; }
  /// How each basis is computed.
  [[nodiscard]] const std::string& methods_text() const { return m_methods_text; }
  /// Ids of the targets; empty if they are the columns of an array.
  [[nodiscard]] std::vector<std::int64_t> target_ids() const;
  /// The channels of each input that the expression uses, from left to right.
  [[nodiscard]] std::vector<InputChannels> channels() const;
  /// The same for comparison with a model: columns of an array have no ids, so they get those of
  /// the model. Reports for which of them ids are not compared.
  [[nodiscard]] std::vector<InputChannels> channels_beside(const FitFile& model,
                                                           std::vector<std::string>& without) const;
  [[nodiscard]] std::int64_t targets() const { return m_inputs.shape_of(target_number()).channels; }
  /// Files of arrays, which a run reads.
  [[nodiscard]] std::vector<InputFile> files() const;
  /// Bytes of spike trains and targets in memory.
  [[nodiscard]] std::int64_t held_bytes() const;

  /// Plans the memory of a run besides its columns. \throws BudgetError if it is too much
  using Plan = std::function<void(const DesignMatrix& matrix, const Observations& observations)>;

  /// The columns. Inputs that are not in memory are read in each pass.
  [[nodiscard]] DesignMatrix matrix() const;
  /// Whether all its columns are of events. Then the valid rows depend only on shapes.
  [[nodiscard]] bool has_events_alone() const;
  /// Runs `body`. \throws BudgetError if the budget is too small for it, with the least budget for
  /// which a plan succeeds, so that a caller need not try twice
  void within_budget(const std::function<void()>& body, const Plan& plan) const;
  /// Targets, and weights of 0 for the rows that --time excludes. Reads an array of targets.
  [[nodiscard]] Observations observations();

  /// "samples 100 to 2000": the rows that --time selects; empty: all.
  [[nodiscard]] const std::string& weights_text() const { return m_weights_text; }

  /// \throws Error if the range of a basis in eval mode comes from the recording, because columns
  ///         of another recording would have a different meaning
  void require_bounds() const;

 private:
  [[nodiscard]] std::int64_t budget() const {
    return m_request.options.budget.value_or(default_budget());
  }
  /// Bytes of an array of targets.
  [[nodiscard]] std::int64_t target_bytes() const;
  /// Bytes, besides the held ones, with which a plan succeeds: only slightly more than the least.
  [[nodiscard]] std::int64_t least_beside(std::int64_t held, const Plan& plan) const;
  /// Columns that may use this part of the budget, besides the held bytes.
  [[nodiscard]] DesignMatrix matrix_within(std::int64_t bytes) const;
  [[nodiscard]] Observations observed(const AnySeries& targets) const;
  /// \throws StateError if the design has no target
  [[nodiscard]] std::size_t target_number() const;
  void read_target();

  DesignRequest m_request;
  DesignFile m_design;
  std::optional<std::size_t> m_target;  ///< number of its input
  DesignInputs m_inputs;
  DesignExpression m_terms;
  std::vector<StreamInput> m_streamed;  ///< for each input of the expression
  std::vector<Component> m_components;
  std::vector<std::byte> m_values;      ///< of an array of targets, in its stored type
  std::vector<std::uint8_t> m_weights;  ///< of rows; empty: all are 1
  std::string m_weights_text;
  std::string m_methods_text;
};

}  // namespace synelix::tool
