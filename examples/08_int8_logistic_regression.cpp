// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Logistic regression of ten classes by gradient descent on images that stay in bytes. A product
// reads them as (grey - mean) / 128. They take a quarter of the memory of float, and no converted
// copy is made. The mean is a constant, the mean of each batch of 600, or the mean of each pixel of
// the batch, computed just before it is used. The images are in memory, or are read from an HDF5
// file.
//
//     08_int8_logistic_regression [--train N] [--test N] [--epochs N]
//         [--file FILE.h5 --images /train --labels /l --test-images /test --test-labels /tl]
//
// Without a file it draws digits: `--train` and `--test` are their numbers. From a file it reads
// images of any size, int8 or uint8, whose first dimension is the image, and labels 0 to 9. It
// needs 600 images or more to learn from.
//
// Expected output. The times differ; these were measured by hand with one thread. Floats with
// the mean of all images are converted before, so they need no work in a product. With other
// means both types are scaled when they are read, and bytes are read faster from memory:
//     60000 images to learn from, 10000 to test, of 784 pixels: 47.0 MB as int8, 188.2 MB as float
//     mean of      stored            ms an epoch   error rate after each epoch, %
//     all images   float              44.9, 1.00x  15.70 12.00 10.08  8.86  7.95
//     all images   bytes              57.1, 1.27x  15.69 11.98 10.08  8.85  7.94
//     all images   bytes of a file    51.9, 1.16x  15.69 11.98 10.08  8.85  7.94
//     each batch   float              73.9, 1.00x  15.79 11.99 10.07  8.88  7.99
//     each batch   bytes              65.8, 0.89x  15.79 12.00 10.06  8.89  7.96
//     each batch   bytes of a file    61.6, 0.83x  15.79 12.00 10.06  8.89  7.96
//     each pixel   float              81.2, 1.00x  18.39 13.85 11.53 10.23  9.21
//     each pixel   bytes              71.3, 0.88x  18.37 13.83 11.52 10.22  9.22
//     each pixel   bytes of a file    61.1, 0.75x  18.37 13.83 11.52 10.22  9.22

#include "images.hpp"
#include "options.hpp"
#include "own_folder.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/synelix.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;
using images::Data;
using images::Images;
using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;

constexpr int batch = 600;
constexpr std::int64_t classes = digits::classes;

enum class Mean { all, batch, pixel };

class Classifier {
 public:
  // Values are (stored - mean) * unit; `mean` is that of all images.
  Classifier(std::int64_t pixels, Mean kind, double unit, double mean)
      : m_kind(kind),
        m_unit(unit),
        m_mean(mean),
        m_weights("weights", pixels, classes),
        m_bias("bias", 1, classes),
        m_scores("scores", batch, classes),
        m_ones("ones", 1, batch),
        m_means("means", 1, pixels),
        m_scales("scales", pixels),
        m_offsets("offsets", pixels) {
    Kokkos::deep_copy(m_ones, 1.0F);
    Kokkos::deep_copy(m_scales, unit);
  }

  // One step down the gradient of the mean cross entropy of some images.
  void learn(const sx::Strided& images, const std::uint8_t* labels) {
    const std::int64_t n = images.extents[0];
    const sx::Operand x = centred(images);
    const Matrix scores = first_rows(n);
    sx::matmul(m_exec, x, m_weights, scores);
    // Turns scores into probabilities and subtracts 1 for the right class: the gradient with
    // respect to the scores.
    const auto bias = m_bias;
    Kokkos::parallel_for("softmax", Kokkos::RangePolicy<Exec>(m_exec, 0, n),
                         [=](const std::int64_t i) {
                           float most = scores(i, 0) + bias(0, 0);
                           for (int k = 1; k < classes; ++k)
                             most = Kokkos::max(most, scores(i, k) + bias(0, k));
                           float sum = 0;
                           for (int k = 0; k < classes; ++k) {
                             scores(i, k) = Kokkos::exp(scores(i, k) + bias(0, k) - most);
                             sum += scores(i, k);
                           }
                           for (int k = 0; k < classes; ++k) scores(i, k) /= sum;
                           scores(i, labels[i]) -= 1;
                         });
    const double step = -rate / static_cast<double>(n);
    sx::matmul(m_exec, ones(n), scores, m_bias, {.alpha = step, .beta = 1});
    sx::matmul(m_exec, sx::transposed(x), scores, m_weights, {.alpha = step, .beta = 1});
  }

