// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One number for each of many vectors x and one matrix a: x a x', and x a y' with another vector y,
// without storing the products x a. The vectors are in memory, or in a file that is read in
// blocks. In NumPy:
//     q = np.einsum("ij,jk,ik->i", x, a, x)      # or ((x @ a) * x).sum(1)
//
//     07_many_inner_products [VECTORS] [LENGTH] [MEBIBYTES]
//     (50000 vectors of length 1000; blocks of 32 MiB)
//
// Expected output (times differ; so does the memory used, with the threads):
//     50000 vectors of length 1000, and one matrix; stored, the products are 190.7 MiB
//     quadratic forms: 2.2 MiB beside the arguments, 0.23 s; products stored, then dots: 0.95 s
//     bilinear forms: 4.0 MiB beside the arguments, 0.44 s
//     quadratic forms from a file: blocks of 8388 vectors, 0.32 s
//     q(7) = 30112, b(7) = -8816

#include "own_folder.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <vector>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;
using Array = std::vector<float>;

/// Small integers, so that sums are exact.
Array numbers(std::int64_t rows, std::int64_t columns, std::int64_t step) {
  Array values(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      values[static_cast<std::size_t>(i * columns + j)] =
          static_cast<float>((i * step + i * j + j * j) % 5 - 2);
    }
  }
  return values;
}

/// x_i a y_i by loops.
double form(const Array& x, const Array& a, const Array& y, std::int64_t n, std::int64_t i) {
  double sum = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t k = 0; k < n; ++k) {
      sum += static_cast<double>(x[static_cast<std::size_t>(i * n + j)]) *
             static_cast<double>(a[static_cast<std::size_t>(j * n + k)]) *
             static_cast<double>(y[static_cast<std::size_t>(i * n + k)]);
    }
  }
  return sum;
}

template <class Call>
double seconds_of(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double mebibytes_of(std::int64_t bytes) { return static_cast<double>(bytes) / 1048576.0; }

/// The usual way: the products, then a dot product of each.
void products_then_dots(const Exec& exec, const sx::Strided& x, const sx::Strided& a,
                        const Array& vectors, std::int64_t n, Array& q) {
  Array products(vectors.size());
  sx::matmul(exec, x, a, sx::StridedOutput(products.data(), {x.extents[0], n}));
  Kokkos::parallel_for(
      "dots", Kokkos::RangePolicy<Exec>(exec, 0, x.extents[0]), [&](const std::int64_t i) {
        float sum = 0;
        for (std::int64_t j = i * n; j < (i + 1) * n; ++j) {
          sum += products[static_cast<std::size_t>(j)] * vectors[static_cast<std::size_t>(j)];
        }
        q[static_cast<std::size_t>(i)] = sum;
      });
  exec.fence();
}

void write_vectors(const sx::FilePath& path, const Array& x, std::int64_t count, std::int64_t n) {
  sx::SeriesShape shape;
  shape.samples = count;
  shape.channels = n;
  shape.type = sx::StoredType::float32;
  sx::Hdf5SeriesWriter writer(path, shape, std::nullopt);
  writer.write({0, count}, x.data());
  writer.finish();
}

int run(std::int64_t count, std::int64_t n, std::int64_t block_bytes) {
  const Exec exec;
  const Array x = numbers(count, n, 3);
  const Array y = numbers(count, n, 7);
  const Array a = numbers(n, n, 2);
  const sx::Strided xs(x.data(), {count, n});
  const sx::Strided ys(y.data(), {count, n});
  const sx::Strided matrix(a.data(), {n, n});
  const auto size = static_cast<std::size_t>(count);
  std::printf("%lld vectors of length %lld, and one matrix; stored, the products are %.1f MiB\n",
              static_cast<long long>(count), static_cast<long long>(n),
              mebibytes_of(count * n * 4));

  // From memory.
  Array q(size);
  Array stored(size);
  const sx::StridedOutput forms(q.data(), {count});
  const double plain = seconds_of([&] { products_then_dots(exec, xs, matrix, x, n, stored); });
  const double mine = seconds_of([&] { sx::quadratic_forms(exec, xs, matrix, forms); });
  const auto chosen = sx::choose_quadratic_forms(exec, xs, matrix, forms);
  std::printf(
      "quadratic forms: %.1f MiB beside the arguments, %.2f s; products stored, then dots: "
      "%.2f s\n",
      mebibytes_of(chosen.workspace_bytes), mine, plain);

  Array b(size);
  const sx::StridedOutput pairs(b.data(), {count});
  const double both = seconds_of([&] { sx::bilinear_forms(exec, xs, matrix, ys, pairs); });
  std::printf("bilinear forms: %.1f MiB beside the arguments, %.2f s\n",
              mebibytes_of(sx::choose_bilinear_forms(exec, xs, matrix, ys, pairs).workspace_bytes),
              both);

  // From a file, in blocks that fill the memory given. Forms have the bits of those above.
  const examples::OwnFolder folder("synelix_07_many_inner_products");
  const sx::FilePath file{folder / "vectors.h5", "/x"};
  write_vectors(file, x, count, n);
  sx::Hdf5Source source(file);
  const std::int64_t rows = std::clamp<std::int64_t>(block_bytes / (4 * n), 1, count);
  Array block(static_cast<std::size_t>(rows * n));
  Array parts(size);
  const double from_file = seconds_of([&] {
    for (std::int64_t row = 0; row < count; row += rows) {
      const std::int64_t end = std::min(count, row + rows);
      source.read({row, end}, {0, n}, block.data());
      sx::quadratic_forms(exec, sx::Strided(block.data(), {end - row, n}), matrix,
                          sx::StridedOutput(&parts[static_cast<std::size_t>(row)], {end - row}));
    }
  });
  std::printf("quadratic forms from a file: blocks of %lld vectors, %.2f s\n",
              static_cast<long long>(rows), from_file);
  std::printf("q(7) = %.0f, b(7) = %.0f\n", static_cast<double>(q[7]), static_cast<double>(b[7]));

  bool ok = q == parts && q == stored;
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{7}, count / 2, count - 1}) {
    const auto at = static_cast<std::size_t>(i);
    ok = ok && static_cast<double>(q[at]) == form(x, a, x, n, i);
    ok = ok && static_cast<double>(b[at]) == form(x, a, y, n, i);
  }
  return ok ? 0 : 1;
}

int main(int argc, char* argv[]) try {
  const sx::Session session(argc, argv);
  const std::int64_t count = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 50'000;
  const std::int64_t n = argc > 2 ? std::strtoll(argv[2], nullptr, 10) : 1000;
  const std::int64_t mebibytes = argc > 3 ? std::strtoll(argv[3], nullptr, 10) : 32;
  if (count < 8 || n < 1 || n > 1400 || mebibytes < 1) {
    std::printf(
        "07_many_inner_products [VECTORS] [LENGTH] [MEBIBYTES]: 8 vectors or more, of length 1 to "
        "1400\n");
    return 1;
  }
  return run(count, n, sx::mebibytes(mebibytes));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
