// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Selections of virtual datasets, and how much of one has a source.

namespace synelix::h5 {

/// Whether a selection has no end.
bool is_unlimited(const Space& selection);

/// Values of a selection in each dimension; of one without an end, those of a block.
std::vector<std::int64_t> sides_of(const Space& selection);

/// Whether a selection is all of a dataset, whatever its extents.
bool is_all(const Space& selection);

/// One behind the last index of a selection with an end, in each dimension; zeros where it is
/// empty.
std::vector<std::int64_t> end_of_selection(const Space& selection);

/// What of a virtual dataset has a source.
class Coverage {
 public:
  Coverage(std::vector<std::int64_t> extents, std::string name);

  /// \throws Error where the dataset has more than so many blocks of a selection without an end
  /// \param missing  the source of the first that is not there, for the message
  void require_blocks(const Space& to, hsize_t blocks, const std::string& missing) const;
  /// \throws Error where a source of these extents ends before the dataset does
  void require_length(const Space& to, const Space& from,
                      const std::vector<std::int64_t>& source_extents,
                      const std::string& source) const;
  /// Counts a selection, as far as it lies in the dataset.
  void add(const Space& to);
  /// Where a part has no source: warns, if the author of the file has given it a fill value.
  /// \throws Error where not: its zeros would be nobody's values
  void require_all(const Properties& creation) const;

 private:
  std::vector<std::int64_t> m_extents;
  std::string m_name;
  Space m_covered;
  double m_sum = 0;   ///< of the values of all selections
  double m_runs = 0;  ///< a bound of the pieces of the union
};

}  // namespace synelix::h5