  // The number of images that are classified wrongly.
  [[nodiscard]] std::int64_t wrong(const sx::Strided& images, const std::uint8_t* labels) {
    const Matrix scores = first_rows(images.extents[0]);
    sx::matmul(m_exec, centred(images), m_weights, scores);
    const auto bias = m_bias;
    std::int64_t found = 0;
    Kokkos::parallel_reduce(
        "wrong", Kokkos::RangePolicy<Exec>(m_exec, 0, images.extents[0]),
        [=](const std::int64_t i, std::int64_t& sum) {
          int best = 0;
          for (int k = 1; k < classes; ++k) {
            if (scores(i, k) + bias(0, k) > scores(i, best) + bias(0, best)) best = k;
          }
          sum += best != labels[i] ? 1 : 0;
        },
        found);
    return found;
  }

 private:
  static constexpr double rate = 0.05;

  // The images as physical values. Only means are computed here, by a product with ones.
  sx::Operand centred(const sx::Strided& images) {
    if (m_kind == Mean::all) return sx::scaled(images, m_unit, -m_mean * m_unit);
    const std::int64_t n = images.extents[0];
    sx::matmul(m_exec, ones(n), images, m_means, {.alpha = 1.0 / static_cast<double>(n)});
    const auto means = m_means;
    const auto offsets = m_offsets;
    const double unit = m_unit;
    const Kokkos::RangePolicy<Exec> each(m_exec, 0, images.extents[1]);
    if (m_kind == Mean::batch) {  // a number, of this batch
      double sum = 0;
      Kokkos::parallel_reduce("mean", each, [=](const int j, double& s) { s += means(0, j); }, sum);
      return sx::scaled(images, unit, -sum / static_cast<double>(images.extents[1]) * unit);
    }
    Kokkos::parallel_for("offsets", each, [=](const int j) { offsets(j) = -means(0, j) * unit; });
    return sx::scaled(images, m_scales, offsets);  // read by the products
  }
  [[nodiscard]] Matrix first_rows(std::int64_t n) const {
    return {m_scores, Kokkos::make_pair(std::int64_t{0}, n), Kokkos::ALL};
  }
  [[nodiscard]] Matrix ones(std::int64_t n) const { return Matrix(m_ones.data(), 1, n); }

  Exec m_exec;
  Mean m_kind;
  double m_unit;
  double m_mean;
  Matrix m_weights;
  Matrix m_bias;
  Matrix m_scores;
  Matrix m_ones;
  Matrix m_means;
  Kokkos::View<double*, Exec> m_scales;
  Kokkos::View<double*, Exec> m_offsets;
};

// One way to learn, and its results.
struct Run {
  const char* mean;
  const char* stored;
  Classifier classifier;
  const Images* images;  // in memory; null: in the file
  const Images* tests;
  std::vector<double> errors = {};
  std::vector<double> seconds = {};
};

