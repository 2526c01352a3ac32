// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Selections of virtual datasets, and which part of a dataset has a source.

namespace synelix::h5 {

/// Whether a selection has no end.
bool is_unlimited(const Space& selection);

/// The extents of a selection in each dimension; for one without an end, those of a block.
std::vector<std::int64_t> sides_of(const Space& selection);

/// Whether a selection is an entire dataset, for any extents.
bool is_all(const Space& selection);

/// One past the last index of a selection with an end, in each dimension; zeros if it is empty.
std::vector<std::int64_t> end_of_selection(const Space& selection);

/// The part of a virtual dataset that has a source.
class Coverage {
 public:
  Coverage(std::vector<std::int64_t> extents, std::string name);

  /// \throws Error if the dataset has more than `blocks` blocks of a selection without an end
  /// \param missing  the source of the first missing block, for the message
  void require_blocks(const Space& to, hsize_t blocks, const std::string& missing) const;
  /// \throws Error if a source of these extents ends before the dataset does
  void require_length(const Space& to, const Space& from,
                      const std::vector<std::int64_t>& source_extents,
                      const std::string& source) const;
  /// Counts the part of a selection that is inside of the dataset.
  void add(const Space& to);
  /// Warns of parts without a source if the author of the file has set a fill value.
  /// \throws Error if not: their zeros would be invented values
  void require_all(const Properties& creation) const;

 private:
  std::vector<std::int64_t> m_extents;
  std::string m_name;
  Space m_covered;
  double m_sum = 0;   ///< sum of the values of all selections
  double m_runs = 0;  ///< an upper bound of the pieces of the union
};

}  // namespace synelix::h5
