// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/series.hpp>

#include <atomic>
#include <cstdint>

/// \file
/// `Observed`: the data of each row other than its features, as blocks of doubles: targets, row
/// weights, offsets, folds.

namespace synelix::glm {

/// Which rows count for a right-hand side.
struct RowsOf {
  std::int64_t target = 0;  ///< -1: no target
  enum class Fold : std::uint8_t {
    all,      ///< rows of all folds
    without,  ///< of all except `fold`: training
    only      ///< of `fold`: test
  } folds = Fold::all;
  int fold = 0;
};

/// The data of each row. Its functions are called from several threads at once.
class Observed {
 public:
  Observed() : m_number(next_number()) {}
  virtual ~Observed() = default;
  /// A number that identifies these values in this process. A copy has the same number.
  [[nodiscard]] std::uint64_t number() const { return m_number; }
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::int64_t targets() const = 0;
  /// Whether any row has an offset.
  [[nodiscard]] virtual bool has_offset() const = 0;
  /// Rows outside of these have weight 0 for every choice, so walks skip them.
  [[nodiscard]] virtual Range counted_rows() const { return {0, rows()}; }
  /// Bytes that it holds in addition to the caller's arrays.
  [[nodiscard]] virtual std::int64_t held_bytes() const { return 0; }
  /// Whether the weights of a row differ between targets. If not, those of target -1 apply to all
  /// targets.
  [[nodiscard]] virtual bool weights_follow_targets() const { return true; }
  /// Called by one thread before a walk reads these rows: a stream brings them into memory.
  virtual void begin(Range rows) const { static_cast<void>(rows); }
  /// The values of a target; 0 for values that are not finite.
  virtual void read_targets(std::int64_t target, Range rows, double* values) const = 0;
  /// The weight of each row for this choice: 0 if the target is not finite or the fold is not
  /// wanted. Does not depend on features.
  virtual void read_weights(const RowsOf& choice, Range rows, double* weights) const = 0;
  /// Offsets of a target. Only called if has_offset.
  virtual void read_offsets(std::int64_t target, Range rows, double* offsets) const = 0;

 protected:
  Observed(const Observed&) = default;
  Observed& operator=(const Observed&) = default;

 private:
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> given{0};
    return ++given;
  }

  std::uint64_t m_number;
};

}  // namespace synelix::glm
