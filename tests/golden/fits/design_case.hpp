// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/golden_file.hpp"

#include <synelix/design_matrix.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/series.hpp>
#include <synelix/stream_features.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

/// \file
/// Cases of make_fit_operators.py: a design, and its products as NumPy computed them from explicit
/// loops in double.

namespace golden {

/// Where the inputs of a design are read.
enum class InputPlace { memory, file };

/// A design, and the data that it refers to.
struct DesignCase {
  std::deque<Array> arrays;
  std::deque<std::vector<float>> floats;
  std::deque<synelix::StridedSeries> series;
  std::deque<synelix::Events> events;
  std::deque<synelix::Hdf5Source> sources;
  std::vector<synelix::AnySeries> inputs;
  std::vector<synelix::StreamInput> streams;
  std::unique_ptr<synelix::DesignMatrix> design;
  double tolerance = 2e-6;  ///< of the largest value of a result

  const Array& keep(Array array) {
    arrays.push_back(std::move(array));
    return arrays.back();
  }
};

/// The entire array in the library's form.
synelix::Strided strided(const Array& array);

/// Reads the design of a case.
/// \param is_double  whether stored features are in double; `memory` alone
/// \throws FormatError if the case is none of the format
std::unique_ptr<DesignCase> read_design_case(const Group& group, bool is_double, InputPlace place,
                                             const synelix::DesignMatrixOptions& options);

/// All products of the design against the numbers of the case. Returns the first difference; empty:
/// there is none.
std::string compare_products(const Group& group, const DesignCase& found);

/// Loss, gradient and Hessian likewise, of one right-hand side and of many.
std::string compare_evaluations(const Group& group, const DesignCase& found);

}  // namespace golden
