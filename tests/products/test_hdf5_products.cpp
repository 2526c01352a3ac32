// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products and forms from file to file: the contents of the files, and a run that resumes where
// another one stopped.
#include "files/made_file.hpp"
#include "files/made_values.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/stream_products.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hdf5_products_tests {
namespace {

namespace sx = synelix;
using made::at;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t count = 5000;
constexpr std::int64_t n = 24;

/// Vectors in a file, and a matrix.
class Hdf5Products : public testing::Test {
 protected:
  Hdf5Products() {
    for (std::int64_t i = 0; i < count * n; ++i) {
      m_x.push_back(static_cast<float>(i * i % 101) / 16);
    }
    for (std::int64_t i = 0; i < n * n; ++i) m_a.push_back(static_cast<float>(i % 13) / 8);
    sx::SeriesShape shape;
    shape.samples = count;
    shape.channels = n;
    sx::Hdf5SeriesWriter writer(at(m_folder / "x.h5", "/x"), shape, std::nullopt);
    writer.write({0, count}, m_x.data());
    writer.finish();
  }

  [[nodiscard]] sx::Strided vectors() const { return {m_x.data(), {count, n}}; }
  [[nodiscard]] sx::Strided matrix() const { return {m_a.data(), {n, n}}; }

  /// Quadratic forms of the file to another; cancelled after a number of blocks, if it is not 0.
  sx::StreamReport forms(sx::Sink& sink, const sx::Operand& a, std::int64_t stop_at = 0) {
    sx::Hdf5Source source(at(m_folder / "x.h5", "/x"));
    std::atomic<bool> cancel{false};
    sx::StreamOptions stream;
    stream.cancel = &cancel;
    stream.progress = [&](const sx::StreamProgress& progress) {
      if (stop_at > 0 && progress.blocks_written >= stop_at) cancel = true;
    };
    return sx::stream_quadratic_forms<float>(Space(), source, a, sink, {.block_rows = 300}, stream);
  }

  const made::Folder m_folder;
  std::vector<float> m_x;
  std::vector<float> m_a;
};

TEST_F(Hdf5Products, HaveTheBitsOfThoseInMemory) {
  std::vector<float> q(count);
  std::vector<float> c(count * n);
  sx::quadratic_forms(Space(), vectors(), matrix(), sx::StridedOutput(q.data(), {count}));
  sx::matmul(Space(), vectors(), sx::transposed(matrix()), sx::StridedOutput(c.data(), {count, n}),
             {.multiplier = sx::Multiplier::tiles});
  sx::Hdf5Sink of_forms(at(m_folder / "q.h5", "/q"));
  forms(of_forms, matrix());
  EXPECT_EQ(made::read<float>(m_folder / "q.h5", "/q"), q);
  sx::Hdf5Source source(at(m_folder / "x.h5", "/x"));
  sx::Hdf5Sink of_products(at(m_folder / "c.h5", "/c"));
  sx::stream_matmul<float>(Space(), source, sx::transposed(matrix()), of_products,
                           {.budget = sx::mebibytes(2)});
  EXPECT_EQ(made::read<float>(m_folder / "c.h5", "/c"), c);
}

TEST_F(Hdf5Products, GoOnWhereAnotherRunHasStopped) {
  sx::Hdf5Sink whole(at(m_folder / "whole.h5", "/q"));
  forms(whole, matrix());
  sx::Hdf5Sink first(at(m_folder / "out.h5", "/q"));
  EXPECT_THROW(forms(first, matrix(), 6), sx::Cancelled);
  sx::Hdf5SinkOptions resuming;
  resuming.start = sx::Start::resume;

  std::vector<float> other = m_a;
  other[7] += 1;
  sx::Hdf5Sink wrong(at(m_folder / "out.h5", "/q"), resuming);
  EXPECT_THAT([&] { forms(wrong, sx::Strided(other.data(), {n, n})); },
              ThrowsMessage<sx::Error>(HasSubstr("matrix float32 24 x 24, checksum")));

  sx::Hdf5Sink second(at(m_folder / "out.h5", "/q"), resuming);
  const sx::StreamReport report = forms(second, matrix());
  EXPECT_GE(report.blocks_before, 6);
  EXPECT_LT(report.bytes_written, count * 4);
  EXPECT_EQ(made::read<float>(m_folder / "out.h5", "/q"),
            made::read<float>(m_folder / "whole.h5", "/q"));
}

}  // namespace
}  // namespace hdf5_products_tests
