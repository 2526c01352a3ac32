// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/bilinear_forms.hpp>
#include <synelix/choice.hpp>
#include <synelix/matmul.hpp>
#include <synelix/scaled.hpp>
#include <synelix/seam/stream_products.hpp>
#include <synelix/stream.hpp>

#include <cstdint>
#include <optional>

/// \file
/// Products and forms of more vectors than fit into memory, with a matrix that does: vectors come
/// from a `Source`, samples as vectors and channels as their elements, block by block, and results
/// go to a `Sink` or an array. Reading, computing and writing overlap.
///
///     sx::Hdf5Source x(sx::parse_file_path("vectors.h5:/x"));
///     std::vector<float> q(50'000);
///     sx::stream_quadratic_forms<float>(exec, x, a, sx::StridedOutput(q.data(), {50'000}));
///
/// Results have the bits that `matmul` by tiles, `bilinear_forms` and `quadratic_forms` give in
/// memory, for every budget. All memory except the matrix and an array of results stays within the
/// budget: buffers, workspace, the chunk caches of files. The scaling of a source is used; its
/// epochs are ignored. A sink receives one channel, and a basis for each column: an Hdf5Sink's
/// dataset is (vectors, columns). An interrupted run can be resumed as with `stream_convolve`, if
/// the source (or `StreamOptions::series.fingerprint`) has a fingerprint and the matrix is on the
/// host.

namespace synelix {

/// How products and forms are streamed.
struct StreamProductsOptions {
  FormMethod method = FormMethod::automatic;  ///< of forms
  /// Most vectors of a block; absent: as many as fit in 32 MiB.
  std::optional<std::int64_t> block_rows = {};
  /// Bytes in addition to the arguments; of device memory if blocks go through a device. Absent: a
  /// quarter of what is available.
  std::optional<std::int64_t> budget = {};
  std::optional<std::int64_t> host_budget = {};  ///< of the host, if blocks go through a device
  Staging staging = Staging::automatic;          ///< whether blocks go through a device
  Machine machine = {};                          ///< only its instruction set is used
};

/// c(i, j) = sum over k of x(i, k) b(k, j) for all vectors x_i: x (count, m), b (m, n), c
/// (count, n) of `Scalar`. To compute a x_i for all i, pass `transposed(a)` as b.
///
/// \param exec     the instance that computes
/// \param x        vectors
/// \param b        a matrix that the execution space reaches
/// \param c        receives the rows of the product
/// \param options  budget, rows of a block
/// \param stream   range of vectors (`samples`), progress, cancelling
/// \throws Error      as MatmulPlan; if the budget is too small, naming the smallest that works, or
///                    a source or the sink fails
/// \throws Cancelled  if stream.cancel is set
template <class Scalar, class ExecutionSpace>
StreamReport stream_matmul(const ExecutionSpace& exec, Source& x, const Operand& b, Sink& c,
                           const StreamProductsOptions& options = {},
                           const StreamOptions& stream = {});

/// q(i) = x_i a y_i for all pairs of vectors, as `bilinear_forms`: x (count, m), a (m, n), y
/// (count, n), q (count, 1); or a (matrices, m, n), q (count, matrices). Arguments as of
/// `stream_matmul`.
/// \throws Error as stream_matmul and BilinearFormsPlan
template <class Scalar, class ExecutionSpace>
StreamReport stream_bilinear_forms(const ExecutionSpace& exec, Source& x, const Operand& a,
                                   Source& y, Sink& q, const StreamProductsOptions& options = {},
                                   const StreamOptions& stream = {});

/// q(i) = x_i a x_i for all vectors, as `quadratic_forms`. Arguments as of `stream_matmul`.
/// \throws Error as stream_matmul and BilinearFormsPlan
template <class Scalar, class ExecutionSpace>
StreamReport stream_quadratic_forms(const ExecutionSpace& exec, Source& x, const Operand& a,
                                    Sink& q, const StreamProductsOptions& options = {},
                                    const StreamOptions& stream = {});

/// The three into an array on the host, a View or a `StridedOutput` of `Scalar`: (count, n) for
/// products, (count), or of several matrices (count, matrices), for forms.
/// @{
template <class Scalar, class ExecutionSpace, class Result>
  requires seam::is_no_sink<Result>
StreamReport stream_matmul(const ExecutionSpace& exec, Source& x, const Operand& b, const Result& c,
                           const StreamProductsOptions& options = {},
                           const StreamOptions& stream = {}) {
  MemorySink sink(seam::as_rows(c));
  return stream_matmul<Scalar>(exec, x, b, sink, options, stream);
}
template <class Scalar, class ExecutionSpace, class Result>
  requires seam::is_no_sink<Result>
StreamReport stream_bilinear_forms(const ExecutionSpace& exec, Source& x, const Operand& a,
                                   Source& y, const Result& q,
                                   const StreamProductsOptions& options = {},
                                   const StreamOptions& stream = {}) {
  MemorySink sink(seam::as_rows(q));
  return stream_bilinear_forms<Scalar>(exec, x, a, y, sink, options, stream);
}
template <class Scalar, class ExecutionSpace, class Result>
  requires seam::is_no_sink<Result>
StreamReport stream_quadratic_forms(const ExecutionSpace& exec, Source& x, const Operand& a,
                                    const Result& q, const StreamProductsOptions& options = {},
                                    const StreamOptions& stream = {}) {
  MemorySink sink(seam::as_rows(q));
  return stream_quadratic_forms<Scalar>(exec, x, a, sink, options, stream);
}
/// @}

}  // namespace synelix
