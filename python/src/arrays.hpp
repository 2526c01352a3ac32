// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime.hpp"

#include <synelix/scaled.hpp>
#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <vector>

/// \file
/// Arrays of Python as arrays of the library, in place: any strides, no copies.

namespace synelix::python {

/// An array that is read: any stored type, strides and rank.
using Array = nb::ndarray<nb::ro, nb::device::cpu>;
/// The same in any memory, of the host or of a device.
using AnyArray = nb::ndarray<nb::ro>;
/// Host memory that is written.
using Target = nb::ndarray<nb::device::cpu>;
/// Half-open ranges of samples, (n, 2).
using Ranges = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
/// A matrix of numbers of the caller.
using DoubleMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// \throws Error naming `name` for a type that the library does not read, or more than 8 dimensions
/// @{
Strided strided(const Array& array, const char* name = "x");
Strided strided(const AnyArray& array, const char* name);
StridedOutput strided(const Target& array, const char* name = "out");
/// An array that is written. The caller keeps it alive. \throws Error naming `name` as above, and
/// if it cannot be written
StridedOutput written(const nb::object& array, const char* name = "out");

/// Throws for a masked array of NumPy, because its memory also has hidden values. `plain` is the
/// type of arrays that need no further check: numpy.ndarray. \throws Error naming `name`
void refuse_mask(nb::handle array, nb::handle plain, const char* name);

/// The ranges; if none are given, everything. \throws Error for an empty list
Epochs epochs_of(const std::optional<Ranges>& ranges);

/// Extents as a tuple of Python.
nb::tuple tuple_of(const std::vector<std::int64_t>& extents);
/// A new array of float32 or float64. From 1 MiB on its data begin on a line of 64 bytes.
nb::object new_array(bool is_double, const std::vector<std::int64_t>& extents);
/// A new array of float64 with these values.
nb::object array_of(const std::vector<double>& values, const std::vector<std::int64_t>& extents);
/// A new array of int64 with these values.
nb::object array_of(const std::vector<std::int64_t>& values);

}  // namespace synelix::python
