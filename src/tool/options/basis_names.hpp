// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// The names of bases, which parameters each has, and what comes of them: for the options of a
/// command line and for the tables of a design.

namespace synelix::tool {

/// What was read of a basis; absent where not given.
struct BasisParameters {
  std::string family;  ///< "raised-cosine-log"
  std::optional<std::int64_t> bases;
  std::optional<double> width;
  std::optional<double> time_scaling;
  bool no_decay = false;
  std::optional<std::int64_t> order;
  std::optional<std::vector<double>> decay_rates;
};

/// A parameter that is missing, or that a family does not have.
struct ParameterFault {
  std::string parameter;  ///< "time-scaling"
  bool is_missing = false;
};

/// The names of all families, with commas between them.
std::string family_names();
bool is_family(const std::string& name);
/// What is wrong with the parameters of a known family, if anything.
std::optional<ParameterFault> fault_of(const BasisParameters& parameters);
/// The basis of a known family whose parameters are in order.
Basis basis_of(const BasisParameters& parameters);

}  // namespace synelix::tool
