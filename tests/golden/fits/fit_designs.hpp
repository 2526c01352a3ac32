// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/fits/fit_case.hpp"

#include <synelix/design_matrix.hpp>

#include <memory>
#include <string>
#include <vector>

/// \file
/// The design matrices on which a case is fitted.

namespace golden {

struct FitDesign {
  std::string name;
  synelix::DesignMatrix matrix;
  bool is_exact = true;               ///< the features of the file, in double
  std::shared_ptr<const void> holds;  ///< data that the matrix refers to
};

/// The stored features, and the features in the file; if the design has counts, also its expression
/// on a list of events, on the array of counts, and on the counts of the file. Each for every Keep
/// that it supports. Refers to the case.
std::vector<FitDesign> designs_of(const FitCase& fit, const Group& root);

}  // namespace golden
