// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/fits/fit_case.hpp"

#include <cstdint>
#include <vector>

/// \file
/// The distance of a point from the optimum of a target, by plain loops over the features of the
/// file in double, without code of the library. The formulas are those of fit_reference.py.

namespace golden {

/// The numbers of a point of one target.
struct FitCertificate {
  double mean_loss = 0;
  double objective = 0;
  double kkt_scale = 0;  ///< largest violation over the largest mean |x r0|
  double decrement = 0;  ///< sqrt(n g' H^-1 g), in standard errors; 0 if the penalty is sparse
};

/// The targets of a case. Refers to it.
class FitCertifier {
 public:
  explicit FitCertifier(const FitCase& fit);

  /// \param coefficients  (columns, targets, classes)
  /// \param intercepts    (targets, classes)
  [[nodiscard]] FitCertificate certify(std::int64_t target, const std::vector<double>& coefficients,
                                       const std::vector<double>& intercepts) const;

 private:
  const FitCase& m_fit;
  std::vector<double> m_scales;  ///< of each target, the largest mean |x r0|
};

}  // namespace golden
