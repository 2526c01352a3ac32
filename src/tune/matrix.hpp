// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// Tile shapes of matrix products. Numbers only; perf/NOTES.md says how they were measured.

namespace synelix::tune {

/// Packs of columns that a matrix tile sums together at most.
constexpr int matrix_packs(int registers) { return registers >= 32 ? 3 : 2; }
inline constexpr int most_matrix_packs = 3;

/// Rows that a matrix tile of so many packs sums together at most: their product is what hides the
/// latency of a multiply-add, and leaves registers for a row of the right operand and one value of
/// the left one.
constexpr int matrix_rows(int registers, int packs) {
  if (registers >= 32) return packs == 1 ? 16 : packs == 2 ? 12 : 8;
  return packs == 1 ? 8 : 6;
}
inline constexpr int most_matrix_rows = 16;

/// Rows and columns of the part of a product that one virtual item of a host computes, and the
/// inner indices that are summed before the next ones: a panel of 48 columns of float lies in a
/// first-level cache beside what else passes, the part's sums in a second-level one.
inline constexpr int host_matrix_rows = 96;
inline constexpr int host_matrix_columns = 192;
inline constexpr int host_matrix_inner = 192;
/// Rows from which on a panel of the right operand is packed first, even where it could be read as
/// it lies: copying it costs as much as so few rows.
inline constexpr int packing_rows = 32;
/// Bytes that a right operand spans, from which on that is so: less stays in a first-level cache.
inline constexpr int packing_bytes = 32 * 1024;
/// Inner indices of a left operand that lie in memory of their own each, from which on it is packed
/// where several panels meet it.
inline constexpr int packing_inner = 64;
/// Rows of bilinear forms that a team multiplies with a panel before the next one.
inline constexpr int host_form_rows = 96;
/// What a part of a product costs beside its multiply-adds, in multiply-adds of single values.
inline constexpr double matrix_part = 1000;

/// The same part on a device, the threads that compute it, and the inner indices that are staged
/// together. Each thread sums `device_matrix_values` rows by as many columns. Not measured yet.
inline constexpr int device_matrix_rows = 64;
inline constexpr int device_matrix_columns = 64;
inline constexpr int device_matrix_values = 4;
inline constexpr int device_matrix_threads = 256;
/// By the bytes of a scalar: operands and sums, with what Kokkos takes, stay within the 48 KiB that
/// a team of CUDA has where nobody asks for more, which Kokkos 4 never does.
constexpr int device_matrix_inner(int bytes) { return bytes > 4 ? 12 : 32; }

/// Fewest multiply-adds of one product that the vendor's library is asked for, and its fewest rows,
/// columns and inner indices.
inline constexpr double library_product = 64.0 * 1024 * 1024;
inline constexpr int library_extent = 128;

}  // namespace synelix::tune