// Calls `each` with one batch after the other. Batches of a file are read into memory for one
// batch.
template <class Each>
void for_batches(const Images* images, sx::Source& source, const Each& each) {
  const std::int64_t count = images != nullptr ? images->count : source.shape().samples;
  std::unique_ptr<Images> buffer;
  if (images == nullptr) {
    buffer = std::make_unique<Images>(source.shape().type, batch, source.shape().channels);
  }
  for (std::int64_t first = 0; first < count; first += batch) {
    const std::int64_t n = std::min<std::int64_t>(batch, count - first);
    if (images != nullptr) {
      each(images->rows(first, n), first);
    } else {
      source.read({first, first + n}, {0, source.shape().channels}, buffer->values.data());
      each(buffer->rows(0, n), first);
    }
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(const examples::Options& options) {
  const bool has_file = !options["--file"].empty();
  const int epochs = options.number("--epochs", 1);
  Data train =
      has_file ? images::read(options["--file"], options["--images"], options["--labels"], batch)
               : images::draw(0, options.number("--train", batch));
  Data test = has_file ? images::read(options["--file"], options["--test-images"],
                                      options["--test-labels"], 1)
                       : images::draw(train.bytes.count, options.number("--test", 1));
  const std::int64_t pixels = train.bytes.pixels;
  sx::FilePath path{options["--file"], options["--images"]};
  std::optional<examples::OwnFolder> folder;
  if (!has_file) {
    path = {folder.emplace("synelix_08_int8") / "digits.h5", "/images"};
    const sx::SeriesShape shape{
        .samples = train.bytes.count, .channels = pixels, .type = train.bytes.type, .epochs = {}};
    sx::Hdf5SeriesWriter writer(path, shape, {});
    writer.write({0, train.bytes.count}, train.bytes.values.data());
    writer.finish();
  }
  sx::Hdf5Source source(path);
  const double mean = train.mean();
  train.centre(mean);
  test.centre(mean);
  std::printf(
      "%lld images to learn from, %lld to test, of %lld pixels: %.1f MB as %s, %.1f MB as float\n",
      static_cast<long long>(train.bytes.count), static_cast<long long>(test.bytes.count),
      static_cast<long long>(pixels), static_cast<double>(train.bytes.values.size()) * 1e-6,
      std::string(name_of(train.bytes.type)).c_str(),
      static_cast<double>(train.floats.values.size()) * 1e-6);

  std::vector<Run> runs;
  for (const auto& [name, kind] : {std::pair{"all images", Mean::all},
                                   {"each batch", Mean::batch},
                                   {"each pixel", Mean::pixel}}) {
    runs.push_back({name, "float", Classifier(pixels, kind, 1, 0), &train.floats, &test.floats});
    runs.push_back(
        {name, "bytes", Classifier(pixels, kind, 1.0 / 128, mean), &train.bytes, &test.bytes});
    runs.push_back(
        {name, "bytes of a file", Classifier(pixels, kind, 1.0 / 128, mean), nullptr, &test.bytes});
  }
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (Run& r : runs) {  // in turn, so that other load of the machine affects all equally
      const auto start = std::chrono::steady_clock::now();
      for_batches(r.images, source, [&](const sx::Strided& images, std::int64_t first) {
        r.classifier.learn(images, train.labels.data() + first);
      });
      r.seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      std::int64_t wrong = 0;
      for_batches(r.tests, source, [&](const sx::Strided& images, std::int64_t first) {
        wrong += r.classifier.wrong(images, test.labels.data() + first);
      });
      r.errors.push_back(static_cast<double>(wrong) / static_cast<double>(test.bytes.count));
    }
  }

  std::printf("mean of      stored            ms an epoch   error rate after each epoch, %%\n");
  bool ok = true;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& r = runs[i];
    const Run& reference = runs[i / 3 * 3];  // float
    const double error = r.errors.back();
    const double noise = std::sqrt(error * (1 - error) / static_cast<double>(test.bytes.count));
    ok = ok && error < 0.5 && std::abs(error - reference.errors.back()) <= 2 * noise;
    std::printf("%-12s %-16s %6.1f, %.2fx ", r.mean, r.stored, median(r.seconds) * 1e3,
                median(r.seconds) / median(reference.seconds));
    for (const double e : r.errors) std::printf(" %5.2f", e * 100);
    std::printf("\n");
  }
  return ok ? 0 : 1;
}

int main(int argc, char* argv[]) {
  try {
    const sx::Session session(argc, argv);
    const examples::Options options({{"--train", "60000"},
                                     {"--test", "10000"},
                                     {"--epochs", "5"},
                                     {"--file", ""},
                                     {"--images", ""},
                                     {"--labels", ""},
                                     {"--test-images", ""},
                                     {"--test-labels", ""}},
                                    argc, argv);
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
