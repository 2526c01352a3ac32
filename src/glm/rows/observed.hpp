// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/series.hpp>

#include <atomic>
#include <cstdint>

/// \file
/// `Observed`: what is known of each row beside its features, as blocks of doubles: targets, row
/// weights, offsets, folds.

namespace synelix::glm {

/// Which rows count for a right-hand side.
struct RowsOf {
  std::int64_t target = 0;  ///< -1: of no target
  enum class Fold : std::uint8_t {
    all,      ///< rows of all folds
    without,  ///< of all but `fold`: training
    only      ///< of `fold`: test
  } folds = Fold::all;
  int fold = 0;
};

/// What is known of each row. Its functions are called from several threads at once.
class Observed {
 public:
  Observed() : m_number(next_number()) {}
  virtual ~Observed() = default;
  /// Of these values, which a process gives to no others. A copy has the same values.
  [[nodiscard]] std::uint64_t number() const { return m_number; }
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::int64_t targets() const = 0;
  /// Whether any row has an offset.
  [[nodiscard]] virtual bool has_offset() const = 0;
  /// Rows outside of these have weight 0 for every choice: no walk has to go there.
  [[nodiscard]] virtual Range counted_rows() const { return {0, rows()}; }
  /// Bytes that it holds beside the caller's arrays.
  [[nodiscard]] virtual std::int64_t held_bytes() const { return 0; }
  /// Whether the weights of a row differ between targets. If not, those of target -1 are all
  /// targets'.
  [[nodiscard]] virtual bool weights_follow_targets() const { return true; }
  /// Called by one thread before a walk reads these rows: a stream brings them into memory.
  virtual void begin(Range rows) const { static_cast<void>(rows); }
  /// The values of a target; where they are not finite, 0.
  virtual void read_targets(std::int64_t target, Range rows, double* values) const = 0;
  /// The weight of each row for this choice: 0 where the target is not finite or the fold is not
  /// wanted. Knows nothing of features.
  virtual void read_weights(const RowsOf& choice, Range rows, double* weights) const = 0;
  /// Offsets of a target. Only where has_offset.
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
